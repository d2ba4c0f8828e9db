package fbx

import (
	"lockstep/scenes"
	"lockstep/scenes/internal/assembly"
)

// A skinnedGeometry is a geometry of a model that a skin bends. It is drawn at the end, because all joints must have
// their transforms.
type skinnedGeometry struct {
	model, geometry, skin *object
	world, geometric      scenes.Affine
}

// A skinTransforms states how one instance of a skin bends a geometry. It holds a transform for each position, that is,
// for each vertex of the geometry.
type skinTransforms struct {
	skin     *object
	instance int
	maps     []scenes.Affine // transform of each position
}

// affineBytes is the memory of a transform in bytes.
const affineBytes = 96

// isCluster reports whether an object is a cluster, which tells how one joint moves positions.
func (o *object) isCluster() bool { return o.kind() == "Deformer" && o.class == "Cluster" }

// drawSkins appends all geometries that skins bend.
func (r *reader) drawSkins(s *assembly.Scene) error {
	for i := range r.skins {
		one := &r.skins[i]
		g, err := r.geometry(one.geometry)
		if err != nil {
			return err
		}
		if g == nil {
			continue
		}
		maps, err := r.positionTransforms(one, len(g.builder.Positions))
		if err != nil {
			return err
		}
		// These transforms already map to the scene.
		if err := r.addInstance(s, one.model, one.geometry, scenes.Identity(), &skinTransforms{one.skin, i, maps}); err != nil {
			return err
		}
	}
	return nil
}

// positionTransforms returns the transform of each position of a geometry. The transform is the weighted mean of the
// transforms of the joints that move the position. If no joint moves a position, the position has the transform of
// the model.
func (r *reader) positionTransforms(one *skinnedGeometry, positions int) ([]scenes.Affine, error) {
	if err := r.bendBudget.Spend(r.in, int64(positions+len(one.skin.children))); err != nil {
		return nil, err
	}
	if err := r.Reserve((affineBytes + 8) * int64(positions)); err != nil {
		return nil, err
	}
	maps, sums := make([]scenes.Affine, positions), make([]float64, positions)
	for _, l := range one.skin.children {
		if !l.to.isCluster() {
			continue
		}
		if err := r.addCluster(l.to, one, maps, sums); err != nil {
			return nil, err
		}
	}
	for i := range maps {
		if !(sums[i] > 0) {
			maps[i] = one.world
			continue
		}
		for row := range 3 {
			for column := range 4 {
				maps[i][row][column] /= sums[i]
			}
		}
	}
	r.Held -= 8 * int64(positions)
	return maps, nil
}

// addCluster adds the transform of a joint to maps, once for each position that the joint moves. It multiplies the
// transform by the weight of the position. It adds the weight of each position to sums. Cluster o describes the joint
// and its weights.
func (r *reader) addCluster(o *object, one *skinnedGeometry, maps []scenes.Affine, sums []float64) error {
	if err := r.bendBudget.Spend(r.in, int64(16+len(o.children))); err != nil {
		return err
	}
	var joint *object
	for _, l := range o.children {
		if l.to.kind() == "Model" {
			joint = l.to
		}
	}
	world, ok := r.worlds[joint]
	if !ok {
		return r.warn.Add(r.placeOf(o.node), "a joint does not exist: the vertices that it would move are read without it")
	}
	bound, ok, err := r.bindTransform(o)
	if !ok || err != nil {
		return err
	}
	world = world.Mul(&bound)
	world = world.Mul(&one.geometric)
	index, err := r.ints(o.node.child("Indexes"))
	if err != nil {
		return err
	}
	weights, err := r.floats(o.node.child("Weights"))
	if err != nil {
		return err
	}
	if err := r.bendBudget.Spend(r.in, int64(len(index))); err != nil {
		return err
	}
	for k, i := range index[:min(len(index), len(weights))] {
		w := weights[k]
		if i < 0 || int(i) >= len(maps) || !(w > 0) {
			continue
		}
		for row := range 3 {
			for column := range 4 {
				maps[i][row][column] += float64(w * world[row][column])
			}
		}
		sums[i] += w
	}
	releaseMemory(r, index)
	releaseMemory(r, weights)
	return nil
}

// bindTransform returns the transform from the model to the joint at the moment when the skin was attached. ok is false
// if the cluster does not have this transform.
func (r *reader) bindTransform(o *object) (bound scenes.Affine, ok bool, err error) {
	numbers, err := r.floats(o.node.child("Transform"))
	if err != nil || len(numbers) < 16 {
		return bound, false, err
	}
	for row := range 3 {
		for column := range 4 {
			bound[row][column] = numbers[4*column+row]
		}
	}
	releaseMemory(r, numbers)
	return bound, true, nil
}
