package render

import (
	"errors"
	"math"

	"github.com/go-gl/mathgl/mgl64"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/render/internal/kernel/shade"
	"lockstep/render/internal/plan"
	"lockstep/render/internal/surface"
	"lockstep/render/internal/vector"
)

// Plan checks the options and the camera and returns a frame before it is drawn. It
// is for the packages below this one that draw by loops of their own, as package
// lockstep does.
func Plan(cam Camera, o Options) (*plan.Frame, error) {
	o, err := o.withDefaults()
	if err == nil {
		err = cam.check(o.Width, o.Height)
	}
	if err != nil {
		return nil, err
	}
	if o.Light != LightHeadlight {
		return nil, errors.New("a planned frame has no lights but a headlight")
	}
	base, _ := o.baseColor() // of valid options
	background, _ := o.backgroundPixel()
	f := &plan.Frame{
		Width: o.Width, Height: o.Height, Grid: o.grid(),
		View: makeView(&cam, &o), Shader: shade.NewShader(uint32(base)), OneColor: o.Color != nil, Background: background,
	}
	samples := newLayout(o.Width*f.Grid, o.Height*f.Grid)
	f.Stride, f.Keys = samples.stride, samples.keys()
	if o.Depth {
		f.Distance = newDepthScale(&cam).distance
	}
	return f, nil
}

// makeView translates a camera for the geometry loop. All of it happens in
// float64; only the finished coefficients are rounded.
func makeView(cam *Camera, o *Options) geometry.View {
	grid := o.grid()
	v := geometry.View{
		Orthographic: cam.Orthographic,
		Width:        int32(o.Width * grid),
		Height:       int32(o.Height * grid),
		CenterX:      int32(o.Width * grid * array.Half),
		CenterY:      int32(o.Height * grid * array.Half),
		CullFront:    o.Cull == CullFront,
		CullBack:     o.Cull == CullBack,
	}
	for axis, c := range cam.Box.Center() {
		v.Pivot[axis] = float32(c)
	}
	scale := cam.scale()
	v.Scale = float32(scale)
	setRows(&v, cam, o, scale)
	return v
}

// Orient turns a camera about its view, so that a direction points up in the picture.
func (c *Camera) Orient(up mgl64.Vec3) error {
	right := c.Forward.Cross(up)
	if length := right.Len(); length > 1e-9*up.Len() && vector.Finite(length) {
		c.Right = vector.Scaled(right, 1/length)
		c.Up = c.Right.Cross(c.Forward)
		return nil
	}
	return errors.New("camera: up is along the view")
}

// scale returns the power of two that brings the radius of the box to between 1/2 and
// 1.
func (c *Camera) scale() float64 {
	radius := 0.0
	for axis, x := range c.Box.Center() {
		radius = math.Max(radius, math.Max(c.Box.Max[axis]-x, x-c.Box.Min[axis]))
	}
	return powerOfTwoFor(radius)
}

// setRows sets the rows of the view's matrix, and the bounds of nearness.
func setRows(v *geometry.View, cam *Camera, o *Options, scale float64) {
	pivot := mgl64.Vec3{float64(v.Pivot[0]), float64(v.Pivot[1]), float64(v.Pivot[2])}
	fromEye := pivot.Sub(cam.Eye)
	// along gives a row for the distance from the eye in a direction, times
	// scale and a factor, as a function of q = (p - pivot) * scale.
	along := func(direction mgl64.Vec3, factor float64) [4]float32 {
		d := vector.Scaled(direction, factor)
		return [4]float32{float32(d[0]), float32(d[1]), float32(d[2]), float32(vector.Dot(direction, fromEye) * scale * factor)}
	}
	subpixels := cam.Magnification * float64(o.Height*o.grid()*array.Sub)
	if cam.Orthographic {
		subpixels /= scale
	}
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
		// Nearness times w: w - slope*(w - near).
		v.Distant, v.Near = true, 1
		v.E = along(cam.Forward, 1-slope)
		v.E[3] = float32(float64((1-slope)*vector.Dot(cam.Forward, fromEye)*scale) + float64(slope*cam.Near*scale))
	}
	for axis := range 3 {
		v.Eye[axis] = float32(-3 * fromEye[axis] * scale)
	}
}

