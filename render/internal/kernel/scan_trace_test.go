package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// traceSums is what a trace comes to.
type traceSums struct {
	iterations, tasks, unbalanced, aside, dealt int64
	asideRows, dealtRows, savings, dealtSavings int64
}

func (t *traceSums) add(s *ScanStep) {
	switch s.Event {
	case ScanIterated, ScanLooked:
		t.iterations++
		t.tasks += int64(s.Active)
		if !s.Parts {
			t.unbalanced++
		}
	case ScanAside:
		t.aside++
		t.unbalanced += int64(s.Max)
		t.asideRows += s.Sum
		t.savings += s.Savings
	case ScanDealt:
		t.dealt++
		t.dealtRows += s.Sum
		t.dealtSavings += s.Savings
	}
}

// TestTracedScan compares the traced loop with the specification, span by span,
// and what it reports with the loop's own counts.
func TestTracedScan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		size := rapid.Int32Range(1, 300).Draw(t, "size")
		extent := rapid.SampledFrom([]int32{Sub, 9 * Sub, 100 * Sub, 500 * Sub}).Draw(t, "extent")
		p := randomPolygons(r, rapid.IntRange(0, 150).Draw(t, "polygons"), size, extent, rapid.Bool().Draw(t, "mixed"))
		cost := rapid.SampledFrom(costs).Draw(t, "cost")
		capacity := rapid.IntRange(Lanes, 4096).Draw(t, "capacity")

		checkTraced(t, cost, p, size, capacity)
	})
}

// TestTracedScanDealsOften sets more aside than is dealt at a time.
func TestTracedScanDealsOften(t *testing.T) {
	p := randomPolygons(rand.New(rand.NewPCG(13, 14)), 3000, 300, 300*Sub, true)
	for _, cost := range costs[:3] {
		if sums := checkTraced(t, cost, p, 300, 4096); cost == 0 && sums.dealt < 2 {
			t.Errorf("cost %d: dealt %d times: too few for this test", cost, sums.dealt)
		}
	}
}

// checkTraced compares a traced scan with the specification and with its counts.
func checkTraced(t rapid.TB, cost int32, p *Polygons, size int32, capacity int) (sums traceSums) {
	t.Helper()
	tracer := ScanTracer{Report: func(s *ScanStep) { sums.add(s) }}
	want, wantCounts := allSpans((*Scan).Run, cost, p, 4096, size)
	got, s := allSpans(tracer.Scan, cost, p, capacity, size)
	if err := compareSpans(got, want); err != nil {
		t.Fatal(err)
	}
	if loopCounts(s) != loopCounts(wantCounts) {
		t.Fatalf("counts %v, want %v", loopCounts(s), loopCounts(wantCounts))
	}
	if got := [4]int64{sums.iterations, sums.tasks, sums.aside, sums.unbalanced}; got != loopCounts(s) {
		t.Fatalf("the trace comes to %v, the counts are %v", got, loopCounts(s))
	}
	if sums.asideRows != sums.dealtRows || sums.savings != sums.dealtSavings {
		t.Fatalf("%d rows set aside and %d dealt, savings %d and %d", sums.asideRows, sums.dealtRows, sums.savings, sums.dealtSavings)
	}
	return sums
}

// TestTracedScanKnown has a group of 15 polygons with one row and one with 161.
func TestTracedScanKnown(t *testing.T) {
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
	tracer := ScanTracer{Report: func(s *ScanStep) { events, steps = append(events, s.Event), append(steps, *s) }}
	allSpans(tracer.Scan, 80/(1+DealCost), p, 4096, 300)
	want := append([]ScanEvent{ScanIterated, ScanAside, ScanDealt}, make([]ScanEvent, 10)...)
	if !slices.Equal(events, want) {
		t.Fatalf("events %v, want %v", events, want)
	}
	if s := steps[0]; s.Active != 16 || s.Max != 161 || s.Sum != 176 || s.Savings != 150 || s.Cost != 80/(1+DealCost)*(16+DealCost) || s.Parts {
		t.Errorf("first iteration %+v", s)
	}
	if s := steps[1]; s.Active != 1 || s.Max != 160 || s.Savings != 150 || s.Cost != 80 || s.Group != 0 {
		t.Errorf("set aside %+v", s)
	}
	if s := steps[2]; s.Active != 1 || s.Sum != 160 || s.Savings != 150 || s.Cost != 80 || s.Made < 2 || !s.Parts {
		t.Errorf("dealt %+v", s)
	}
	for i, s := range steps[3:] {
		if s.Active != 16 || s.Max != int32(10-i) || s.Cost >= 0 || !s.Parts || s.Made != 0 {
			t.Errorf("iteration %d on parts: %+v", i, s)
		}
	}
}
