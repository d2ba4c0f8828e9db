package frame

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"weak"

	"lockstep/lb"
	"lockstep/render/internal/groups"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/render/internal/kernel/keep"
	"lockstep/render/internal/tile"
	"lockstep/scenes"
	"lockstep/vp/isa"
)

// leavesOf returns the stage at the beginning of a frame. The frame has 1024 by 1024 samples, one for each unit of the
// mesh, and shows three bundles of groups from above. Two of the bundles are small and lie side by side. The third is
// 600 samples wide, so that it needs more boxes than it has groups.
func leavesOf(t *testing.T) (*Leaves, *groups.Frustum) {
	t.Helper()
	mesh := scenes.MakeBlock(3 * groups.Bundle * groups.Size)
	for i := range mesh.Len() {
		group := i / groups.Size
		at := [2]float32{float32(100 * (group / groups.Bundle)), float32(3 * (group % groups.Bundle))}
		wide := float32(31)
		if group >= 2*groups.Bundle {
			wide = 75
			at[0] += wide * float32(group%groups.Bundle)
			at[1] = 70 * float32(group%2)
		}
		mesh.Set(i, [3][3]float32{{at[0], at[1], 0}, {at[0] + wide, at[1] + 8, 0}, {at[0], at[1] + 9, 0.1}})
	}
	return leavesAt(t, &mesh)
}

// leavesAt returns the stage at the beginning of a frame that shows a mesh in the way that leavesOf describes.
func leavesAt(t *testing.T, mesh *scenes.Block) (*Leaves, *groups.Frustum) {
	t.Helper()
	g := groups.New(mesh, func(n int, do func(int)) {
		for i := range n {
			do(i)
		}
	})
	v := &geometry.View{
		Scale: 1, X: [4]float32{array.Sub, 0, 0, 0}, Y: [4]float32{0, array.Sub, 0, 0}, E: [4]float32{0, 0, 1, 0.25}, Near: 1,
		Orthographic: true, Width: 1024, Height: 1024,
	}
	l, seen := new(Leaves), g.Frustum(v)
	ok := l.Begin(LeavesFrame{
		Workers: 1, Policy: lb.Always, Groups: g, View: v, Layout: tile.New(1024, 1024), BlockSize: 1024,
		Keep: keep.Select(isa.Available()[0]), Stop: func() bool { return false },
	})
	if !ok {
		t.Fatal("no groups are deferred")
	}
	return l, &seen
}

// TestLeavesPick picks groups with several histories. The function age returns the number of frames since a group was
// last seen.
func TestLeavesPick(t *testing.T) {
	const old = expectFrames + 1
	bundle := func(b, age int) func(g int) int {
		return func(g int) int {
			if g/groups.Bundle == b {
				return age
			}
			return old
		}
	}
	for _, c := range []struct {
		name     string
		age      func(g int) int
		from, to int // range of triangle numbers
		picked   []int32
		deferred int
		tests    int
	}{
		{"two bundles, never seen", bundle(-1, 0), 0, 1024, nil, 16, 2},
		{"a bundle and a half", bundle(-1, 0), 0, 768, nil, 12, 1 + 4},
		{"one group expected for the last time", func(g int) int {
			if g == 3 {
				return expectFrames
			}
			return old
		}, 0, 1024, []int32{3}, 15, 7 + 1},
		{"a bundle with too many boxes", bundle(-1, 0), 1024, 1536, nil, 8, 1 + 8},
	} {
		l, seen := leavesOf(t)
		l.frameNumber = 101 // this frame tests groups 1, 5, 9 and so on of those that are expected
		for g := range l.lastSeen {
			l.lastSeen[g] = l.frameNumber - uint32(c.age(g))
		}
		picked := l.pick(0, nil, seen, c.from, c.to)
		w := &l.workers[0]
		if !slices.Equal(picked, c.picked) || w.deferred != c.deferred || w.tests != c.tests {
			t.Errorf("%s: picked %v, %d deferred, %d tests, want %v, %d and %d", c.name, picked, w.deferred, w.tests, c.picked, c.deferred, c.tests)
		}
	}
}

