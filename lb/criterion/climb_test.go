package criterion

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A climber changes a world at random, and keeps a change if it brings a rule nearer to its bound.
type climber struct {
	r     *rand.Rand
	world world
	ratio float64
	tries int
}

// mostIterations is the largest number of iterations of a world, because computing the optimum takes n^2/2 steps.
const mostIterations = 1200

// climb tries the given number of changes. It returns the greatest ratio of the excess to the optimum's excess,
// leaving out the last iterations of intervals.
func (c *climber) climb(t *testing.T, judge func(world) float64, tries int) float64 {
	t.Helper()
	c.ratio = judge(c.world)
	for range tries {
		next := c.world
		for range 1 + c.r.IntN(3) {
			next = c.mutated(next)
		}
		if ratio := judge(next); ratio >= c.ratio && !math.IsInf(ratio, 1) {
			c.world, c.ratio = next, ratio
		}
		c.tries++
	}
	c.world.core().keeps(t)
	return c.ratio
}

// mutated returns a world with one change.
func (c *climber) mutated(w world) world {
	r := c.r
	w.loads, w.laws, w.events = slices.Clone(w.loads), slices.Clone(w.laws), slices.Clone(w.events)
	switch kind := r.IntN(12); {
	case kind == 0 && w.calm > 0:
		w.calm = max(1, min(c.longest(), int(float64(w.calm)*c.factor())))
	case kind == 0:
		w.n = c.near(w.n, mostIterations)
	case kind == 1:
		w.cost *= c.factor()
	case kind == 2 && len(w.events) < 12:
		at := r.IntN(w.n)
		w.events = append(w.events, event{at, r.IntN(w.n + 1), w.cost * c.small()})
	case kind == 3 && len(w.events) > 0:
		i := r.IntN(len(w.events))
		w.events = slices.Delete(w.events, i, i+1)
	case kind < 7 && len(w.events) > 0:
		e := &w.events[r.IntN(len(w.events))]
		switch r.IntN(3) {
		case 0:
			e.at = c.near(e.at, w.n)
		case 1:
			e.until = c.near(e.until, w.n)
		default:
			e.height *= c.factor()
		}
	case kind == 7 && len(w.laws) < 4:
		from := r.IntN(w.n)
		w.laws = append(w.laws, law{w.cost * c.small() / 30, r.IntN(2) == 0, from, from + r.IntN(w.n), r.IntN(5)})
	case kind < 10 && len(w.laws) > 0:
		l := &w.laws[r.IntN(len(w.laws))]
		switch r.IntN(4) {
		case 0:
			l.from = c.near(l.from, w.n)
		case 1:
			l.to = c.near(l.to, w.n)
		case 2:
			l.rate *= c.factor()
		default:
			l.every = r.IntN(5)
		}
	case len(w.loads) < 5:
		w.loads = append(w.loads, change{r.IntN(w.n), []float64{0, 0.25, 0.5, 2, 5, 0.1 + 5*r.Float64()}[r.IntN(6)]})
		slices.SortFunc(w.loads, func(a, b change) int { return a.at - b.at })
	default:
		i := r.IntN(len(w.loads))
		w.loads = slices.Delete(w.loads, i, i+1)
	}
	return w
}

// longest returns the largest length of the calm in iterations. It is limited because a run takes a decision in every
// iteration.
func (c *climber) longest() int {
	if *long {
		return 20_000
	}
	return 5000
}

func (c *climber) factor() float64 {
	return math.Exp(c.r.NormFloat64() * []float64{0.02, 0.2, 1}[c.r.IntN(3)])
}

func (c *climber) small() float64 { return math.Exp(-4 * c.r.Float64()) }

// near returns a number from 1 to most, mostly near x.
func (c *climber) near(x, most int) int {
	switch c.r.IntN(3) {
	case 0:
		x += c.r.IntN(3) - 1
	case 1:
		x += c.r.IntN(21) - 10
	default:
		x = 1 + c.r.IntN(most)
	}
	return max(1, min(most, x))
}

// starts returns the worlds from which climbers start: the two known kinds of worlds, and random worlds.
func starts(r *rand.Rand) []world {
	all := []world{earlyEnds(), afterCalm(600), afterCalm(3000)}
	all[1].n, all[2].n = 400, 300
	for range 3 {
		n := 10 + r.IntN(50)
		all = append(all, world{n: n, cost: 0.5 + 5*r.Float64(), laws: []law{{0.2 * r.Float64(), r.IntN(2) == 0, 0, n, 1}},
			events: []event{{n / 2, n / 3, 1}}})
	}
	return all
}

// The function climbs starts a climber from each world of starts, against the rule that make returns for a run of n
// iterations. It returns the greatest ratio.
func climbs(t *testing.T, short, many int, make func(n int) Criterion) (worst float64) {
	t.Helper()
	if *long {
		short = many
	}
	tries := 0
	for i, w := range starts(rand.New(rand.NewPCG(3, 9))) {
		c := climber{r: rand.New(rand.NewPCG(uint64(i), 21)), world: w}
		ratio := c.climb(t, func(w world) float64 {
			ratio, _ := w.ratio(make(w.calm + w.n))
			return ratio
		}, short)
		if *long {
			t.Logf("start %d: %.4f by %+v", i, ratio, c.world)
		}
		worst = max(worst, ratio)
		tries += c.tries
	}
	t.Logf("%d worlds, at most %.4f times the optimum's excess", tries, worst)
	return worst
}

// TestBoundedAgainstClimbers checks that no climber drives Bounded beyond its bound, whether Bounded knows the end of
// the run or not.
func TestBoundedAgainstClimbers(t *testing.T) {
	for _, told := range []bool{true, false} {
		worst := climbs(t, 10, 3000, func(n int) Criterion {
			if !told {
				n = 0
			}
			return &Bounded{Iterations: n}
		})
		if worst > 3*(1+1e-9) {
			t.Errorf("told %v: %v times the optimum's excess", told, worst)
		}
	}
}

// TestGuardAgainstClimbers checks that no climber drives a guard beyond its bound, although its advisor keeps no
// bound.
func TestGuardAgainstClimbers(t *testing.T) {
	for name, make := range map[string]func(n int) Criterion{
		"Boulmier": func(int) Criterion { return &Boulmier{} },
		"Zhai":     func(int) Criterion { return &Zhai{} },
		"always":   func(int) Criterion { return Always{} },
		"Bounded":  func(n int) Criterion { return &Bounded{Iterations: n} },
	} {
		for _, nothingFalls := range []bool{false, true} {
			worst := climbs(t, 3, 3000, func(n int) Criterion {
				g := guard(t, make(n), 3)
				g.NothingFalls = nothingFalls
				return g
			})
			if worst > 3*(1+1e-9) {
				t.Errorf("%s, nothing falls %v: %v times the optimum's excess", name, nothingFalls, worst)
			}
		}
	}
}
