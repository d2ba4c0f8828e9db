package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"lockstep/lb"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/render/internal/kernel/scanline"
	"lockstep/vp/isa/isatest"
	"pgregory.net/rapid"
)

// An observedSums holds the sums over the observed steps of a loop.
type observedSums struct {
	scanline.Counts
	rows int64 // number of redistributed rows that have not been drawn yet
}

func (t *observedSums) add(s *scanline.Step) {
	switch s.Event {
	case scanline.Iterated, scanline.Looked:
		if s.Event == scanline.Looked {
			t.Looks++
		}
		t.Iterations++
		t.Tasks += int64(s.Active)
		if !s.Spread {
			t.IterationsUnbalanced++
		} else {
			t.rows -= int64(s.Active)
			t.Spread++
		}
	case scanline.Redistributed:
		t.Looks++
		t.Redistributions++
		t.Polygons += int64(s.Active)
		t.IterationsUnbalanced += int64(s.Max)
		t.rows += s.Sum
		t.Saved += int64(s.Savings)
	}
}

// TestObservedScan compares an observed loop with the same loop without an observer, span by span, and the observed
// steps with the counts of the loop. With an observer, every instruction set runs the specification in plain Go.
func TestObservedScan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		size := rapid.Int32Range(1, 300).Draw(t, "size")
		extent := rapid.SampledFrom([]int32{array.Sub, 9 * array.Sub, 100 * array.Sub, 500 * array.Sub}).Draw(t, "extent")
		p := randomPolygons(r, rapid.IntRange(0, 150).Draw(t, "polygons"), size, extent, rapid.Bool().Draw(t, "mixed"))
		b := rapid.SampledFrom(balances).Draw(t, "balance")
		capacity := rapid.IntRange(array.Lanes, 4096).Draw(t, "capacity")
		level := rapid.SampledFrom(isatest.Levels(t)).Draw(t, "level")

		checkObserved(t, Select(level).ScanConvert, b, p, size, capacity)
	})
}

// TestObservedScanRedistributesOften observes many redistributions.
func TestObservedScanRedistributesOften(t *testing.T) {
	p := randomPolygons(rand.New(rand.NewPCG(13, 14)), 3000, 300, 300*array.Sub, true)
	for _, b := range balances[:3] {
		if sums := checkObserved(t, (*scanline.Converter).Run, b, p, 300, 4096); b.policy == lb.Always && sums.Redistributions < 100 {
			t.Errorf("%v: %d redistributions are too few for this test", b, sums.Redistributions)
		}
	}
}

// checkObserved compares an observed loop with the specification, and the steps with its counts.
func checkObserved(t rapid.TB, scan scanLoop, b balance, p *array.Polygons, size int32, capacity int) (sums observedSums) {
	t.Helper()
	want, wantCounts := allSpans((*scanline.Converter).Run, b, p, 4096, size)
	s := &scanline.Converter{Policy: b.policy, Cost: b.of(), Observe: sums.add}
	s.Start()
	got := restOfSpans(scan, s, p, capacity, size)
	if err := compareSpans(got, want); err != nil {
		t.Fatal(err)
	}
	if s.Counts != wantCounts.Counts {
		t.Fatalf("counts %+v, want %+v", s.Counts, wantCounts.Counts)
	}
	if b.policy == lb.CostEffective && b.first > 0 {
		sums.First = min(sums.Redistributions, 1)
	}
	if sums.Counts != s.Counts || sums.rows != 0 {
		t.Fatalf("the steps come to %+v, the counts are %+v", sums, s.Counts)
	}
	return sums
}

// TestObservedScanKnown observes a group of 15 polygons with one row and one polygon with 161 rows.
func TestObservedScanKnown(t *testing.T) {
	p := array.MakePolygons(array.Lanes)
	for n := range array.Lanes {
		bottom := int32(array.Sub)
		if n == 5 {
			bottom += 160 * array.Sub
		}
		p.Push(array.Vertex{X: 0, Y: 0}, array.Vertex{X: 9 * array.Sub, Y: 0}, array.Vertex{X: 0, Y: bottom},
			array.Box{X0: 0, X1: 9, Y0: 0, Y1: bottom / array.Sub}, geometry.Ambient, n)
	}
	var events []scanline.Event
	var steps []scanline.Step
	s := &scanline.Converter{Cost: scanline.Cost{Polygon: 80}, Observe: func(s *scanline.Step) {
		events, steps = append(events, s.Event), append(steps, *s)
	}}
	s.Start()
	restOfSpans((*scanline.Converter).Run, s, p, 4096, 300)
	want := append([]scanline.Event{scanline.Iterated, scanline.Redistributed}, make([]scanline.Event, 10)...)
	if !slices.Equal(events, want) {
		t.Fatalf("events %v, want %v", events, want)
	}
	if s := steps[0]; s.Active != 16 || s.Max != 161 || s.Sum != 176 || s.Savings != 161-15-11 || s.Cost != 16*80 || s.Spread {
		t.Errorf("first iteration %+v", s)
	}
	if s := steps[1]; s.Active != 1 || s.Max != 160 || s.Savings != 150 || s.Cost != 80 || !s.Redistribute || s.Group != 0 {
		t.Errorf("redistributed %+v", s)
	}
	for i, s := range steps[2:] {
		if s.Active != 16 || s.Max != int32(10-i) || !math.IsInf(s.Cost, 1) || s.Redistribute || !s.Spread {
			t.Errorf("iteration %d of the rows: %+v", i, s)
		}
	}
}

// TestObservedLooksInVain checks that decisions with 8 and with 4 active lanes do not redistribute. The iteration after
// each decision must report the decision once, even if the array of spans was full before.
func TestObservedLooksInVain(t *testing.T) {
	p := array.MakePolygons(array.Lanes)
	for n := range int32(array.Lanes) {
		rows := []int32{1, 2, 3, 11}[min(n/4, 3)]
		if n < 8 {
			rows = 1
		}
		p.Push(array.Vertex{X: 0, Y: 0}, array.Vertex{X: 9 * array.Sub, Y: 0}, array.Vertex{X: 0, Y: rows * array.Sub}, array.Box{X0: 0, X1: 9, Y0: 0, Y1: rows}, geometry.Ambient, int(n))
	}
	var looked []int
	iterations := 0
	s := &scanline.Converter{Cost: scanline.Cost{Polygon: 1}, Observe: func(s *scanline.Step) {
		if s.Event == scanline.Looked {
			looked = append(looked, iterations)
		}
		iterations++
	}}
	s.Start()
	restOfSpans((*scanline.Converter).Run, s, p, array.Lanes, 300)
	if !slices.Equal(looked, []int{1, 3}) || s.Redistributions != 0 {
		t.Errorf("looks in vain before iterations %v, %d redistributions", looked, s.Redistributions)
	}
}
