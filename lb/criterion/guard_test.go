package criterion

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// The function steps passes one iteration for each excess to g, at a mean load of 1 and a cost of 10. The work is
// balanced before the first iteration. It returns g.
func steps(g *Guarded, excess ...float64) *Guarded {
	for i, u := range excess {
		g.Observe(Sample{Max: 1 + u, Mean: 1, Balanced: i == 0, Cost: 10})
	}
	return g
}

// TestGuardRefuses checks that a bound below 2 cannot be kept, and a bound that is not finite is meaningless.
func TestGuardRefuses(t *testing.T) {
	for _, r := range []float64{1.999, 0, -3, math.NaN(), math.Inf(1)} {
		if g, err := Guard(&Menon{}, r); err == nil || g != nil || !strings.Contains(err.Error(), fmt.Sprint(r)) {
			t.Errorf("r = %v: %v", r, err)
		}
	}
	if _, err := Guard(nil, 3); err == nil || !strings.Contains(err.Error(), "no criterion") {
		t.Errorf("without an advisor: %v", err)
	}
	if _, err := Guard(Never{}, 2); err != nil {
		t.Error(err)
	}
}

// TestGuardWindow checks that without credit a guard follows a request only if the excess is above C/(r-1). If the
// excess is above (r-1) C, the interval ends even without a request.
func TestGuardWindow(t *testing.T) {
	for _, c := range []struct {
		r, u float64
		ask  bool
		want Decision
	}{
		{3, 5, true, Decision{Value: 15, Limit: 15, What: reasonCredit}},
		{3, 5.5, true, Decision{Balance: true, Value: 16.5, Limit: 15.5, What: reasonCredit}},
		{3, 5.5, false, Decision{Value: 5.5, Limit: 20, What: reasonWindowEnd}},
		{3, 20, false, Decision{Value: 20, Limit: 20, What: reasonWindowEnd}},
		{3, 20, true, Decision{Balance: true, Value: 30, Limit: 20, What: reasonCredit}},
		{3, 20.5, false, Decision{Balance: true, Value: 20.5, Limit: 20, What: reasonWindowEnd}},
		{3, 20.5, true, Decision{Balance: true, Value: 20.5, Limit: 20, What: reasonWindowEnd}},
		{5, 2.5, true, Decision{Value: 12.5, Limit: 12.5, What: reasonCredit}},
		{5, 3, true, Decision{Balance: true, Value: 15, Limit: 13, What: reasonCredit}},
		{5, 40, false, Decision{Value: 40, Limit: 40, What: reasonWindowEnd}},
	} {
		if d := steps(guard(t, script{c.ask}, c.r), 0, c.u).Decide(); d != c.want {
			t.Errorf("%+v: %+v", c, d)
		}
	}
}

// TestGuardCredit checks that an interval that costs less than the bound allows leaves a credit of at most C, which
// lets the next interval end earlier. An interval that uses up its bound leaves no credit.
func TestGuardCredit(t *testing.T) {
	for _, c := range []struct {
		u, credit float64
	}{{5, 0}, {7, 4}, {10, 10}, {12, 8}, {20, 0}, {35, 0}, {2, 0}} {
		g := steps(guard(t, Never{}, 3), 0, c.u)
		g.Observe(Sample{Max: 1, Mean: 1, Balanced: true, Cost: 10})
		if g.ledger.Credit != c.credit || g.ledger.Excess != 0 {
			t.Errorf("an excess of %v leaves a credit of %v, want %v", c.u, g.ledger.Credit, c.credit)
		}
	}
	g := steps(guard(t, Never{}, 5), 0, 10) // 50 allowed, 20 used; the credit is at most C = 10
	if g.Observe(Sample{Max: 1, Mean: 1, Balanced: true, Cost: 10}); g.ledger.Credit != 10 {
		t.Errorf("a credit of %v, want 10", g.ledger.Credit)
	}
}

// TestGuardAddsUp checks that the first iteration may be an interval of its own. If the slowest element is below the
// mean, the excess is 0.
func TestGuardAddsUp(t *testing.T) {
	g := steps(guard(t, Never{}, 3), 7)
	g.Observe(Sample{Max: 3, Mean: 1, Balanced: true, Cost: 10})
	if g.Observe(Sample{Max: 0.5, Mean: 1}); g.ledger.Credit != 4 || g.ledger.Excess != 2 {
		t.Errorf("%+v, want a credit of 4 and an excess of 2", g.ledger)
	}
}

// TestGuardTakesAPromiseLate checks that the promise NothingFalls takes effect in the next interval. In the present
// interval the guard may still do everything that it may do without the promise.
func TestGuardTakesAPromiseLate(t *testing.T) {
	g := steps(guard(t, script{true}, 3), 0, 1)
	g.NothingFalls = true
	if g.Observe(Sample{Max: 5.5, Mean: 1}); !g.Decide().Balance { // the excesses are 1 and 4.5
		t.Errorf("%v", g.Decide())
	}
}