// TestPickBundles checks that bundles are drawn and tested as a whole in frames with sieves. Bundle 1 is tested; it has
// a box in each of two tile rows.
func TestPickBundles(t *testing.T) {
	l, seen := leavesOf(t)
	l.sieves.active = true
	l.frameNumber = 101
	for g := range l.lastSeen {
		l.lastSeen[g] = l.frameNumber - 1
	}
	picked := l.pick(0, nil, seen, 0, 1024)
	w := &l.workers[0]
	if want := (outcome{drawn: 16, tested: 8, hidden: 8, tests: 1}); len(picked) != 16 || w.outcome != want {
		t.Errorf("picked %v, %+v, want %+v", picked, w.outcome, want)
	}
	if w.boxes.N == 0 {
		t.Error("no boxes")
	}
	for _, number := range w.boxes.Payload[:w.boxes.N] {
		if number != 1|bundleBit|drawnBit {
			t.Errorf("a box of %x", number)
		}
	}
	before := len(w.toDraw)
	if l.markBundle(w, 1); w.hidden != 0 || w.late != 0 || len(w.toDraw) != before || l.lastSeen[8] != 101 || l.lastSeen[15] != 101 || l.lastSeen[7] == 101 {
		t.Errorf("marked bundle: %+v, last seen %d", w.outcome, l.lastSeen[:16])
	}
}

// TestPickTracts compares the groups that are picked of ranges within one or several tracts of bundles with those of
// bundles that are tested one by one. One tract is outside the picture, one is inside, and two are at its edges.
func TestPickTracts(t *testing.T) {
	const perTract, all = 64 * groups.Bundle, 3*64*groups.Bundle + 5*groups.Bundle + 3 // numbers of groups
	mesh := scenes.MakeBlock(all*groups.Size - 7)
	for i := range mesh.Len() {
		bundle := i / groups.Size / groups.Bundle
		x := []float32{-5000, 300, -255.25, 1000.25}[bundle/64] + float32(8*(bundle%64)) + float32(i/groups.Size%groups.Bundle)
		mesh.Set(i, [3][3]float32{{x, 100, 0}, {x + 2, 100, 0}, {x, 108, 0.1}})
	}
	l, seen := leavesAt(t, &mesh)
	l.sieves.active = true
	random := rand.New(rand.NewPCG(3, 3))
	for round := range 200 {
		first, end := random.IntN(all), 1+random.IntN(all)
		if round == 0 {
			first, end = 0, all
		}
		if first >= end {
			continue
		}
		l.frameNumber = 100 + uint32(round)
		var want []int32
		tests := 0
		for g := first; g < end; {
			bundle := g / groups.Bundle
			last := min((bundle+1)*groups.Bundle, end)
			outside, inside := seen.TestBundle(bundle)
			if together := inside && last-g == groups.Bundle; together && (uint32(bundle)^l.frameNumber)%expectFrames == 0 {
				tests++
			} else if !together && !outside {
				inside = false
			}
			for ; g < last; g++ {
				l.lastSeen[g] = l.frameNumber - 1
				if outside || seen.Outside(g) {
					continue
				}
				want = append(want, int32(g))
				if !inside && (uint32(g)^l.frameNumber)%expectFrames == 0 {
					tests++
				}
			}
		}
		w := &l.workers[0]
		w.outcome, w.boxes.N = outcome{}, 0
		picked := l.pick(0, nil, seen, first*groups.Size, min(end*groups.Size, mesh.Len()))
		if !slices.Equal(picked, want) || w.tests != tests || w.drawn != len(want) {
			t.Fatalf("groups %d to %d: %d picked, %d tests, want %d and %d", first, end, len(picked), w.tests, len(want), tests)
		}
		if round == 0 && (len(want) <= perTract || len(want) >= 2*perTract || slices.Contains(want, 0)) {
			t.Errorf("%d groups are in the picture", len(want))
		}
	}
}

