package circuit

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// leadOf returns the Lead of a pair whose loads are in descending order, and the sender. at[k] is the index in the pair
// of the load in Signed[k].
func leadOf(p Pair, grain float64) (l Lead, sender uint8, at []int) {
	t := p.Totals()
	if t[1] >= t[0] {
		sender = 1
	}
	l = Lead{From: t[sender], To: t[1-sender], Descending: p.Load, Grain: grain}
	for i, w := range p.Load {
		if p.Side[i] != sender {
			l.Signed, at = append(l.Signed, -w), append(at, i)
		}
	}
	l.Receiver = len(l.Signed)
	for i, w := range slices.Backward(p.Load) {
		if p.Side[i] == sender {
			l.Signed, at = append(l.Signed, w), append(at, i)
		}
	}
	return l, sender, at
}

// balanceFew plans a pair with Few, and reports whether Few found a plan.
func balanceFew(f *Focus, p Pair, grain float64) (moves int, ok bool) {
	l, _, index := leadOf(p, grain)
	moves, at, ok := f.Few(l)
	for _, k := range at[:moves] {
		p.Side[index[k]] = 1 - p.Side[index[k]]
	}
	return moves, ok
}

// grainOf returns a power of two, the grain: every load is a multiple of the grain, if loads are float32 values.
func grainOf(load ...float64) float64 {
	grain := math.Inf(1)
	for _, w := range load {
		if w > 0 {
			grain = min(grain, math.Ldexp(1, math.Ilogb(w)-23))
		}
	}
	return grain
}

// drawnSingles returns random loads in descending order, each with at most 24 significant bits. Many loads are equal,
// or all differ, or one or two are far heavier or lighter than the rest.
func drawnSingles(t *rapid.T) (load []float64) {
	kind := rapid.IntRange(0, 4).Draw(t, "kind")
	for i := range rapid.IntRange(0, 40).Draw(t, "loads") {
		w := float64(float32(rapid.Float64Range(0.01, 20).Draw(t, "load")))
		switch {
		case kind == 0:
			w = math.Ceil(w)
		case kind == 1:
			w = math.Ceil(8*w) / 8
		case kind == 2 && i < 2:
			w = float64(float32(w * 40))
		case kind == 3 && i < 2:
			w = float64(float32(math.Ldexp(w, -rapid.IntRange(1, 40).Draw(t, "digits"))))
		}
		load = append(load, w)
	}
	slices.Sort(load)
	slices.Reverse(load)
	return load
}

func drawnFocus(t *rapid.T, totals [2]float64) *Focus {
	f := &Focus{
		relaxation:      rapid.SampledFrom([]float64{1, 1, 1, 1.1, 1.5, 0.4}).Draw(t, "relax"),
		allowedFraction: rapid.SampledFrom([]float64{1, 0.7, 0.2, 0}).Draw(t, "reachable"),
		contraction:     rapid.SampledFrom([]float64{0.05, 0.3, 0.9}).Draw(t, "contracts"),
	}
	mean := (totals[0] + totals[1]) / 2
	f.low = mean * rapid.SampledFrom([]float64{1, 0.9, 0.3}).Draw(t, "low")
	f.high = mean * rapid.SampledFrom([]float64{1, 1.05, 1.5}).Draw(t, "high")
	f.spread = (f.high - f.low) * rapid.SampledFrom([]float64{1, 1.3}).Draw(t, "spread")
	return f
}

// TestFewMatchesItsSpecification checks that if Few returns ok, its plan is the plan of Balance.
func TestFewMatchesItsSpecification(t *testing.T) {
	var planned [3]int
	refused := 0
	rapid.Check(t, func(t *rapid.T) {
		load := drawnSingles(t)
		var p Pair
		held := []float64(nil)
		for _, w := range load {
			side := rapid.IntRange(0, 1).Draw(t, "side")
			if held = append(held, w); rapid.IntRange(0, 4).Draw(t, "pinned") == 0 {
				p.Fixed[side] += w
				continue
			}
			p.Load, p.Side = append(p.Load, w), append(p.Side, uint8(side))
		}
		totals := p.Totals()
		f := drawnFocus(t, totals)
		if f.Idle(totals) {
			return
		}
		few := Pair{Load: p.Load, Side: slices.Clone(p.Side), Fixed: p.Fixed}
		moves, ok := balanceFew(f, few, grainOf(held...))
		if !ok {
			refused++
			return
		}
		planned[moves]++
		before := slices.Clone(p.Side)
		f.Balance(p, nil)
		if !slices.Equal(few.Side, p.Side) {
			t.Fatalf("%+v\n%v from\n%v to\n%v, Balance to\n%v", *f, p.Load, before, few.Side, p.Side)
		}
	})
	if slices.Min(planned[:]) == 0 || refused == 0 {
		t.Errorf("plans of 0, 1 and 2 moves: %v; not ok in %d", planned, refused)
	}
}

