package criterion

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A liar is a Bounded that receives false announcements of changes. The announced times repeat a pattern.
type liar struct {
	*Bounded
	pattern []int
	seen    int
}

func (l *liar) Observe(s Sample) {
	s.Until = l.pattern[l.seen%len(l.pattern)]
	l.seen++
	l.Bounded.Observe(s)
}

// lies holds the patterns of announced times.
var lies = [][]int{{1}, {2, 1}, {1, 9}, {1, 0, 3}, {7, 6, 5, 4, 3, 2, 1}, {1, 1, 1, 1000}}

// TestBoundedHoldsAgainstLiars checks that Bounded keeps its bound whatever is announced: in all short runs, in
// random runs, and against climbers.
func TestBoundedHoldsAgainstLiars(t *testing.T) {
	n, seeds, tries := 5, uint64(100), 1
	if *long {
		n, seeds, tries = 9, 100_000, 1000
	}
	for _, pattern := range lies {
		x := search{n: n, cost: 1, values: []float64{0, 0.02, 0.3, 0.45, 0.5, 1, 2.1}, loads: []float64{1}, next: alone(copied),
			bound: func(p *path) float64 { return 3 * p.optimum() }}
		x.run(t, &liar{Bounded: &Bounded{}, pattern: pattern})
		worst := 0.0
		for seed := range seeds {
			m := friendly(rand.New(rand.NewPCG(seed, 77)))
			best := m.optimum() - m.loads()
			all, last := excess(m, &liar{Bounded: &Bounded{}, pattern: pattern})
			if all > 3*best+last+1e-9*m.loads() {
				t.Fatalf("seed %d, %v: excess %v, of which %v in last iterations; the optimum's is %v", seed, pattern, all, last, best)
			}
			if best > 0 {
				worst = max(worst, (all-last)/best)
			}
		}
		climbed := climbs(t, tries, tries, func(int) Criterion { return &liar{Bounded: &Bounded{}, pattern: pattern} })
		if climbed > 3*(1+1e-9) {
			t.Errorf("%v: %v times the optimum's excess", pattern, climbed)
		}
		t.Logf("%v: %d short runs, %.4f times the optimum's, %.4f in random ones, %.4f by climbers", pattern, x.runs, x.worst, worst, climbed)
	}
}

// TestCheapestCycle checks that cheapestCycle finds the best number of periods between balancings, for any cost and
// growth.
func TestCheapestCycle(t *testing.T) {
	for _, cost := range []float64{0.5, 1, 7, 20, 333} {
		for _, growth := range []float64{0.01, 0.3, 1, 2, 5, 900} {
			want := math.Inf(1)
			for k := 1.0; k < 1000; k++ {
				sum := cost
				for i := range int(k) {
					sum += growth * float64(i)
				}
				want = min(want, sum/k)
			}
			if got := cheapestCycle(cost, growth); math.Abs(got-want) > 1e-12*want {
				t.Errorf("cost %g, growth %g: %g, want %g", cost, growth, got, want)
			}
		}
	}
	if got := cheapestCycle(3, 0); got != 0 {
		t.Errorf("without growth: %g", got)
	}
}

// stairs runs an application whose imbalance grows by height before every period-th iteration. The growth is
// announced if announce is set.
func stairs(n, period int, height, cost float64, announce bool, c Criterion) (balances []int, excess float64) {
	level, from := 0.0, 0.0
	for t := range n {
		if t > 0 && t%period == 0 {
			level += height
		}
		s := Sample{Mean: 1, Balanced: t == 0, Cost: cost}
		if t > 0 && c.Decide().Balance {
			balances, from = append(balances, t), level
			s.Balanced = true
			excess += cost
		}
		s.Max = 1 + level - from
		if announce {
			s.Until = period - t%period
		}
		c.Observe(s)
		excess += s.Max - 1
	}
	return balances, excess
}