// shiftRows moves the picture by the shift of the camera. pivotDepth is the scaled distance
// of the pivot along the view.
func shiftRows(v *geometry.View, cam *Camera, o *Options, pivotDepth float64) {
	if cam.ShiftX == 0 && cam.ShiftY == 0 {
		return
	}
	subpixels := float64(o.Height * o.grid() * array.Sub)
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

// nearnessRow turns a row of scaled distances into one of nearness, from 1 at
// the near plane to 1/2 at the far one: there float32 steps evenly. It also returns the
// largest nearness that is drawn.
func nearnessRow(distance [4]float32, cam *Camera, scale float64) (e [4]float32, most float32) {
	depth, most := (cam.Far-cam.Near)*scale, 1
	if depth <= 0 { // a flat mesh, facing the view: rounding may take it nearer
		depth, most = 1, math.MaxFloat32
	}
	per := -1 / (2 * depth)
	for i := range 3 {
		e[i] = float32(float64(distance[i]) * per)
	}
	e[3] = float32(float64((float64(distance[3])-float64(cam.Near*scale))*per) + 1)
	return e, most
}

const (
	// distantFrom is the near distance, in box radii, from which a view counts as distant.
	// A fitted view then has a field of view below about a degree. At this distance near/w
	// still has steps of a hundred-thousandth of the radius.
	distantFrom = 64
	// distantDepth is the least depth range of such views, in box radii. Less would
	// not be more precise: float32 coordinates are not.
	distantDepth = 1.0 / 256
)

// slope returns s of the nearness 1 - s*(w-near)/w, which is 1 at the near plane. It is
// 1, which gives near/w, unless the camera is far away: then it makes nearness 1/2 at the
// far plane. It is affine on the screen in any case. scale is that of the view.
func (c *Camera) slope(scale float64) float64 {
	near := c.Near * scale
	if c.Orthographic || !(near > distantFrom) {
		return 1
	}
	depth := math.Max((c.Far-c.Near)*scale, distantDepth)
	return math.Max((near+depth)/(2*depth), 1)
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
	slope        float64 // Camera.slope
}

func newDepthScale(cam *Camera) depthScale {
	return depthScale{cam.Orthographic, cam.Near, 2 * (cam.Far - cam.Near), cam.slope(cam.scale())}
}

// exact returns the distance in float64; distance rounds it.
func (d depthScale) exact(e float32) float64 {
	switch {
	case d.orthographic:
		return d.near + float64((1-float64(e))*d.twice)
	case d.slope != 1:
		return d.slope * d.near / (d.slope - (1 - float64(e)))
	}
	return d.near / float64(e)
}

// relative writes into to the distances along the view from the middle of a mesh, times scale.
func (d depthScale) relative(e, to []float32, middle, scale float64) {
	to = to[:len(e)]
	if d.orthographic || d.slope != 1 {
		for i := range e {
			to[i] = float32((d.exact(e[i]) - middle) * scale)
		}
		return
	}
	if middle == 0 { // nothing is lost, so float32 will do
		product := float32(d.near * scale)
		for i := range e {
			to[i] = product / e[i]
		}
		return
	}
	for i := range e {
		to[i] = float32((d.near/float64(e[i]) - middle) * scale)
	}
}

// relative turns the nearness of samples into distances along the view, in the units of the
// occlusion. Distances count from the middle of the mesh. The occlusion needs only their
// differences, and for a mesh far from the eye float32 would lose these otherwise.
func (r *Renderer) relative(nearness, distances []float32) {
	d, done := &r.job.depth, 0
	if show := r.kernels.Show; show != nil && !d.orthographic && d.slope == 1 {
		show.Distances(nearness, distances, d.near, r.deferred.middle, r.deferred.scale)
		done = len(nearness) &^ (array.Lanes - 1)
	}
	d.relative(nearness[done:], distances[done:], r.deferred.middle, r.deferred.scale)
}

func (d depthScale) distance(e float32) float32 { return float32(d.exact(e)) }

// lens returns the lines that the pixels of a picture show.
func (c *Camera) lens(height int) surface.Lens {
	scale := c.scale()
	centre := mgl64.Vec3(c.Box.Center())
	single := func(v mgl64.Vec3) [3]float32 { return [3]float32{float32(v[0]), float32(v[1]), float32(v[2])} }
	// Pivot is rounded as in makeView.
	l := surface.Lens{Pivot: single(centre), Scale: float32(scale), Forward: single(c.Forward)}
	pivot := mgl64.Vec3{float64(l.Pivot[0]), float64(l.Pivot[1]), float64(l.Pivot[2])}
	toPivot := vector.Dot(pivot.Sub(c.Eye), c.Forward)
	perPixel := 1 / (c.Magnification * float64(height))
	origin := c.Eye.Add(vector.Scaled(c.Forward, toPivot)).Sub(pivot)
	across := perPixel
	if !c.Orthographic {
		l.ForwardX, l.ForwardY = single(vector.Scaled(c.Right, perPixel)), single(vector.Scaled(c.Up, perPixel))
		across *= toPivot
	}
	if c.ShiftX != 0 || c.ShiftY != 0 {
		aside := vector.Scaled(c.Right, c.ShiftX*float64(height)).Add(vector.Scaled(c.Up, c.ShiftY*float64(height)))
		origin = origin.Sub(vector.Scaled(aside, across))
		if !c.Orthographic {
			l.Forward = single(c.Forward.Sub(vector.Scaled(aside, perPixel)))
		}
	}
	l.Origin = single(vector.Scaled(origin, scale))
	l.OriginX, l.OriginY = single(vector.Scaled(c.Right, across*scale)), single(vector.Scaled(c.Up, across*scale))
	return l
}
