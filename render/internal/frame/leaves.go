package frame

import (
	"weak"

	"lockstep/lb"
	"lockstep/render/internal/blocktime"
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
	"lockstep/vp/isa"
)

// Leaves is the stage that defers groups of triangles that are probably hidden, before these triangles are read. A
// group is expected to be seen if it was not hidden in one of the last frames. Expected groups are drawn at once.
// Every other group gets boxes, at least one in each tile row that the group covers. A box is a bound of the position
// and the nearness of the group in a tile row. When everything else in a tile row is drawn, the boxes there are
// compared with the farthest depths of cells of 8 x 8 samples, see package hidden. The group is left out only if all
// its boxes are behind these depths.
//
// A bundle is eight groups. If none of them is expected, the bundle gets boxes, and the groups get boxes only if the
// bundle may be visible. The history of groups decides only the order of the work. It never changes the picture,
// because merging keeps the largest key of every sample.
type Leaves struct {
	frame       LeavesFrame
	historyOf   weak.Pointer[groups.Groups] // groups whose history lastSeen holds
	lastSeen    []uint32                    // number of the last frame in which each group was not hidden
	frameNumber uint32                      // number of the current frame
	active      bool                        // the stage took part in the last frame
	restLeft    int                         // number of further frames without deferred groups, see restFrames
	guessRest   int                         // number of further frames without guesses, see guessHidden
	maxBoxes    int32                       // largest number of boxes of a deferred group
	project     groups.Projector
	sieves      sieveRule
	workers     []leafWorker

	// The next fields are scratch memory of guessHidden: the cells, and the cell and the nearness of each bundle.
	cells    []guessedCell
	cellOf   []int32
	nearness []float32
}

// leafWorker is the memory of one worker.
type leafWorker struct {
	boxes    *array.Spans // boxes that are not in the store yet
	store    spanstore.Store
	rowBoxes *array.Spans // boxes of the current tile row
	visible  [spanstore.ChunkSpans + array.Lanes]uint32
	table    hidden.Table
	bundles  []int32 // numbers of deferred bundles that may be visible in the current tile row
	toDraw   []int32 // numbers of deferred groups that are drawn in the current tile row
	timed    []int32 // units of the boxes in the current tile row; set if units are timed
	sieve    groups.Sieve
	block    scenes.Block
	numbers  []uint32 // numbers of the triangles in `block`, if the mesh is not in memory
	polys    *array.Polygons
	rows     *array.Polygons // those parts of `polys` that lie in the current tile row
	index    []int32         // indices of these polygons in `polys`
	toClip   []int32
	buffer   framebuffer.Buffer // buffer of a tile row
	counts   geometry.Counts
	outcome
	read, kept int // number of triangles that were read without a sieve, and number of these that were drawn

	_ [64]byte // padding, so that two workers do not share a cache line
}

// A LeavesFrame holds the parameters of the stage for a frame.
type LeavesFrame struct {
	Workers     int
	Level       isa.Level
	Policy      lb.Policy      // decides whether groups are deferred
	DefersBacks bool           // frames that do not defer groups defer back faces instead
	Groups      *groups.Groups // nil if no group is deferred
	View        *geometry.View
	Layout      tile.Layout
	BlockSize   int // largest number of triangles in a block, the same in all frames
	Merge       *framebuffer.Merge
	Payloads    Payloads
	Rasters     []*framebuffer.Raster
	Keep        *keep.Loops
	Hidden      *hidden.Loops
	Geometry    geometry.Loop
	ZBuffer     zbuffer.Loop
	Stop        func() bool      // reports whether the frame was called off
	Timer       *blocktime.Timer // divides the time of deferred groups among their units; nil if units are not timed
	UnitSize    int              // number of triangles in a unit
}

const (
	// expectFrames is the number of frames for which a group remains expected after it was last seen. In one of every
	// expectFrames frames, an expected group is tested too, because it may have become hidden.
	expectFrames = 4
	// maxGroupBoxes is the largest number of boxes of a deferred group. Groups with more boxes are drawn at once.
	maxGroupBoxes = 32
	// maxLeafBoxes is the largest number of boxes that a worker can store. The boxes fill 64 MiB. A mesh of 130
	// million triangles can have two boxes for each group.
	maxLeafBoxes = 1 << 22
	// boxWidth is the largest width of a box in samples. The cells of such a box fit into two of the widest windows of
	// a hidden.Table.
	boxWidth = 96
	// leafBoxBytes is the memory of a box in bytes. historyBytes is the memory for a group's history in bytes.
	leafBoxBytes = 16
	historyBytes = 4
	// drawnBit marks the payloads of boxes of groups that were drawn at once. These boxes are tested only for the
	// history.
	drawnBit = 1 << 31
	// bundleBit marks the payloads of boxes of bundles. The bit is free, because the numbers of groups and bundles are
	// below bundleBit.
	bundleBit = 1 << 30
)