// TestAnnouncedSteps checks that once Bounded has learned the pattern, it balances within three iterations after
// announced changes, at about the best period. The excess is at most the excess without announcements.
func TestAnnouncedSteps(t *testing.T) {
	for _, c := range []struct {
		period       int
		height, cost float64
		every        int // number of periods between balancings; 0: no balancing
	}{
		{30, 1, 20, 1},      // an interval costs 30 without balancing, and a balancing 20
		{30, 0.25, 20, 2},   // 7.5 (k-1)/2 + 20/k is least for k = 2
		{10, 0.1, 20, 6},    // (k-1)/2 + 20/k for 6: 5.83
		{100, 0.1, 8000, 0}, // never
	} {
		_, plain := stairs(1200, c.period, c.height, c.cost, false, &Bounded{})
		at, announced := stairs(1200, c.period, c.height, c.cost, true, &Bounded{})
		if announced > plain {
			t.Errorf("%+v: an excess of %g, %g without announcements", c, announced, plain)
		}
		if c.every == 0 {
			if len(at) > 0 {
				t.Errorf("%+v: balances %v", c, at)
			}
			continue
		}
		late := slices.DeleteFunc(slices.Clone(at), func(t int) bool { return t < 600 || t%c.period <= 3 })
		if len(late) > 0 {
			t.Errorf("%+v: balances between changes, before %v", c, late)
		}
		if want := 1200 / c.period / c.every; math.Abs(float64(len(at)-want)) > 1+float64(want)/6 {
			t.Errorf("%+v: %d balancings, want %d", c, len(at), want)
		}
	}
}

// TestAnnouncedInVain checks that announced changes have no effect if the imbalance grows between the changes.
func TestAnnouncedInVain(t *testing.T) {
	told, plain := &Bounded{}, &Bounded{}
	for i := range 300 {
		s := Sample{Max: 1 + 0.02*float64(i%60), Mean: 1, Balanced: i%60 == 0, Cost: 30}
		plain.Observe(s)
		s.Until = 10 - i%10
		told.Observe(s)
		if a, b := told.Decide(), plain.Decide(); a != b {
			t.Fatalf("iteration %d: %v, without announcements %v", i, a, b)
		}
	}
}

// TestAnnouncedPeriods checks that if an announcement comes late or turns out wrong, it counts as the announcement of
// another change.
func TestAnnouncedPeriods(t *testing.T) {
	var a announced
	r := intervalState{}
	for i, until := range []int{3, 2, 1, 4, 3, 2, 1, 1, 0, 0, 2, -7} {
		a.observe(Sample{Max: 1 + float64(i), Mean: 1, Until: until}, &r)
		r.Age, r.Last = r.Age+1, float64(i)
	}
	// The periods are 3, 4, 1 and 2 iterations, and the work changes after the third, the seventh and the eighth
	// iteration.
	if a.Period.N != 4 || a.Seen != 3 || a.Growth != 3 || a.Jumps != 3 || a.Drift != 8 || a.Until != 0 || a.dominates() {
		t.Errorf("%+v", a)
	}
	for _, c := range []struct {
		a    announced
		want bool
	}{{announced{Until: 1, Jumps: 4, Drift: 1}, true}, {announced{Until: 1, Jumps: 3, Drift: 1}, false}, {announced{Jumps: 4}, false}, {announced{Until: 1}, false}} {
		if c.a.dominates() != c.want {
			t.Errorf("%+v: %v", c.a, c.a.dominates())
		}
	}
	if g := (&announced{Seen: 4, Growth: -2}).growth(); g != 0 {
		t.Errorf("growth %g", g)
	}
	if g := (&announced{Seen: 4, Growth: 2}).growth(); g != 0.5 {
		t.Errorf("growth %g", g)
	}
}

// TestAnnouncedSizes checks that changes of the imbalance count by their absolute size, at the announced times and at
// other times. The first iteration after a balancing shows no change.
func TestAnnouncedSizes(t *testing.T) {
	var a announced
	r := intervalState{}
	for _, c := range []struct {
		imbalance float64
		until     int
	}{{7, 2}, {6, 1}, {2, 2}, {5, 1}, {6, 2}, {4, 1}} {
		a.observe(Sample{Max: 1 + c.imbalance, Mean: 1, Until: c.until}, &r)
		r.Age, r.Last = r.Age+1, c.imbalance
	}
	if a.Seen != 2 || a.Growth != -3 || a.Jumps != 5 || a.Drift != 6 {
		t.Errorf("%+v", a)
	}
}

