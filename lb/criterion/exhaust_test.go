package criterion

import (
	"math"
	"slices"
	"testing"
)

// A search tries all sequences of imbalances that a rule may see in a run of up to n iterations. It compares each
// sequence with the least application: in that application every run has the smallest excess that agrees with the
// sequence and the conditions. So the optimum and the cost of every other schedule are smallest there, and no other
// application gives a greater ratio. The search keeps the state of the rule after each prefix, so that a prefix runs
// only once.
type search struct {
	n      int
	cost   float64
	values []float64 // imbalances to try
	loads  []float64
	// falls allows the imbalance to fall within an interval, and allows a balancing to leave imbalance.
	falls bool
	// told means that the rule knows the end of the run. Only runs of n iterations are judged then.
	told bool
	// next returns the rule after an iteration, once for each possible answer of its advisor.
	next func(c Criterion, s Sample) []answered
	// bound returns the largest excess that is allowed, without the last iterations of intervals.
	bound func(p *path) float64

	runs  int
	worst float64 // greatest excess divided by the optimum's, without last iterations
	cap   float64 // greatest excess divided by the bound
}

// An answered is a rule that has observed an iteration, together with its advisor's answer.
type answered struct {
	Criterion
	ask bool
}

// A path records a run: the samples of the rule and its decisions.
type path struct {
	imbalance, load []float64
	start           []int // first iteration of each iteration's interval
	asked           []int // iterations before which the advisor wanted to balance
	least           [][]float64
	cost            float64
	falls           bool
	slower          float64 // largest time per iteration by which a run may be slower than a run balanced earlier
}

// extend adds an iteration. It also stores the least imbalance in this iteration for runs that were last balanced at
// other times.
func (p *path) extend(imbalance, load float64, start int) {
	t := len(p.load)
	p.imbalance, p.load, p.start = append(p.imbalance, imbalance), append(p.load, load), append(p.start, start)
	row := make([]float64, t+1)
	for s := range row {
		if s <= start {
			row[s] = imbalance // these runs were balanced no later than the rule's own run
		}
		if s < start {
			row[s] = max(0, imbalance-p.slower)
		}
		if !p.falls && s < t {
			row[s] = max(row[s], p.least[t-1][s])
		}
	}
	p.least = append(p.least, row)
}

func (p *path) shrink() {
	t := len(p.load) - 1
	p.imbalance, p.load, p.start, p.least = p.imbalance[:t], p.load[:t], p.start[:t], p.least[:t]
}

// excess returns the rule's excess with the cost of its balancings, without the last iterations of intervals.
func (p *path) excess() (sum float64) {
	n := len(p.load)
	for t, s := range p.start {
		if t > 0 && s == t {
			sum += p.cost
		}
		if t+1 < n && p.start[t+1] == s {
			sum += p.imbalance[t] * p.load[t]
		}
	}
	return sum
}

// optimum returns the least excess that any schedule has in the least application.
func (p *path) optimum() float64 {
	n := len(p.load)
	before := make([]float64, n+1)
	for t := 1; t <= n; t++ {
		before[t] = math.Inf(1)
	}
	for s := range n {
		sum := before[s]
		if s > 0 {
			sum += p.cost
		}
		for t := s; t < n; t++ {
			sum += p.least[t][s] * p.load[t]
			before[t+1] = min(before[t+1], sum)
		}
	}
	return before[n]
}

// schedule returns the excess of a schedule that balances before the given iterations.
func (p *path) schedule(balances []int) (sum float64) {
	start := 0
	for t := range p.load {
		if t > 0 && slices.Contains(balances, t) {
			start = t
			sum += p.cost
		}
		sum += p.least[t][start] * p.load[t]
	}
	return sum
}

func (x *search) run(t *testing.T, c Criterion) {
	x.worst, x.cap = 0, 0
	x.step(t, &path{cost: x.cost, falls: x.falls}, c)
	if x.worst < 1.2 {
		t.Errorf("the worst ratio is %v: the search tries nothing", x.worst)
	}
}

