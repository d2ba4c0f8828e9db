// Package blockplace finds where the blocks of a mesh appear in pictures. Experiments use these positions to divide a
// mesh among processors by geometry.
package blockplace

import (
	"context"
	"runtime"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/lb/loads"
	"lockstep/render"
	"lockstep/scenes"
)

// Centres returns the centre of each block's bounding box. A block without a finite corner gets the origin.
func Centres(ctx context.Context, src scenes.Source) ([]mgl64.Vec3, error) {
	centre := make([]mgl64.Vec3, scenes.NumBlocks(src))
	err := scenes.ForEachBlock(ctx, src, runtime.GOMAXPROCS(0), func(_, i int, b *scenes.Block) error {
		if box := b.Bounds(); !box.Empty() {
			centre[i] = box.Center()
		}
		return nil
	})
	return centre, err
}

// Project returns the position of p in the picture, relative to the picture's centre, in units of the picture's height.
// A point behind the near plane is treated as if it lay on that plane. Positions are limited to loads.MaxPlace.
func Project(p mgl64.Vec3, cam *render.Camera) (x, y float64) {
	away := p.Sub(cam.Eye)
	size := cam.Magnification
	if !cam.Orthographic {
		size /= max(away.Dot(cam.Forward), cam.Near)
	}
	bound := func(v float64) float64 { return min(max(v, -loads.MaxPlace), loads.MaxPlace) }
	return bound(away.Dot(cam.Right) * size), bound(away.Dot(cam.Up) * size)
}
