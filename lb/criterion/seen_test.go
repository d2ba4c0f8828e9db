package criterion

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A sight is a sequence of samples and announcements that a rule sees. Its application is the least application that
// agrees with the sequence, see search. A sight has more iterations than the runs of a search and is changed step by
// step.
type sight struct {
	imbalance []float64 // imbalance, or its growth if nothing falls
	load      []float64
	ask       []bool // requests of a guard's advisor
	until     []int  // announced iterations until the next change
}

// A seer is a climber that changes a sight.
type seer struct {
	r     *rand.Rand
	falls bool
	most  int     // largest number of iterations
	slow  float64 // value of path.slower
	rule  func(n int) Criterion
	judge func(p *path) float64 // returns the fraction of the bound that the excess uses up
}

// path runs the rule on a sight.
func (x *seer) path(g sight) *path {
	p := &path{cost: 1, falls: x.falls, slower: x.slow}
	c := x.rule(len(g.load))
	for t, load := range g.load {
		s := Sample{Balanced: t == 0, Cost: 1, Until: g.until[t]}
		start, now := 0, g.imbalance[t]
		if t > 0 {
			if start = p.start[t-1]; c.Decide().Balance {
				s.Balanced, start = true, t
			}
		}
		if !x.falls {
			if now = 0; start < t {
				now = p.imbalance[t-1] + g.imbalance[t]
			}
		}
		s.Mean, s.Min, s.Max = load, load, load*(1+now)
		if h, ok := c.(*Guarded); ok {
			h.advisor = script{g.ask[t]}
		}
		c.Observe(s)
		p.extend(now, load, start)
		if g.ask[t] {
			p.asked = append(p.asked, t+1)
		}
	}
	return p
}

// mutated returns a sight with one change.
func (x *seer) mutated(g sight) sight {
	r, n := x.r, len(g.load)
	g = sight{slices.Clone(g.imbalance), slices.Clone(g.load), slices.Clone(g.ask), slices.Clone(g.until)}
	at := r.IntN(n)
	switch kind := r.IntN(12); {
	case kind < 3:
		g.imbalance[at] = x.value()
	case kind < 6:
		g.imbalance[at] *= math.Exp(r.NormFloat64() * []float64{1e-6, 0.01, 0.3}[r.IntN(3)])
	case kind == 6:
		g.load[at] = []float64{0, 0.1, 1, 1, 1, 3, 20}[r.IntN(7)]
	case kind == 7:
		g.ask[at] = !g.ask[at]
	case kind == 8:
		g.until[at] = r.IntN(4) * r.IntN(3)
	case kind == 9 && n < x.most: // repeats a part of the sight
		to := min(n, at+1+r.IntN(min(8, x.most-n)))
		g.imbalance = slices.Insert(g.imbalance, to, g.imbalance[at:to]...)
		g.load = slices.Insert(g.load, to, g.load[at:to]...)
		g.ask = slices.Insert(g.ask, to, g.ask[at:to]...)
		g.until = slices.Insert(g.until, to, g.until[at:to]...)
	case kind == 10 && n > 2:
		to := min(n, at+1+r.IntN(4))
		if to-at > n-2 {
			break
		}
		g.imbalance, g.load = slices.Delete(g.imbalance, at, to), slices.Delete(g.load, at, to)
		g.ask, g.until = slices.Delete(g.ask, at, to), slices.Delete(g.until, at, to)
	default:
		to := r.IntN(n)
		g.imbalance[at], g.imbalance[to] = g.imbalance[to], g.imbalance[at]
	}
	return g
}

// value returns a random imbalance. It is often 0 or a limit of a window.
func (x *seer) value() float64 {
	r := x.r
	switch r.IntN(4) {
	case 0:
		return 0
	case 1:
		return []float64{0.25, 0.5, 1, 1.25, 2, 4}[r.IntN(6)]
	case 2:
		return math.Exp(-5 * r.Float64())
	}
	return 3 * r.Float64()
}

// climb starts from a random sight. It returns the greatest fraction of the bound that the excess used up, and the
// sight.
func (x *seer) climb(tries int) (best float64, found sight) {
	n := 2 + x.r.IntN(x.most/2)
	for range n {
		found.imbalance, found.load = append(found.imbalance, x.value()), append(found.load, 1)
		found.ask, found.until = append(found.ask, x.r.IntN(3) == 0), append(found.until, 0)
	}
	best = x.judge(x.path(found))
	for range tries {
		next := found
		for range 1 + x.r.IntN(3) {
			next = x.mutated(next)
		}
		if used := x.judge(x.path(next)); used >= best {
			best, found = used, next
		}
	}
	return best, found
}

