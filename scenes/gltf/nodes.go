package gltf

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"lockstep/scenes"
)

// placed is a node that is drawn.
type placed struct {
	node   integer
	world  scenes.Affine
	worlds []scenes.Affine // of all nodes
}

// drawn returns the nodes of the scene, those below others too.
func (r *reader) drawn() ([]placed, error) {
	doc := r.doc
	if err := r.hold(int64(len(doc.Nodes)) * 256); err != nil {
		return nil, err
	}
	parents, err := r.parents()
	if err != nil {
		return nil, err
	}
	worlds, err := r.worlds(parents)
	if err != nil {
		return nil, err
	}
	var roots []integer
	switch {
	case len(doc.Scenes) > 0:
		scene := integer(0)
		if doc.Scene != nil {
			scene = *doc.Scene
		}
		s, err := entry(doc.Scenes, "scene", scene)
		if err != nil {
			if err := r.note("scene", err); err != nil {
				return nil, err
			}
			s = &doc.Scenes[0]
		}
		roots = s.Nodes
	default:
		for i, p := range parents {
			if p < 0 {
				roots = append(roots, integer(i))
			}
		}
	}
	return r.below(roots, parents, worlds)
}

// below returns roots and all nodes below them, each once.
func (r *reader) below(roots []integer, parents []integer, worlds []scenes.Affine) (all []placed, err error) {
	seen := make([]bool, len(parents))
	var stack []integer
	push := func(nodes []integer) {
		for i := len(nodes) - 1; i >= 0; i-- {
			stack = append(stack, nodes[i])
		}
	}
	for push(roots); len(stack) > 0; {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if _, err := entry(r.doc.Nodes, "node", i); err != nil {
			if err := r.note("scene", err); err != nil {
				return nil, err
			}
			continue
		}
		if seen[i] {
			continue
		}
		seen[i] = true
		all = append(all, placed{i, worlds[i], worlds})
		for _, c := range slices.Backward(r.doc.Nodes[i].Children) {
			if c >= 0 && int(c) < len(parents) && parents[c] == i {
				stack = append(stack, c)
			}
		}
	}
	return all, nil
}

// parents returns the node above each node, -1 for none. A node has one at most.
func (r *reader) parents() ([]integer, error) {
	parents := make([]integer, len(r.doc.Nodes))
	for i := range parents {
		parents[i] = -1
	}
	for i := range r.doc.Nodes {
		for _, c := range r.doc.Nodes[i].Children {
			_, err := entry(r.doc.Nodes, "child", c)
			if err == nil && (parents[c] >= 0 || int(c) == i) {
				err = fmt.Errorf("child %d is that of another node, or the node itself", c)
			}
			if err != nil {
				if err := r.note(fmt.Sprintf("node %d", i), err); err != nil {
					return nil, err
				}
				continue
			}
			parents[c] = integer(i)
		}
	}
	return parents, nil
}

// worlds returns the transforms of all nodes to the coordinates of the scene. Nodes whose
// parents form a cycle have their own transform alone.
func (r *reader) worlds(parents []integer) ([]scenes.Affine, error) {
	nodes := r.doc.Nodes
	worlds := make([]scenes.Affine, len(nodes))
	var stack []integer
	for i := range nodes {
		var err error
		if worlds[i], err = nodes[i].local(); err != nil {
			if err := r.note(fmt.Sprintf("node %d", i), err); err != nil {
				return nil, err
			}
		}
		if parents[i] < 0 {
			stack = append(stack, integer(i))
		}
	}
	reached := 0
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		reached++
		for _, c := range nodes[i].Children {
			if c >= 0 && int(c) < len(nodes) && parents[c] == i {
				worlds[c] = worlds[i].Mul(&worlds[c])
				parents[c] = i
				stack = append(stack, c)
			}
		}
	}
	if reached < len(nodes) {
		return worlds, r.note("nodes", fmt.Errorf("%d nodes are below themselves", len(nodes)-reached))
	}
	return worlds, nil
}

// local returns the transform of a node to the one above it.
func (n *claimedNode) local() (scenes.Affine, error) {
	if n.Matrix != nil {
		return matrix(n.Matrix)
	}
	t, q, s := [3]float64{}, [4]float64{0, 0, 0, 1}, [3]float64{1, 1, 1}
	if !fits(t[:], n.Translation) || !fits(q[:], n.Rotation) || !fits(s[:], n.Scale) {
		return scenes.Identity(), errors.New("translation, rotation or scale of a wrong length")
	}
	return compose(t, q, s), nil
}

// fits copies from to to and returns true if from is empty or as long as to.
func fits(to, from []float64) bool {
	return from == nil || copy(to, from) == len(from) && len(from) == len(to)
}

// matrix returns the map of a matrix in the order of its columns.
func matrix(m []float64) (a scenes.Affine, err error) {
	if len(m) != 16 {
		return scenes.Identity(), fmt.Errorf("a matrix of %d numbers", len(m))
	}
	for r := range 3 {
		for c := range 4 {
			a[r][c] = m[4*c+r]
		}
	}
	return a, nil
}

// compose returns the map that scales by s, turns by the quaternion q and moves by t.
func compose(t [3]float64, q [4]float64, s [3]float64) (a scenes.Affine) {
	if length := math.Sqrt(float64(q[0]*q[0]) + float64(q[1]*q[1]) + float64(q[2]*q[2]) + float64(q[3]*q[3])); length > 0 {
		for i := range q {
			q[i] /= length
		}
	}
	x, y, z, w := q[0], q[1], q[2], q[3]
	turn := [3][3]float64{
		{1 - 2*(float64(y*y)+float64(z*z)), 2 * (float64(x*y) - float64(z*w)), 2 * (float64(x*z) + float64(y*w))},
		{2 * (float64(x*y) + float64(z*w)), 1 - 2*(float64(x*x)+float64(z*z)), 2 * (float64(y*z) - float64(x*w))},
		{2 * (float64(x*z) - float64(y*w)), 2 * (float64(y*z) + float64(x*w)), 1 - 2*(float64(x*x)+float64(y*y))},
	}
	for r := range 3 {
		for c := range 3 {
			a[r][c] = float64(turn[r][c] * s[c])
		}
		a[r][3] = t[r]
	}
	return a
}

// instanceTransforms returns the places of EXT_mesh_gpu_instancing.
func (r *reader) instanceTransforms(attributes map[string]integer) ([]scenes.Affine, error) {
	parts := [3]*elements{}
	n := -1
	for i, name := range [3]string{"TRANSLATION", "ROTATION", "SCALE"} {
		a, ok := attributes[name]
		if !ok {
			continue
		}
		e, err := r.accessor(a, 3+i%2)
		if err != nil {
			return nil, err
		}
		if n >= 0 && e.n != n {
			return nil, fmt.Errorf("%s of %d instances of %d", name, e.n, n)
		}
		parts[i], n = e, e.n
	}
	if err := r.hold(int64(max(n, 0)) * 96); err != nil {
		return nil, err
	}
	all := make([]scenes.Affine, max(n, 0))
	for i := range all {
		t, q, s := [3]float64{}, [4]float64{0, 0, 0, 1}, [3]float64{1, 1, 1}
		for k, to := range [3][]float64{t[:], q[:], s[:]} {
			if parts[k] != nil {
				parts[k].numbers(i, len(to), to)
			}
		}
		all[i] = compose(t, q, s)
	}
	return all, nil
}
