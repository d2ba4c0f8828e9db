// Package footprint returns upper bounds of the memory that drawing takes, for programs that must fit into the
// machine's memory. For pictures that are drawn in bands, part.BandOptions.Bytes does the same.
package footprint

import (
	"lockstep/render"
	"lockstep/render/internal/behind"
	"lockstep/render/internal/deferred"
	"lockstep/render/internal/frame"
	"lockstep/render/internal/groups"
	"lockstep/render/internal/kernel/dome"
	"lockstep/render/internal/kernel/hidden"
	"lockstep/render/internal/surface"
	"lockstep/render/internal/tile"
	"lockstep/scenes"
)

// Frame returns the address space of one worker, in bytes. It is the sum of:
//   - the worker's private frame
//   - the store of spans, which are drawn when the frame's polygons are done
//   - the farthest depths, from which the next frame predicts hidden polygons
//   - the part of the store of deferred polygons that depends on the frame's height; Deferred returns the part
//     that depends on the mesh
//
// How much of it becomes resident depends on the polygons that the worker draws. Frame returns an error if o is not
// valid.
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

// Memory in bytes for each lit pixel. If only some rows are drawn, rows around them are lit too, because their light
// matters to the drawn rows.
const (
	// VisibleBytes is a sum, rounded up: 4 for a depth, 8 for a point (a triangle and a position on it), and 8/3 for
	// second points. A third of the pixels have a second point, because they lie at an edge.
	VisibleBytes   = 16
	OcclusionBytes = 6 // six arrays with 4 bytes for each cell of four pixels
	EyeDomeBytes   = 4 // a number for eye-dome light, also for the pixels in the margins around the picture
)

// Lit returns an upper bound of the memory, in bytes, for the light of a picture, of all workers together. It counts
// the points that pixels show, ambient occlusion, and the eye-dome light of clouds. Lit returns 0 if pixels are neither
// lit one by one nor darkened by eye-dome light. Only a scenes.Points has eye-dome light; for other sources, pass
// OfMesh(o).
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

// OfMesh returns the options without eye-dome light, which only a scenes.Points can have. A caller that does not know
// the kind of the source yet may use it for a lower estimate.
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

// Deferred returns an upper bound of the memory, in bytes, for the polygons or groups of triangles of a mesh that are
// deferred: drawn last, and only if they may be visible. Each worker may reserve that much address space, but all
// workers together use no more memory than that.
func Deferred(triangles int) int64 {
	return max(deferred.Bytes(triangles), frame.LeavesBytes(triangles))
}

// Packed returns about how many bytes of memory frames take for a packed copy of a surface's triangles. Frames make
// this copy if the mesh has several triangles for each sample, but only after some dozen frames, and not if
// Surface.LeaveUnpacked was called.
func Packed(triangles int) int64 {
	if triangles < frame.MinDeferred {
		return 0
	}
	return groups.PackedBytes * int64(triangles)
}

// Levels returns an upper bound of the memory, in bytes, of the smaller copies that a renderer makes of a mesh's
// textures, and of the materials that it prepares. The textures themselves, which the mesh holds, are not included.
func Levels(a *scenes.Attributes) int64 { return surface.LevelBytes(a) + surface.PaintBytes(a) }

// ShowsBehind reports whether a renderer needs a picture of what is behind the glass of a source with attributes a,
// which may be nil.
func ShowsBehind(o render.Options, a *scenes.Attributes) bool {
	return a != nil && o.InMemory() && o.Color == nil && surface.HasBodies(a)
}

// Behind returns an upper bound of the memory, in bytes, for the picture behind the glass of a source with attributes
// a. Drawing that picture needs no frames of its own; it uses those of the whole picture.
func Behind(o render.Options, a *scenes.Attributes) int64 {
	if !ShowsBehind(o, a) {
		return 0
	}
	return behind.Bytes(o.Width, o.Height)
}

// BehindParts returns the memory, in bytes, for drawing the picture behind glass when a frame is drawn in parts:
//   - worker, for each worker's private frame
//   - shared, for the light
//   - picture, for the picture itself, which the renderer keeps
//
// Parts that are drawn later use the private frames too.
func BehindParts(o render.Options) (worker, shared, picture int64) {
	picture = behind.Bytes(o.Width, o.Height)
	o.Width, o.Height = behind.Size(o.Width, o.Height)
	o.Samples = min(o.Samples, behind.Samples)
	grid := tile.Grid(o.Samples)
	return 8 * int64(tile.New(o.Width*grid, o.Height*grid).Keys()), Lit(o), picture
}

// Surface returns an upper bound of the memory, in bytes, that render.NewSurface needs for the given number of
// triangles. The call first holds normals and scratch memory, and at the end normals and the result, which has 48
// bytes a triangle.
func Surface(triangles int) int64 {
	const most = 64 << 20
	n := int64(triangles)
	return max(12*n+min(72*n, 3*n+most), (12+48)*n)
}
