// Package backs keeps the deferred back faces of a frame (see array.Deferred) by tile row, until it is known which of
// them may be visible.
package backs

import (
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/render/internal/kernel/hidden"
	"lockstep/render/internal/kernel/keep"
	"lockstep/render/internal/spanstore"
	"lockstep/scenes"
)

const (
	// maxTileRows is the largest number of tile rows that a deferred back face may cover. Most triangles that are no
	// higher than array.DeferredExtent cover no more.
	maxTileRows = 4
	// mostBoxes is the largest number of boxes of all back faces; they take 32 MiB. A back face has one box in each
	// tile row that it covers.
	mostBoxes = 2 << 20
	// BoxBytes is the memory of a box, in bytes.
	BoxBytes = 16
)

// RowsOf returns the largest number of tile rows that a deferred back face of a mesh with the given number of triangles
// may cover, or 0 if none may be deferred. All boxes together must fit into the store of a single worker; otherwise the
// distribution of the work would decide which faces are drawn.
func RowsOf(triangles int) int32 { return int32(min(maxTileRows, mostBoxes/max(triangles, 1))) }

// Faces holds the back faces that were deferred in one worker's blocks, and scratch memory for finding those that are
// visible. Its memory is reused from frame to frame.
type Faces struct {
	Deferred array.Deferred
	Table    hidden.Table

	store   spanstore.Store // keeps boxes by tile row
	boxes   *array.Spans    // scratch for boxes from the store
	visible [spanstore.ChunkSpans + array.Lanes]uint32
	block   scenes.Block // scratch of Project: triangles that may be visible
	order   []int32      // scratch of Arrange
	view    geometry.View
	count   geometry.Counts // counts triangles when they are drawn after all; nobody reads it
}

// A Frame holds what Begin needs to know about a frame.
type Frame struct {
	View      *geometry.View
	MostRows  int32 // largest number of tile rows that a deferred back face may cover; 0: none is deferred
	Stride    int   // number of keys between the starts of two rows
	Height    int   // in tile rows
	Triangles int   // of the mesh
	BlockSize int   // most triangles in a block, the same in all frames
	Keep      *keep.Loops
}

// Begin prepares for a frame.
func (f *Faces) Begin(frame Frame) {
	f.Deferred.MostRows, f.Deferred.Stride = frame.MostRows, int32(frame.Stride)
	if frame.MostRows == 0 {
		return
	}
	if f.boxes == nil {
		f.Deferred.Boxes = array.MakeSpans(maxTileRows * frame.BlockSize)
		f.boxes = array.MakeSpans(spanstore.ChunkSpans)
		f.block.Resize(frame.BlockSize, false)
	}
	f.Deferred.Boxes.N = 0
	// The last chunk of each tile row may be partly filled, and the store needs room for another chunk in each.
	chunks := (int(frame.MostRows)*frame.Triangles+spanstore.ChunkSpans-1)/spanstore.ChunkSpans + 2*frame.Height + 2
	f.store.Begin(frame.Height, frame.Stride*array.TileRows, chunks, frame.Keep)
	f.view = *frame.View
	f.view.CullFront = true
}

// Keep stores the boxes that the geometry loop has put into Deferred for a block.
func (f *Faces) Keep() {
	if f.Deferred.Set() {
		f.store.Add(f.Deferred.Boxes)
		f.Deferred.Boxes.N = 0
	}
}

// HasBoxes reports whether tile row ty has any boxes.
func (f *Faces) HasBoxes(ty int) bool { return f.store.Last(ty) != 0 }

// AppendVisible appends the numbers of those triangles in of that may be visible in tile row ty. A triangle is hidden
// there if f.Table or behind says so for its box. AppendVisible ends early if stop returns true.
func (f *Faces) AppendVisible(seen []uint32, of *Faces, ty int, l *hidden.Loops, behind func(boxes *array.Spans, box int) bool, stop func() bool) []uint32 {
	for end := of.store.Last(ty); end != 0 && !stop(); {
		end = of.store.Unpack(end, f.boxes)
		n := l.Visible(&f.Table, f.boxes, f.visible[:])
		for _, box := range f.visible[:n] {
			if !behind(f.boxes, int(box)) {
				seen = append(seen, f.boxes.Payload[box])
			}
		}
	}
	return seen
}

// Project projects the given triangles of the mesh, which are deferred back faces, and sets p to their polygons. The
// payload of a polygon is the number of its triangle.
func (f *Faces) Project(triangles []uint32, mesh *scenes.Block, p *array.Polygons, project geometry.Loop, toClip []int32) {
	b := &f.block
	b.Resize(len(triangles), false)
	for k := range 3 {
		gather(b.X[k], mesh.X[k], triangles)
		gather(b.Y[k], mesh.Y[k], triangles)
		gather(b.Z[k], mesh.Z[k], triangles)
	}
	p.Reset()
	p.Deferred = nil
	project(&f.view, b, p, toClip, &f.count)
	for n, t := range p.Source[:p.N] {
		p.Payload[n] = triangles[t]
	}
}

func gather(to, from []float32, index []uint32) {
	to = to[:len(index)]
	for n, i := range index {
		to[n] = from[i]
	}
}

// Arrange returns the indices of the polygons in p, sorted by how many rows they have in the tile row whose first row
// is top, most rows first. All polygons must have rows there. Lanes that are stepped together then end together, and
// counts do not depend on the order of p.
func (f *Faces) Arrange(p *array.Polygons, top int32) []int32 {
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
