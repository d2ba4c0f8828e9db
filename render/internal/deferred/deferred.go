// Package deferred keeps the deferred polygons of a frame by tile row, until it is known which of them may be visible.
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
	// maxBackRows is the largest number of tile rows that a deferred back face may cover. Most triangles that are no
	// higher than array.DeferredExtent cover no more.
	maxBackRows = 4
	// maxHiddenRows is the same for polygons that are predicted to be hidden, which are up to 128 samples high.
	maxHiddenRows = 8
	// mostBoxes is the largest number of boxes of all polygons; they take 32 MiB. A polygon has one box in each tile
	// row that it covers.
	mostBoxes = 2 << 20
	// predicted marks the numbers of triangles that were deferred because they are predicted to be hidden. It is
	// greater than any such number, since polygons of larger meshes are not deferred.
	predicted = 1 << 31
)

// BackRows returns the largest number of tile rows that a deferred back face of a mesh with the given number of
// triangles may cover, or 0 if none may be deferred. All boxes together must fit into the store of a single worker;
// otherwise the distribution of the work would decide which polygons are deferred.
func BackRows(triangles int) int32 { return rowsOf(maxBackRows, triangles) }

// HiddenRows returns the same for polygons that are predicted to be hidden.
func HiddenRows(triangles int) int32 { return rowsOf(maxHiddenRows, triangles) }

func rowsOf(most, triangles int) int32 { return int32(min(most, mostBoxes/max(triangles, 1))) }

// Bytes returns an upper bound of the memory for the boxes of the deferred polygons of a mesh, in bytes. Each worker
// takes RowBytes in addition.
func Bytes(triangles int) int64 {
	const boxBytes = 16
	return int64(max(BackRows(triangles), HiddenRows(triangles))) * int64(triangles) * boxBytes
}

// spareChunks returns how many chunks a store needs beside full ones. The last chunk of each tile row may be partly
// filled, and the store needs room for another chunk in each.
func spareChunks(height int) int { return 2*height + 2 }

// RowBytes returns the memory of a worker's chunks, in bytes, that boxes may leave empty in a frame with the given
// height in tile rows. The store has one chunk more than it is asked for, and the last one that Bytes counts is rounded
// up.
func RowBytes(height int) int64 { return int64(spareChunks(height)+2) * spanstore.ChunkBytes }

// Polygons holds the polygons that were deferred in one worker's blocks, and scratch memory for finding those that are
// visible. Its memory is reused from frame to frame.
type Polygons struct {
	Deferred array.Deferred // receives small back faces
	// Taken says which polygons Take takes, and counts the work that these would have taken.
	Taken hidden.Taking
	// Count is the number of polygons that Take took, Boxes the number of their boxes, and Late the number of those that
	// were drawn after all, once for each tile row.
	Count, Boxes, Late int64
	Table              *hidden.Table // of the tile row that AppendVisible looks at

	store   spanstore.Store // keeps boxes by tile row
	boxes   *array.Spans    // scratch for boxes that are not in the store yet, or that come from there
	visible [spanstore.ChunkSpans + array.Lanes]uint32
	block   scenes.Block // scratch of Project: triangles that may be visible
	order   []int32      // scratch of Arrange
	view    *geometry.View
	count   geometry.Counts // counts triangles when they are drawn after all; nobody reads it
}

// A Frame holds what Begin needs to know about a frame.
type Frame struct {
	View *geometry.View
	// BackRows is the largest number of tile rows that a deferred back face may cover, and HiddenRows the same for
	// other polygons; 0: none is deferred.
	BackRows, HiddenRows int32
	Stride               int // number of keys between the starts of two rows
	Height               int // in tile rows
	Triangles            int // of the mesh
	Colored              bool
	BlockSize            int // most triangles in a block, the same in all frames
	Keep                 *keep.Loops
}

