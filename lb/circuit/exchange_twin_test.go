package circuit

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// plainExchange is the specification of Exchange with a tolerance.
type plainExchange struct{ Exchange }

func (e plainExchange) transfer(p Pair, sender uint8, amount, slack float64) float64 {
	ws := new(Workspace)
	e.Tolerance = max(e.Tolerance, slack/amount)
	order := ws.descending(p.Load)
	ws.before = append(ws.before[:0], p.Side...)
	return amount - e.fewest(p, order, sender, amount, ws)
}

// fewest tries all steps, even if a step cannot lead to a better plan.
func (e plainExchange) fewest(p Pair, order []int32, sender uint8, amount float64, ws *Workspace) float64 {
	slack := e.Tolerance * amount
	best := attempt{missing: amount}
	ws.best = append(ws.best[:0], p.Side...)
	e.descend(p, order, sender, best, slack, amount, &best, ws)
	worth := func() bool { return best.moves > 1 || best.moves == 0 && e.Escape }
	tries := maxEscapes
	for k := len(order) - 1; k >= 0 && tries > 0 && worth(); k-- {
		i := order[k]
		if ws.before[i] != sender || p.Load[i] <= amount {
			continue
		}
		tries--
		copy(p.Side, ws.before)
		p.Side[i] = 1 - sender
		before := best
		e.descend(p, order, 1-sender, attempt{p.Load[i] - amount, 1}, slack, amount, &best, ws)
		if best != before {
			best.missing = -best.missing // descend counted in the direction opposite to amount
		}
	}
	copy(p.Side, ws.best)
	return best.missing
}

func (e plainExchange) descend(p Pair, order []int32, sender uint8, now attempt, slack, amount float64, best *attempt, ws *Workspace) {
	for at := 0; ; {
		signed := ws.sign(p, order, sender)
		for n := 0; n <= e.maxLoads() && n <= len(signed); n++ {
			f := fit{}
			if n > 0 {
				f = ws.nearest(signed, n, now.missing)
			}
			plan := attempt{now.missing - f.sum, now.moves + ws.changes(p, f)}
			improves := plan.moves > 0 && math.Abs(plan.missing) < amount
			if f.n == n && improves && plan.better(*best, slack) {
				*best = plan
				flip(p, f)
				copy(ws.best, p.Side)
				flip(p, f)
			}
		}
		for at < len(order) && (p.Side[order[at]] != sender || ws.before[order[at]] != sender || p.Load[order[at]] > now.missing) {
			at++
		}
		if at == len(order) || math.Abs(best.missing) <= slack && now.moves+1 >= best.moves {
			return
		}
		p.Side[order[at]] = 1 - sender
		now.missing -= p.Load[order[at]]
		now.moves++
	}
}

// drawnLoads returns random loads of one kind: small integers with many ties, single-precision numbers as in package
// simulation, or arbitrary numbers. They descend or are in no order.
func drawnLoads(t *rapid.T) (load []float64) {
	n := rapid.IntRange(0, 24).Draw(t, "loads")
	kind := rapid.IntRange(0, 4).Draw(t, "kind")
	for range n {
		x := rapid.Float64Range(0, 20).Draw(t, "load")
		switch kind {
		case 0:
			x = math.Floor(x)
		case 1:
			x = float64(float32(x))
		case 2:
			x = float64(float32(math.Ldexp(x, -rapid.IntRange(0, 40).Draw(t, "digits"))))
		case 3:
			x = 1 + math.Floor(x)*0x1p-52
		}
		load = append(load, x)
	}
	if rapid.Bool().Draw(t, "sorted") {
		slices.SortFunc(load, func(a, b float64) int { return int(math.Copysign(1, b-a)) })
	}
	return load
}

func drawnSides(t *rapid.T, n int) (side []uint8) {
	for range n {
		side = append(side, uint8(rapid.IntRange(0, 1).Draw(t, "side")))
	}
	return side
}

// TestExchangeMatchesItsSpecification compares Exchange with its specification, bit for bit. Exchange skips steps that
// cannot lead to a better plan, and must still arrive at the same plan.
func TestExchangeMatchesItsSpecification(t *testing.T) {
	ws := new(Workspace)
	rapid.Check(t, func(t *rapid.T) {
		p := Pair{Load: drawnLoads(t)}
		p.Side = drawnSides(t, len(p.Load))
		e := Exchange{
			MaxLoads:  rapid.SampledFrom([]int{1, 2, 2, 2, 3, 4}).Draw(t, "most"),
			Tolerance: rapid.SampledFrom([]float64{1e-9, 0.01, 0.1, 0.3, 1, 2}).Draw(t, "tolerance"),
			Escape:    rapid.Bool().Draw(t, "escape"),
		}
		lead := rapid.SampledFrom([]float64{math.Abs(p.Totals()[0] - p.Totals()[1]), rapid.Float64Range(0.001, 60).Draw(t, "lead")}).Draw(t, "of")
		amount := lead * rapid.SampledFrom([]float64{0.5, 0.55, 0.75}).Draw(t, "part")
		if amount == 0 {
			return
		}
		slack := rapid.Float64Range(0, 0.5).Draw(t, "slack") * amount
		q := Pair{Load: p.Load, Side: slices.Clone(p.Side)}
		want := plainExchange{e}.transfer(q, 0, amount, slack)
		if got := e.Transfer(p, 0, amount, slack, ws); math.Float64bits(got) != math.Float64bits(want) || !slices.Equal(p.Side, q.Side) {
			t.Fatalf("%v went, sides %v; specification %v, %v", got, p.Side, want, q.Side)
		}
	})
}

// TestSumsMatchTheirSpecification checks that sums without branches equal the sums with branches in every bit.
func TestSumsMatchTheirSpecification(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Pair{Load: drawnLoads(t), Fixed: [2]float64{rapid.Float64Range(0, 50).Draw(t, "u"), rapid.Float64Range(0, 50).Draw(t, "v")}}
		p.Side = drawnSides(t, len(p.Load))
		totals, levelled := p.Fixed, p.Fixed
		for i, w := range p.Load {
			totals[p.Side[i]] += w
		}
		ws := new(Workspace)
		for _, i := range ws.descending(p.Load) {
			side := 0
			if levelled[1] < levelled[0] {
				side = 1
			}
			levelled[side] += p.Load[i]
		}
		if got := p.Totals(); got != totals {
			t.Fatalf("totals %v, want %v", got, totals)
		}
		if got, want := ws.sortedGreedy(p), math.Abs(levelled[0]-levelled[1]); got != want {
			t.Fatalf("SortedGreedy leaves %v, want %v", got, want)
		}
	})
}

// TestExact checks that sumsExact returns true if a float64 holds all digits of the sums. If a sum overflows, sumsExact
// must return false.
func TestExact(t *testing.T) {
	for _, c := range []struct {
		load   []float64
		amount float64
		want   bool
	}{
		{[]float64{1, 2, 0}, 0.5, true},
		{[]float64{1, 0x1p-49}, 1, true},
		{[]float64{1, 0x1p-60}, 1, false},
		{[]float64{1, 2}, 0x1p-60, false},
		{[]float64{1e308, 1e308, 1}, 1, false},
		{[]float64{0x1p1023}, 1, false},
	} {
		if got := sumsExact(c.load, c.amount); got != c.want {
			t.Errorf("%v and %v: %v", c.load, c.amount, got)
		}
	}
}
