// Package footprint bounds the memory that drawing takes, for programs that have to fit into the memory that exists.
// For pictures that are drawn in bands, part.BandOptions.Bytes does the same.
package footprint

import (
	"lockstep/render"
	"lockstep/render/internal/deferred"
	"lockstep/render/internal/frame"
	"lockstep/render/internal/kernel/dome"
	"lockstep/render/internal/kernel/hidden"
	"lockstep/render/internal/surface"
	"lockstep/render/internal/tile"
	"lockstep/scenes"
)

// Frame returns the address space, in bytes, of one worker's private frame, of the spans that the worker stores, of the
// farthest depths from which the next frame predicts, and of that part of the store of deferred polygons that depends
// on the rows of a frame (Deferred returns the part that depends on the mesh). The share that becomes resident depends
// on the polygons that the worker draws. Frame returns an error if o is not valid.
func Frame(o render.Options) (int64, error) {
	o, err := o.Check()
	if err != nil {
		return 0, err
	}
	grid := tile.Grid(o.Samples)
	l := tile.New(o.Width*grid, o.Height*grid)
	bytes := 8*int64(l.Keys()) + l.StoreBytes()
	if l.StoreChunks() > 0 {
		bytes += hidden.GridBytes(l.TilesX*tile.Width, l.TilesY) + deferred.RowBytes(l.TilesY)
	}
	return bytes, nil
}

// Memory in bytes for each pixel that is lit. For a strip, the lit pixels are those of the strip and of the rows around
// it on which its light depends.
const (
	// VisibleBytes is for a nearness, one point (a triangle and a place on it), and a second point at edges, which a third
	// of the pixels have: 4 + 8 + 8/3, rounded up.
	VisibleBytes   = 16
	OcclusionBytes = 6 // six arrays with 4 bytes for each cell of four pixels
	EyeDomeBytes   = 4 // a level of the eye-dome light for each pixel, also in the margins around the picture
)

// Lit bounds the memory, in bytes, that all workers together take for the light of a picture: for the points that
// pixels show, for occlusion, and for the eye-dome light of clouds. It is 0 if pixels are not lit one by one and have
// no eye-dome light. Only a scenes.Points takes memory for eye-dome light; for other sources, pass OfMesh(o).
func Lit(o render.Options) int64 {
	perPixel, levels := int64(0), int64(0)
	if o.EyeDome && o.Light == render.LightStudio {
		levels = int64(o.Width+2*dome.MaxReach) * int64(o.Height+2*dome.MaxReach)
	}
	if o.InMemory() {
		perPixel += VisibleBytes
		if o.Occlusion {
			perPixel += OcclusionBytes
		}
	}
	return EyeDomeBytes*levels + perPixel*int64(o.Width)*int64(o.Height)
}

// OfMesh returns the options without eye-dome light, which a renderer draws only for a scenes.Points. Use it also to
// count memory before the kind of the source is known.
func OfMesh(o render.Options) render.Options {
	o.EyeDome = false
	return o
}

// Of returns the options with which a renderer draws a source: o, or OfMesh(o).
func Of(o render.Options, source scenes.Source) render.Options {
	if _, cloud := source.(*scenes.Points); cloud {
		return o
	}
	return OfMesh(o)
}

// Deferred returns an upper bound of the memory, in bytes, for the deferred polygons of a mesh or for its deferred
// groups of triangles. Each worker may reserve that much address space, but all workers together use at most that much
// memory.
func Deferred(triangles int) int64 {
	return max(deferred.Bytes(triangles), frame.LeavesBytes(triangles))
}

// Levels returns an upper bound of the memory, in bytes, of the smaller copies of a mesh's textures that a renderer
// makes. It does not include the pictures, which the mesh holds.
func Levels(a *scenes.Attributes) int64 { return surface.LevelBytes(a) }

// Surface returns an upper bound of the memory, in bytes, that render.NewSurface takes for a mesh with the given number
// of triangles. While it works, it holds the normals and scratch memory, which is small for large meshes; at the end it
// holds the normals and the result, which takes 48 bytes a triangle.
func Surface(triangles int) int64 {
	const most = 64 << 20
	n := int64(triangles)
	return max(12*n+min(72*n, 3*n+most), (12+48)*n)
}
