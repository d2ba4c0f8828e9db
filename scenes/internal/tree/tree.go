// Package tree walks the nodes of a scene by the links in its file, with bounds on the depth and the number of visits.
// A file may claim anything: nodes below themselves, one node below many, and more paths than any machine has time
// for. All readers of such files walk here.
package tree

import (
	"lockstep/scenes"

	"lockstep/scenes/format"
)

// A Reason says why an edge is not followed.
type Reason int

const (
	// Loop is an edge back to a node that it is below.
	Loop Reason = iota
	// Again is an edge to a node that was visited before, in a walk of Once.
	Again
	// Deep is an edge below too many levels.
	Deep
)

// A Walk visits nodes, each before those below it, in the order of the edges. K tells nodes
// apart, S is the state of one visit, such as a transform, and E is an edge from a node to
// one below it.
type Walk[K comparable, S, E any] struct {
	In *format.Input
	// Unit is the name of what is visited, for the error about too many.
	Unit string
	// Most bounds the visits, and Levels the nodes above one another. 0 is no bound, which is for
	// walks of Once alone: those take as many steps as there are edges.
	Most, Levels int
	// Once visits a node once, as in a tree, whatever leads to it. Otherwise each path to a
	// node is a visit.
	Once bool

	// Find returns the node at the end of an edge and the edges below it; false leaves it out.
	Find func(above S, e E) (key K, below []E, ok bool, err error)
	// Visit returns the state of a node that is visited.
	Visit func(above S, e E, key K) (S, error)
	// Shun is told of edges that are not followed.
	Shun func(above S, e E, why Reason) error

	visits int
	nodes  map[K]state
}

// state is whether a node is above the one that is being visited, or was left.
type state uint8

const (
	open state = 1 + iota
	left
)

// A frame is a node whose edges are being followed.
type frame[K comparable, S, E any] struct {
	key   K
	state S
	edges []E // that are left
}

// From walks along edges and all below them. What was visited by an earlier call counts. The error is
// that of a callback or of the context, or a *scenes.LimitError.
func (w *Walk[K, S, E]) From(above S, edges []E) error {
	if w.nodes == nil {
		w.nodes = make(map[K]state)
	}
	stack := []frame[K, S, E]{{state: above, edges: edges}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if len(top.edges) == 0 {
			if len(stack) > 1 {
				w.leave(top.key)
			}
			stack = stack[:len(stack)-1]
			continue
		}
		e := top.edges[0]
		top.edges = top.edges[1:]
		next, ok, err := w.follow(top.state, e, len(stack)-1)
		if err != nil {
			return err
		}
		if ok {
			stack = append(stack, next)
		}
	}
	return nil
}

// follow visits the node at the end of an edge, unless the edge is shunned.
func (w *Walk[K, S, E]) follow(above S, e E, level int) (f frame[K, S, E], ok bool, err error) {
	if w.visits++; w.Most > 0 && w.visits > w.Most {
		return f, false, &scenes.LimitError{File: w.In.Options.Name, Unit: w.Unit, Want: int64(w.visits), Limit: int64(w.Most), Fixed: true}
	}
	if err := w.In.Context().Err(); err != nil {
		return f, false, err
	}
	key, below, ok, err := w.Find(above, e)
	if err != nil || !ok {
		return f, false, err
	}
	switch at := w.nodes[key]; {
	case at == open:
		return f, false, w.Shun(above, e, Loop)
	case at == left:
		return f, false, w.Shun(above, e, Again)
	case w.Levels > 0 && level >= w.Levels:
		return f, false, w.Shun(above, e, Deep)
	}
	f = frame[K, S, E]{key: key, edges: below}
	if f.state, err = w.Visit(above, e, key); err != nil {
		return f, false, err
	}
	w.nodes[key] = open
	return f, true, nil
}

// leave ends the visit of a node. Where nodes are visited again, it is as if there had been none.
func (w *Walk[K, S, E]) leave(key K) {
	if w.Once {
		w.nodes[key] = left
	} else {
		delete(w.nodes, key)
	}
}
