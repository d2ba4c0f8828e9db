package render

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render/internal/kernel"
)

// makeView translates a camera for the geometry loop. All of it happens in
// float64; only the finished coefficients are rounded.
func makeView(cam *Camera, o *Options) kernel.View {
	grid := o.grid()
	v := kernel.View{
		Orthographic: cam.Orthographic,
		Width:        int32(o.Width * grid),
		Height:       int32(o.Height * grid),
		CenterX:      int32(o.Width * grid * kernel.Half),
		CenterY:      int32(o.Height * grid * kernel.Half),
		CullFront:    o.Cull == CullFront,
		CullBack:     o.Cull == CullBack,
	}
	center := cam.Box.Center()
	radius := 0.0
	for axis, c := range center {
		v.Pivot[axis] = float32(c)
		radius = math.Max(radius, math.Max(cam.Box.Max[axis]-c, c-cam.Box.Min[axis]))
	}
	scale := powerOfTwoFor(radius)
	v.Scale = float32(scale)

	setRows(&v, cam, o, scale)
	return v
}

// setRows sets what depends on where the camera stands.
func setRows(v *kernel.View, cam *Camera, o *Options, scale float64) {
	pivot := mgl64.Vec3{float64(v.Pivot[0]), float64(v.Pivot[1]), float64(v.Pivot[2])}
	fromEye := pivot.Sub(cam.Eye)
	// along gives a row for the distance from the eye in a direction, times
	// scale and a factor, as a function of q = (p - pivot) * scale.
	along := func(direction mgl64.Vec3, factor float64) [4]float32 {
		d := scaled(direction, factor)
		return [4]float32{float32(d[0]), float32(d[1]), float32(d[2]), float32(dot(direction, fromEye) * scale * factor)}
	}
	subpixels := cam.Magnification * float64(o.Height*o.grid()*kernel.Sub)
	if cam.Orthographic {
		subpixels /= scale
	}
	v.X = along(cam.Right, subpixels)
	v.Y = along(cam.Up, -subpixels)
	if cam.Orthographic {
		v.E = nearnessRow(along(cam.Forward, 1), cam, scale)
		toEye := scaled(cam.Forward, -1)
		v.Eye = [3]float32{float32(toEye[0]), float32(toEye[1]), float32(toEye[2])}
		return
	}
	v.W = along(cam.Forward, 1)
	v.Near = float32(cam.Near * scale)
	for axis := range 3 {
		v.Eye[axis] = float32(-3 * fromEye[axis] * scale)
	}
}

// nearnessRow turns a row of scaled distances into one of nearness, from 1 at
// the near plane to 1/2 at the far one: there float32 steps evenly.
func nearnessRow(distance [4]float32, cam *Camera, scale float64) [4]float32 {
	depth := (cam.Far - cam.Near) * scale
	if depth <= 0 { // a flat mesh, facing the view
		depth = 1
	}
	per := -1 / (2 * depth)
	var e [4]float32
	for i := range 3 {
		e[i] = float32(float64(distance[i]) * per)
	}
	e[3] = float32(float64((float64(distance[3])-float64(cam.Near*scale))*per) + 1)
	return e
}

// powerOfTwoFor returns the power of two that brings a radius to between 1/2
// and 1, within the range of float32.
func powerOfTwoFor(radius float64) float64 {
	if radius == 0 {
		return 1
	}
	_, exp := math.Frexp(radius)
	return math.Ldexp(1, min(max(-exp, -140), 127))
}

// A depthScale turns a nearness into a distance from the eye along the viewing
// direction, in mesh units.
type depthScale struct {
	orthographic bool
	near, twice  float64 // the near distance, and twice the depth range
}

func newDepthScale(cam *Camera) depthScale {
	return depthScale{cam.Orthographic, cam.Near, 2 * (cam.Far - cam.Near)}
}

func (d depthScale) distance(e float32) float32 {
	if d.orthographic {
		return float32(d.near + float64((1-float64(e))*d.twice))
	}
	return float32(d.near / float64(e))
}
