package fbx

import (
	"lockstep/scenes"
	"lockstep/scenes/internal/turn"
)

// A placement holds the parts of the transform of a model: translation, rotations in degrees, scales and pivots.
type placement struct {
	translation, rotation, scaling          [3]float64
	preRotation, postRotation               [3]float64
	rotationPivot, rotationOffset           [3]float64
	scalingPivot, scalingOffset             [3]float64
	geometricTranslation, geometricRotation [3]float64
	geometricScaling                        [3]float64
	order                                   int
	inherit                                 int
	orderActive                             bool
}

// placementOf reads the transform of a model.
func placementOf(n node) placement {
	p := placement{scaling: [3]float64{1, 1, 1}, geometricScaling: [3]float64{1, 1, 1}}
	for one := range properties(n) {
		p.setProperty(&one)
	}
	return p
}

// Ways in which a model inherits the rotation (R) and the scale (S) of the models above it. In a name such as
// inheritRrSs, the letters show the order of the product. The small letters r and s are the model's own rotation and
// scale.
const (
	inheritRrSs = iota
	inheritRSrs // the usual product of transforms
	inheritRrs  // ignores the scale of the parent
)

// A pose is the transform from a model to the scene. It also has two parts that child models may inherit separately:
// the rotation to the scene, and the scale of the model itself.
type pose struct {
	world, rotation scenes.Affine
	scaling         [3]float64
}

func originPose() pose {
	return pose{scenes.Identity(), scenes.Identity(), [3]float64{1, 1, 1}}
}

// childPose returns the pose of a model with placement p whose parent has the pose `above`.
func (above *pose) childPose(p *placement) pose {
	local, turned := p.localTransform(), p.rotationOnly()
	at := pose{above.world.Mul(&local), above.rotation.Mul(&turned), p.scaling}
	unscaled := withoutTranslation(above.world) == withoutTranslation(above.rotation)
	if p.inherit == inheritRSrs || isUnit(above.scaling) && unscaled {
		return at
	}
	back := transposed(above.rotation)
	scale := withoutTranslation(above.world)
	scale = back.Mul(&scale) // the product of the scales of all models above this one
	if p.inherit == inheritRrs {
		without := [3]float64{}
		for i, v := range above.scaling {
			if v == 0 {
				return at
			}
			without[i] = 1 / v
		}
		one := scaling(without)
		scale = scale.Mul(&one)
	}
	own := scaling(p.scaling)
	whole := at.rotation.Mul(&scale)
	whole = whole.Mul(&own)
	for r := range 3 {
		whole[r][3] = at.world[r][3]
	}
	at.world = whole
	return at
}

func isUnit(v [3]float64) bool { return v[0] == v[1] && v[1] == v[2] && v[0] == 1 }

// withoutTranslation returns a transform without its translation.
func withoutTranslation(a scenes.Affine) scenes.Affine {
	for r := range 3 {
		a[r][3] = 0
	}
	return a
}

// setProperty sets the part of the transform that a property describes. It ignores other properties.
func (p *placement) setProperty(one *property) {
	var to *[3]float64
	switch one.name {
	case "Lcl Translation":
		to = &p.translation
	case "Lcl Rotation":
		to = &p.rotation
	case "Lcl Scaling":
		to = &p.scaling
	case "PreRotation":
		to = &p.preRotation
	case "PostRotation":
		to = &p.postRotation
	case "RotationPivot":
		to = &p.rotationPivot
	case "RotationOffset":
		to = &p.rotationOffset
	case "ScalingPivot":
		to = &p.scalingPivot
	case "ScalingOffset":
		to = &p.scalingOffset
	case "GeometricTranslation":
		to = &p.geometricTranslation
	case "GeometricRotation":
		to = &p.geometricRotation
	case "GeometricScaling":
		to = &p.geometricScaling
	case "RotationOrder":
		if v, ok := one.number(0); ok && v >= 0 && v < float64(len(orders)) {
			p.order = int(v)
		}
	case "InheritType":
		if v, ok := one.number(0); ok && v >= 0 && v <= inheritRrs {
			p.inherit = int(v)
		}
	case "RotationActive":
		v, ok := one.number(0)
		p.orderActive = ok && v != 0
	}
	if to != nil {
		if v, ok := one.vector(); ok {
			*to = v
		}
	}
}

// orders holds, for each rotation order, the axes in the order in which the rotations are applied.
var orders = [...][3]int{{0, 1, 2}, {0, 2, 1}, {1, 2, 0}, {1, 0, 2}, {2, 0, 1}, {2, 1, 0}}

// rotationOnly returns the rotation of a model relative to its parent, without translation and scale.
func (p *placement) rotationOnly() scenes.Affine {
	post := rotation(p.postRotation, 0)
	return product(rotation(p.preRotation, 0), rotation(p.rotation, p.orderInUse()), transposed(post))
}

// orderInUse returns the rotation order of the file if the file activates it. Otherwise it returns the default order
// xyz.
func (p *placement) orderInUse() int {
	if p.orderActive {
		return p.order
	}
	return 0
}

// localTransform returns the transform of a model to its parent. It is the product of all parts. The last part is
// applied to points first.
func (p *placement) localTransform() scenes.Affine {
	post := rotation(p.postRotation, 0)
	return product(
		translation(p.translation, 1), translation(p.rotationOffset, 1), translation(p.rotationPivot, 1),
		rotation(p.preRotation, 0), rotation(p.rotation, p.orderInUse()), transposed(post), translation(p.rotationPivot, -1),
		translation(p.scalingOffset, 1), translation(p.scalingPivot, 1), scaling(p.scaling), translation(p.scalingPivot, -1),
	)
}

func (p *placement) geometricTransform() scenes.Affine {
	return product(translation(p.geometricTranslation, 1), rotation(p.geometricRotation, 0), scaling(p.geometricScaling))
}

func product(all ...scenes.Affine) scenes.Affine {
	out := scenes.Identity()
	for i := range all {
		if all[i] != scenes.Identity() {
			out = out.Mul(&all[i])
		}
	}
	return out
}

func translation(v [3]float64, sign float64) scenes.Affine {
	a := scenes.Identity()
	for i := range v {
		a[i][3] = sign * v[i]
	}
	return a
}

func scaling(v [3]float64) scenes.Affine {
	a := scenes.Identity()
	for i := range v {
		a[i][i] = v[i]
	}
	return a
}

// rotation returns the product of the rotations about three axes, in the given order.
func rotation(degrees [3]float64, order int) scenes.Affine {
	a := scenes.Identity()
	for _, axis := range orders[order] {
		if degrees[axis] != 0 {
			one := turn.Axis(axis, degrees[axis])
			a = one.Mul(&a)
		}
	}
	return a
}

// transposed returns the transpose of a rotation, which is its inverse.
func transposed(a scenes.Affine) (b scenes.Affine) {
	for r := range 3 {
		for c := range 3 {
			b[r][c] = a[c][r]
		}
	}
	return b
}
