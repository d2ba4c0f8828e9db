package view

import (
	"context"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
	"lockstep/render/recipe"
	"lockstep/render/rim"
)

// A pickedRim describes the rim near a picked point by its circle.
type pickedRim struct {
	Center   [3]float64 `json:"center"` // centre in coordinates of the file
	Axis     [3]float64 `json:"axis"`
	Diameter float64    `json:"diameter"`
	Arc      float64    `json:"arc"` // part of the circle that the rim covers, in radians
	Corners  int        `json:"corners"`
}

// mostRims is the largest number of triangles of a mesh in which rims are searched for. In a mesh of this size, the
// first pick takes two seconds, and uses 240 MB of memory for that time.
const mostRims = 4_000_000

// rimReach is the largest distance between a picked point and a rim, in pixels.
const rimReach = 12

// rimNear returns the rim near a point of an input, or nil if there is none. The input is the mesh of the recipe p.
// pixel is the length of a pixel at the point. The edges of the mesh are stored for the next pick. A mesh in a file is
// searched only if it fits into memory.
func (s *session) rimNear(ctx context.Context, p recipe.Picture, in *recipe.Input, point mgl64.Vec3, pixel float64) (*pickedRim, error) {
	if in.Source.Len() > mostRims {
		return nil, nil
	}
	key, err := meshKey(p)
	if err != nil {
		return nil, err
	}
	if s.rims == nil || s.rimsOf != key {
		p.Look.Shading = "flat" // rims need no normals
		whole, err := s.wholeInput(ctx, p, p.RenderOptions())
		if err != nil {
			return nil, ctx.Err()
		}
		if s.rims, err = rim.New(ctx, whole.Mesh()); err != nil {
			return nil, err
		}
		s.rimsOf = key
	}
	c, ok := s.rims.Near(point, rimReach*pixel)
	if !ok {
		return nil, nil
	}
	for axis, origin := range in.Source.Info().Origin {
		c.Center[axis] += origin
	}
	return &pickedRim{Center: c.Center, Axis: c.Axis, Diameter: c.Diameter, Arc: c.Arc, Corners: c.Corners}, nil
}

// pixelLength returns the length of a pixel at a depth, in units of the mesh.
func pixelLength(cam *render.Camera, depth float64, width, height int) float64 {
	return cam.Unproject(1, 0, depth, width, height).Sub(cam.Unproject(0, 0, depth, width, height)).Len()
}
