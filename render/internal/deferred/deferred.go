// Package deferred keeps the deferred polygons of a frame by tile row, until it is known which of them may be visible.
//
// A deferred polygon is probably hidden, so it is drawn last or not at all. Until then, boxes stand for it: one for
// each tile row (row of tiles, see package tile) that it covers.
package deferred

import (
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/render/internal/kernel/hidden"
	"lockstep/render/internal/kernel/keep"
	"lockstep/render/internal/spanstore"
	"lockstep/scenes"
)

const (
	// maxBackRows is the largest number of tile rows that a deferred back face may cover. Few back faces cover more
	// tile rows, because only back faces up to array.DeferredExtent high are deferred.
	maxBackRows = 4
	// maxHiddenRows limits polygons that are predicted to be hidden. A polygon that covers more tile rows is not
	// deferred. Eight tile rows are 128 samples high.
	maxHiddenRows = 8
	// maxBoxes is the largest number of boxes of all polygons. They fill 32 MiB.
	maxBoxes = 2 << 20
	// predicted is a flag in the payloads of boxes: the triangle was deferred because it is predicted to be hidden.
	// The flag cannot be part of a triangle's number, because meshes with such large numbers have no deferred
	// polygons.
	predicted = 1 << 31
)

// BackRows returns how many tile rows a deferred back face may cover at most, for a mesh with the given number of
// triangles. 0 means that no back face may be deferred.
//
// The boxes of all polygons must fit into the store of a single worker. Otherwise the distribution of work would
// decide which polygons are deferred.
func BackRows(triangles int) int32 { return rowsOf(maxBackRows, triangles) }

// HiddenRows is like BackRows, for polygons that are predicted to be hidden.
func HiddenRows(triangles int) int32 { return rowsOf(maxHiddenRows, triangles) }

func rowsOf(limit, triangles int) int32 { return int32(min(limit, maxBoxes/max(triangles, 1))) }

// Bytes returns an upper bound of the memory for the boxes of a mesh's deferred polygons, in bytes. Each worker needs
// RowBytes in addition.
func Bytes(triangles int) int64 {
	const boxBytes = 16
	return int64(max(BackRows(triangles), HiddenRows(triangles))) * int64(triangles) * boxBytes
}

// spareChunks returns the number of chunks that a store needs besides full chunks. The last chunk of each tile row may
// be partly filled, and each tile row may need another one.
func spareChunks(height int) int { return 2*height + 2 }

// RowBytes returns the part of a worker's store, in bytes, that does not depend on the mesh; Bytes returns the other
// part. height is the height of the frame in tile rows. RowBytes counts the spare chunks, a chunk that the store adds,
// and a chunk for rounding up.
func RowBytes(height int) int64 { return int64(spareChunks(height)+2) * spanstore.ChunkBytes }

// Polygons holds the deferred polygons of one worker's blocks, and scratch memory for finding the visible ones. Later
// frames use its memory again.
type Polygons struct {
	Deferred array.Deferred // receives the small back faces that the geometry loop defers
	// Taken decides, in the method Take, which polygons to defer. It also counts the work of drawing these polygons.
	Taken hidden.Taking
	// Count is the number of polygons that Take deferred, and Boxes the number of their boxes. Late is the number of
	// deferred polygons that were drawn after all, counted once for each tile row in which they were drawn.
	Count, Boxes, Late int64
	Table              *hidden.Table // depths of the tile row in which AppendVisible looks for visible boxes

	store     spanstore.Store // stores the boxes by tile row
	boxes     *array.Spans    // scratch memory for boxes that are copied to the store or from it
	visible   [spanstore.ChunkSpans + array.Lanes]uint32
	scratch   scenes.Block // scratch memory of Project for the triangles that may be visible
	order     []int32      // scratch memory of Arrange
	view      *geometry.View
	discarded geometry.Counts // required by the geometry loop, and not used
}

// A Frame holds the parameters of Begin.
type Frame struct {
	View *geometry.View
	// BackRows is the largest number of tile rows that a deferred back face may cover. HiddenRows is that number for a
	// polygon that is deferred because it is predicted to be hidden. 0 means that no such polygon is deferred.
	BackRows, HiddenRows int32
	Stride               int // number of keys between the starts of two rows
	Height               int // height of the frame in tile rows
	Triangles            int // number of triangles of the mesh
	Colored              bool
	BlockSize            int // largest number of triangles in a block, the same in all frames
	Keep                 *keep.Loops
}

