package handover

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func newTrial(t *testing.T, bytes []float64, owner []int32, owners int, p Price) *Trial {
	t.Helper()
	trial, err := NewTrial(bytes, owner, owners, p)
	if err != nil {
		t.Fatal(err)
	}
	return trial
}

func observe(t *testing.T, trial *Trial, load ...float64) Moves {
	t.Helper()
	m, err := trial.Observe(load)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestStepKnown checks the choice of the first block to move. It is the block with the largest reduction of the greater
// total, divided by its bytes plus half the bytes of a typical block.
func TestStepKnown(t *testing.T) {
	// A block has 5 bytes on average. The block of 20 seconds would give the receiver more work than the sender, so
	// the choice is between the next two blocks.
	work := func(second float64) Work {
		return Work{Load: []float64{20, second, 3.5, 5, 0}, Bytes: []float64{5, 0, 10, 5, 1000}, Owner: []int32{0, 0, 0, 1, 0}, Owners: 2}
	}
	for _, c := range []struct {
		second float64
		want   int
	}{
		{1, 1},   // 1/2.5 seconds per byte against 3.5/12.5
		{0.1, 2}, // 0.1/2.5 seconds per byte is less
	} {
		s := newSearch(work(c.second), Price{})
		if !s.step() || !slices.Equal(s.moves, []Move{{c.want, 0, 1}}) {
			t.Errorf("a block of %v seconds: %v, want block %d", c.second, s.moves, c.want)
		}
	}
	// A move that only exchanges the two totals is not made.
	s := newSearch(Work{Load: []float64{5, 0}, Bytes: []float64{1, 1}, Owner: []int32{0, 1}, Owners: 2}, Price{})
	if s.step() {
		t.Errorf("moved %v", s.moves)
	}
}

// TestPlanPrices checks that the price is the latency plus the time of the owner that sends or receives the most
// bytes.
func TestPlanPrices(t *testing.T) {
	w := Work{Load: []float64{3, 3, 3, 0, 0}, Bytes: []float64{8, 8, 8, 1, 1}, Owner: []int32{0, 0, 0, 1, 2}, Owners: 3}
	got, err := Plan(w, Price{Latency: 2, PerByte: 0.25})
	// One block saves 3 seconds at a price of 4, and two blocks save 6 seconds at a price of 6. A third block does
	// not move.
	if err != nil || len(got.Moves) != 2 || got.Price != 6 || got.After != 3 || got.Payback() != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	// If two senders give blocks to one receiver, the receiver's bytes are the sum of the senders' bytes.
	w = Work{Load: []float64{1, 4, 1, 4, 0}, Bytes: []float64{8, 8, 8, 8, 8}, Owner: []int32{0, 0, 1, 1, 2}, Owners: 3}
	got, err = Plan(w, Price{PerByte: 0.25})
	if err != nil || len(got.Moves) != 2 || got.Price != 4 || got.Before != 5 || got.After != 4 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestTrialCharges checks that an iteration adds the time that the plan would have saved with the loads of this
// iteration. A plan that loses time lowers the sum, but not below 0.
func TestTrialCharges(t *testing.T) {
	trial := newTrial(t, []float64{1, 1, 1}, []int32{0, 0, 1}, 2, Price{Latency: 100})
	// The plan promises to save 10 seconds, but only the loads that follow count.
	k := averageTrial{plannedOwner: []int32{0, 1, 1}, plan: Moves{Before: 20, After: 10}}
	for i, c := range []struct {
		load   []float64
		regret float64
		since  int
	}{
		{[]float64{3, 2, 0}, 2, 1},     // 5 seconds without the plan, 3 with it
		{[]float64{3, 2.5, 0}, 4.5, 2}, // 5.5 seconds without the plan, 3 with it
		{[]float64{0, 1, 1}, 3.5, 3},   // 1 second without the plan, 2 with it: a loss
		{[]float64{0, 4, 4}, 0, 0},     // 4 seconds without the plan, 8 with it: a greater loss
		{[]float64{0, 4, 4}, 0, 0},
		{[]float64{1, 1, 0}, 1, 1}, // earlier losses below 0 do not count
	} {
		trial.addSavings(&k, c.load, trial.greatest(c.load, trial.owner))
		if k.regret != c.regret || k.since != c.since {
			t.Errorf("after iteration %d: %v in %d iterations, want %v in %d", i, k.regret, k.since, c.regret, c.since)
		}
	}
	k = averageTrial{}
	if trial.addSavings(&k, []float64{3, 2, 0}, 5); k.regret != 0 || k.since != 0 {
		t.Errorf("without a plan: %v in %d", k.regret, k.since)
	}
}

// TestTrialAverages checks that the three kinds of plans use the last loads and two averages of the loads.
func TestTrialAverages(t *testing.T) {
	trial := newTrial(t, []float64{1, 1, 1}, []int32{0, 0, 1}, 2, Price{Latency: 100})
	observe(t, trial, 4, 0, 0)
	observe(t, trial, 0, 4, 0)
	for i, want := range [][]float64{{0, 4, 0}, {3, 1, 0}, {3.75, 0.25, 0}} {
		k := &trial.kinds[i]
		if !slices.Equal(k.average, want) || len(k.plannedOwner) != 3 {
			t.Errorf("kind %d averages %v, want %v", i, k.average, want)
		}
		plan, err := Plan(Work{Load: want, Bytes: trial.bytes, Owner: trial.owner, Owners: 2}, trial.price)
		if err != nil || !slices.Equal(plan.Moves, k.plan.Moves) {
			t.Errorf("kind %d plans %v, want %v, %v", i, k.plan.Moves, plan.Moves, err)
		}
	}
}

// TestTrialPaysOnce checks that a handover happens after the first iteration in which its kind of plan would have
// saved more than the price. All sums start anew after it.
func TestTrialPaysOnce(t *testing.T) {
	trial := newTrial(t, []float64{2, 2, 2, 2}, []int32{0, 0, 0, 1}, 2, Price{Latency: 3, PerByte: 1})
	var at []int
	for i := range 40 {
		load := []float64{1, 1, 1, 1}
		if i >= 10 { // block 3 now takes as long as all others together, so 1 second can be saved again
			load = []float64{1, 1, 1, 3}
		}
		if m := observe(t, trial, load...); len(m.Moves) > 0 {
			at = append(at, i)
			if len(m.Moves) != 1 || m.Price != 5 || m.Savings() != 1 {
				t.Errorf("iteration %d: %+v", i, m)
			}
			for j, k := range trial.kinds {
				if k.regret != 0 || k.since != 0 || len(k.plannedOwner) != 0 {
					t.Errorf("kind %d after a handover: %v in %d iterations, %v", j, k.regret, k.since, k.plannedOwner)
				}
			}
		}
	}
	// From the second iteration on, plans save a second per iteration, so their savings exceed the price of 5 after
	// six iterations.
	if !slices.Equal(at, []int{6, 16}) {
		t.Errorf("handovers after iterations %v", at)
	}
}

// Blocks that take a second or nothing at random promise a saving in every iteration but never save anything. In 200
// iterations the promises add up to six times the price.
func TestTrialIgnoresPromises(t *testing.T) {
	const blocks = 16
	r := rand.New(rand.NewPCG(1, 2))
	bytes, owner := make([]float64, blocks), make([]int32, blocks)
	for b := range owner {
		bytes[b], owner[b] = 1, int32(b%2)
	}
	trial := newTrial(t, bytes, owner, 2, Price{Latency: 30})
	promised, load := 0.0, make([]float64, blocks)
	for i := range 200 {
		for b := range load {
			load[b] = float64(r.IntN(2))
		}
		if m := observe(t, trial, load...); len(m.Moves) > 0 {
			t.Fatalf("iteration %d: %+v", i, m)
		}
		promised += trial.kinds[0].plan.Savings()
	}
	if promised < 60 {
		t.Errorf("%v seconds were promised: the loads are no temptation", promised)
	}
}

// TestTrialPicksTheBest checks the case that several kinds of plans would have repaid their price. The trial carries
// out the plan that would have saved the most for its price. A kind without moves keeps its regret.
func TestTrialPicksTheBest(t *testing.T) {
	for _, c := range []struct {
		first, last float64 // regret of the first kind and of the last kind
		want        int     // number of the block that moves
	}{{50, 10, 0}, {10, 50, 2}, {2, 0, 0}, {0, 2, 2}} {
		trial := newTrial(t, []float64{1, 1, 1, 1}, []int32{0, 0, 0, 1}, 2, Price{Latency: 1})
		trial.kinds[0].regret, trial.kinds[2].regret = c.first, c.last
		trial.kinds[2].average = []float64{1, 1, 2, 0}
		if m := observe(t, trial, 2, 1, 1, 0); !slices.Equal(m.Moves, []Move{{c.want, 0, 1}}) {
			t.Errorf("%+v: %+v", c, m)
		}
	}
	trial := newTrial(t, []float64{1, 1}, []int32{0, 1}, 2, Price{Latency: 1})
	trial.kinds[0].regret = 5
	if m := observe(t, trial, 1, 1); len(m.Moves) > 0 || trial.kinds[0].regret != 5 {
		t.Errorf("%+v, regret %v", m, trial.kinds[0].regret)
	}
}