// TestOutcome computes the savings and costs of frames, for which both are known.
func TestOutcome(t *testing.T) {
	for _, c := range []struct {
		name          string
		o             outcome
		defersBacks   bool
		savings, cost float64
	}{
		{"all drawn, half of a quarter found hidden", outcome{drawn: 80, tested: 20, hidden: 10, tests: 20}, false, 64 * 40, testCost*(20+40) + copyCost*40},
		{"deferred, some late", outcome{drawn: 50, deferred: 50, late: 10, tests: 30}, false, 64 * 40, testCost*30 + copyCost*60},
		{"instead of back faces", outcome{drawn: 50, deferred: 50, tests: 30}, true, 64 * (50 - 43), testCost*30 + copyCost*50},
	} {
		if savings, cost := c.o.weigh(c.defersBacks); savings != c.savings || cost != c.cost {
			t.Errorf("%s: savings %g, cost %g, want %g and %g", c.name, savings, cost, c.savings, c.cost)
		}
	}
}

// TestSieveRule checks when frames use sieves, and when groups are to be packed.
func TestSieveRule(t *testing.T) {
	mesh := scenes.MakeBlock(640)
	g := groups.New(&mesh, func(n int, do func(int)) {
		for i := range n {
			do(i)
		}
	})
	packed := groups.New(&mesh, func(int, func(int)) {})
	packed.Pack(func(int, func(int)) {})
	var columns [6][]float32
	for i := range columns {
		columns[i] = make([]float32, 10)
	}
	file := groups.FromStored(struct{ groups.Stored }{}, columns)
	small, large := &geometry.View{Width: 10, Height: 15}, &geometry.View{Width: 10, Height: 17}
	distant := &geometry.View{Width: 1, Height: 1, Distant: true}
	for _, c := range []struct {
		name   string
		frame  LeavesFrame
		share  float64
		active bool
	}{
		{"not packed", LeavesFrame{Groups: g, View: small, Level: isa.AVX512, Policy: lb.Always}, 0.01, false},
		{"small share", LeavesFrame{Groups: packed, View: large, Level: isa.AVX512}, 0.24, true},
		{"large share", LeavesFrame{Groups: packed, View: small, Level: isa.AVX512}, 0.26, false},
		{"share of a file", LeavesFrame{Groups: file, View: large, Level: isa.AVX512}, 0.59, true},
		{"large share of a file", LeavesFrame{Groups: file, View: small, Level: isa.AVX512}, 0.61, false},
		{"large share, always", LeavesFrame{Groups: packed, View: small, Level: isa.AVX2, Policy: lb.Always}, 0.26, true},
		{"first frame, more than four triangles a sample", LeavesFrame{Groups: packed, View: small, Level: isa.AVX512}, 0, true},
		{"first frame, fewer", LeavesFrame{Groups: packed, View: large, Level: isa.AVX512}, 0, false},
		{"no loops", LeavesFrame{Groups: packed, View: small, Level: isa.AVX2}, 0.01, false},
		{"distant", LeavesFrame{Groups: packed, View: distant, Level: isa.AVX512, Policy: lb.Always}, 0.01, false},
	} {
		r := sieveRule{share: c.share}
		if r.begin(&c.frame); r.active != c.active {
			t.Errorf("%s: active %t", c.name, r.active)
		}
	}
	for share, pays := range map[float64]bool{0.11: true, 0.13: false} {
		if r := (sieveRule{share: share}); r.savesTime(&LeavesFrame{Groups: g, View: small, Level: isa.AVX512}) != pays {
			t.Errorf("packing for a share of %g pays: %t", share, !pays)
		}
	}
	l := Leaves{workers: make([]leafWorker, 2), historyOf: weak.Make(g), frame: LeavesFrame{Groups: g, View: small, Level: isa.AVX512}}
	for frame := range packFrames {
		if l.WantsPacked(g) {
			t.Fatalf("groups are to be packed after %d frames", frame)
		}
		l.workers[0].read, l.workers[0].kept = 0, 0
		l.countUnsieved(0, 1000, 20)
		l.workers[1].read, l.workers[1].kept = 0, 0
		l.countUnsieved(1, 1000, 30)
		l.endSieves()
	}
	if l.sieves.share != 0.025 || !l.WantsPacked(g) || l.WantsPacked(packed) || l.WantsPacked(nil) {
		t.Errorf("a share of %g, groups are to be packed: %t", l.sieves.share, l.WantsPacked(g))
	}
}

