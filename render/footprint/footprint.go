// Package footprint bounds the memory that drawing takes, for programs that have to fit into what there is.
// For pictures that are drawn in bands, part.BandOptions.Bytes tells the same.
package footprint

import (
	"lockstep/render"
	"lockstep/render/internal/backs"
	"lockstep/render/internal/frame"
	"lockstep/render/internal/surface"
	"lockstep/render/internal/tile"
	"lockstep/scenes"
)

// Frame returns the address space in bytes that the private frame of one worker and the
// spans that it keeps take. How much of it becomes resident depends on what the worker draws. Errors are those of the
// options.
func Frame(o render.Options) (int64, error) {
	o, err := o.Check()
	if err != nil {
		return 0, err
	}
	grid := tile.Grid(o.Samples)
	l := tile.New(o.Width*grid, o.Height*grid)
	return 8*int64(l.Keys()) + l.StoreBytes(), nil
}

// Deferred bounds the memory that the deferred back faces of a mesh take, or its deferred groups of triangles: a worker may
// take as many bytes of addresses, all workers together as many of memory.
func Deferred(triangles int) int64 {
	faces := int64(backs.RowsOf(triangles)) * int64(triangles) * backs.BoxBytes
	return max(faces, frame.LeavesBytes(triangles))
}

// Levels bounds the memory that the default look takes for smaller copies of a mesh's textures, beside the pictures that
// the mesh holds.
func Levels(a *scenes.Attributes) int64 { return surface.LevelBytes(a) }

// Surface bounds the memory that render.NewSurface takes for a mesh of so many triangles: the
// normals and, while they are found, scratch, of which large meshes take little; then what it
// returns, 48 bytes a triangle.
func Surface(triangles int) int64 {
	const most = 64 << 20
	n := int64(triangles)
	return max(12*n+min(72*n, 3*n+most), (12+48)*n)
}