// Begin prepares for a frame.
func (f *Polygons) Begin(frame Frame) {
	f.Deferred.MostRows, f.Deferred.Stride = frame.BackRows, int32(frame.Stride)
	f.Taken = hidden.Taking{Boxes: f.Taken.Boxes, Stride: int32(frame.Stride), MostRows: frame.HiddenRows}
	f.Count, f.Boxes, f.Late = 0, 0, 0
	mostRows := max(frame.BackRows, frame.HiddenRows)
	if mostRows == 0 {
		return
	}
	if f.boxes == nil {
		f.Deferred.Boxes = array.MakeSpans(max(maxBackRows*frame.BlockSize, maxHiddenRows*array.Lanes))
		f.Taken.Boxes = f.Deferred.Boxes
		f.boxes = array.MakeSpans(spanstore.ChunkSpans)
	}
	f.block.Resize(frame.BlockSize, frame.Colored)
	f.Deferred.Boxes.N = 0
	chunks := (int(mostRows)*frame.Triangles+spanstore.ChunkSpans-1)/spanstore.ChunkSpans + spareChunks(frame.Height)
	f.store.Begin(frame.Height, frame.Stride*array.TileRows, chunks, frame.Keep)
	f.view = frame.View
}

// End drops references to the frame.
func (f *Polygons) End() { f.view, f.Taken.Grid = nil, nil }

// Keep stores the boxes that the geometry loop has put into Deferred for a block.
func (f *Polygons) Keep() {
	if f.Deferred.Set() {
		f.flush(f.Deferred.Boxes)
	}
}

func (f *Polygons) flush(boxes *array.Spans) {
	f.store.Add(boxes)
	boxes.N = 0
}

// Take takes polygons out of p that are hidden according to f.Taken.Grid. p must come from the geometry loop. first is
// the number of the block's first triangle.
func (f *Polygons) Take(p *array.Polygons, first uint32, l *hidden.Loops) {
	f.Taken.First = first | predicted
	part := len(f.Taken.Boxes.Start) / int(f.Taken.MostRows) &^ (array.Lanes - 1)
	kept := 0
	for from := 0; from < p.N; from += part {
		kept = l.Take(&f.Taken, p, from, min(from+part, p.N), kept)
		f.Boxes += int64(f.Taken.Boxes.N)
		f.flush(f.Taken.Boxes)
	}
	f.Count += int64(p.N - kept)
	p.N = kept
}

// HasBoxes reports whether tile row ty has any boxes.
func (f *Polygons) HasBoxes(ty int) bool { return f.store.Last(ty) != 0 }

// AppendVisible appends the numbers of those triangles in of that may be visible in tile row ty. A triangle is hidden
// there if f.Table or behind says so for all its boxes. AppendVisible ends early if stop returns true.
func (f *Polygons) AppendVisible(seen []uint32, of *Polygons, ty int, l *hidden.Loops, behind func(boxes *array.Spans, box int) bool, stop func() bool) []uint32 {
	for end := of.store.Last(ty); end != 0 && !stop(); {
		end = of.store.Unpack(end, f.boxes)
		n := l.Visible(f.Table, f.boxes, f.visible[:])
		for _, box := range f.visible[:n] {
			if behind(f.boxes, int(box)) {
				continue
			}
			number := f.boxes.Payload[box]
			f.Late += int64(number / predicted)
			seen = append(seen, number%predicted)
		}
	}
	return seen
}

// Project projects the given triangles of the mesh, which are deferred, and sets p to their polygons, without payloads.
// It returns the triangles.
func (f *Polygons) Project(triangles []uint32, mesh *scenes.Block, p *array.Polygons, project geometry.Loop, toClip []int32) *scenes.Block {
	b := &f.block
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
	project(f.view, b, p, toClip, &f.count)
	return b
}

func gather[T any](to, from []T, index []uint32) {
	to = to[:len(index)]
	for n, i := range index {
		to[n] = from[i]
	}
}

// Arrange returns the indices of the polygons in p, sorted by how many rows they have in the tile row whose first row
// is top, most rows first. All polygons must have rows there. Lanes that are stepped together then end together, and
// counts do not depend on the order of p.
func (f *Polygons) Arrange(p *array.Polygons, top int32) []int32 {
	if cap(f.order) < p.N {
		f.order = make([]int32, len(p.Payload))
	}
	order := f.order[:p.N]
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
