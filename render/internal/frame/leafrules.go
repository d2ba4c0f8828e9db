package frame

import (
	"math"

	"lockstep/lb"
	"lockstep/render/internal/groups"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/render/internal/scratch"
	"lockstep/vp/isa"
)

const (
	// minCellSide and perCell determine the size of the square cells into which guessHidden divides the picture. Cells
	// serve to find surfaces that lie behind others. The side of a cell has at least minCellSide samples. If the mesh
	// fills the picture, a cell has about perCell bundles of groups.
	minCellSide = 16
	perCell     = 8
)

// depthFactor decides whether a cell shows one surface or several. The bundles of one slanted surface lie at depths
// that differ by a few times the depth of a bundle. If depths in a cell differ by more than depthFactor times the
// mean depth of a bundle, guessHidden assumes several surfaces behind each other. In a parallel view of a ball with
// 4672 groups, half of them on the far side, guessHidden found 432 hidden groups with the value 6, and 1271 with the
// value 4.
const depthFactor = 4

const (
	// A guess turns some bundles from expected to hidden. If it turns fewer than one in leastTurned bundles, the next
	// guessRestFrames frames do not guess. On turntables of a hundred million triangles, guesses turned 0.05 of the
	// bundles in steps of 1 degree a frame, 0.04 in steps of 3, 0.07 in steps of 10, and 0.16 in steps of 30. With
	// pauses, frames took 0.9 times as long in steps of 1 degree, but 1.03 times as long in steps of 10. So leastTurned
	// is chosen such that frames guess in steps of 10 degrees.
	leastTurned     = 16
	guessRestFrames = 3
)

// A guessedCell sums up the bundles whose middles lie in a cell of the picture. It has the least and the greatest
// nearness of the middles, the sum of the bundles' depths, and the number of bundles. The depth of a bundle is the
// difference of nearness between its front and its back.
type guessedCell struct {
	min, max float32
	depthSum float32
	n        int32
}

// splitNearness returns the nearness below which the bundles of a cell are assumed to be hidden. It returns 0 if the
// cell shows a single surface.
func (c *guessedCell) splitNearness() float32 {
	if (c.max-c.min)*float32(c.n) <= depthFactor*c.depthSum {
		return 0
	}
	return (c.max + c.min) / 2
}

// guessHidden finds cells that show several surfaces (see depthFactor). It assumes that the bundles in the farther
// half of such a cell are hidden, so that their groups are no longer expected to be seen. Guesses are often wrong at
// edges. A wrong guess costs time but changes no pixel, because groups that are not expected are tested before they
// are left out. Guesses save time if triangles are read from a file. On a turntable of a hundred million triangles,
// turned by five degrees a frame, 37 % of the groups of the twentieth frame were found to be hidden by history alone,
// and 48 % with guesses.
//
// A guess takes time. If the camera moves slowly, earlier frames have already found most of what is hidden, and a guess
// finds few more bundles. After such a guess, the next frames make none.
func (l *Leaves) guessHidden() {
	if l.guessRest > 0 {
		l.guessRest--
		return
	}
	f, turned := &l.frame, 0
	area := float64(f.View.Width) * float64(f.View.Height)
	side := max(minCellSide, int(math.Sqrt(perCell*area/float64(max(f.Groups.Bundles(), 1)))))
	width, height := int(f.View.Width)/side+1, int(f.View.Height)/side+1
	l.cells, l.cellOf = scratch.Resize(l.cells, width*height), scratch.Resize(l.cellOf, f.Groups.Bundles())
	l.nearness = scratch.Resize(l.nearness, len(l.cellOf))
	cells, cellOf, nearness := l.cells, l.cellOf, l.nearness
	clear(cells)
	for i := range cellOf {
		m, ok := l.project.Middle(i)
		if cellOf[i] = -1; !ok {
			continue
		}
		cellOf[i], nearness[i] = int32(int(m.Y)/side*width+int(m.X)/side), m.Near
		c, middle := &cells[cellOf[i]], (m.Near+m.Far)/2
		if c.n == 0 {
			c.min, c.max = middle, middle
		}
		c.min, c.max = min(c.min, middle), max(c.max, middle)
		c.depthSum, c.n = c.depthSum+(m.Near-m.Far), c.n+1
	}
	for i, cell := range cellOf {
		if cell < 0 || nearness[i] >= cells[cell].splitNearness() {
			continue
		}
		if l.frameNumber-l.lastSeen[i*groups.Bundle] <= expectFrames {
			turned++
		}
		for g := i * groups.Bundle; g < min((i+1)*groups.Bundle, f.Groups.Len()); g++ {
			l.lastSeen[g] = l.frameNumber - expectFrames - 1
		}
	}
	if turned*leastTurned < len(cellOf) {
		l.guessRest = guessRestFrames
	}
}

