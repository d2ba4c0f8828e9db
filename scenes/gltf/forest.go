package gltf

import (
	"fmt"

	"lockstep/scenes"
	"lockstep/scenes/internal/tree"
)

// A forest holds the nodes as trees, with their transforms. In a glTF file a node has at most one parent (specification
// 2.0, section 3.5.2).
type forest struct {
	*reader
	parents []integer // parent of each node; noNode for roots
	worlds  []scenes.Affine
	roots   []integer
	flaws   flaws
}

// noNode is the parent of roots.
const noNode = -1

// newForest arranges all nodes as trees. If several nodes name a node as their child, only the first reference counts.
// References of nodes in the drawn scene come before other references. A cycle is cut at its first node, which becomes
// a root.
func (r *reader) newForest(scene []integer) (*forest, error) {
	n := len(r.doc.Nodes)
	f := &forest{reader: r, parents: make([]integer, n), worlds: make([]scenes.Affine, n)}
	named := make([]bool, n)
	for i := range r.doc.Nodes {
		for _, c := range r.doc.Nodes[i].Children {
			if c >= 0 && int64(c) < int64(n) {
				named[c] = true
			}
		}
	}
	seen := make([]bool, n)
	w := &tree.Walk[integer, integer, integer]{In: r.in, Once: true, Find: f.find, Skip: f.recordSkip}
	w.Visit = func(above, _, i integer) (integer, error) {
		seen[i] = true
		return i, f.placeNode(above, i)
	}
	walk := func(i integer) error {
		if i < 0 || int64(i) >= int64(n) || seen[i] {
			return nil
		}
		return w.From(noNode, []integer{i})
	}
	for _, i := range scene {
		if i >= 0 && int64(i) < int64(n) && !named[i] {
			if err := walk(i); err != nil {
				return nil, err
			}
		}
	}
	for _, circles := range []bool{false, true} {
		for i := range named {
			if named[i] == circles {
				if err := walk(integer(i)); err != nil {
					return nil, err
				}
			}
		}
	}
	for i, above := range f.parents {
		if above == noNode {
			f.roots = append(f.roots, integer(i))
		}
	}
	return f, f.flaws.report(r)
}

// The method find returns node i and its children. If the node does not exist, find adds a warning and the bool is
// false.
func (f *forest) find(above, i integer) (integer, []integer, bool, error) {
	what, where := "child", fmt.Sprintf("node %d", above)
	if above == noNode {
		what, where = "node", "scene"
	}
	n, err := entry(f.doc.Nodes, what, i)
	if err != nil {
		return 0, nil, false, f.warnUnlessFatal(where, err)
	}
	return i, n.Children, true, nil
}

// placeNode computes the transform of node i, whose parent is the node `above`.
func (f *forest) placeNode(above, i integer) error {
	local, err := f.doc.Nodes[i].localTransform()
	if err != nil {
		if err := f.warnUnlessFatal(fmt.Sprintf("node %d", i), err); err != nil {
			return err
		}
	}
	f.worlds[i] = local
	if f.parents[i] = above; above != noNode {
		f.worlds[i] = f.worlds[above].Mul(&local)
	}
	return nil
}

// recordSkip records that the node `above` names node i as a child although node i already has a place in the trees.
func (f *forest) recordSkip(above, i integer, why tree.Reason) error {
	where := fmt.Sprintf("node %d", above)
	switch {
	case why == tree.Loop && above == i:
		f.flaws.add("itself", where, "it is below itself")
	case why == tree.Loop:
		f.flaws.add("circle", where, "node %d, which it names, is above it", i)
	case f.parents[i] == above:
		f.flaws.add("twice", where, "it names node %d twice, which is drawn once", i)
	default:
		f.flaws.add("two", where, "it names node %d, which is drawn below node %d, the first that names it", i, f.parents[i])
	}
	return nil
}

// nodesBelow returns the nodes that a scene names and all nodes below them, with their transforms to the scene. A scene
// should name only nodes without a parent. A node that has a parent stays below its parent.
func (f *forest) nodesBelow(named []integer) (all []placedNode, err error) {
	w := &tree.Walk[integer, integer, integer]{In: f.in, Once: true}
	w.Find = func(above, i integer) (integer, []integer, bool, error) {
		if above != noNode && (i < 0 || int64(i) >= int64(len(f.parents))) {
			return 0, nil, false, nil // there is a warning already
		}
		return f.find(above, i)
	}
	w.Visit = func(above, _, i integer) (integer, error) {
		if above == noNode && f.parents[i] != noNode {
			f.flaws.add("root", "scene", "it names node %d, which is drawn below node %d", i, f.parents[i])
		}
		all = append(all, placedNode{i, f.worlds[i], f.worlds})
		return i, nil
	}
	w.Skip = func(above, i integer, why tree.Reason) error {
		switch {
		case above != noNode: // a parent names a child twice, which is reported elsewhere
		case f.parents[i] != noNode:
			f.flaws.add("root", "scene", "it names node %d, which is drawn below node %d", i, f.parents[i])
		default:
			f.flaws.add("scene", "scene", "it names node %d twice, which is drawn once", i)
		}
		return nil
	}
	if err := w.From(noNode, named); err != nil {
		return nil, err
	}
	return all, f.flaws.report(f.reader)
}

// flaws collects flaws of a file. It keeps the first flaw of each kind, and counts the others.
type flaws struct {
	kinds []string
	first map[string]flaw
}

// A flaw is the first flaw of its kind. n counts all flaws of this kind.
type flaw struct {
	where, text string
	n           int
}

// add records a flaw.
func (f *flaws) add(kind, where, format string, args ...any) {
	one, ok := f.first[kind]
	if !ok {
		if f.first == nil {
			f.first = make(map[string]flaw)
		}
		f.kinds = append(f.kinds, kind)
		one = flaw{where: where, text: fmt.Sprintf(format, args...)}
	}
	one.n++
	f.first[kind] = one
}

// report adds one warning for each kind of flaw, and clears f.
func (f *flaws) report(r *reader) error {
	for _, kind := range f.kinds {
		one := f.first[kind]
		if one.n > 1 {
			one.text += fmt.Sprintf(", and %d more of this kind", one.n-1)
		}
		if err := r.warn.Add(one.where, "%s", one.text); err != nil {
			return err
		}
	}
	*f = flaws{}
	return nil
}
