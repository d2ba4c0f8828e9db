package frame

import (
	"weak"

	"lockstep/lb"
	"lockstep/render/internal/framebuffer"
	"lockstep/render/internal/groups"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/render/internal/kernel/hidden"
	"lockstep/render/internal/kernel/keep"
	"lockstep/render/internal/kernel/zbuffer"
	"lockstep/render/internal/scratch"
	"lockstep/render/internal/spanstore"
	"lockstep/render/internal/tile"
	"lockstep/scenes"
)

// Leaves is the stage that defers groups of triangles that are not expected to be seen, before they are read.
// Expected are those that frames before could not hide. For each of the others, one box in every row of tiles says where it
// may be seen and how near it is at most. When everything else is drawn in a row of tiles, its boxes are compared with
// the farthest depths of cells of 8 x 8 samples, see package hidden. Groups that are not behind are drawn then. Keys are a
// maximum, so that the picture is the same whatever was expected: history only orders work.
type Leaves struct {
	frame   LeavesFrame
	of      weak.Pointer[groups.Groups] // that shown is about
	shown   []uint32                    // the last frame in which a group was not hidden, by group
	number  uint32                      // of the frame
	took    bool                        // part in the last frame
	rest    int                         // frames without the stage to come
	most    int32                       // boxes of a group that is deferred
	project groups.Projector
	workers []deferring

	// What guess finds, by cell and by bundle.
	cells    []guessedCell
	cellOf   []int32
	nearness []float32
}

// deferring is the memory of one worker.
type deferring struct {
	boxes   *array.Spans // of its groups, before they are kept
	store   spanstore.Store
	some    *array.Spans // boxes of a row of tiles
	near    [spanstore.ChunkSpans + array.Lanes]uint32
	table   hidden.Table
	seen    []int32 // groups that are drawn in a row of tiles
	block   scenes.Block
	numbers []uint32 // of its triangles, where they are not in memory
	polys   *array.Polygons
	rows    *array.Polygons // of polys, those in a row of tiles
	index   []int32         // of the polygons in a row of tiles
	toClip  []int32
	buffer  framebuffer.Buffer // of a row of tiles
	counts  geometry.Counts
	outcome

	_ [64]byte // keep workers apart
}

// A LeavesFrame is what the stage wants to know of a frame.
type LeavesFrame struct {
	Workers   int
	Policy    lb.Policy      // decides whether groups are deferred
	Instead   bool           // back faces are deferred in frames without the stage
	Groups    *groups.Groups // nil: none is deferred
	View      *geometry.View
	Layout    tile.Layout
	BlockSize int // the most triangles of a block, always the same
	Merge     *framebuffer.Merge
	Payloads  Payloads
	Rasters   []*framebuffer.Raster
	Keep      *keep.Loops
	Hidden    *hidden.Loops
	Geometry  geometry.Loop
	ZBuffer   zbuffer.Loop
	Stop      func() bool // whether the frame was called off
}

const (
	// patience is the number of frames for which a group stays expected, and after which it is tested again.
	patience = 4
	// mostEach is the most boxes of a group that is deferred.
	mostEach = 32
	// mostLeafBoxes bounds the boxes of all groups of a worker, 64 MiB: two for each group of 130 million triangles.
	mostLeafBoxes = 1 << 22
	// boxWidth is the most samples that a box is wide: those of cells that two of the widest windows of a hidden.Table hold.
	boxWidth = 96
	// leafBoxBytes and shownBytes are the memory of a box, and of what is known of a group.
	leafBoxBytes = 16
	shownBytes   = 4
	// drawnBit marks boxes of groups that were drawn.
	drawnBit = 1 << 31
)

// LeastDeferred is the number of triangles of a mesh from which on its groups may be deferred: below, a frame takes so little
// that testing groups saves nothing.
const LeastDeferred = 1 << 19

// Begin prepares for a frame, and reports whether groups are deferred in it.
func (l *Leaves) Begin(f LeavesFrame) bool {
	if l.frame.Groups != nil { // the frame before has not ended
		l.clear()
	}
	l.frame, l.took = LeavesFrame{}, false
	if f.Groups == nil || f.Groups.Len() > mostLeafBoxes {
		return false
	}
	if l.workers == nil {
		l.workers = make([]deferring, f.Workers)
	}
	if l.of.Value() != f.Groups {
		l.of, l.rest = weak.Make(f.Groups), 0
		l.restart()
	}
	if l.rest > 0 {
		return false
	}
	l.frame, l.took, l.most = f, true, int32(eachOf(f.Groups.Len()))
	if l.number++; l.number == 0 { // after four billion frames
		l.restart()
		l.number++
	}
	l.project = f.Groups.Projector(f.View)
	if f.Groups.Stored != nil {
		l.guess()
	}
	for i := range l.workers {
		l.workers[i].begin(&f, int(l.most)*f.Groups.Len())
	}
	return true
}

// Resting reports whether groups, which may be nil, are not deferred for some frames, since that did not pay.
func (l *Leaves) Resting(g *groups.Groups) bool { return g != nil && l.rest > 0 && l.of.Value() == g }

// eachOf returns the most boxes of a group of a mesh with a number of groups: all are sure to fit whichever worker takes which
// group, or what is deferred would depend on that.
func eachOf(groups int) int { return min(mostEach, mostLeafBoxes/max(groups, 1)) }