// TestGuardUsesThePromise checks that under the promise NothingFalls, a schedule that has not balanced keeps its
// imbalance and its cost grows. So after a short interval that ended at an imbalance of 6, the next interval may end at
// an excess of 4, which would be too early without the promise.
func TestGuardUsesThePromise(t *testing.T) {
	for _, promised := range []bool{false, true} {
		g := guard(t, script{true}, 3)
		g.NothingFalls = promised
		steps(g, 0, 6)
		if d := g.Decide(); !d.Balance {
			t.Fatalf("at 6 of 10: %v", d)
		}
		for i, u := range []float64{0, 4} {
			g.Observe(Sample{Max: 1 + u, Mean: 1, Balanced: i == 0, Cost: 10})
		}
		// The credit is 2. Without the promise 2 + 3*4 just does not exceed 4 + 10. With the promise, a schedule that
		// did not balance has paid 6 more in each of two iterations, so every schedule has paid at least 8.
		if d := g.Decide(); d.Balance != promised {
			t.Errorf("promised %v: %v", promised, d)
		}
	}
}

// TestGuardKeepsRequests checks that a request that comes too early is kept until the guard can follow it, but only
// within the interval.
func TestGuardKeepsRequests(t *testing.T) {
	g := guard(t, script{true}, 3)
	steps(g, 0)
	g.advisor = script{false}
	for i, want := range []bool{false, false, true} { // excesses of 2, 4 and 6; requests count above C/2 = 5
		if g.Observe(Sample{Max: 3, Mean: 1}); g.Decide().Balance != want {
			t.Errorf("iteration %d: %v", i+1, g.Decide())
		}
	}
	g.Observe(Sample{Max: 1, Mean: 1, Balanced: true, Cost: 10})
	g.Observe(Sample{Max: 10, Mean: 1})
	if d := g.Decide(); d.Balance {
		t.Errorf("in the next interval: %v", d)
	}
}

// TestGuardOfTwoIsMenon checks that a bound of 2 leaves no choice: the guard behaves like Menon's criterion, whatever
// its advisor says.
func TestGuardOfTwoIsMenon(t *testing.T) {
	for seed := range uint64(500) {
		m := friendly(rand.New(rand.NewPCG(seed, 15)))
		want, _ := m.run(&Menon{})
		for _, advisor := range []Criterion{Never{}, Always{}, &Boulmier{}} {
			g := guard(t, advisor, 2)
			if got, _ := m.run(g); fmt.Sprint(got) != fmt.Sprint(want) && !ties(m, want) {
				t.Fatalf("seed %d, %T: %v, want %v", seed, advisor, got, want)
			}
		}
	}
}

// The function ties reports whether an interval of Menon's criterion is so close to a tie that the order of summation
// decides.
func ties(m model, balances []int) bool {
	start, sum := 0, 0.0
	for t := range m.load {
		if len(balances) > 0 && balances[0] == t {
			start, sum, balances = t, 0, balances[1:]
		}
		if sum += m.load[t] * m.imbalance(t, start); math.Abs(sum-m.cost) < 1e-9*m.cost {
			return true
		}
	}
	return false
}

// TestGuardKnowsCosts checks that until a cost was measured, the mean time of an iteration is used. Afterwards the
// cost is that of the last balancing.
func TestGuardKnowsCosts(t *testing.T) {
	g := guard(t, Never{}, 3)
	if d := g.Decide(); d != (Decision{What: reasonWindowEnd}) {
		t.Errorf("before the first iteration: %v", d)
	}
	for _, c := range []struct {
		s     Sample
		limit float64
	}{
		{Sample{Max: 3, Mean: 2}, 4},
		{Sample{Max: 7, Mean: 6}, 8},
		{Sample{Max: 7, Mean: 6, Balanced: true, Cost: 10}, 20},
		{Sample{Max: 7, Mean: 6, Balanced: true, Cost: 30}, 60},
		{Sample{Max: 7, Mean: 6, Price: 0.5, Kept: 4}, 1},
		{Sample{Max: 7, Mean: 6}, 60},
	} {
		if g.Observe(c.s); g.Decide().Limit != c.limit {
			t.Errorf("%+v: %v, want a limit of %v", c.s, g.Decide(), c.limit)
		}
	}
	// Of the excesses 1, 3 and 1 the second is the time that the offered move would have saved.
	if g.ledger.Excess != 1+3+1 {
		t.Errorf("an excess of %v", g.ledger.Excess)
	}
}