// MinDeferred is the least number of triangles of a mesh whose groups may be deferred. Frames of smaller meshes are so
// fast that testing groups saves nothing.
const MinDeferred = 1 << 19

// Begin prepares for a frame. It reports whether the frame defers groups.
func (l *Leaves) Begin(f LeavesFrame) bool {
	if l.frame.Groups != nil { // the last frame did not end with End
		l.clear()
	}
	l.frame, l.active = LeavesFrame{}, false
	if f.Groups == nil || f.Groups.Len() > maxLeafBoxes {
		return false
	}
	if l.workers == nil {
		l.workers = make([]leafWorker, f.Workers)
	}
	if l.historyOf.Value() != f.Groups {
		l.historyOf, l.restLeft, l.guessRest, l.sieves = weak.Make(f.Groups), 0, 0, sieveRule{}
		l.forgetHistory()
	}
	if l.restLeft > 0 {
		return false
	}
	inView := f.Groups.CountInView(f.View)
	l.frame, l.active, l.maxBoxes = f, true, int32(groupBoxLimit(inView))
	if l.frameNumber++; l.frameNumber == 0 { // the counter overflows after four billion frames
		l.forgetHistory()
		l.frameNumber++
	}
	l.project = f.Groups.Projector(f.View)
	if f.Groups.Stored != nil {
		l.guessHidden()
	}
	l.sieves.begin(&f)
	for i := range l.workers {
		l.workers[i].begin(&f, int(l.maxBoxes)*inView)
		if l.sieves.active {
			l.workers[i].sieve.Begin(f.Level, f.View, f.Groups, areNumbers(f.Payloads), f.BlockSize)
		}
	}
	return true
}

// Resting reports whether the stage pauses: it defers no groups of g for some frames, because deferring them cost
// more time than it saved. g may be nil.
func (l *Leaves) Resting(g *groups.Groups) bool {
	return g != nil && l.restLeft > 0 && l.historyOf.Value() == g
}

// groupBoxLimit returns the largest number of boxes that a deferred group may have if a picture shows parts of the
// given number of groups. The boxes of all groups must fit into the store of a single worker; otherwise the
// distribution of work would decide which groups are deferred.
func groupBoxLimit(groups int) int { return min(maxGroupBoxes, maxLeafBoxes/max(groups, 1)) }

// LeavesBytes returns an upper bound of the memory for a worker's boxes and for the history, in bytes, for a mesh
// with the given number of triangles.
func LeavesBytes(triangles int) int64 {
	if triangles < MinDeferred {
		return 0
	}
	n := (triangles + groups.Size - 1) / groups.Size
	return leafBoxBytes*min(maxLeafBoxes, maxGroupBoxes*int64(n)) + historyBytes*int64(n)
}

// forgetHistory forgets the history. All groups become expected, and each group is tested within the next expectFrames
// frames.
func (l *Leaves) forgetHistory() {
	l.frameNumber = expectFrames
	l.lastSeen = scratch.Resize(l.lastSeen, l.historyOf.Value().Len())
	for i := range l.lastSeen {
		l.lastSeen[i] = l.frameNumber
	}
}

func (w *leafWorker) begin(f *LeavesFrame, boxes int) {
	if w.boxes == nil {
		w.boxes = array.MakeSpans(spanstore.ChunkSpans)
		w.rowBoxes = array.MakeSpans(spanstore.ChunkSpans)
		w.polys = array.MakePolygons(f.BlockSize + geometry.MaxClipped)
		w.rows = array.MakeRowRanges(f.BlockSize + geometry.MaxClipped)
		w.index = make([]int32, f.BlockSize+geometry.MaxClipped)
		w.toClip = make([]int32, f.BlockSize)
	}
	if f.Groups.Stored != nil && w.numbers == nil && areNumbers(f.Payloads) {
		w.numbers = make([]uint32, scenes.BlockSize)
	}
	w.boxes.N, w.outcome, w.read, w.kept = 0, outcome{}, 0, 0
	// The last chunk of each tile row may be partly filled. In addition, the store must be able to add another chunk
	// to each tile row.
	chunks := (boxes+spanstore.ChunkSpans-1)/spanstore.ChunkSpans + 2*f.Layout.TilesY + 2
	w.store.Begin(f.Layout.TilesY, f.Layout.Stride*array.TileRows, chunks, f.Keep)
	w.buffer.Begin(f.ZBuffer, f.Stop)
}

// End ends a frame and drops its mesh, so that the mesh can be garbage collected. It decides whether the next frame
// defers groups.
func (l *Leaves) End(calledOff bool) {
	if l.frame.Groups == nil {
		l.restLeft = max(0, l.restLeft-1)
	} else if !calledOff {
		var o outcome
		for i := range l.workers {
			o.add(&l.workers[i].outcome)
		}
		l.endSieves()
		if savings, cost := o.weigh(l.frame.DefersBacks); !l.sieves.savesTime(&l.frame) && !(savings > l.frame.Policy.Threshold(cost)) && l.frame.Policy != lb.Always {
			l.restLeft = restFrames
			l.forgetHistory()
		}
	}
	if calledOff {
		l.clear()
	}
	l.release()
}