// LeavesBytes returns the memory of the boxes of a mesh of so many triangles.
func LeavesBytes(triangles int) int64 {
	if triangles < LeastDeferred {
		return 0
	}
	n := (triangles + groups.Size - 1) / groups.Size
	return int64(n) * int64(eachOf(n)*leafBoxBytes+shownBytes)
}

// restart forgets what was seen: all groups are expected, and tested in turn.
func (l *Leaves) restart() {
	l.number = patience
	l.shown = scratch.Resize(l.shown, l.of.Value().Len())
	for i := range l.shown {
		l.shown[i] = l.number
	}
}

func (w *deferring) begin(f *LeavesFrame, boxes int) {
	if w.boxes == nil {
		w.boxes = array.MakeSpans(spanstore.ChunkSpans)
		w.some = array.MakeSpans(spanstore.ChunkSpans)
		w.polys = array.MakePolygons(f.BlockSize + geometry.ClipMost)
		w.rows = array.MakeRowRanges(f.BlockSize + geometry.ClipMost)
		w.index = make([]int32, f.BlockSize+geometry.ClipMost)
		w.toClip = make([]int32, f.BlockSize)
	}
	if f.Groups.Stored != nil && w.numbers == nil {
		w.numbers = make([]uint32, scenes.BlockSize)
	}
	w.boxes.N, w.outcome = 0, outcome{}
	// A chunk of each row of tiles may be full in part, and the store wants as much room again.
	chunks := (boxes+spanstore.ChunkSpans-1)/spanstore.ChunkSpans + 2*f.Layout.TilesY + 2
	w.store.Begin(f.Layout.TilesY, f.Layout.Stride*array.TileRows, chunks, f.Keep)
	w.buffer.Begin(f.ZBuffer, f.Stop)
}

// End ends a frame, lets its mesh be collected, and decides whether groups are deferred in the next one.
func (l *Leaves) End(calledOff bool) {
	if l.frame.Groups == nil {
		l.rest = max(0, l.rest-1)
	} else if !calledOff {
		var o outcome
		for i := range l.workers {
			o.add(&l.workers[i].outcome)
		}
		if savings, cost := o.weigh(l.frame.Instead); !(savings > l.frame.Policy.Threshold(cost)) && l.frame.Policy != lb.Always {
			l.rest = resting
			l.restart()
		}
	}
	if calledOff {
		l.clear()
	}
	l.frame = LeavesFrame{}
}

// clear empties the buffers, of which a frame that is not whole may have left some as they were.
func (l *Leaves) clear() {
	for i := range l.workers {
		l.workers[i].buffer.Clear(func() bool { return false })
	}
}

// pick appends the groups of triangles first to end (exclusive) that a worker is to draw at once.
func (l *Leaves) pick(worker int, picked []int32, seen *groups.Frustum, first, end int) []int32 {
	const size = groups.Size * groups.Bundle
	for ; first < end; first = (first/size + 1) * size {
		outside, inside := seen.Bundle(first / size)
		if outside {
			continue
		}
		for g := first / groups.Size; g*groups.Size < min((first/size+1)*size, end); g++ {
			if (inside || !seen.Outside(g)) && l.wanted(worker, g) {
				picked = append(picked, int32(g))
			}
		}
	}
	return picked
}

// wanted reports whether a worker is to draw a group at once. Of others it keeps what they may cover.
func (l *Leaves) wanted(worker, group int) bool {
	w := &l.workers[worker]
	expected := l.number-l.shown[group] <= patience
	if expected && (uint32(group)^l.number)%patience != 0 {
		w.drawn++
		return true
	}
	b, ok := l.project.Bound(group)
	if ok {
		v := l.frame.View
		b.X0, b.X1 = max(b.X0, 0), min(b.X1, v.Width)
		b.Y0, b.Y1 = max(b.Y0, 0), min(b.Y1, v.Height)
		if b.X0 >= b.X1 || b.Y0 >= b.Y1 {
			return false // outside the picture or between samples
		}
	}
	if !ok || boxesOf(&b.Box) > l.most {
		l.shown[group] = l.number
		w.drawn++
		w.asked++
		return true
	}
	number := uint32(group)
	if expected {
		number |= drawnBit
		w.drawn++
		w.asked++
		w.hidden++
	} else {
		w.deferred++
	}
	w.push(&b, int32(l.frame.Layout.Stride), number)
	return expected
}

// done moves the boxes that a worker still buffers to its store, when no unit is left for it.
func (l *Leaves) done(worker int) { l.workers[worker].keep() }

// Rewrite changes history, for tests: what is drawn does not depend on it. age is told how many frames ago each group was
// not hidden, and returns another number.
func (l *Leaves) Rewrite(age func(frames uint32) uint32) {
	for i, frame := range l.shown {
		l.shown[i] = l.number - age(l.number-frame)%(2*patience)
	}
}

// Counted returns how many groups there were in the last frame, how many of them were deferred, and of those drawn after all.
func (l *Leaves) Counted() (all, deferred, late int64) {
	if !l.took {
		return 0, 0, 0
	}
	var o outcome
	for i := range l.workers {
		o.add(&l.workers[i].outcome)
	}
	return int64(o.drawn + o.deferred), int64(o.deferred), int64(o.late)
}
