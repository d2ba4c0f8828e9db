package handover

import (
	"fmt"
	"slices"
)

// A Trial decides during a run when to move which blocks. After every iteration it receives the blocks' loads and plans
// moves. It computes how much time the moves that were planned earlier would have saved in this iteration. It adds up
// these savings since the last handover. Once the sum exceeds the price of the latest plan, it carries this plan out.
// So plans are made from the loads of some iterations and judged by the loads of later iterations. Plans that follow
// noise save nothing in later iterations on average.
//
// A Trial makes plans from three averages of the loads: over the last iteration, over about four iterations, and over
// about sixteen. Each kind of plan is judged separately. The last iteration is best if loads follow a trend, the
// longest average if they are noisy.
//
// NewTrial makes a Trial. Several goroutines must not use it at once.
//
// Source: the rule of rent or buy, which pays a price once waiting has cost as much, Karlin et al., "Competitive snoopy
// caching", Algorithmica 3, 1988.
type Trial struct {
	// Iterations is the length of the run, or 0 if it is not known. If it is known, blocks move only if the remaining
	// iterations can repay the price.
	Iterations int

	price  Price
	bytes  []float64
	owner  []int32
	owners int
	seen   int
	kinds  [len(averageWeights)]averageTrial
}

// averageWeights holds the weight of the last iteration in each average of the loads.
var averageWeights = [...]float64{1, 0.25, 0.0625}

// An averageTrial judges the plans that are made from one average of the loads.
type averageTrial struct {
	average      []float64
	plan         Moves
	plannedOwner []int32 // owners after the plan
	regret       float64 // sum of what plans would have saved since the last handover
	since        int     // number of iterations since regret was last 0
}

// NewTrial returns a Trial with copies of the sizes and owners of the blocks. It returns an error if they are
// inconsistent.
func NewTrial(bytes []float64, owner []int32, owners int, p Price) (*Trial, error) {
	w := Work{Load: make([]float64, len(bytes)), Bytes: bytes, Owner: owner, Owners: owners}
	if err := w.check(); err != nil {
		return nil, err
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	t := &Trial{price: p, bytes: slices.Clone(bytes), owner: slices.Clone(owner), owners: owners}
	return t, nil
}

// Owner returns the owner of every block. The caller must not change it.
func (t *Trial) Owner() []int32 { return t.owner }

// Observe records the blocks' loads in the iteration that has just ended. It returns the moves to make before the next
// iteration, and assumes that the caller makes them. In most iterations there are none. If a load is negative or not
// finite, Observe returns an error and changes nothing.
func (t *Trial) Observe(load []float64) (Moves, error) {
	if err := (Work{Load: load, Bytes: t.bytes, Owner: t.owner, Owners: t.owners}).check(); err != nil {
		return Moves{}, fmt.Errorf("iteration %d: %w", t.seen, err)
	}
	now := t.greatest(load, t.owner)
	best, value := -1, 1.0
	for i := range t.kinds {
		k := &t.kinds[i]
		t.addSavings(k, load, now)
		if err := t.replan(k, load, averageWeights[i]); err != nil {
			return Moves{}, err
		}
		if v := k.regret / k.plan.Price; k.plan.Savings() > 0 && v > value && t.repays(k) {
			best, value = i, v
		}
	}
	t.seen++
	if best < 0 {
		return Moves{}, nil
	}
	return t.carryOut(&t.kinds[best]), nil
}

// addSavings adds to k's regret the time that k's plan would have saved in the iteration. now is the time that the
// iteration took.
func (t *Trial) addSavings(k *averageTrial, load []float64, now float64) {
	if len(k.plannedOwner) == 0 {
		return
	}
	k.regret += now - t.greatest(load, k.plannedOwner)
	k.since++
	if k.regret <= 0 {
		k.regret, k.since = 0, 0
	}
}

// replan updates the average of the loads and makes a new plan from it.
func (t *Trial) replan(k *averageTrial, load []float64, weight float64) (err error) {
	if k.average == nil {
		k.average = slices.Clone(load)
	}
	for b, x := range load {
		k.average[b] += float64(weight * (x - k.average[b]))
	}
	for b := range k.average {
		k.average[b] = max(0, k.average[b]) // rounding may have made it negative
	}
	k.plan, err = Plan(Work{Load: k.average, Bytes: t.bytes, Owner: t.owner, Owners: t.owners}, t.price)
	if err != nil {
		return err
	}
	k.plannedOwner = append(k.plannedOwner[:0], t.owner...)
	Apply(k.plannedOwner, k.plan.Moves)
	return nil
}

// repays reports whether k's plan would repay its price in the rest of the run, if it saves as much per iteration as
// k's plans have saved so far. It returns true if the length of the run is not known.
func (t *Trial) repays(k *averageTrial) bool {
	rest := float64(t.Iterations - t.seen - 1)
	return t.Iterations <= 0 || float64(rest*k.regret) > float64(k.plan.Price*float64(max(1, k.since)))
}

// carryOut makes the moves of k's plan.
func (t *Trial) carryOut(k *averageTrial) Moves {
	done := k.plan
	Apply(t.owner, done.Moves)
	for i := range t.kinds {
		// Plans that were made from the other averages assume the former owners, so they are dropped.
		t.kinds[i].plannedOwner, t.kinds[i].regret, t.kinds[i].since = t.kinds[i].plannedOwner[:0], 0, 0
	}
	return done
}

// greatest returns the seconds of the owner with the most work.
func (t *Trial) greatest(load []float64, owner []int32) float64 {
	total := make([]float64, t.owners)
	for b, o := range owner {
		total[o] += load[b]
	}
	return slices.Max(total)
}
