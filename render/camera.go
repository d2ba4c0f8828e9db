package render

import (
	"errors"
	"image"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render/internal/vector"
	"lockstep/render/internal/view"
	"lockstep/scenes"
)

// A Camera looks at a mesh. Positions and distances are in mesh units,
// relative to the mesh's Origin; Right, Up and Forward are orthonormal and
// right-handed (Right x Up = -Forward).
type Camera struct {
	Eye, Target        mgl64.Vec3
	Right, Up, Forward mgl64.Vec3
	// Zenith is the up axis of the mesh, from where the sky of the studio lights it; zero
	// means Up.
	Zenith mgl64.Vec3
	// Orthographic cameras see along Forward everywhere; their Eye only says
	// from where depths are counted.
	Orthographic bool
	// Magnification is the height of an object on the screen, in picture
	// heights: of one that spans one unit of distance at distance one
	// (perspective), or of one mesh unit (orthographic).
	Magnification float64
	// ShiftX and ShiftY are the place where the axis of the view meets the picture: from its
	// middle to the right and up, in picture heights. Window sets them to show a part of a
	// picture.
	ShiftX, ShiftY float64
	// Near and Far are the distances along Forward between which depths are precise.
	// Nearer parts are cut off. Parts beyond Far are drawn too; orthographic views, and
	// perspectives from very far away, cut them off from 2*Far - Near on.
	Near, Far float64
	// Aspect is the width over the height of the pictures that the camera was fitted
	// to; 0 for one that suits any. Frame refuses pictures of another shape.
	Aspect float64
	// Box is what the camera was fitted to. Coordinates are taken relative to
	// its centre before anything else is done with them.
	Box scenes.Box
}

// Project returns where a point of the mesh, relative to its Origin, lies in a picture of
// a size, in pixels from the top left corner, and its distance from the eye along
// Forward. Pixel (i, j) has its centre at (i+1/2, j+1/2). In perspective a point whose
// depth is not above 0 has no place, and x and y mean nothing.
func (c *Camera) Project(p mgl64.Vec3, width, height int) (x, y, depth float64) {
	d := p.Sub(c.Eye)
	depth = vector.Dot(d, c.Forward)
	perUnit := c.Magnification * float64(height)
	if !c.Orthographic {
		perUnit /= depth
	}
	middleX, middleY := c.internal().Axis(width, height)
	return middleX + float64(vector.Dot(d, c.Right)*perUnit), middleY - float64(vector.Dot(d, c.Up)*perUnit), depth
}

// Unproject is the inverse of Project: with a depth of Picture.Depth it returns the point
// that a pixel shows.
func (c *Camera) Unproject(x, y, depth float64, width, height int) mgl64.Vec3 {
	perPixel := 1 / (c.Magnification * float64(height))
	if !c.Orthographic {
		perPixel *= depth
	}
	middleX, middleY := c.internal().Axis(width, height)
	right, up := (x-middleX)*perPixel, (middleY-y)*perPixel
	return c.Eye.Add(vector.Scaled(c.Right, right)).Add(vector.Scaled(c.Up, up)).Add(vector.Scaled(c.Forward, depth))
}

// Window returns the camera that sees one part of a picture of width by height pixels. Use it
// to draw a picture of the part's size. Vertices are snapped to the same places as in the
// whole picture, except where their coordinates are rounded differently.
func (c Camera) Window(width, height int, part image.Rectangle) Camera {
	x, y := c.internal().Axis(width, height)
	h := float64(part.Dy())
	c.ShiftX = (x - float64(part.Min.X) - float64(part.Dx())/2) / h
	c.ShiftY = (float64(part.Min.Y) + h/2 - y) / h
	c.Magnification *= float64(height) / h
	c.Aspect = 0
	return c
}

// SetDepthRange sets Near and Far for a mesh whose box lies between two
// distances along Forward. The near plane of a perspective camera stays in front
// of the eye: where the box reaches behind it, at 1e-5 of the far distance.
func (c *Camera) SetDepthRange(nearest, farthest float64) {
	// The slack covers vertices that rounding moves out of their box.
	slack := float64(1e-3 * math.Max(farthest-nearest, 1e-6*math.Abs(farthest)))
	c.Near, c.Far = nearest-slack, farthest+slack
	if !c.Orthographic && c.Near <= 0 {
		c.Near = 1e-5 * c.Far
		if nearest > 0 {
			c.Near = nearest / 2
		}
	}
}

// internal returns the camera for the packages below this one.
func (c *Camera) internal() *view.Camera { return (*view.Camera)(c) }

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

// screen returns the size, sample grid and culling of the picture, which the geometry loop needs.
func (o *Options) screen() *view.Screen {
	return &view.Screen{Width: o.Width, Height: o.Height, Grid: o.grid(), CullFront: o.Cull == CullFront, CullBack: o.Cull == CullBack}
}
