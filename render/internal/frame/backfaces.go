package frame

import (
	"slices"
	"time"

	"lockstep/render/internal/backs"
	"lockstep/render/internal/framebuffer"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/render/internal/kernel/hidden"
	"lockstep/render/internal/kernel/keep"
	"lockstep/render/internal/tile"
	"lockstep/scenes"
)

// BackFaces is the stage that defers and draws back faces. Half of the triangles of a closed surface face away, and
// nearly all of these are hidden. So small back faces are deferred, see array.Deferred: a tile row is first drawn
// without them. Then each deferred face is compared with what is drawn there, first with the farthest depth of every
// cell of 8 x 8 samples, then with the samples. Only faces that are not behind are drawn. The order does not change the
// picture, because merging keeps the largest key of every sample. Which faces are drawn does not depend on the number
// of workers, because everything else is drawn before.
type BackFaces struct {
	frame   BackFacesFrame
	workers []backFaceWorker
}

// backFaceWorker holds the back faces that one worker has deferred, and its scratch memory for drawing faces that any
// worker has deferred.
type backFaceWorker struct {
	faces  backs.Faces
	seen   []uint32 // triangles that may be visible in the current tile row
	polys  *array.Polygons
	rows   *array.Polygons // the part of polys in a tile row
	toClip []int32

	_ [64]byte // keep workers apart
}

// A BackFacesFrame holds what the stage needs to know about a frame.
type BackFacesFrame struct {
	Workers   int
	View      *geometry.View
	MostRows  int32 // most tile rows that a deferred face may cover; 0: no face is deferred
	Layout    tile.Layout
	BlockSize int                // most triangles in a block, the same in all frames
	Mesh      *scenes.Block      // nil if no face is deferred
	Merge     *framebuffer.Merge // must have begun
	Keep      *keep.Loops
	Hidden    *hidden.Loops
	Geometry  geometry.Loop
	Stop      func() bool // reports whether the frame was called off
}

// Begin prepares for a frame.
func (b *BackFaces) Begin(f BackFacesFrame) {
	if b.workers == nil {
		b.workers = make([]backFaceWorker, f.Workers)
	}
	b.frame = f
	of := backs.Frame{
		View: f.View, MostRows: f.MostRows, Stride: f.Layout.Stride, Height: f.Layout.TilesY, BlockSize: f.BlockSize, Keep: f.Keep,
	}
	if f.MostRows > 0 {
		of.Triangles = f.Mesh.Len()
	}
	for i := range b.workers {
		w := &b.workers[i]
		w.faces.Begin(of)
		if f.MostRows > 0 && w.polys == nil {
			w.polys = array.MakePolygons(f.BlockSize + geometry.ClipMost)
			w.rows = array.MakeRowRanges(f.BlockSize + geometry.ClipMost)
			w.toClip = make([]int32, f.BlockSize)
		}
	}
}

// End ends a frame and drops its mesh, so that the mesh can be garbage collected.
func (b *BackFaces) End(bool) { b.frame = BackFacesFrame{} }

// Deferred returns the buffer into which the geometry loop puts the back faces that it defers in a worker's block.
// first is the number of the block's first triangle.
func (b *BackFaces) Deferred(worker int, first uint32) *array.Deferred {
	deferred := &b.workers[worker].faces.Deferred
	deferred.First = first
	return deferred
}

// Keep stores the back faces that the geometry loop has put into the buffer of Deferred.
func (b *BackFaces) Keep(worker int) { b.workers[worker].faces.Keep() }

// Run draws the deferred back faces that may be visible in tile row ty, which must be merged already, into buffer. Run
// returns the time that it took, and adds that time to the times of r.
func (b *BackFaces) Run(worker, ty int, buffer *framebuffer.Buffer, r *framebuffer.Raster) time.Duration {
	if b.frame.MostRows == 0 {
		return 0
	}
	w := &b.workers[worker]
	start, before := time.Now(), r.Scan+r.Merge
	seen := b.find(w, ty)
	slices.Sort(seen) // so that which faces are drawn together, and in which order, does not depend on the number of workers
	for len(seen) > 0 && !b.frame.Stop() {
		n := min(len(w.toClip), len(seen))
		b.draw(w, ty, seen[:n], buffer, r)
		seen = seen[n:]
	}
	spent := time.Since(start)
	r.Merge += spent - (r.Scan + r.Merge - before)
	return spent
}

// find returns the numbers of the deferred triangles that may be visible in tile row ty.
func (b *BackFaces) find(w *backFaceWorker, ty int) []uint32 {
	w.seen = w.seen[:0]
	behind := func(boxes *array.Spans, box int) bool { return b.frame.Merge.Behind(ty, boxes, box) }
	measured := false
	for i := range b.workers {
		of := &b.workers[i].faces
		if !of.HasBoxes(ty) {
			continue
		}
		if !measured {
			b.measure(w, ty)
			measured = true
		}
		w.seen = w.faces.AppendVisible(w.seen, of, ty, b.frame.Hidden, behind, b.frame.Stop)
	}
	return w.seen
}

// measure fills w.faces.Table with the farthest depths of cells in tile row ty, which deferred faces are compared with.
func (b *BackFaces) measure(w *backFaceWorker, ty int) {
	b.frame.Merge.Measure(&w.faces.Table, b.frame.Hidden, ty)
}

// draw draws the given deferred back faces, as far as they lie in tile row ty.
func (b *BackFaces) draw(w *backFaceWorker, ty int, triangles []uint32, buffer *framebuffer.Buffer, r *framebuffer.Raster) {
	start, top := time.Now(), int32(ty*tile.Height)
	w.faces.Project(triangles, b.frame.Mesh, w.polys, b.frame.Geometry, w.toClip)
	w.rows.TakeRows(w.polys, w.faces.Arrange(w.polys, top), top, top+tile.Height)
	w.rows.MinX, w.rows.MaxX = 0, array.DeferredExtent>>array.SubBits
	b.frame.Merge.Claim(buffer, ty, w.rows)
	r.Draw(buffer, w.rows, start)
}
