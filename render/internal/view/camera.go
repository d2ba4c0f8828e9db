// Package view converts a camera into the forms that the loops need: the matrix of the geometry loop, depths, the
// lines along which pixels see, lights, and the range of occlusion.
package view

import (
	"errors"
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render/internal/vector"
	"lockstep/scenes"
)

// A Camera has the fields of render.Camera, and each type can be converted to the other.
type Camera struct {
	Eye, Target        mgl64.Vec3
	Right, Up, Forward mgl64.Vec3
	Zenith             mgl64.Vec3
	Orthographic       bool
	Magnification      float64
	ShiftX, ShiftY     float64
	Near, Far          float64
	Aspect             float64
	Box                scenes.Box
}

// Check returns an error if the camera cannot show anything in a picture of the given size, or if it was fitted to
// pictures of another shape.
func (c *Camera) Check(width, height int) error {
	ok := vector.Finite(c.Magnification, c.Near, c.Far, c.Aspect, c.ShiftX, c.ShiftY)
	for _, v := range [...][3]float64{c.Eye, c.Right, c.Up, c.Forward, c.Zenith, c.Box.Min, c.Box.Max} {
		ok = ok && vector.Finite(v[0], v[1], v[2])
	}
	if !ok {
		return errors.New("camera: a number is not finite")
	}
	switch {
	case !(c.Magnification > 0):
		return fmt.Errorf("camera: magnification %g: expected more than 0", c.Magnification)
	case c.Far < c.Near:
		return fmt.Errorf("camera: far distance %g is below the near one, %g", c.Far, c.Near)
	case !c.Orthographic && !(c.Near > 0):
		return fmt.Errorf("camera: near distance %g: a perspective wants more than 0", c.Near)
	case c.Aspect != 0 && !c.suits(float64(width), float64(height)):
		return fmt.Errorf("camera: fitted to pictures %.4g times as wide as high, not to %dx%d", c.Aspect, width, height)
	}
	return nil
}

// suits reports whether a picture has the shape that the camera was fitted to, apart from the rounding of its sides to
// pixels.
func (c *Camera) suits(width, height float64) bool {
	return math.Abs(c.Aspect*height-width) <= 1 || math.Abs(width/c.Aspect-height) <= 1
}

// Axis returns the point of a picture where the line from the eye along Forward meets it, in pixels from the top
// left.
func (c *Camera) Axis(width, height int) (x, y float64) {
	return float64(width)/2 + float64(c.ShiftX*float64(height)), float64(height)/2 - float64(c.ShiftY*float64(height))
}

// Scale returns the power of two that scales half the longest side of Box to between 1/2 and 1.
func (c *Camera) Scale() float64 {
	radius := 0.0
	for axis, x := range c.Box.Center() {
		radius = math.Max(radius, math.Max(c.Box.Max[axis]-x, x-c.Box.Min[axis]))
	}
	return powerOfTwoFor(radius)
}

// powerOfTwoFor returns the power of two that scales radius to between 1/2 and 1, limited to the range of float32.
func powerOfTwoFor(radius float64) float64 {
	if radius == 0 {
		return 1
	}
	_, exp := math.Frexp(radius)
	return math.Ldexp(1, min(max(-exp, -140), 127))
}

const (
	// distantFrom decides which views are distant: the near plane is farther away than distantFrom box radii. A fitted
	// view then has a field of view below about a degree. At this distance, neighbouring values of near/w in float32
	// stand for depths that differ by about a hundred-thousandth of the radius.
	distantFrom = 64
	// distantDepth is the least depth range of distant views, in box radii. Precision is then limited by float32
	// coordinates; a smaller range would not help.
	distantDepth = 1.0 / 256
)

// slope returns the factor s in the nearness 1 - s*(w-near)/w of a point at distance w. The nearness is 1 at the near
// plane. For most views s is 1, and the nearness is near/w. For a distant view, s is chosen such that the nearness is
// 1/2 at the far plane. In both cases, the nearness of a plane is a linear function of the screen position. scale is
// the result of Camera.Scale.
func (c *Camera) slope(scale float64) float64 {
	near := c.Near * scale
	if c.Orthographic || !(near > distantFrom) {
		return 1
	}
	depth := math.Max((c.Far-c.Near)*scale, distantDepth)
	return math.Max((near+depth)/(2*depth), 1)
}