// step tries every possible next iteration.
func (x *search) step(t *testing.T, p *path, c Criterion) {
	now := len(p.load)
	if now > 0 && (!x.told || now == x.n) {
		x.judge(t, p)
	}
	if now == x.n || t.Failed() {
		return
	}
	s := Sample{Balanced: now == 0, Cost: x.cost}
	start := 0
	if now > 0 {
		if start = p.start[now-1]; c.Decide().Balance {
			s.Balanced, start = true, now
		}
	}
	for _, load := range x.loads {
		for _, v := range x.values {
			if !x.falls && (start == now && v > 0 || start < now && v < p.imbalance[now-1]) {
				continue
			}
			s.Mean, s.Min, s.Max = load, load, load*(1+v)
			p.extend(v, load, start)
			for _, after := range x.next(c, s) {
				if after.ask {
					p.asked = append(p.asked, now+1)
				}
				x.step(t, p, after.Criterion)
				if after.ask {
					p.asked = p.asked[:len(p.asked)-1]
				}
			}
			p.shrink()
		}
	}
}

// judge compares the excess of a path with the bound.
func (x *search) judge(t *testing.T, p *path) {
	x.runs++
	const rounding = 1e-9
	excess, best := p.excess(), p.optimum()
	if best > 0 {
		x.worst = max(x.worst, excess/best)
	}
	most := x.bound(p)
	if most > 0 {
		x.cap = max(x.cap, excess/most)
	}
	if excess > most+rounding {
		t.Errorf("an excess of %v, last iterations aside, may be %v (optimum %v): imbalances %v, loads %v, intervals from %v, asked before %v",
			excess, most, best, p.imbalance, p.load, p.start, p.asked)
	}
}

// script is an advisor that gives a fixed answer.
type script struct{ ask bool }

func (script) Observe(Sample)     {}
func (s script) Decide() Decision { return Decision{Balance: s.ask} }

// anything returns two copies of a guard, one for each answer that its advisor may give.
func anything(c Criterion, s Sample) (all []answered) {
	for _, ask := range []bool{false, true} {
		g := c.(*Guarded).clone()
		g.advisor = script{ask}
		g.Observe(s)
		all = append(all, answered{g, ask})
	}
	return all
}

func (g *Guarded) clone() *Guarded {
	d := *g
	d.ledger.Payers = g.ledger.Payers.clone()
	return &d
}

func (p *payers) clone() *payers {
	if p == nil {
		return nil
	}
	q := *p
	q.Old = slices.Clone(p.Old)
	return &q
}

// alone returns a next function for a rule without advisor.
func alone(copied func(Criterion) Criterion) func(Criterion, Sample) []answered {
	return func(c Criterion, s Sample) []answered {
		d := copied(c)
		d.Observe(s)
		return []answered{{d, d.Decide().Balance}}
	}
}

// TestGuardHoldsForAllAdvice checks both bounds of a guard for any advice and any application. The guard's excess is at
// most r times the optimum's. It is also at most r/(r-1) times the excess of the schedule that the advisor asked for.
func TestGuardHoldsForAllAdvice(t *testing.T) {
	for _, r := range []float64{2, 2.25, 3, 5} {
		n, values := 5, []float64{0, 0.5, 1, 2}
		if *long {
			n, values = 7, []float64{0, 0.26, 0.5, 1, 2}
		}
		x := search{n: n, cost: 1, values: values, loads: []float64{1}, falls: true, next: anything,
			bound: func(p *path) float64 { return min(r*p.optimum(), r/(r-1)*p.schedule(p.asked)) }}
		x.run(t, guard(t, script{}, r))
		t.Logf("r = %v: %d runs, %.4f times the optimum's, %.4f of what it may be", r, x.runs, x.worst, x.cap)
	}
}

