package view

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/render/internal/vector"
)

// A Screen describes a picture for the geometry loop.
type Screen struct {
	Width, Height       int // pixels
	Grid                int // samples along the side of a pixel
	CullFront, CullBack bool
}

// Geometry returns the view for the geometry loop. It computes in float64 and rounds only the final coefficients.
func (cam *Camera) Geometry(o *Screen) geometry.View {
	grid := o.Grid
	v := geometry.View{
		Orthographic: cam.Orthographic,
		Width:        int32(o.Width * grid),
		Height:       int32(o.Height * grid),
		CenterX:      int32(o.Width * grid * array.Half),
		CenterY:      int32(o.Height * grid * array.Half),
		CullFront:    o.CullFront,
		CullBack:     o.CullBack,
	}
	for axis, c := range cam.Box.Center() {
		v.Pivot[axis] = float32(c)
	}
	scale := cam.Scale()
	v.Scale = float32(scale)
	setRows(&v, cam, o, scale)
	return v
}

// setRows sets the rows of the view's matrix, its limit of nearness, and Eye.
func setRows(v *geometry.View, cam *Camera, o *Screen, scale float64) {
	pivot := mgl64.Vec3{float64(v.Pivot[0]), float64(v.Pivot[1]), float64(v.Pivot[2])}
	fromEye := pivot.Sub(cam.Eye)
	// along returns the row that gives the distance from the eye in a direction, times scale and factor. The row is
	// for points q = (p - pivot) * scale.
	along := func(direction mgl64.Vec3, factor float64) [4]float32 {
		d := vector.Scaled(direction, factor)
		return [4]float32{float32(d[0]), float32(d[1]), float32(d[2]), float32(vector.Dot(direction, fromEye) * scale * factor)}
	}
	subpixels := cam.Magnification * float64(o.Height*o.Grid*array.Sub)
	if cam.Orthographic {
		subpixels /= scale
	}
	v.Unit = float32(subpixels)
	v.X = along(cam.Right, subpixels)
	v.Y = along(cam.Up, -subpixels)
	shiftRows(v, cam, o, vector.Dot(cam.Forward, fromEye)*scale)
	if cam.Orthographic {
		v.E, v.Near = nearnessRow(along(cam.Forward, 1), cam, scale)
		toEye := vector.Scaled(cam.Forward, -1)
		v.Eye = [3]float32{float32(toEye[0]), float32(toEye[1]), float32(toEye[2])}
		return
	}
	v.W = along(cam.Forward, 1)
	v.Near = float32(cam.Near * scale)
	if slope := cam.slope(scale); slope != 1 {
		// E gives the nearness times w: w - slope*(w - near).
		v.Distant, v.Near = true, 1
		v.E = along(cam.Forward, 1-slope)
		v.E[3] = float32(float64((1-slope)*vector.Dot(cam.Forward, fromEye)*scale) + float64(slope*cam.Near*scale))
	}
	for axis := range 3 {
		v.Eye[axis] = float32(-3 * fromEye[axis] * scale)
	}
}

// shiftRows shifts the picture by the camera's ShiftX and ShiftY. pivotDepth is the scaled distance of the pivot from
// the eye, along Forward.
func shiftRows(v *geometry.View, cam *Camera, o *Screen, pivotDepth float64) {
	if cam.ShiftX == 0 && cam.ShiftY == 0 {
		return
	}
	subpixels := float64(o.Height * o.Grid * array.Sub)
	for _, s := range [...]struct {
		row *[4]float32
		by  float64
	}{{&v.X, cam.ShiftX * subpixels}, {&v.Y, -cam.ShiftY * subpixels}} {
		if cam.Orthographic {
			s.row[3] = float32(float64(s.row[3]) + s.by)
			continue
		}
		for i := range 3 {
			s.row[i] = float32(float64(s.row[i]) + float64(cam.Forward[i]*s.by))
		}
		s.row[3] = float32(float64(s.row[3]) + float64(pivotDepth*s.by))
	}
}

// nearnessRow converts a row of scaled distances to a row of nearness e. The nearness is 1 at the near plane and 1/2
// at the far plane; in this range, float32 has equal steps. `most` is the largest nearness that is drawn.
func nearnessRow(distance [4]float32, cam *Camera, scale float64) (e [4]float32, most float32) {
	depth, most := (cam.Far-cam.Near)*scale, 1
	if depth <= 0 { // a flat mesh that faces the eye; rounding may move it in front of the near plane
		depth, most = 1, math.MaxFloat32
	}
	per := -1 / (2 * depth)
	for i := range 3 {
		e[i] = float32(float64(distance[i]) * per)
	}
	e[3] = float32(float64((float64(distance[3])-float64(cam.Near*scale))*per) + 1)
	return e, most
}
