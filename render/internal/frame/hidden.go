package frame

import (
	"slices"
	"time"

	"lockstep/render/internal/deferred"
	"lockstep/render/internal/framebuffer"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/render/internal/kernel/hidden"
	"lockstep/render/internal/kernel/keep"
	"lockstep/render/internal/tile"
	"lockstep/scenes"
)

// Hidden is the stage that defers polygons that are probably hidden. A tile row is first drawn without these
// polygons. Then each deferred polygon is compared with the samples that were drawn there: first with the farthest
// depth of each cell of 8 x 8 samples, then with single samples. The polygon is drawn only if it is not behind these
// samples. The order does not change the picture, because merging keeps the largest key of every sample. The set of
// drawn polygons does not depend on the number of workers, because all other polygons are drawn before.
//
// Two kinds of polygons are probably hidden:
//   - Small back faces. Half of the triangles of a closed surface face away, and nearly all of these are hidden. The
//     geometry loop defers small back faces, see array.Deferred.
//   - Polygons that lie behind the farthest depths of the previous frame. They are deferred between geometry and
//     scan conversion, see hidden.Taking. This saves time if a frame has several surfaces behind each other, see
//     Judge.
type Hidden struct {
	frame     HiddenFrame
	workers   []hiddenWorker
	grid      hidden.Grid // farthest depths of cells in the last frame; valid if known is true
	layout    tile.Layout // layout for which grid was allocated
	known     bool        // the last frame has set grid
	predicted bool        // this frame uses grid to predict which polygons are hidden
	pays      bool        // predictions are expected to save time in the next frame
	restLeft  int         // number of further frames without predictions, because predictions cost more than they saved

	unpredicted int // number of successive frames that could not predict, because the previous frame had not set grid
}

// hiddenWorker holds the polygons that one worker has deferred, and its scratch memory for drawing polygons that any
// worker has deferred.
type hiddenWorker struct {
	polygons deferred.Polygons
	table    hidden.Table // table for the current tile row, if grid is not used
	gridRow  hidden.Table // like `table`, but in the memory of `grid`; used in its place if HiddenRows is above 0
	toDraw   []uint32     // numbers of deferred triangles that may be visible in the current tile row
	polys    *array.Polygons
	rows     *array.Polygons // those parts of `polys` that lie in the current tile row
	toClip   []int32

	_ [64]byte // padding, so that two workers do not share a cache line
}

// A HiddenFrame holds the parameters of the stage for a frame.
type HiddenFrame struct {
	Workers int
	View    *geometry.View
	// BackRows is the largest number of tile rows that a deferred back face may cover. HiddenRows is the largest
	// number for a polygon that is predicted to be hidden. 0 means that no such polygon is deferred.
	BackRows, HiddenRows int32
	Layout               tile.Layout
	BlockSize            int           // largest number of triangles in a block, the same in all frames
	Mesh                 *scenes.Block // nil if no polygon is deferred
	Payloads             Payloads
	Merge                *framebuffer.Merge // stage that merges the private frames; its Begin must be called before Hidden.Run
	Keep                 *keep.Loops
	Hidden               *hidden.Loops
	Geometry             geometry.Loop
	Stop                 func() bool // reports whether the frame was called off
}

// Begin prepares for a frame.
func (h *Hidden) Begin(f HiddenFrame) {
	if h.workers == nil {
		h.workers = make([]hiddenWorker, f.Workers)
	}
	h.frame = f
	if f.HiddenRows > 0 && h.layout != f.Layout {
		h.layout, h.known = f.Layout, false
		h.grid.Begin(f.Layout.TilesX*tile.Width, f.Layout.TilesY)
	}
	h.predicted = h.known && f.HiddenRows > 0
	deferFrame := deferred.Frame{
		View: f.View, BackRows: f.BackRows, HiddenRows: f.HiddenRows, Stride: f.Layout.Stride, Height: f.Layout.TilesY,
		BlockSize: f.BlockSize, Keep: f.Keep,
	}
	if f.Mesh != nil {
		deferFrame.Triangles, deferFrame.Colored = f.Mesh.Len(), f.Mesh.Colors != nil
	}
	for i := range h.workers {
		w := &h.workers[i]
		w.polygons.Begin(deferFrame)
		w.polygons.Taken.Grid, w.polygons.Taken.Width = &h.grid, f.View.Width
		if f.Mesh != nil && w.polys == nil {
			w.polys = array.MakePolygons(f.BlockSize + geometry.MaxClipped)
			w.rows = array.MakeRowRanges(f.BlockSize + geometry.MaxClipped)
			w.toClip = make([]int32, f.BlockSize)
		}
	}
}