// TestSteppedKnown checks that decideAnnounced compares the imbalance that a balancing can remove until the next
// change with the cost of the best cycle per period.
func TestSteppedKnown(t *testing.T) {
	for _, c := range []struct {
		last  float64
		until int
		want  Decision
	}{
		// At a load of 2 a change raises the excess by 2*2 in each of the 10 iterations of a period. If every period
		// has a balancing, a period costs 30. If every second period has a balancing, a period costs 35.
		{3.5, 4, Decision{Value: 24, Limit: 30, What: reasonAnnounced}}, // a balancing leaves 0.5
		{3.5, 6, Decision{Balance: true, Value: 36, Limit: 30, What: reasonAnnounced}},
		{0.25, 9, Decision{Value: 0, Limit: 30, What: reasonAnnounced}},
	} {
		h := &Bounded{}
		h.s.Fresh.add(0.5)
		h.s.Regret.Last = c.last
		h.s.Steps = announced{Until: c.until, Seen: 3, Growth: 6, Jumps: 6}
		h.s.Steps.Period.add(10)
		if d := h.decideAnnounced(30, 2); d != c.want {
			t.Errorf("%+v: %+v", c, d)
		}
	}
}

// TestAnnouncedFarAway checks that a change that is announced for the remote future can be stored like any other.
func TestAnnouncedFarAway(t *testing.T) {
	c := &Controller{}
	c.Announce(math.MaxInt)
	if err := c.Observe(1, 2); err != nil {
		t.Fatal(err)
	}
	data, err := c.State()
	if err != nil {
		t.Fatal(err)
	}
	if err := (&Controller{}).Restore(data); err != nil {
		t.Error(err)
	}
}

func TestOfSpeeds(t *testing.T) {
	if got := OfSpeeds([]float64{1, 1, 1, 2}, []float64{4, 4, 4, 2}); got.Max != 2 || got.Min != 1 || math.Abs(got.Mean-4/3.5) > 1e-15 {
		t.Errorf("%+v", got)
	}
	defer func() {
		if r := recover(); r == nil || !strings.Contains(r.(string), "1 speeds of 2") {
			t.Errorf("%v", r)
		}
	}()
	OfSpeeds([]float64{1, 2}, []float64{1})
}

// samples is a criterion that records its samples.
type samples []Sample

func (s *samples) Observe(x Sample) { *s = append(*s, x) }
func (s *samples) Decide() Decision { return Decision{} }

// One rank knows its speeds, and the other rank knows when the work changes. Both ranks get the same merged sample.
func TestControllerSpeedsAndAnnouncements(t *testing.T) {
	var seen samples
	other := Report{Max: 3, Min: 1, Sum: 4, Count: 2, Until: 9}
	c := Controller{Criterion: &seen, Reduce: func(r Report) (Report, error) {
		if both, back := r.Merge(other), other.Merge(r); both != back && r.Bad == 0 {
			t.Errorf("%+v and %+v", both, back)
		}
		return r.Merge(other), nil
	}}
	c.Speeds(2, 1)
	c.Announce(5)
	if err := c.Observe(1, 4); err != nil {
		t.Fatal(err)
	}
	if err := c.Observe(1, 4); err != nil { // speeds remain set, but an announcement counts for a single iteration
		t.Fatal(err)
	}
	c.Speeds()
	c.Announce(-3)
	if err := c.Observe(1, 4); err != nil {
		t.Fatal(err)
	}
	for i, want := range []Sample{{Mean: 10. / 5, Until: 5}, {Mean: 10. / 5, Until: 9}, {Mean: 9. / 4, Until: 9}} {
		if want.Max, want.Min = 4, 1; !(seen[i].Mean == want.Mean && seen[i].Until == want.Until && seen[i].Max == 4 && seen[i].Min == 1) {
			t.Errorf("%d: %+v, want %+v", i, seen[i], want)
		}
	}
	for text, speeds := range map[string][]float64{
		"3 speeds and 2 times": {1, 2, 3}, "1 speeds and 2 times": {1}, "element 1 is 0": {1, 0}, "element 0 is NaN": {math.NaN(), 1}, "is +Inf": {math.Inf(1), 1},
		"element 1 is -2": {1, -2},
	} {
		c.Speeds(speeds...)
		if err := c.Observe(1, 4); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%v: %v", speeds, err)
		}
	}
	if len(seen) != 3 {
		t.Errorf("%d samples", len(seen))
	}
	if c := (&Controller{Criterion: &seen}); c.Observe() != nil || seen[3].Mean != 0 {
		t.Errorf("no elements: %+v", seen[3])
	}
}