// testCost and copyCost are the costs of testing and of copying a group. Their unit is the time to draw a triangle,
// some 4 ns. They were measured with ten million triangles on a Xeon, and are rounded up.
const (
	testCost = 8
	copyCost = 12
	// backFaceShare is the share of all triangles that a frame does not draw if it defers back faces one by one. Half
	// of the triangles of a closed surface are back faces, but the share is smaller because each back face is still
	// read and projected. It was measured in the default look. With a bumpy sphere of a million triangles, 0.43 of
	// which were in hidden groups, deferring groups took as long as deferring back faces. With a knot of 400 thousand
	// triangles, 0.33 of which were in hidden groups, deferring groups took a seventh longer.
	backFaceShare = 0.43
	// restFrames is the length of a pause, in frames. A pause follows a frame in which deferred groups, or the
	// predictions of Hidden, cost more time than they saved. The frame after the pause tries again.
	restFrames = 60
)

// An outcome counts the groups of a frame that were drawn, tested and deferred.
type outcome struct {
	drawn    int // groups that were drawn at once
	tested   int // groups that were drawn at once and also tested, as a sample of what is hidden
	hidden   int // number of tested groups that were hidden
	tests    int // bounds of groups and bundles that were computed
	deferred int // groups that were deferred
	late     int // deferred groups that turned out to be visible
}

func (o *outcome) add(p *outcome) {
	o.drawn, o.tested, o.hidden, o.tests = o.drawn+p.drawn, o.tested+p.tested, o.hidden+p.hidden, o.tests+p.tests
	o.deferred, o.late = o.deferred+p.deferred, o.late+p.late
}

// weigh returns the time that deferring groups would save in a frame with the counts o, and the time that it would
// cost. The unit is the time to draw a triangle. defersBacks is true if frames that do not defer groups defer back
// faces.
func (o *outcome) weigh(defersBacks bool) (savings, cost float64) {
	found := 0.0 // estimated number of groups that were drawn at once and are hidden
	if o.tested > 0 {
		found = float64(o.drawn) * float64(o.hidden) / float64(o.tested)
	}
	hidden := float64(o.deferred-o.late) + found
	shown := float64(o.drawn+o.deferred) - hidden
	if defersBacks {
		hidden -= backFaceShare * float64(o.drawn+o.deferred)
	}
	return groups.Size * hidden, testCost*(float64(o.tests)+found) + copyCost*shown
}

// sieveRule decides whether triangles that cover no sample are left out before they are projected, see groups.Sieve.
type sieveRule struct {
	active bool
	share  float64 // (triangles drawn, or kept by sieves) / (triangles read), in the last frame; 0: unknown
	wanted int     // number of frames in which sieves would have saved time, although the groups were not packed
	rest   int     // number of further frames without sieves, because they kept too many triangles
}

const (
	// sieveShare limits sieveRule.share: a frame uses sieves only if the share is smaller. sieveShareStored is the
	// limit for a mesh in a file. A sieve copies every triangle that it keeps. For meshes in memory, frames with sieves
	// took 0.7 times as long with a share of 0.02, 0.92 times with 0.2, and 1.3 times with 0.35. Triangles from files
	// are copied with or without sieves. There, frames with sieves took half as long with a share of 0.2, 0.8 times as
	// long with 0.5, and as long as without sieves from 0.6 on.
	sieveShare       = 0.25
	sieveShareStored = 0.6
	// packShare is the limit of sieveRule.share for packing groups in memory. With a larger share, sieves would save
	// too little time to make up for packing.
	packShare = 0.12
	// packFrames is the number of frames after which groups are packed; only frames in which sieves would have saved
	// time count. Packing takes as long as sieves save in packFrames frames. So if no frames follow, packing has taken
	// no more time than sieves would have saved before.
	packFrames = 60
	// perSample decides about sieves in the first frame, whose share is not known: they are used if the mesh has more
	// than perSample triangles for each sample of the picture.
	perSample = 4
)

func (r *sieveRule) begin(f *LeavesFrame) {
	switch {
	case !f.Groups.Packed() || !canSieve(f.View):
		r.active = false
	case f.Policy == lb.Always:
		r.active = true
	case f.Level != isa.AVX512 || r.rest > 0:
		r.active = false
	case r.share == 0:
		r.active = f.Groups.Len()*groups.Size > perSample*int(f.View.Width)*int(f.View.Height)
	default:
		r.active = r.share < r.shareLimit(f.Groups)
	}
}

