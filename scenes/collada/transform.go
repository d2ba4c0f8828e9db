package collada

import (
	"math"

	"lockstep/scenes"
	"lockstep/scenes/internal/text"
	"lockstep/scenes/internal/turn"
	"lockstep/scenes/internal/vector"
	"lockstep/scenes/internal/xmltree"
)

// localTransform returns the transform from a node to its parent. It is the product of all transforms in the node. The
// last transform in the file is applied to points first.
func (r *reader) localTransform(n xmltree.Node) (scenes.Affine, error) {
	all := scenes.Identity()
	for t := range n.All() {
		one, ok, known := transformOf(t)
		if !known {
			continue
		}
		if !ok {
			if err := r.warn.Add(placeOf(t), "%s left out: its numbers are missing or none", text.Short(t.Name())); err != nil {
				return all, err
			}
			continue
		}
		all = all.Mul(&one)
	}
	return all, nil
}

// transformOf returns the transform that element t describes. known is false if t is not a transform, and ok is false
// if its numbers are damaged.
func transformOf(t xmltree.Node) (a scenes.Affine, ok, known bool) {
	var v [16]float64
	a = scenes.Identity()
	switch t.Name() {
	case "matrix":
		a, ok = matrixOf(t)
		return a, ok, true
	case "translate":
		ok = numbersOf(t, v[:3]) == 3
		a[0][3], a[1][3], a[2][3] = v[0], v[1], v[2]
	case "scale":
		if ok = numbersOf(t, v[:3]) == 3; ok {
			a[0][0], a[1][1], a[2][2] = v[0], v[1], v[2]
		}
	case "rotate":
		if ok = numbersOf(t, v[:4]) == 4; ok {
			sin, cos := turn.Sincos(v[3])
			a = turn.About([3]float64(v[:3]), sin, cos)
		}
	case "lookat":
		if ok = numbersOf(t, v[:9]) == 9; ok {
			a = lookAt([3]float64(v[:3]), [3]float64(v[3:6]), [3]float64(v[6:9]))
		}
	case "skew":
		return a, false, true
	default:
		return a, false, false
	}
	return a, ok, true
}

// matrixOf returns the transform of an element with 16 numbers, row by row.
func matrixOf(n xmltree.Node) (a scenes.Affine, ok bool) {
	var v [16]float64
	if numbersOf(n, v[:]) < 16 {
		return scenes.Identity(), false
	}
	return rowsOf(v[:]), true
}

// rowsOf returns the transform whose 16 numbers are in v, row by row.
func rowsOf(v []float64) (a scenes.Affine) {
	for r := range a {
		copy(a[r][:], v[4*r:4*r+4])
	}
	return a
}

// lookAt returns the transform of an object that is at `eye` and looks along its -z axis towards `to`.
func lookAt(eye, to, up [3]float64) scenes.Affine {
	a := scenes.Identity()
	back := unitVector(vector.Sub(eye, to))
	right := unitVector(vector.Cross(up, back))
	if back == ([3]float64{}) || right == ([3]float64{}) {
		right, back = [3]float64{1, 0, 0}, [3]float64{0, 0, 1}
	}
	above := vector.Cross(back, right)
	for r := range 3 {
		a[r] = [4]float64{right[r], above[r], back[r], eye[r]}
	}
	return a
}

// unitVector returns v scaled to length 1, or zero if v has no direction.
func unitVector(v [3]float64) [3]float64 {
	length := math.Sqrt(vector.Dot(v, v))
	if !(length > 0) || math.IsInf(length, 0) {
		return [3]float64{}
	}
	return vector.Scale(1/length, v)
}
