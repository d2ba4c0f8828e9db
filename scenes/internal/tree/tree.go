// Package tree visits the nodes of a scene along the links in its file, with limits on the depth and on the number of
// visits. Readers of files with links need the limits. Such a file may contain loops, several links to one node, and so
// many paths that visiting all of them would take too long.
package tree

import (
	"lockstep/scenes"

	"lockstep/scenes/format"
)

// A Reason is why Walk does not follow an edge.
type Reason int

const (
	// Loop means that the edge leads to the node itself or to a node above it.
	Loop Reason = iota
	// Revisited means that Once is set and the edge leads to a node that was visited before.
	Revisited
	// TooDeep means that the edge leads below the last allowed level.
	TooDeep
)

// A Walk visits nodes in the order of the edges. It visits each node before the nodes below that node. K identifies a
// node. S is what a visit computes for the node, for example a transform. E is an edge from a node to a node below
// it.
type Walk[K comparable, S, E any] struct {
	In *format.Input
	// Unit names what is visited in the error about too many visits.
	Unit string
	// Most limits the number of visits, and Levels the depth. 0 means no limit. Without a limit, Once must be set. Such
	// a walk takes only as many steps as there are edges.
	Most, Levels int
	// Once means that each node is visited once, even if several paths lead to it. If Once is not set, a node is
	// visited once for each path.
	Once bool

	// Find returns the node at the end of an edge, and the edges that start there. above is the state of the node at
	// the start of the edge. If ok is false, the walk ignores the edge.
	Find func(above S, e E) (key K, below []E, ok bool, err error)
	// Visit visits a node and returns its state.
	Visit func(above S, e E, key K) (S, error)
	// Skip is called for each edge that is not followed, with the reason.
	Skip func(above S, e E, why Reason) error

	visits int
	nodes  map[K]state
}

// A state tells whether the walk is still below a node that it has visited.
type state uint8

const (
	open state = 1 + iota // the walk is at the node or below it
	left                  // the walk has left the node
)

// A frame is a node whose edges are being followed.
type frame[K comparable, S, E any] struct {
	key   K
	state S
	edges []E // edges that are not followed yet
}

// From follows the edges and all edges below them. Visits during earlier calls of From also count towards the limit
// Most. The error is that of a callback or of the context, or a *scenes.LimitError.
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

// The method follow visits the node at the end of edge e. If ok is false, the edge is not followed.
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
		return f, false, w.Skip(above, e, Loop)
	case at == left:
		return f, false, w.Skip(above, e, Revisited)
	case w.Levels > 0 && level >= w.Levels:
		return f, false, w.Skip(above, e, TooDeep)
	}
	f = frame[K, S, E]{key: key, edges: below}
	if f.state, err = w.Visit(above, e, key); err != nil {
		return f, false, err
	}
	w.nodes[key] = open
	return f, true, nil
}

// leave ends the visit of a node. If other paths may visit the node again, it forgets the node.
func (w *Walk[K, S, E]) leave(key K) {
	if w.Once {
		w.nodes[key] = left
	} else {
		delete(w.nodes, key)
	}
}