// TestGuardHoldsWhereNothingFalls checks the bounds of a guard if the imbalance never falls and the guard knows that.
// The bounds must also hold if loads change or vanish.
func TestGuardHoldsWhereNothingFalls(t *testing.T) {
	for _, r := range []float64{2, 3} {
		n, values := 4, []float64{0, 0.5, 1, 2}
		if *long {
			n, values = 7, []float64{0, 0.2, 0.5, 1, 2.1}
		}
		x := search{n: n, cost: 1, values: values, loads: []float64{0, 1, 3}, next: anything,
			bound: func(p *path) float64 { return min(r*p.optimum(), r/(r-1)*p.schedule(p.asked)) }}
		if *long {
			x.loads = x.loads[1:]
		}
		g := guard(t, script{}, r)
		g.NothingFalls = true
		x.run(t, g)
		t.Logf("r = %v: %d runs, %.4f times the optimum's, %.4f of what it may be", r, x.runs, x.worst, x.cap)
	}
}

func guard(t *testing.T, advisor Criterion, r float64) *Guarded {
	t.Helper()
	g, err := Guard(advisor, r)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestGuardHoldsForCriteria checks that the bounds also hold if the advisor is a criterion from a paper. Without a
// guard such a criterion has no bound.
func TestGuardHoldsForCriteria(t *testing.T) {
	n := 6
	if *long {
		n = 9
	}
	for name, c := range map[string]Criterion{"never": Never{}, "always": Always{}, "Boulmier": &Boulmier{}, "Zhai": &Zhai{}, "Menon": &Menon{}} {
		g := guard(t, c, 3)
		x := search{n: n, cost: 1, values: []float64{0, 0.26, 0.5, 1, 2.1}, loads: []float64{1}, falls: true,
			next: alone(copied), bound: func(p *path) float64 { return 3 * p.optimum() }}
		x.run(t, g)
		t.Logf("%s: %d runs, %.4f times the optimum's", name, x.runs, x.worst)
	}
	x := search{n: n, cost: 1, values: []float64{0, 0.26, 0.5, 1, 2.1}, loads: []float64{1}, falls: true,
		next: alone(copied), bound: func(*path) float64 { return math.Inf(1) }}
	if x.run(t, &Zhai{}); x.worst < 3.5 {
		t.Errorf("Zhai's without a guard: %.3f; the guard has nothing to do", x.worst)
	}
}

// copied returns a copy of a criterion that does not share state with the original.
func copied(c Criterion) Criterion {
	switch c := c.(type) {
	case *Guarded:
		d := c.clone()
		d.advisor = copied(c.advisor)
		return d
	case *Bounded:
		return c.clone()
	case *liar:
		return &liar{c.Bounded.clone(), c.pattern, c.seen}
	case *Boulmier:
		d := *c
		return &d
	case *Zhai:
		d := *c
		return &d
	case *Menon:
		d := *c
		return &d
	}
	return c // Never, Always and script have no state
}

func (h *Bounded) clone() *Bounded {
	d := &Bounded{Iterations: h.Iterations, s: h.s}
	d.s.Ledger.Payers = h.s.Ledger.Payers.clone()
	d.s.Past, d.s.Own = curve{}, curve{}
	d.s.Past.copy(&h.s.Past)
	d.s.Own.copy(&h.s.Own)
	for i, row := range h.s.Sieve.Shares {
		d.s.Sieve.Shares[i] = slices.Clone(row)
	}
	return d
}

// TestBoundedHoldsInAllShortRuns checks that Bounded keeps its bound in all short runs that meet two conditions: no
// imbalance falls, and a balancing leaves no imbalance. Bounded may or may not know the end of the run.
func TestBoundedHoldsInAllShortRuns(t *testing.T) {
	for _, c := range []struct {
		n     int
		loads []float64
	}{{8, []float64{1}}, {4, []float64{1, 0.25, 4}}, {4, []float64{0, 1}}} {
		if *long {
			c.n += 3
		}
		for _, told := range []bool{false, true} {
			x := search{n: c.n, cost: 1, values: []float64{0, 0.02, 0.3, 0.45, 0.5, 1, 2.1}, loads: c.loads, told: told,
				next: alone(copied), bound: func(p *path) float64 { return 3 * p.optimum() }}
			h := &Bounded{}
			if told {
				h.Iterations = c.n
			}
			x.run(t, h)
			t.Logf("%+v, told %v: %d runs, %.4f times the optimum's", c, told, x.runs, x.worst)
		}
	}
}
