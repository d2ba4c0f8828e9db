package view

import (
	"context"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
	"lockstep/render/recipe"
	"lockstep/render/rim"
)

// A pickedRim is the circle of the rim near a point that was picked.
type pickedRim struct {
	Center   [3]float64 `json:"center"` // centre in coordinates of the file
	Axis     [3]float64 `json:"axis"`
	Diameter float64    `json:"diameter"`
	Arc      float64    `json:"arc"` // part of the circle that the rim covers, in radians
	Corners  int        `json:"corners"`
}

// mostRims is the largest number of triangles of a mesh whose rims are searched for. The first pick in such a mesh
// takes two seconds and, during that time, 240 MB.
const mostRims = 4_000_000

// rimReach is how many pixels a picked point may lie from a rim.
const rimReach = 12

// rimNear returns the rim near a point of an input, or nil if there is none. The input belongs to the recipe p, and
// `pixel` is the length of a pixel at the point. The edges of the mesh are kept for the next pick. For a mesh that
// stays in its file, they are found only if there is memory for the mesh.
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

// pixelAt returns the length of a pixel at a depth.
func pixelAt(cam *render.Camera, depth float64, width, height int) float64 {
	return cam.Unproject(1, 0, depth, width, height).Sub(cam.Unproject(0, 0, depth, width, height)).Len()
}
