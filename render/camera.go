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

// A Camera defines the view of a mesh. Positions and distances are in mesh units, relative to the mesh's Origin;
// Right, Up and Forward are orthonormal and right-handed (Right x Up = -Forward).
type Camera struct {
	Eye, Target        mgl64.Vec3
	Right, Up, Forward mgl64.Vec3
	// Zenith is the up axis of the mesh, the direction from which the sky of the studio light shines. Zero means Up.
	Zenith mgl64.Vec3
	// An orthographic camera has parallel lines of sight along Forward. Its Eye is only the point from which depths
	// are measured.
	Orthographic bool
	// Magnification is a height on the screen, as a fraction of the picture's height. In perspective it is the height
	// of an object that is as tall as its distance from the eye. In an orthographic view it is the height of an object
	// that is one mesh unit tall.
	Magnification float64
	// ShiftX and ShiftY say where in the picture the direction Forward is: how far to the right of the middle and how
	// far above it, in picture heights. Window sets them to show a part of a picture.
	ShiftX, ShiftY float64
	// Near and Far are the distances along Forward between which depths are precise. Anything nearer than Near is cut
	// off. Most cameras draw surfaces beyond Far too. But orthographic cameras, and perspective cameras very far away,
	// draw nothing beyond 2*Far - Near.
	Near, Far float64
	// Aspect is the width divided by the height of the pictures that the camera was fitted to. Frame returns an error
	// for pictures of another shape. 0 allows any shape.
	Aspect float64
	// Box is the box of the mesh that the camera was fitted to. Computations use coordinates relative to its centre.
	Box scenes.Box
}

// Project returns the position of point p in a picture of width by height pixels. p is relative to the mesh's Origin.
// x and y are pixels from the top left corner; pixel (i, j) has its centre at (i+1/2, j+1/2). depth is the distance
// of p from the eye along Forward. In perspective, x and y mean nothing unless depth is above 0.
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

// Unproject is the inverse of Project. If depth is the value of Picture.Depth for a pixel, Unproject returns the
// point of the surface that the pixel shows.
func (c *Camera) Unproject(x, y, depth float64, width, height int) mgl64.Vec3 {
	perPixel := 1 / (c.Magnification * float64(height))
	if !c.Orthographic {
		perPixel *= depth
	}
	middleX, middleY := c.internal().Axis(width, height)
	right, up := (x-middleX)*perPixel, (middleY-y)*perPixel
	return c.Eye.Add(vector.Scaled(c.Right, right)).Add(vector.Scaled(c.Up, up)).Add(vector.Scaled(c.Forward, depth))
}

// Window returns the camera for drawing one part of a picture of width by height pixels. The picture drawn with it
// must have the part's size. Vertices get the same positions as in the whole picture, apart from rounding.
func (c Camera) Window(width, height int, part image.Rectangle) Camera {
	x, y := c.internal().Axis(width, height)
	h := float64(part.Dy())
	c.ShiftX = (x - float64(part.Min.X) - float64(part.Dx())/2) / h
	c.ShiftY = (float64(part.Min.Y) + h/2 - y) / h
	c.Magnification *= float64(height) / h
	c.Aspect = 0
	return c
}

// SetDepthRange sets Near and Far for a mesh whose box extends from the distance nearest to the distance farthest
// along Forward. The near plane of a perspective camera must be in front of the eye. If the box reaches behind the
// eye, Near is 1e-5 of Far.
func (c *Camera) SetDepthRange(nearest, farthest float64) {
	// The depth range is extended a little, because rounding may move vertices out of their box.
	slack := float64(1e-3 * math.Max(farthest-nearest, 1e-6*math.Abs(farthest)))
	c.Near, c.Far = nearest-slack, farthest+slack
	if !c.Orthographic && c.Near <= 0 {
		c.Near = 1e-5 * c.Far
		if nearest > 0 {
			c.Near = nearest / 2
		}
	}
}

// internal converts the camera to the type that the internal packages use.
func (c *Camera) internal() *view.Camera { return (*view.Camera)(c) }

// Orient turns the camera about Forward until the direction `up` points up in the picture. It returns an error if `up`
// is parallel to Forward.
func (c *Camera) Orient(up mgl64.Vec3) error {
	right := c.Forward.Cross(up)
	if length := right.Len(); length > 1e-9*up.Len() && vector.Finite(length) {
		c.Right = vector.Scaled(right, 1/length)
		c.Up = c.Right.Cross(c.Forward)
		return nil
	}
	return errors.New("camera: up is along the view")
}

// screen returns the size, sample grid and culling of the picture in the form that the geometry loop needs.
func (o *Options) screen() *view.Screen {
	return &view.Screen{Width: o.Width, Height: o.Height, Grid: o.grid(), CullFront: o.Cull == CullFront, CullBack: o.Cull == CullBack}
}
