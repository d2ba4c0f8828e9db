package handover

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestPlanKnown checks that the price is repaid soonest if only the cheapest of the three blocks moves.
func TestPlanKnown(t *testing.T) {
	w := Work{
		Load:   []float64{4, 4, 2, 2},
		Bytes:  []float64{1000, 1000, 10, 10},
		Owner:  []int32{0, 0, 0, 1},
		Owners: 2,
	}
	got, err := Plan(w, Price{Latency: 1, PerByte: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	// The small block lowers the time from 10 to 8 seconds and costs 2 seconds. A large block lowers it to 6 seconds
	// and costs 101.
	if !slices.Equal(got.Moves, []Move{{2, 0, 1}}) || got.Before != 10 || got.After != 8 || got.Price != 2 {
		t.Errorf("%+v", got)
	}
	if got.Savings() != 2 || got.Payback() != 1 {
		t.Errorf("saves %v, repaid after %v", got.Savings(), got.Payback())
	}
	// If bytes cost nothing, the block that makes both owners equal moves, and the price is the latency.
	w.Bytes = []float64{1, 1, 1, 1}
	got, err = Plan(w, Price{Latency: 1})
	if err != nil || !slices.Equal(got.Moves, []Move{{0, 0, 1}}) || got.After != 6 || got.Price != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := Plan(Work{Load: []float64{5, 0}, Bytes: []float64{1, 1}, Owner: []int32{0, 1}, Owners: 2}, Price{}); err != nil || len(got.Moves) > 0 || !math.IsInf(got.Payback(), 1) {
		t.Errorf("one block cannot be shared: %+v, %v", got, err)
	}
}

func TestPlanRefuses(t *testing.T) {
	good := func() Work {
		return Work{Load: []float64{1, 1}, Bytes: []float64{1, 1}, Owner: []int32{0, 1}, Owners: 2}
	}
	for want, spoil := range map[string]func(w *Work, p *Price){
		"block 1 takes NaN":      func(w *Work, _ *Price) { w.Load[1] = math.NaN() },
		"block 0 takes -1":       func(w *Work, _ *Price) { w.Load[0] = -1 },
		"1 seconds and +Inf b":   func(w *Work, _ *Price) { w.Bytes[0] = math.Inf(1) },
		"owner 2 of 2":           func(w *Work, _ *Price) { w.Owner[1] = 2 },
		"owner -1 of 2":          func(w *Work, _ *Price) { w.Owner[1] = -1 },
		"0 owners":               func(w *Work, _ *Price) { w.Owners = 0 },
		"2 loads, 1 sizes":       func(w *Work, _ *Price) { w.Bytes = w.Bytes[:1] },
		"NaN seconds a byte":     func(_ *Work, p *Price) { p.PerByte = math.NaN() },
		"price of -1 seconds an": func(_ *Work, p *Price) { p.Latency = -1 },
	} {
		w, p := good(), Price{}
		spoil(&w, &p)
		if _, err := Plan(w, p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
		if _, err := NewTrial(w.Bytes, w.Owner, w.Owners, p); err == nil && !strings.Contains(want, "takes") {
			t.Errorf("a trial accepted %q", want)
		}
	}
}

func drawWork(t *rapid.T) Work {
	n := rapid.IntRange(0, 40).Draw(t, "blocks")
	w := Work{Owners: rapid.IntRange(1, 6).Draw(t, "owners")}
	for range n {
		w.Load = append(w.Load, rapid.Float64Range(0, 9).Draw(t, "load"))
		w.Bytes = append(w.Bytes, rapid.Float64Range(0, 1e6).Draw(t, "bytes"))
		w.Owner = append(w.Owner, int32(rapid.IntRange(0, w.Owners-1).Draw(t, "owner")))
	}
	return w
}

// TestPlanKeepsItsWord checks that the moves of a plan have the effects that the plan predicts. Every move must be
// useful, and no shorter prefix of the moves may repay its price sooner.
func TestPlanKeepsItsWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWork(t)
		p := Price{rapid.Float64Range(0, 1).Draw(t, "latency"), rapid.Float64Range(0, 1e-5).Draw(t, "perByte")}
		before := slices.Clone(w.Owner)
		plan, err := Plan(w, p)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(before, w.Owner) {
			t.Fatal("Plan changed the owners")
		}
		for n := range len(plan.Moves) + 1 {
			most, price := outcome(w, p, plan.Moves[:n])
			if n == len(plan.Moves) {
				if math.Abs(most-plan.After) > 1e-9 || n > 0 && math.Abs(price-plan.Price) > 1e-9 {
					t.Fatalf("%+v; it leaves %v and costs %v", plan, most, price)
				}
			} else if most < plan.Before && n > 0 && price/(plan.Before-most) < plan.Payback()*(1-1e-9) {
				t.Fatalf("the first %d moves repay sooner than %+v", n, plan)
			}
		}
		if len(plan.Moves) > 0 && plan.After >= plan.Before {
			t.Fatalf("%+v saves nothing", plan)
		}
	})
}

