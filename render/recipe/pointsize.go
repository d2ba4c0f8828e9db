package recipe

import (
	"context"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render/recipe/internal/backdrop"
	"lockstep/render/recipe/internal/cameras"
	"lockstep/scenes"
)

// sizePoints returns a function that computes the size of points from a sample of them. If the recipe has no size, it
// returns nil, and readers derive a size from the distances between points.
func (p *Picture) sizePoints(ctx context.Context) func(some [][3]float64, up scenes.Axis) float64 {
	size := p.Look.PointSize
	switch {
	case size.Length == 0:
		return nil
	case !size.Pixels:
		return func([][3]float64, scenes.Axis) float64 { return size.Length }
	}
	return func(some [][3]float64, up scenes.Axis) float64 { return size.Length * p.unitsPerPixel(ctx, some, up) }
}

// unitsPerPixel returns the length of a pixel in the middle of a picture that is fitted to the points some. It returns
// 0 if no camera fits.
func (p Picture) unitsPerPixel(ctx context.Context, some [][3]float64, up scenes.Axis) float64 {
	if len(some) == 0 {
		return 0
	}
	mesh := &scenes.Mesh{Block: scenes.MakeBlock((len(some) + 2) / 3), Up: up, Origin: some[0]}
	for t := range mesh.Len() {
		var corners [3][3]float32
		for k := range corners {
			v := some[min(3*t+k, len(some)-1)]
			for d := range v {
				corners[k][d] = float32(v[d] - some[0][d])
			}
		}
		mesh.Set(t, corners)
	}
	p.Look.Field, p.Look.PointSize, p.Lines.Legend, p.Lines.Ground = "", PointSize{}, false, new(false)
	in := &Input{Source: mesh, Box: mesh.Bounds(), shadows: new(backdrop.Shadows)}
	cam, err := p.Fit(ctx, in)
	if err != nil {
		return 0
	}
	return cameras.PixelLength(&cam, mgl64.Vec3(in.Box.Center()), p.full().Size.Height)
}
