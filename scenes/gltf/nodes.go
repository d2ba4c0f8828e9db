package gltf

import (
	"errors"
	"fmt"
	"math"

	"lockstep/scenes"
)

// A placedNode is a node to draw, with its transform to the scene.
type placedNode struct {
	node   integer
	world  scenes.Affine
	worlds []scenes.Affine // transform of each node to the scene
}

// drawnNodes returns the nodes of the scene and all nodes below them, each of them once.
func (r *reader) drawnNodes() ([]placedNode, error) {
	doc := r.doc
	if err := r.Reserve(int64(len(doc.Nodes)) * nodeBytes); err != nil {
		return nil, err
	}
	if len(doc.Scenes) == 0 {
		f, err := r.newForest(nil)
		if err != nil {
			return nil, err
		}
		return f.nodesBelow(f.roots)
	}
	scene := integer(0)
	if doc.Scene != nil {
		scene = *doc.Scene
	}
	s, err := entry(doc.Scenes, "scene", scene)
	if err != nil {
		if err := r.warnUnlessFatal("scene", err); err != nil {
			return nil, err
		}
		s = &doc.Scenes[0]
	}
	f, err := r.newForest(s.Nodes)
	if err != nil {
		return nil, err
	}
	return f.nodesBelow(s.Nodes)
}

// nodeBytes is the memory in bytes per node that a walk over the nodes needs. A node needs a transform, an entry in
// two tables, and a stack frame. All nodes may form one chain. So there may be a stack frame for each node at the
// same time.
const nodeBytes = 512

// localTransform returns the transform of a node to its parent.
func (n *claimedNode) localTransform() (scenes.Affine, error) {
	if n.Matrix != nil {
		return matrix(n.Matrix)
	}
	t, q, s := [3]float64{}, [4]float64{0, 0, 0, 1}, [3]float64{1, 1, 1}
	if !copyIfFits(t[:], n.Translation) || !copyIfFits(q[:], n.Rotation) || !copyIfFits(s[:], n.Scale) {
		return scenes.Identity(), errors.New("translation, rotation or scale of a wrong length")
	}
	return compose(t, q, s), nil
}

// copyIfFits copies `from` to `to`, unless `from` is nil. It returns false if their lengths differ.
func copyIfFits(to, from []float64) bool {
	return from == nil || copy(to, from) == len(from) && len(from) == len(to)
}

// matrix returns the affine map of a matrix that is stored by columns.
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

// compose returns the map that first scales by s, then turns by the quaternion q and then moves by t.
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

// instanceTransforms returns the transforms of the instances that EXT_mesh_gpu_instancing lists.
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
	n = max(n, 0)
	if err := r.placing.Spend(r.in, int64(n)); err != nil {
		return nil, err
	}
	if err := r.Reserve(int64(n) * instanceBytes); err != nil {
		return nil, err
	}
	all := make([]scenes.Affine, n)
	for i := range all {
		t, q, s := [3]float64{}, [4]float64{0, 0, 0, 1}, [3]float64{1, 1, 1}
		for k, to := range [3][]float64{t[:], q[:], s[:]} {
			if parts[k] != nil {
				parts[k].decodeNumbers(i, len(to), to)
			}
		}
		all[i] = compose(t, q, s)
	}
	return all, nil
}
