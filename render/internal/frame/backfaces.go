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

// BackFaces is the stage that draws what faces away. Of a closed surface half of the triangles do, and nearly all of
// these are hidden. So small back faces are deferred, see array.Deferred: a row of tiles is first drawn without them. Then
// each is compared with what is drawn there: first with the farthest depth of every cell of 8 x 8 samples, then with the
// samples. Only those that are not behind are drawn. Keys are a maximum, so that the picture is the same. Which are
// drawn does not depend on the workers either, since all else is drawn before.
type BackFaces struct {
	frame   BackFacesFrame
	workers []facingAway
}

// facingAway holds the back faces that one worker has deferred, and scratch memory for drawing deferred faces of any
// worker.
type facingAway struct {
	faces  backs.Faces
	seen   []uint32 // triangles that may be visible in a row of tiles
	polys  *array.Polygons
	rows   *array.Polygons // of polys, those in a row of tiles
	toClip []int32

	_ [64]byte // keep workers apart
}

// A BackFacesFrame is what the stage wants to know of a frame.
type BackFacesFrame struct {
	Workers   int
	View      *geometry.View
	MostRows  int32 // of tiles that a deferred face lies in; 0: none is deferred
	Layout    tile.Layout
	BlockSize int                // the most triangles of a block, always the same
	Mesh      *scenes.Block      // nil where no face is deferred
	Merge     *framebuffer.Merge // which has begun
	Keep      *keep.Loops
	Hidden    *hidden.Loops
	Geometry  geometry.Loop
	Stop      func() bool // whether the frame was called off
}

// Begin prepares for a frame.
func (b *BackFaces) Begin(f BackFacesFrame) {
	if b.workers == nil {
		b.workers = make([]facingAway, f.Workers)
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

// End ends a frame, and lets its mesh be collected.
func (b *BackFaces) End(bool) { b.frame = BackFacesFrame{} }

// Deferred returns where the geometry loop puts the back faces of a worker's block, whose first triangle has a number.
func (b *BackFaces) Deferred(worker int, first uint32) *array.Deferred {
	deferred := &b.workers[worker].faces.Deferred
	deferred.First = first
	return deferred
}

// Keep keeps what the geometry loop has deferred.
func (b *BackFaces) Keep(worker int) { b.workers[worker].faces.Keep() }

// Run draws those deferred back faces into the buffer of a row of tiles, which was merged, that may be visible there. It
// returns how long it took, and counts that as time of the raster.
func (b *BackFaces) Run(worker, ty int, buffer *framebuffer.Buffer, r *framebuffer.Raster) time.Duration {
	if b.frame.MostRows == 0 {
		return 0
	}
	w := &b.workers[worker]
	start, before := time.Now(), r.Scan+r.Merge
	seen := b.find(w, ty)
	slices.Sort(seen) // so that parts, and the order within them, are the same for any workers
	for len(seen) > 0 && !b.frame.Stop() {
		n := min(len(w.toClip), len(seen))
		b.draw(w, ty, seen[:n], buffer, r)
		seen = seen[n:]
	}
	spent := time.Since(start)
	r.Merge += spent - (r.Scan + r.Merge - before)
	return spent
}

// find returns the triangles that were deferred and may be visible in a row of tiles.
func (b *BackFaces) find(w *facingAway, ty int) []uint32 {
	w.seen = w.seen[:0]
	behind := func(boxes *array.Spans, box int) bool { return b.frame.Merge.Behind(ty, boxes, box) }
	measured := false
	for i := range b.workers {
		of := &b.workers[i].faces
		if !of.Any(ty) {
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

// measure makes the table of depths of a row of tiles, by which deferred faces are tested.
func (b *BackFaces) measure(w *facingAway, ty int) {
	b.frame.Merge.Measure(&w.faces.Table, b.frame.Hidden, ty)
}

// draw draws deferred back faces into a row of tiles.
func (b *BackFaces) draw(w *facingAway, ty int, triangles []uint32, buffer *framebuffer.Buffer, r *framebuffer.Raster) {
	start, top := time.Now(), int32(ty*tile.Height)
	w.faces.Project(triangles, b.frame.Mesh, w.polys, b.frame.Geometry, w.toClip)
	w.rows.TakeRows(w.polys, w.faces.Arrange(w.polys, top), top, top+tile.Height)
	w.rows.MinX, w.rows.MaxX = 0, array.DeferredExtent>>array.SubBits
	b.frame.Merge.Claim(buffer, ty, w.rows)
	r.Draw(buffer, w.rows, start)
}