// TestGuardSkips checks that an invalid sample does not count, but a balancing before it does. An advisor that counts
// iterations counts the sample.
func TestGuardSkips(t *testing.T) {
	b := &Bounded{Iterations: 9}
	g := steps(guard(t, b, 3), 0, 15)
	g.Observe(Sample{Max: math.NaN(), Mean: 1, Balanced: true, Cost: 10})
	if d := g.Decide(); d != (Decision{What: reasonUnusable}) || b.s.Seen != 3 || g.ledger.Excess != 15 {
		t.Errorf("%v, %d iterations, excess %v", d, b.s.Seen, g.ledger.Excess)
	}
	if g.Observe(Sample{Max: 3, Mean: 1}); g.ledger.Excess != 2 || g.ledger.Credit != 5 || g.Decide().What == reasonUnusable {
		t.Errorf("%+v", g.ledger)
	}
	c := &Controller{Criterion: g}
	if c.Observe(math.NaN()) == nil || b.s.Seen != 5 {
		t.Errorf("by a controller: %d iterations, want 5", b.s.Seen)
	}
	g.Observe(Sample{Max: math.NaN(), Balanced: true})
	g.Observe(Sample{Max: math.NaN()})
	if g.Observe(Sample{Max: 4, Mean: 1}); g.ledger.Excess != 3 {
		t.Errorf("the balancing before two such samples is lost: %+v", g.ledger)
	}
	skips := guard(t, Never{}, 3)
	if skips.Observe(Sample{Max: math.NaN()}); skips.load.n != 0 {
		t.Error("a first sample that is no number counts")
	}
}

// TestMissedBalancings checks that a balancing before an iteration with unknown times begins an interval, for Bounded
// and for a guard's advisor. Its cost is the measured cost, or the expected cost if the measured one is invalid.
func TestMissedBalancings(t *testing.T) {
	for _, c := range []struct {
		cost, menon, bounded float64 // limits of the two criteria after the balancing
	}{{7, 7, 14}, {0, 0, 0}, {math.NaN(), 10, 20}, {-1, 10, 20}} {
		b, m := &Bounded{}, &Menon{}
		g := guard(t, m, 3)
		for _, r := range []Criterion{b, g} {
			r.Observe(Sample{Max: 1, Mean: 1, Balanced: true, Cost: 10})
			r.Observe(Sample{Max: 26, Mean: 1})
			r.Observe(Sample{Max: math.Inf(1), Mean: 1, Balanced: true, Cost: c.cost})
			r.Observe(Sample{Max: math.NaN(), Mean: 1})
			if r.Observe(Sample{Max: 1, Mean: 1}); r.Decide().Balance {
				t.Errorf("%T, a cost of %v: %v just after it was balanced", r, c.cost, r.Decide())
			}
			r.Observe(Sample{Max: 30, Mean: 1})
		}
		if d := m.Decide(); d.Value != 29 || d.Limit != c.menon {
			t.Errorf("a cost of %v: the advisor has %v", c.cost, d)
		}
		if d := b.Decide(); d.Value != 29 || d.Limit != c.bounded || b.s.Seen != 6 {
			t.Errorf("a cost of %v: Bounded has %v after %d iterations", c.cost, d, b.s.Seen)
		}
	}
	m := missedBalancing{Balanced: true, Cost: 7}
	if s := m.restore(Sample{Balanced: true, Cost: 8}); s.Cost != 8 || m != (missedBalancing{}) {
		t.Errorf("balanced again: %+v, and %+v", s, m)
	}
	b, g := &Bounded{}, guard(t, Never{}, 3)
	for _, r := range []Criterion{b, g} { // before the first iteration only the cost is known
		r.Observe(Sample{Max: math.NaN(), Balanced: true, Cost: math.NaN()})
		r.Observe(Sample{Max: math.NaN(), Balanced: true, Cost: 4})
		r.Observe(Sample{Max: 1, Mean: 1})
	}
	if b.s.cost() != 4 || g.balancingCost() != 4 {
		t.Errorf("first costs of %v and %v, want 4", b.s.cost(), g.balancingCost())
	}
	b, g = &Bounded{}, guard(t, Never{}, 3)
	for _, r := range []Criterion{b, g} {
		r.Observe(Sample{Max: math.NaN(), Balanced: true, Cost: math.NaN()})
		r.Observe(Sample{Max: 3, Mean: 2})
	}
	if b.s.cost() != 2 || g.balancingCost() != 2 || b.s.Cost.N != 0 || g.cost.known {
		t.Errorf("first costs of %v and %v, known %v and %v; want the mean time", b.s.cost(), g.balancingCost(), b.s.Cost.N > 0, g.cost.known)
	}
}

