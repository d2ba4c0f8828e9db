// Package backs keeps the back faces of a frame that are deferred, see array.Deferred, by its rows
// of tiles, until it is known which of them may be visible.
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
	// mostRows is the most rows of tiles of a back face that is deferred: those of most triangles
	// that are no higher than array.DeferredExtent.
	mostRows = 4
	// mostBoxes bounds the boxes of all back faces, 32 MiB.
	mostBoxes = 2 << 20
	// BoxBytes is the memory of one.
	BoxBytes = 16
)

// RowsOf returns the most rows of tiles of a back face of a mesh that is deferred, 0 for none. All boxes are
// sure to fit whichever worker takes which block, or what is drawn would depend on that.
func RowsOf(triangles int) int32 { return int32(min(mostRows, mostBoxes/max(triangles, 1))) }

// Faces are the back faces of a worker's blocks, and what it finds the visible ones with. The memory
// is kept from frame to frame.
type Faces struct {
	Deferred array.Deferred
	Table    hidden.Table

	store spanstore.Store // boxes
	boxes *array.Spans    // some of them
	near  [spanstore.ChunkSpans + array.Lanes]uint32
	block scenes.Block // of visible triangles
	order []int32      // of their polygons
	view  geometry.View
	count geometry.Counts // of triangles that are drawn again
}

// A Frame is what Begin wants to know of a frame.
type Frame struct {
	View      *geometry.View
	MostRows  int32 // of tiles of a back face, 0 for none
	Stride    int   // keys from row to row
	Height    int   // in rows of tiles
	Triangles int   // of the mesh
	BlockSize int   // the most triangles of a block, always the same
	Keep      *keep.Loops
}

// Begin prepares for a frame.
func (f *Faces) Begin(frame Frame) {
	f.Deferred.MostRows, f.Deferred.Stride = frame.MostRows, int32(frame.Stride)
	if frame.MostRows == 0 {
		return
	}
	if f.boxes == nil {
		f.Deferred.Boxes = array.MakeSpans(mostRows * frame.BlockSize)
		f.boxes = array.MakeSpans(spanstore.ChunkSpans)
		f.block.Resize(frame.BlockSize, false)
	}
	f.Deferred.Boxes.N = 0
	// A chunk of each row of tiles may be full in part, and the store wants as much room again.
	chunks := (int(frame.MostRows)*frame.Triangles+spanstore.ChunkSpans-1)/spanstore.ChunkSpans + 2*frame.Height + 2
	f.store.Begin(frame.Height, frame.Stride*array.TileRows, chunks, frame.Keep)
	f.view = *frame.View
	f.view.CullFront = true
}

// Keep keeps the boxes of a block.
func (f *Faces) Keep() {
	if f.Deferred.Set() {
		f.store.Add(f.Deferred.Boxes)
		f.Deferred.Boxes.N = 0
	}
}

// Any reports whether there are boxes in a row of tiles.
func (f *Faces) Any(ty int) bool { return f.store.Last(ty) != 0 }

// AppendVisible appends the triangles of a row of tiles, of a worker's back faces, that may be visible: where the
// table does not hide the box, nor behind says so. It ends early when it is told to stop.
func (f *Faces) AppendVisible(seen []uint32, of *Faces, ty int, l *hidden.Loops, behind func(boxes *array.Spans, box int) bool, stop func() bool) []uint32 {
	for end := of.store.Last(ty); end != 0 && !stop(); {
		end = of.store.Unpack(end, f.boxes)
		n := l.Visible(&f.Table, f.boxes, f.near[:])
		for _, box := range f.near[:n] {
			if !behind(f.boxes, int(box)) {
				seen = append(seen, f.boxes.Payload[box])
			}
		}
	}
	return seen
}

// Project makes p the polygons of back faces that were deferred, with their triangles for payloads.
func (f *Faces) Project(triangles []uint32, mesh *scenes.Block, p *array.Polygons, project geometry.Loop, toClip []int32) {
	b := &f.block
	b.Resize(len(triangles), false)
	for k := range 3 {
		take(b.X[k], mesh.X[k], triangles)
		take(b.Y[k], mesh.Y[k], triangles)
		take(b.Z[k], mesh.Z[k], triangles)
	}
	p.Reset()
	p.Deferred = nil
	project(&f.view, b, p, toClip, &f.count)
	for n, t := range p.Source[:p.N] {
		p.Payload[n] = triangles[t]
	}
}

func take(to, from []float32, index []uint32) {
	to = to[:len(index)]
	for n, i := range index {
		to[n] = from[i]
	}
}

// Arrange returns the numbers of polygons, which all have rows in the row of tiles that begins with row top,
// by their rows there, most first. So lanes that are stepped together end together, and what is
// counted does not depend on the order of p.
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
