package render

import (
	"errors"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/scenes"
)

// Look returns a camera at a point that sees another in the middle of its picture, of any
// shape. Of the options the up axis, the field of view, the projection and the zoom
// count; an orthographic camera shows the target as large as one in perspective would.
// The box is that of the mesh.
func Look(box scenes.Box, eye, target mgl64.Vec3, o CameraOptions) (Camera, error) {
	o, err := o.withDefaults()
	if err != nil {
		return Camera{}, err
	}
	if err := checkFit(box, 1, 1, o, nil); err != nil {
		return Camera{}, err
	}
	c := look(box, o)
	away := target.Sub(eye)
	distance := away.Len()
	if !(distance > 0) || !finite(distance) {
		return Camera{}, errors.New("the eye and its target are one point, or too far apart")
	}
	c.Forward = scaled(away, 1/distance)
	right := c.Forward.Cross(c.Zenith)
	if right.Len() < 1e-9 { // straight down or up: as from the front, tilted
		_, right = frontRight(c.Zenith)
	}
	c.Right = scaled(right, 1/right.Len())
	c.Up = c.Right.Cross(c.Forward)
	c.Eye, c.Target = eye, target
	tan := math.Tan(o.FieldOfView / 2 * (math.Pi / 180))
	c.Magnification = o.Zoom / (2 * tan)
	if o.Orthographic {
		c.Magnification /= distance
	}
	nearest, farthest := math.Inf(1), math.Inf(-1)
	for _, p := range c.offsets(box) {
		nearest, farthest = math.Min(nearest, p[2]), math.Max(farthest, p[2])
	}
	if distance+farthest <= 0 && !o.Orthographic {
		return Camera{}, ErrBlank
	}
	c.SetDepthRange(distance+nearest, distance+farthest)
	return c, nil
}