// Begin prepares for a frame.
func (d *Polygons) Begin(frame Frame) {
	d.Deferred.MaxRows, d.Deferred.Stride = frame.BackRows, int32(frame.Stride)
	d.Taken = hidden.Taking{Boxes: d.Taken.Boxes, Stride: int32(frame.Stride), MaxRows: frame.HiddenRows}
	d.Count, d.Boxes, d.Late = 0, 0, 0
	maxRows := max(frame.BackRows, frame.HiddenRows)
	if maxRows == 0 {
		return
	}
	if d.boxes == nil {
		d.Deferred.Boxes = array.MakeSpans(max(maxBackRows*frame.BlockSize, maxHiddenRows*array.Lanes))
		d.Taken.Boxes = d.Deferred.Boxes
		d.boxes = array.MakeSpans(spanstore.ChunkSpans)
	}
	d.scratch.Resize(frame.BlockSize, frame.Colored)
	d.Deferred.Boxes.N = 0
	chunks := (int(maxRows)*frame.Triangles+spanstore.ChunkSpans-1)/spanstore.ChunkSpans + spareChunks(frame.Height)
	d.store.Begin(frame.Height, frame.Stride*array.TileRows, chunks, frame.Keep)
	d.view = frame.View
}

// End drops references to the frame.
func (d *Polygons) End() { d.view, d.Taken.Grid = nil, nil }

// StoreBoxes stores the boxes that the geometry loop has written to Deferred for a block.
func (d *Polygons) StoreBoxes() {
	if d.Deferred.Set() {
		d.flush(d.Deferred.Boxes)
	}
}

func (d *Polygons) flush(boxes *array.Spans) {
	d.store.Add(boxes)
	boxes.N = 0
}

// Take defers the polygons of p that are hidden according to the depths in d.Taken.Grid, and removes them from p. The
// polygons must come from the geometry loop. first is the number of the block's first triangle.
func (d *Polygons) Take(p *array.Polygons, first uint32, l *hidden.Loops) {
	d.Taken.First = first | predicted
	part := len(d.Taken.Boxes.Start) / int(d.Taken.MaxRows) &^ (array.Lanes - 1)
	kept := 0
	for from := 0; from < p.N; from += part {
		kept = l.Take(&d.Taken, p, from, min(from+part, p.N), kept)
		d.Boxes += int64(d.Taken.Boxes.N)
		d.flush(d.Taken.Boxes)
	}
	d.Count += int64(p.N - kept)
	p.N = kept
}

// HasBoxes reports whether tile row ty has any boxes.
func (d *Polygons) HasBoxes(ty int) bool { return d.store.Last(ty) != 0 }

// AppendVisible appends to `seen` the numbers of the deferred triangles of `other` that may be visible in tile row ty.
// A triangle is hidden if every one of its boxes there is hidden. A box is hidden according to d.Table, or if
// behind(box) returns true. AppendVisible ends early if stop returns true.
func (d *Polygons) AppendVisible(seen []uint32, other *Polygons, ty int, l *hidden.Loops, behind func(boxes *array.Spans, box int) bool, stop func() bool) []uint32 {
	for end := other.store.Last(ty); end != 0 && !stop(); {
		end = other.store.Unpack(end, d.boxes)
		n := l.Visible(d.Table, d.boxes, d.visible[:])
		for _, box := range d.visible[:n] {
			if behind(d.boxes, int(box)) {
				continue
			}
			number := d.boxes.Payload[box]
			d.Late += int64(number / predicted)
			seen = append(seen, number%predicted)
		}
	}
	return seen
}

// Project projects the given deferred triangles of the mesh. It sets p to their polygons, still without payloads, and
// returns the triangles as a block.
func (d *Polygons) Project(triangles []uint32, mesh *scenes.Block, p *array.Polygons, project geometry.Loop, toClip []int32) *scenes.Block {
	b := &d.scratch
	b.Resize(len(triangles), mesh.Colors != nil)
	for k := range 3 {
		gather(b.X[k], mesh.X[k], triangles)
		gather(b.Y[k], mesh.Y[k], triangles)
		gather(b.Z[k], mesh.Z[k], triangles)
	}
	if mesh.Colors != nil {
		gather(b.Colors, mesh.Colors, triangles)
	}
	p.Reset()
	p.Deferred = nil
	project(d.view, b, p, toClip, &d.discarded)
	return b
}

func gather[T any](to, from []T, index []uint32) {
	to = to[:len(index)]
	for n, i := range index {
		to[n] = from[i]
	}
}

// Arrange returns the indices of the polygons in p, sorted by how many rows they have in one tile row, most first.
// Every polygon must have rows there. top is the first row of the tile row.
//
// In this order, lanes that are stepped together also end together. Counts do not depend on the order of p.
func (d *Polygons) Arrange(p *array.Polygons, top int32) []int32 {
	if cap(d.order) < p.N {
		d.order = make([]int32, len(p.Payload))
	}
	order := d.order[:p.N]
	var next [array.TileRows + 1]int32
	rank := func(n int) int32 {
		return array.TileRows - (min(p.First[n]+p.Rows[n], top+array.TileRows) - max(p.First[n], top))
	}
	for n := range order {
		next[rank(n)+1]++
	}
	for i := range array.TileRows {
		next[i+1] += next[i]
	}
	for n := range order {
		at := &next[rank(n)]
		order[*at] = int32(n)
		*at++
	}
	return order
}