// End ends a frame and drops its mesh, so that the mesh can be garbage collected.
func (h *Hidden) End(calledOff bool) {
	h.known = h.frame.HiddenRows > 0 && !calledOff
	h.frame = HiddenFrame{}
	for i := range h.workers {
		h.workers[i].polygons.End()
	}
}

// Deferred returns the buffer for the back faces that the geometry loop defers in a worker's block. first is the
// number of the block's first triangle.
func (h *Hidden) Deferred(worker int, first uint32) *array.Deferred {
	deferred := &h.workers[worker].polygons.Deferred
	deferred.First = first
	return deferred
}

// Keep stores the back faces that the geometry loop has put into the result of Deferred. p holds the other polygons
// of the block. Keep removes from p the polygons that are predicted to be hidden. first is the number of the block's
// first triangle.
func (h *Hidden) Keep(worker int, p *array.Polygons, first uint32) {
	polygons := &h.workers[worker].polygons
	polygons.StoreBoxes()
	if h.predicted {
		polygons.Take(p, first, h.frame.Hidden)
	}
}

// Run draws the deferred polygons that may be visible in tile row ty into buffer. The tile row must be merged
// already. Run returns the time that it took, and adds it to the times of r.
func (h *Hidden) Run(worker, ty int, buffer *framebuffer.Buffer, r *framebuffer.Raster) time.Duration {
	if h.frame.Mesh == nil {
		return 0
	}
	w := &h.workers[worker]
	start, before := time.Now(), r.Scan+r.Merge
	seen := h.findVisible(w, ty)
	slices.Sort(seen) // so that groups of polygons are the same for any number of workers
	for len(seen) > 0 && !h.frame.Stop() {
		n := min(len(w.toClip), len(seen))
		h.draw(w, ty, seen[:n], buffer, r)
		seen = seen[n:]
	}
	spent := time.Since(start)
	r.Merge += spent - (r.Scan + r.Merge - before)
	return spent
}

// findVisible returns the numbers of the deferred triangles that may be visible in tile row ty.
func (h *Hidden) findVisible(w *hiddenWorker, ty int) []uint32 {
	w.toDraw = w.toDraw[:0]
	measured := h.frame.HiddenRows > 0
	if measured {
		h.measureDepths(w, ty)
	}
	behind := func(boxes *array.Spans, box int) bool { return h.frame.Merge.IsBehind(ty, boxes, box) }
	for i := range h.workers {
		other := &h.workers[i].polygons
		if !other.HasBoxes(ty) {
			continue
		}
		if !measured {
			h.measureDepths(w, ty)
			measured = true
		}
		w.toDraw = w.polygons.AppendVisible(w.toDraw, other, ty, h.frame.Hidden, behind, h.frame.Stop)
	}
	return w.toDraw
}

// measureDepths finds the farthest depths of cells in tile row ty, for comparison with deferred polygons. It stores the
// depths in the grid if the next frame may use them for predictions.
func (h *Hidden) measureDepths(w *hiddenWorker, ty int) {
	table := &w.table
	if h.frame.HiddenRows > 0 {
		w.gridRow = h.grid.Row(ty)
		table = &w.gridRow
	}
	h.frame.Merge.MeasureDepths(table, h.frame.Hidden, ty)
	w.polygons.Table = table
}

// draw draws those parts of the given deferred triangles that lie in tile row ty.
func (h *Hidden) draw(w *hiddenWorker, ty int, triangles []uint32, buffer *framebuffer.Buffer, r *framebuffer.Raster) {
	start, top := time.Now(), int32(ty*tile.Height)
	block := w.polygons.Project(triangles, h.frame.Mesh, w.polys, h.frame.Geometry, w.toClip)
	w.polys.Numbers = triangles // replaces the triangle numbers of the previous call
	h.frame.Payloads.SetPayloads(w.polys, block, 0)
	w.rows.TakeRows(w.polys, w.polygons.Arrange(w.polys, top), top, top+tile.Height)
	w.rows.MinX, w.rows.MaxX = 0, h.frame.View.Width
	h.frame.Merge.Claim(buffer, ty, w.rows)
	r.Draw(buffer, w.rows, start)
}
