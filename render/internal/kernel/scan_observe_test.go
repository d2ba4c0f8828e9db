package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"lockstep/lb"
	"lockstep/vp/isa/isatest"
)

// observedSums is what the steps of a loop come to.
type observedSums struct {
	iterations, tasks, unbalanced, deferrals, redistributions int64
	deferredRows, redistributedRows                           int64
	deferred, redistributed                                   lb.Decision // sums of savings and cost
}

func (t *observedSums) add(s *ScanStep) {
	switch s.Event {
	case ScanIterated, ScanLooked:
		t.iterations++
		t.tasks += int64(s.Active)
		if !s.Ranges {
			t.unbalanced++
		}
	case ScanDeferred:
		t.deferrals++
		t.unbalanced += int64(s.Max)
		t.deferredRows += s.Sum
		t.deferred.Savings += s.Savings
		t.deferred.Cost += s.Cost
	case ScanRedistributed:
		t.redistributions++
		t.redistributedRows += s.Sum
		t.redistributed.Savings += s.Savings
		t.redistributed.Cost += s.Cost
	}
}

// TestObservedScan compares an observed loop with the same loop unobserved, span by
// span, and what it reports with the loop's own counts. An observer makes any twin the
// specification.
func TestObservedScan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		size := rapid.Int32Range(1, 300).Draw(t, "size")
		extent := rapid.SampledFrom([]int32{Sub, 9 * Sub, 100 * Sub, 500 * Sub}).Draw(t, "extent")
		p := randomPolygons(r, rapid.IntRange(0, 150).Draw(t, "polygons"), size, extent, rapid.Bool().Draw(t, "mixed"))
		b := rapid.SampledFrom(balances).Draw(t, "balance")
		capacity := rapid.IntRange(Lanes, 4096).Draw(t, "capacity")
		level := rapid.SampledFrom(isatest.Levels(t)).Draw(t, "level")

		checkObserved(t, Select(level).ScanConvert, b, p, size, capacity)
	})
}

// TestObservedScanRedistributesOften defers more than is redistributed at a time.
func TestObservedScanRedistributesOften(t *testing.T) {
	p := randomPolygons(rand.New(rand.NewPCG(13, 14)), 3000, 300, 300*Sub, true)
	for _, b := range balances[:3] {
		if sums := checkObserved(t, (*ScanConverter).Run, b, p, 300, 4096); b.policy == lb.Always && sums.redistributions < 2 {
			t.Errorf("%v: %d redistributions are too few for this test", b, sums.redistributions)
		}
	}
}

// checkObserved compares an observed loop with the specification and with its counts.
func checkObserved(t rapid.TB, scan scanLoop, b balance, p *Polygons, size int32, capacity int) (sums observedSums) {
	t.Helper()
	want, wantCounts := allSpans((*ScanConverter).Run, b, p, 4096, size)
	s := &ScanConverter{Policy: b.policy, Cost: b.cost, Observe: sums.add}
	s.Start()
	got := restOfSpans(scan, s, p, capacity, size)
	if err := compareSpans(got, want); err != nil {
		t.Fatal(err)
	}
	if loopCounts(s) != loopCounts(wantCounts) {
		t.Fatalf("counts %v, want %v", loopCounts(s), loopCounts(wantCounts))
	}
	if got := [4]int64{sums.iterations, sums.tasks, sums.deferrals, sums.unbalanced}; got != loopCounts(s) {
		t.Fatalf("the steps come to %v, the counts are %v", got, loopCounts(s))
	}
	if sums.deferredRows != sums.redistributedRows || sums.deferred != sums.redistributed {
		t.Fatalf("%d rows deferred and %d redistributed, by %+v and %+v",
			sums.deferredRows, sums.redistributedRows, sums.deferred, sums.redistributed)
	}
	if sums.redistributions != s.Stats.Count {
		t.Fatalf("%d redistributions, the count is %d", sums.redistributions, s.Stats.Count)
	}
	return sums
}

// TestObservedScanKnown has a group of 15 polygons with one row and one with 161.
func TestObservedScanKnown(t *testing.T) {
	p := MakePolygons(Lanes)
	for n := range Lanes {
		bottom := int32(Sub)
		if n == 5 {
			bottom += 160 * Sub
		}
		p.push(Vertex{X: 0, Y: 0}, Vertex{X: 9 * Sub, Y: 0}, Vertex{X: 0, Y: bottom},
			pixelBox{0, 9, 0, bottom / Sub}, Ambient, n)
	}
	var events []ScanEvent
	var steps []ScanStep
	s := &ScanConverter{Cost: 80 / (1 + RedistributionCost), Observe: func(s *ScanStep) {
		events, steps = append(events, s.Event), append(steps, *s)
	}}
	s.Start()
	restOfSpans((*ScanConverter).Run, s, p, 4096, 300)
	want := append([]ScanEvent{ScanIterated, ScanDeferred, ScanRedistributed}, make([]ScanEvent, 10)...)
	if !slices.Equal(events, want) {
		t.Fatalf("events %v, want %v", events, want)
	}
	if s := steps[0]; s.Active != 16 || s.Max != 161 || s.Sum != 176 || s.Savings != 150 ||
		s.Cost != 80/(1+RedistributionCost)*(16+RedistributionCost) || s.Ranges {
		t.Errorf("first iteration %+v", s)
	}
	if s := steps[1]; s.Active != 1 || s.Max != 160 || s.Savings != 150 || s.Cost != 80 || !s.Redistribute || s.Group != 0 {
		t.Errorf("deferred %+v", s)
	}
	if s := steps[2]; s.Active != 1 || s.Sum != 160 || s.Savings != 150 || s.Cost != 80 || s.Made < 2 || !s.Ranges {
		t.Errorf("redistributed %+v", s)
	}
	for i, s := range steps[3:] {
		if s.Active != 16 || s.Max != int32(10-i) || !math.IsInf(s.Cost, 1) || s.Redistribute || !s.Ranges || s.Made != 0 {
			t.Errorf("iteration %d on row ranges: %+v", i, s)
		}
	}
}

// Two of three looks are in vain: with 8, then with 4 active lanes. The iteration
// after a look says so once, also where it had to wait for room.
func TestObservedLooksInVain(t *testing.T) {
	p := MakePolygons(Lanes)
	for n := range int32(Lanes) {
		rows := []int32{1, 2, 3, 40}[min(n/4, 3)]
		if n < 8 {
			rows = 1
		}
		p.push(Vertex{X: 0, Y: 0}, Vertex{X: 9 * Sub, Y: 0}, Vertex{X: 0, Y: rows * Sub}, pixelBox{0, 9, 0, rows}, Ambient, int(n))
	}
	var looked []int
	iterations := 0
	s := &ScanConverter{Cost: 4, Observe: func(s *ScanStep) {
		if s.Event == ScanLooked {
			looked = append(looked, iterations)
		}
		iterations++
	}}
	s.Start()
	restOfSpans((*ScanConverter).Run, s, p, Lanes, 300)
	if !slices.Equal(looked, []int{1, 3}) || s.Redistributions != 0 {
		t.Errorf("looks in vain before iterations %v, %d redistributions", looked, s.Redistributions)
	}
}