// TestSievesRest checks that sieves that keep too many triangles are not used in the next frames, even if few of these
// triangles are drawn.
func TestSievesRest(t *testing.T) {
	mesh := scenes.MakeBlock(640)
	g := groups.New(&mesh, func(int, func(int)) {})
	g.Pack(func(int, func(int)) {})
	f := LeavesFrame{Groups: g, View: &geometry.View{Width: 10, Height: 10}, Level: isa.AVX512}
	l := Leaves{workers: make([]leafWorker, 1), frame: f, sieves: sieveRule{share: 0.01}}
	w := &l.workers[0]
	used := 0
	for range 2 * (restFrames + 1) {
		l.sieves.begin(&f)
		w.read, w.kept, w.sieve.Read, w.sieve.Kept = 0, 0, 0, 0
		if l.sieves.active {
			used++
			w.sieve.Read, w.sieve.Kept = 1000, 260
		} else {
			l.countUnsieved(0, 1000, 10)
		}
		l.endSieves()
		if l.sieves.active && l.sieves.savesTime(&f) {
			t.Fatal("sieves pay that keep more than a quarter of the triangles")
		}
	}
	if used != 2 {
		t.Errorf("sieves were used in %d frames, want 2", used)
	}
	r := sieveRule{share: 0.01}
	if f.View = (&geometry.View{Distant: true}); r.savesTime(&f) {
		t.Error("sieves pay in a distant view")
	}
}

// TestGuessRests checks that a guess that finds many hidden bundles is followed by another, that one which changes
// nothing is followed by frames without guesses, and that these leave the history as it is.
func TestGuessRests(t *testing.T) {
	const layers, bundle = 2, groups.Size * groups.Bundle
	mesh := scenes.MakeBlock(layers * 16 * bundle)
	for i := range mesh.Len() {
		z := 0.5 * float32(i/(16*bundle)) // the second layer is nearer
		mesh.Set(i, [3][3]float32{{5, 1, z}, {5.5, 1, z}, {5, 1.5, z}})
	}
	g := groups.New(&mesh, func(n int, do func(int)) {
		for i := range n {
			do(i)
		}
	})
	v := &geometry.View{
		Scale: 1, X: [4]float32{4 * array.Sub, 0, 0, 0}, Y: [4]float32{0, -4 * array.Sub, 0, 0}, E: [4]float32{0, 0, 1, 0.25}, Near: 1,
		Orthographic: true, CenterY: 10 * array.Sub, Width: 40, Height: 40,
	}
	l := Leaves{historyOf: weak.Make(g), frame: LeavesFrame{Groups: g, View: v}, project: g.Projector(v)}
	l.forgetHistory()
	expected := func() (n int) {
		for _, seen := range l.lastSeen {
			if l.frameNumber-seen <= expectFrames {
				n++
			}
		}
		return n
	}
	if l.guessHidden(); l.guessRest != 0 || expected() != 16*groups.Bundle {
		t.Fatalf("after the first guess %d groups of %d are expected, and %d frames rest", expected(), g.Len(), l.guessRest)
	}
	if l.guessHidden(); l.guessRest != guessRestFrames {
		t.Fatalf("%d frames rest after a guess that changes nothing", l.guessRest)
	}
	l.forgetHistory()
	for left := guessRestFrames - 1; left >= 0; left-- {
		if l.guessHidden(); l.guessRest != left || expected() != g.Len() {
			t.Fatalf("%d groups of %d are expected in a frame without a guess, after which %d rest", expected(), g.Len(), l.guessRest)
		}
	}
	if l.guessHidden(); expected() != 16*groups.Bundle {
		t.Errorf("%d groups of %d are expected after the rest", expected(), g.Len())
	}
	runtime.KeepAlive(g)
}