// clear empties the workers' buffers. A frame that was called off may have left keys in them.
func (l *Leaves) clear() {
	for i := range l.workers {
		l.workers[i].buffer.Clear(func() bool { return false })
	}
}

// pick appends to picked the numbers of the groups that the worker must draw at once. It considers only groups of
// triangles `first` to `end` (exclusive). It leaves out groups that are deferred, and groups outside the frustum
// `seen`.
func (l *Leaves) pick(worker int, picked []int32, seen *groups.Frustum, first, end int) []int32 {
	const size = groups.Size * groups.Bundle
	var outside, inside, whole bool // whole: all bundles before tractEnd are inside
	for tractEnd := 0; first < end; first = (first/size + 1) * size {
		bundle := first / size
		if bundle >= tractEnd {
			if outside, whole, tractEnd = seen.TestTract(bundle); outside {
				first = (tractEnd - 1) * size
				continue
			}
		}
		if inside = whole; !whole {
			if outside, inside = seen.TestBundle(bundle); outside {
				continue
			}
		}
		g, last := first/groups.Size, (min((bundle+1)*size, end)+groups.Size-1)/groups.Size
		if inside && last-g == groups.Bundle && l.defersBundle(worker, bundle) {
			continue
		}
		together := l.sieves.active && inside && last-g == groups.Bundle
		if together && !l.mustDrawBundle(worker, bundle) {
			continue
		}
		for ; g < last; g++ {
			if together || (inside || !seen.Outside(g)) && l.mustDraw(worker, g) {
				picked = append(picked, int32(g))
			}
		}
	}
	return picked
}

// defersBundle defers all groups of a bundle together if no group of the bundle is expected to be seen. It returns
// false if it does not defer them: because a group is expected, the bundle has no bound, or the bundle has more boxes
// than groups.
func (l *Leaves) defersBundle(worker, bundle int) bool {
	w := &l.workers[worker]
	for _, seen := range l.lastSeen[bundle*groups.Bundle:][:groups.Bundle] {
		if l.frameNumber-seen <= expectFrames {
			return false
		}
	}
	w.tests++
	b, ok := l.project.BundleBound(bundle)
	if !ok {
		return false
	}
	l.frame.clip(&b)
	if boxes := numBoxes(&b.Box); boxes > groups.Bundle {
		return false
	} else if boxes > 0 {
		w.deferred += groups.Bundle
		w.pushBoxes(&b, int32(l.frame.Layout.Stride), uint32(bundle)|bundleBit)
	}
	return true
}

// clip limits a bound to the samples of the picture.
func (f *LeavesFrame) clip(b *groups.Bound) {
	b.X0, b.X1 = max(b.X0, 0), min(b.X1, f.View.Width)
	b.Y0, b.Y1 = max(b.Y0, 0), min(b.Y1, f.View.Height)
}

// mustDraw reports whether the worker must draw the group at once. It stores the boxes of the group if the group is
// deferred or tested.
func (l *Leaves) mustDraw(worker, group int) bool {
	w := &l.workers[worker]
	expected := l.frameNumber-l.lastSeen[group] <= expectFrames
	if expected && (uint32(group)^l.frameNumber)%expectFrames != 0 {
		w.drawn++
		return true
	}
	w.tests++
	b, ok := l.project.Bound(group)
	if ok {
		if l.frame.clip(&b); numBoxes(&b.Box) == 0 {
			return false // the group is outside the picture, or between the centres of samples
		}
	}
	if !ok || numBoxes(&b.Box) > l.maxBoxes {
		l.lastSeen[group] = l.frameNumber
		w.drawn++
		w.tested++
		return true
	}
	number := uint32(group)
	if expected {
		number |= drawnBit
		w.drawn++
		w.tested++
		w.hidden++
	} else {
		w.deferred++
	}
	w.pushBoxes(&b, int32(l.frame.Layout.Stride), number)
	return expected
}

// flush moves the boxes in the worker's buffer to its store. The worker calls flush when no unit is left.
func (l *Leaves) flush(worker int) { l.workers[worker].flushBoxes() }

// Counts returns the number of groups in the last frame, the number of deferred groups, and the number of deferred
// groups that were drawn after all.
func (l *Leaves) Counts() (all, deferred, late int64) {
	if !l.active {
		return 0, 0, 0
	}
	var o outcome
	for i := range l.workers {
		o.add(&l.workers[i].outcome)
	}
	return int64(o.drawn + o.deferred), int64(o.deferred), int64(o.late)
}