// outcome returns the greatest total after the moves, and their price.
func outcome(w Work, p Price, moves []Move) (most, price float64) {
	owner := slices.Clone(w.Owner)
	Apply(owner, moves)
	total, sent, received := make([]float64, w.Owners), make([]float64, w.Owners), make([]float64, w.Owners)
	for b, o := range owner {
		total[o] += w.Load[b]
		if o != w.Owner[b] {
			sent[w.Owner[b]] += w.Bytes[b]
			received[o] += w.Bytes[b]
		}
	}
	return slices.Max(total), p.Latency + p.PerByte*max(slices.Max(sent), slices.Max(received))
}

// follow carries out the moves of a trial with 16 blocks on 4 owners and a price of 1.
func follow(t *testing.T, frames int, load func(frame, block int) float64) (handovers, first int, seconds, never float64) {
	const blocks, owners = 16, 4
	bytes, owner := make([]float64, blocks), make([]int32, blocks)
	for b := range owner {
		bytes[b], owner[b] = 1, int32(b%owners)
	}
	trial, err := NewTrial(bytes, owner, owners, Price{Latency: 1})
	if err != nil {
		t.Fatal(err)
	}
	for f := range frames {
		loads := make([]float64, blocks)
		for b := range loads {
			loads[b] = load(f, b)
		}
		seconds += trial.greatest(loads, trial.Owner())
		never += trial.greatest(loads, owner)
		m, err := trial.Observe(loads)
		if err != nil {
			t.Fatal(err)
		}
		if len(m.Moves) > 0 {
			if handovers++; handovers == 1 {
				first = f
			}
			seconds += m.Price
		}
	}
	return handovers, first, seconds, never
}

// TestTrialTellsNoiseFromLoad checks loads that differ by noise alone. A trial must make hardly any moves, although
// plans from the loads of one iteration always promise to save a tenth.
func TestTrialTellsNoiseFromLoad(t *testing.T) {
	const frames = 200
	for _, sigma := range []float64{0.05, 0.2} {
		all, promised := 0, 0.0
		for seed := range uint64(20) {
			r := rand.New(rand.NewPCG(seed, 5))
			n, _, seconds, never := follow(t, frames, func(int, int) float64 { return math.Exp(sigma * r.NormFloat64()) })
			all += n
			promised += never - 4*frames // savings of an oracle that knows the next loads
			if seconds > 1.01*never {
				t.Errorf("sigma %v, seed %d: %d handovers, %v seconds, %v without any", sigma, seed, n, seconds, never)
			}
		}
		if promised < 20*10 || all > 20 {
			t.Errorf("sigma %v: %d handovers in 20 runs; an oracle saves %v seconds", sigma, all, promised)
		}
	}
}

// TestTrialMovesWhatLasts checks that if one owner always has twice the work of the others, a trial soon moves
// blocks, once or twice in all.
func TestTrialMovesWhatLasts(t *testing.T) {
	const frames = 100
	n, first, s, _ := follow(t, frames, func(_, b int) float64 {
		if b%4 == 0 {
			return 2
		}
		return 1
	})
	// An iteration takes 8 seconds before the moves, and 5 or 6 seconds afterwards. The other 12 seconds of the limit
	// are for the iterations before the first handover, and for the prices.
	if n < 1 || n > 2 || first > 3 || s > frames*6+12 {
		t.Errorf("%d handovers, the first after %d, %v seconds", n, first, s)
	}
}

// TestTrialEnds checks that blocks move only if the rest of the run can repay the price, if the end of the run is
// known. The error for an invalid load must name the load, and the trial must not change.
func TestTrialEnds(t *testing.T) {
	load := []float64{1, 1, 1, 1}
	run := func(iterations int, price Price) (n int) {
		trial, err := NewTrial([]float64{1, 1, 1, 1}, []int32{0, 0, 0, 1}, 2, price)
		if err != nil {
			t.Fatal(err)
		}
		trial.Iterations = iterations
		for i := range 20 {
			if i == 2 {
				if _, err := trial.Observe([]float64{1, math.NaN(), 1, 1}); err == nil || !strings.Contains(err.Error(), "iteration 2: handover: block 1 takes NaN") {
					t.Fatalf("%v", err)
				}
			}
			m, err := trial.Observe(load)
			if err != nil {
				t.Fatal(err)
			}
			if len(m.Moves) > 0 {
				n++
				if i < 5 {
					t.Errorf("moved after iteration %d, which saved too little", i)
				}
			}
		}
		return n
	}
	if n := run(0, Price{Latency: 4.5}); n != 1 {
		t.Errorf("%d handovers, want 1", n)
	}
	if n := run(8, Price{Latency: 4.5}); n != 0 {
		t.Errorf("%d handovers with 2 iterations left, want 0", n)
	}
}