// used returns the fraction of a bound that the excess uses up.
func used(excess, most float64) float64 {
	if excess <= 1e-9 {
		return 0
	}
	return excess / most
}

// climbsOfSeers returns the greatest fraction of the bound that climbers use up from random starts.
func climbsOfSeers(t *testing.T, x seer, seed uint64) (worst float64) {
	t.Helper()
	starts, tries := 2, 150
	if *long {
		starts, tries = 40, 12_000
	}
	x.most = 24
	for i := range starts {
		if *long {
			x.most = []int{12, 30, 80}[i%3]
		}
		x.r = rand.New(rand.NewPCG(seed, uint64(i)))
		best, found := x.climb(tries)
		if best > 1+1e-9 {
			t.Errorf("%.6f of the bound by %+v", best, found)
		}
		worst = max(worst, best)
	}
	return worst
}

// TestGuardAgainstAdvisorsThatAdapt checks that a guard keeps its bounds even if the advisor knows in advance what the
// guard will do, and the application knows what the guard and the advisor will do.
func TestGuardAgainstAdvisorsThatAdapt(t *testing.T) {
	for i, r := range []float64{2, 2.25, 3, 5} {
		for _, promised := range []bool{false, true} {
			var worst [2]float64
			for k, judge := range []func(p *path) float64{
				func(p *path) float64 { return used(p.excess(), r*p.optimum()) },
				func(p *path) float64 { return used(p.excess(), r/(r-1)*p.schedule(p.asked)) },
			} {
				worst[k] = climbsOfSeers(t, seer{falls: !promised, judge: judge, rule: func(int) Criterion {
					g := guard(t, script{}, r)
					g.NothingFalls = promised
					return g
				}}, uint64(10*i+k))
			}
			t.Logf("r = %v, nothing falls %v: %.4f of the bound of r, %.4f of that of the advice", r, promised, worst[0], worst[1])
			if min(worst[0], worst[1]) < 0.6 {
				t.Errorf("r = %v: %v of the bounds: the climbers find nothing", r, worst)
			}
		}
	}
}

// TestGuardDegrades checks runs that can be slower by at most d per iteration if they were balanced later. The guard's
// bounds then hold for a schedule whose cost is increased by the sum of d over all iterations. Without this increase
// the bounds fail.
func TestGuardDegrades(t *testing.T) {
	const d, r = 0.1, 3.0
	for _, dearer := range []float64{d, 0} {
		for k, judge := range []func(p *path) float64{
			func(p *path) float64 { return used(p.excess(), r*(p.optimum()+dearer*sum(p.load))) },
			func(p *path) float64 { return used(p.excess(), r/(r-1)*(p.schedule(p.asked)+dearer*sum(p.load))) },
		} {
			x := seer{falls: true, slow: d, most: 24, judge: judge, rule: func(int) Criterion { return guard(t, script{}, r) }}
			if dearer > 0 {
				climbsOfSeers(t, x, uint64(50+k))
				continue
			}
			x.r = rand.New(rand.NewPCG(uint64(50+k), 0))
			if worst, _ := x.climb(300); worst < 1.001 {
				t.Errorf("bound %d: %v of it without d: the climbers find nothing", k, worst)
			}
		}
	}
}

func sum(all []float64) (sum float64) {
	for _, x := range all {
		sum += x
	}
	return sum
}

// TestBoundedAgainstSeers checks that no seer drives Bounded beyond its bound, whatever is announced.
func TestBoundedAgainstSeers(t *testing.T) {
	for _, told := range []bool{false, true} {
		worst := climbsOfSeers(t, seer{judge: func(p *path) float64 { return used(p.excess(), 3*p.optimum()) }, rule: func(n int) Criterion {
			if !told {
				n = 0
			}
			return &Bounded{Iterations: n}
		}}, 77)
		if t.Logf("told %v: %.4f of the bound", told, worst); worst < 0.6 {
			t.Errorf("told %v: %v of the bound: the climbers find nothing", told, worst)
		}
	}
}