// TestFewKnown checks that Few plans some known matchings. For the other matchings it must return ok = false, so that
// Balance plans them.
func TestFewKnown(t *testing.T) {
	level := Focus{relaxation: 1, allowedFraction: 1, contraction: 0.9, high: 10, low: 10}
	gentle, strict, later := level, level, level
	gentle.relaxation, strict.allowedFraction, later.relaxation = 0.4, 0, 1.5
	two := Pair{Load: []float64{8, 5, 4, 3}, Side: []uint8{0, 0, 0, 0}, Fixed: [2]float64{1, 0}} // SortedGreedy leaves 1
	one := Pair{Load: []float64{6, 6, 5, 2}, Side: []uint8{0, 1, 0, 0}}                          // SortedGreedy leaves 3
	even := Pair{Load: []float64{5, 5, 4, 3, 3}, Side: []uint8{0, 1, 1, 0, 0}}                   // SortedGreedy leaves 2
	for _, c := range []struct {
		name  string
		f     Focus
		p     Pair
		grain float64
		side  []uint8
		ok    bool
	}{
		{"one load", level, one, 1, []uint8{0, 1, 0, 1}, true},
		{"one load for the other element", level, Pair{Load: one.Load, Side: []uint8{1, 0, 1, 1}}, 1, []uint8{1, 0, 1, 0}, true},
		{"two loads", level, two, 1, []uint8{1, 0, 0, 1}, true},
		{"a swap", level, Pair{Load: []float64{10, 8, 5}, Side: []uint8{0, 0, 1}, Fixed: [2]float64{0, 3}}, 1, []uint8{1, 0, 0}, true},
		{"more than two loads", level, Pair{Load: []float64{5, 4, 3, 3, 3, 2, 2}, Side: make([]uint8, 7)}, 1, make([]uint8, 7), false},
		{"nothing may move", level, Pair{Fixed: [2]float64{12, 8}}, 1, nil, true},
		{"as even as SortedGreedy", level, even, 1, even.Side, true},
		{"near enough without a move", gentle, one, 1, one.Side, true},
		{"no tolerance", strict, one, 1, one.Side, false},
		{"no tolerance, though a load fits", strict, Pair{Load: []float64{5, 4, 3, 2}, Side: []uint8{0, 1, 0, 0}}, 1, []uint8{0, 1, 0, 0}, false},
		// SortedGreedy leaves 6, so a transfer may miss its amount by 3. With rounding, 3/23.5*23.5 is less than 3.
		{"a tolerance as Exchange rounds it", level, Pair{Load: []float64{26.5}, Side: []uint8{0}, Fixed: [2]float64{20.5, 0}}, 0.5, []uint8{0}, false},
		{"the first of two pairs as near", level, Pair{Load: []float64{8, 6, 5, 3}, Side: make([]uint8, 4), Fixed: [2]float64{0, 1}}, 1, []uint8{1, 0, 0, 1}, true},
		{"a load is no pair", level, Pair{Load: []float64{5, 4}, Side: make([]uint8, 2), Fixed: [2]float64{11, 0}}, 1, []uint8{1, 1}, true},
		{"an equal lead on the other side", later, Pair{Load: []float64{12, 5, 1, 1}, Side: []uint8{0, 1, 1, 0}}, 0.5, []uint8{1, 0, 1, 0}, true},
		{"no larger lead", later, Pair{Load: []float64{9, 2}, Side: []uint8{0, 1}, Fixed: [2]float64{1, 0}}, 1, []uint8{0, 1}, true},
		// In the first case the sum of the loads is below 2^51 grains, and in the next two it is not.
		{"sums that have room", level, two, 0x1p-46, []uint8{1, 0, 0, 1}, true},
		{"sums that may be rounded", level, two, 0x1p-47, two.Side, false},
		{"sums of both that may be rounded", level, one, 0x1p-47, one.Side, false},
		// Half of the lead is 10.5.
		{"half a grain", level, two, 1, []uint8{1, 0, 0, 1}, true},
		{"a quarter of a grain", level, two, 2, two.Side, false},
		{"one load, whatever should go", level, one, 0x1p20, []uint8{0, 1, 0, 1}, true},
	} {
		side := slices.Clone(c.p.Side)
		c.p.Side = slices.Clone(side) // several cases share a pair
		_, ok := balanceFew(&c.f, Pair{Load: c.p.Load, Side: side, Fixed: c.p.Fixed}, c.grain)
		if ok != c.ok || !slices.Equal(side, c.side) {
			t.Errorf("%s: %v, %v", c.name, side, ok)
		}
		if c.f.Balance(c.p, nil); ok && !slices.Equal(side, c.p.Side) {
			t.Errorf("%s: %v, Balance %v", c.name, side, c.p.Side)
		}
	}
}

// TestNearestOfTheSender checks the bisection that finds the sender's load nearest to a target. It must find the same
// load as a search through all loads.
func TestNearestOfTheSender(t *testing.T) {
	for n := range 12 {
		l := Lead{Signed: []float64{-4, -1}, Receiver: 2}
		for i := range n {
			l.Signed = append(l.Signed, float64(2*i+2))
		}
		for target := 0.25; target < float64(2*n+4); target += 0.25 {
			want, miss := len(l.Signed), math.Inf(1)
			for k := l.Receiver; k < len(l.Signed); k++ {
				if x := math.Abs(target - l.Signed[k]); x < miss {
					want, miss = k, x
				}
			}
			if got := l.nearest1(target); got != want {
				t.Fatalf("of %v %v is nearest to load %d, not %d", l.Signed, target, want, got)
			}
		}
	}
}