// canSieve reports whether sieves can leave out triangles of a view, see geometry.Small.
func canSieve(v *geometry.View) bool { return !v.Distant || v.Orthographic }

// endSieves updates the rule that decides whether sieves are used, with the counts of a frame.
func (l *Leaves) endSieves() {
	read, kept := 0, 0
	for i := range l.workers {
		w := &l.workers[i]
		read, kept = read+w.read, kept+w.kept
		if l.sieves.active {
			read, kept = read+w.sieve.Read, kept+w.sieve.Kept
		}
	}
	if read == 0 {
		return
	}
	l.sieves.share = float64(kept) / float64(read)
	if l.sieves.rest > 0 {
		l.sieves.rest--
	} else if l.sieves.active && l.sieves.share >= l.sieves.shareLimit(l.frame.Groups) {
		// Frames without sieves have a smaller share, because not all triangles that sieves keep are drawn. Without a
		// pause, every second frame could therefore use sieves in vain.
		l.sieves.rest = restFrames
	}
	if l.sieves.savesTime(&l.frame) && !l.frame.Groups.Packed() {
		l.sieves.wanted++
	}
}

// savesTime reports whether sieves save time, or will when the groups are packed.
func (r *sieveRule) savesTime(f *LeavesFrame) bool {
	return f.Level == isa.AVX512 && canSieve(f.View) && r.rest == 0 && r.share > 0 && r.share < r.shareLimit(f.Groups)
}

// shareLimit returns the limit of sieveRule.share for using sieves or, if the groups are not packed yet, for packing
// them.
func (*sieveRule) shareLimit(g *groups.Groups) float64 {
	switch {
	case g.Stored != nil:
		return sieveShareStored
	case g.Packed():
		return sieveShare
	}
	return packShare
}

// WantsPacked reports whether packing the groups of g would save time. g may be nil.
func (l *Leaves) WantsPacked(g *groups.Groups) bool {
	return g != nil && l.sieves.wanted >= packFrames && l.historyOf.Value() == g
}

// RefusePacked makes WantsPacked return false until another mesh is drawn.
func (l *Leaves) RefusePacked() { l.sieves.wanted = math.MinInt }

// sieve returns the worker's sieve, or nil if the frame has none.
func (l *Leaves) sieve(worker int) *groups.Sieve {
	if l == nil || !l.sieves.active {
		return nil
	}
	return &l.workers[worker].sieve
}

// RewriteHistory changes the history. Tests use it to check that pictures do not depend on the history. The argument of
// age is the number of frames since a group was last seen; its result replaces this number.
func (l *Leaves) RewriteHistory(age func(frames uint32) uint32) {
	for i, frame := range l.lastSeen {
		l.lastSeen[i] = l.frameNumber - age(l.frameNumber-frame)%(2*expectFrames)
	}
}

// release drops the mesh, so that it can be garbage collected.
func (l *Leaves) release() {
	for i := range l.workers {
		l.workers[i].sieve.End()
	}
	l.frame, l.project = LeavesFrame{}, groups.Projector{}
}

// countUnsieved counts triangles that were read and drawn without a sieve.
func (l *Leaves) countUnsieved(worker, read int, drawn int64) {
	w := &l.workers[worker]
	w.read, w.kept = w.read+read, w.kept+int(drawn)
}

// mustDrawBundle is like mustDraw, for all groups of a bundle that defersBundle did not defer. It is used in frames
// with sieves: there, reading a group costs hardly more than testing it, and successive groups are read faster.
func (l *Leaves) mustDrawBundle(worker, bundle int) bool {
	w := &l.workers[worker]
	if (uint32(bundle)^l.frameNumber)%expectFrames != 0 {
		w.drawn += groups.Bundle
		return true
	}
	w.tests++
	b, ok := l.project.BundleBound(bundle)
	if ok {
		if l.frame.clip(&b); numBoxes(&b.Box) == 0 {
			return false
		}
	}
	w.drawn, w.tested = w.drawn+groups.Bundle, w.tested+groups.Bundle
	if w.hidden += groups.Bundle; !ok || numBoxes(&b.Box) > groups.Bundle {
		l.markBundle(w, bundle)
		return true
	}
	w.pushBoxes(&b, int32(l.frame.Layout.Stride), uint32(bundle)|bundleBit|drawnBit)
	return true
}

// markBundle records that the groups of a bundle that was drawn may be visible.
func (l *Leaves) markBundle(w *leafWorker, bundle int) {
	for g := bundle * groups.Bundle; g < (bundle+1)*groups.Bundle; g++ {
		l.markSeen(w, uint32(g)|drawnBit)
	}
}