// TestGuardForgetsAPromise checks that a promise that is taken back has no effect any more.
func TestGuardForgetsAPromise(t *testing.T) {
	g := guard(t, script{true}, 3)
	g.NothingFalls = true
	steps(g, 0, 6)
	g.Observe(Sample{Max: 1, Mean: 1, Balanced: true, Cost: 10})
	g.Observe(Sample{Max: 5, Mean: 1}) // a schedule that did not balance has paid 8 more
	g.NothingFalls = false
	if g.Observe(Sample{Max: 1, Mean: 1}); g.Decide().Balance {
		t.Errorf("%v", g.Decide())
	}
}

// careless returns an application in which a run balanced later is never slower. No other condition holds: imbalance
// appears, falls, and remains after a balancing.
func careless(r *rand.Rand) model {
	n := 2 + r.IntN(30)
	excess := make([][]float64, n) // by iteration, and by the iteration before which the run was balanced
	levels := [][]float64{{0, 0, 0, 1}, {0, 0.01, 0.3}, {0, 0, 0, 0, 0, 5}, {0, 0.1}}[r.IntN(4)]
	stays := r.IntN(3) == 0
	keep := r.Float64()
	for t := range excess {
		excess[t] = make([]float64, t+1)
		if stays {
			excess[t][t] = levels[r.IntN(len(levels))]
		}
		for s := t - 1; s >= 0; s-- {
			more := levels[r.IntN(len(levels))] * r.Float64()
			if r.Float64() < keep && t > 0 && s < t { // the excess of the iteration before, or less if that is not allowed
				more = max(more, excess[t-1][s]-excess[t][s+1])
			}
			excess[t][s] = excess[t][s+1] + max(0, more)
		}
	}
	return steady(n, 0.1+8*r.Float64()*r.Float64(), func(t, start int) float64 { return excess[t][start] })
}

// asked records the iterations before which an advisor wants to balance.
type asked struct {
	Criterion
	seen   int
	before []int
}

func (a *asked) Observe(s Sample) {
	a.Criterion.Observe(s)
	if a.seen++; a.Criterion.Decide().Balance {
		a.before = append(a.before, a.seen)
	}
}

// dice is an advisor that asks for a balancing at random, with the same probability before each iteration.
type dice struct {
	r     *rand.Rand
	often float64
	ask   bool
}

func (d *dice) Observe(Sample)   { d.ask = d.r.Float64() < d.often }
func (d *dice) Decide() Decision { return Decision{Balance: d.ask} }

// follow returns the excess of a schedule that balances before the given iterations.
func (m model) follow(balances []int) (sum float64) {
	start := 0
	for t, load := range m.load {
		if len(balances) > 0 && balances[0] == t {
			start, balances = t, balances[1:]
			sum += m.cost
		}
		sum += load * m.imbalance(t, start)
	}
	return sum
}

// TestGuardHoldsForRandomAdvice runs guards with several criteria and random requests as advisors, on random
// applications that meet only the condition of the bounds.
func TestGuardHoldsForRandomAdvice(t *testing.T) {
	seeds := 1000
	if *long {
		seeds = 75_000 // 20 runs for each seed
	}
	ratios := []float64{2, 2.25, 3, 5}
	worst, consistent, runs := make([]float64, 4), make([]float64, 4), 0
	for seed := range uint64(seeds) {
		r := rand.New(rand.NewPCG(seed, 23))
		m := careless(r)
		best := m.optimum() - m.loads()
		for _, advisor := range []func() Criterion{
			func() Criterion { return Never{} }, func() Criterion { return Always{} },
			func() Criterion { return &Boulmier{} }, func() Criterion { return &Zhai{} },
			func() Criterion { return &dice{r: r, often: 0.3 * r.Float64()} },
		} {
			for i, bound := range ratios {
				a := &asked{Criterion: advisor()}
				all, last := excess(m, guard(t, a, bound))
				own := m.follow(a.before)
				rounding := 1e-9 * (1 + m.loads() + all)
				if all > bound*best+last+rounding || all > bound/(bound-1)*own+last+rounding {
					t.Fatalf("seed %d, %T at r = %v: excess %v, of which %v in last iterations; the optimum's is %v, the advisor's %v",
						seed, a.Criterion, bound, all, last, best, own)
				}
				if best > 1e-3 {
					worst[i], consistent[i] = max(worst[i], (all-last)/best), max(consistent[i], (all-last)/own)
				}
				runs++
			}
		}
	}
	t.Logf("%d runs; for r = %v at most %.4f times the optimum's excess and %.4f times the advisor's", runs, ratios, worst, consistent)
	for i, bound := range ratios {
		if worst[i] < 0.8*bound || consistent[i] < 0.8*bound/(bound-1) {
			t.Errorf("r = %v: the worst are %v and %v: the applications try nothing", bound, worst[i], consistent[i])
		}
	}
}
