package lb_test

import (
	"math"
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"lockstep/lb"
	"lockstep/vp"
)

// Whatever bounds it is told, right or wrong, the plan is valid and leaves no more
// than it says; when they are right it is the plan.
func TestPlanWithin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		workload := workloads(t, 60)
		g := lb.Gather(workload)
		want, got := make([]int32, len(workload)), make([]int32, len(workload))
		level := new(lb.Minimax).Plan(want, workload, g)
		lo, hi := rapid.Int32Range(0, 1000).Draw(t, "lo"), rapid.Int32Range(0, 1000).Draw(t, "hi")
		newMax, effort := new(lb.Minimax).PlanWithin(got, workload, g, lo, hi)
		if err := vp.CheckPlan(workload, got); err != nil || newMax < lb.MaxAfter(workload, got) {
			t.Fatalf("told %d to %d: plan %v leaves %d, %v", lo, hi, got, newMax, err)
		}
		if lo <= level && level <= hi && (newMax != level || !slices.Equal(got, want)) {
			t.Fatalf("told %d to %d: plan %v leaves %d, want %v", lo, hi, got, newMax, want)
		}
		if g.Max > 0 && (effort.Passes < 1 || effort.Passes > 3 || effort.Searches > 2 || effort.Tries > 70) {
			t.Fatalf("%+v", effort)
		}
	})
}

// 4 idle for 30, 10 and 1: level 10 takes 2, level 9 takes 3+1, level 8 takes 3+1,
// level 7 takes 4+1.
func TestEffortKnownAnswer(t *testing.T) {
	workload := []int32{30, 0, 10, 0, 1, 0, 0}
	g, plan := lb.Gather(workload), make([]int32, len(workload))
	for _, c := range []struct {
		lo, hi int32
		want   lb.Effort
	}{
		{8, 8, lb.Effort{Passes: 1}},                         // known
		{8, 9, lb.Effort{Passes: 1, Tries: 1}},               // the lower one will do
		{7, 8, lb.Effort{Passes: 2, Tries: 1}},               // the lower one will not
		{0, 30, lb.Effort{Passes: 1, Searches: 1, Tries: 2}}, // from ceil(41/7) = 6 to ceil(38/4) = 10: tried are 8 and 7
	} {
		newMax, got := new(lb.Minimax).PlanWithin(plan, workload, g, c.lo, c.hi)
		if newMax != 8 || got != c.want || !slices.Equal(plan, []int32{3, 0, 1, 0, 0, 0, 0}) {
			t.Errorf("told %d to %d: plan %v leaves %d, effort %+v, want %+v", c.lo, c.hi, plan, newMax, got, c.want)
		}
	}
}

// However coarse the histogram, no worthwhile iteration is missed, both bounds hold,
// where everything is exact they are equal, and between them the best level is found.
func TestCoarseOutlooksAreBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		workload := runnable(t)
		limit := rapid.Float64Range(0, 30).Draw(t, "limit")
		exact := rapid.SampledFrom([]int{0, 8, 9, 16, 32, 64, 100}).Draw(t, "exact")
		g := lb.Gather(workload)
		o := lb.LookAhead([]int32{5, 0}, lb.Gather([]int32{5, 0}), 0) // garbage to be overwritten
		o.Look(workload, g, limit, exact)
		if wait, _ := firstWorthwhile(workload, limit); o.Wait(0) > wait {
			t.Fatalf("wait %d, worthwhile after %d", o.Wait(0), wait)
		}
		if float64(g.SavingsBound()) > limit && (o.Words() < 2 || o.Words() > 64+2*28+1) {
			t.Fatalf("%d words", o.Words())
		}
		left := slices.Clone(workload)
		planner, plan := new(lb.Minimax), make([]int32, len(workload))
		for d := 0; d < int(g.Max); d++ {
			lo, hi, ok := o.Bracket(d)
			if !ok {
				break
			}
			level := planner.Plan(plan, left, lb.Gather(left))
			if level > hi || lo > level || g.Max < 8 && lo != hi {
				t.Fatalf("after %d: %d to %d, the best level is %d", d, lo, hi, level)
			}
			if exactly, tries, _ := o.Level(d); exactly != level || tries > bits.Len32(uint32(hi-lo)) {
				t.Fatalf("after %d: level %d in %d tries, the best is %d", d, exactly, tries, level)
			}
			if worthwhile, l, h := o.At(d); l != lo || h != hi || !worthwhile && float64(g.Max-int32(d)-level) > limit {
				t.Fatalf("after %d: at %v %d %d", d, worthwhile, l, h)
			}
			for p := range left {
				left[p] = max(left[p]-1, 0)
			}
		}
	})
}

// A coarse bucket makes a processor's need wrong by less than one helper. So the
// bounds are at most as far apart as the levels for as many idle more and fewer, and
// one large workload alone is known exactly.
func TestBracketIsClose(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		workload := mixed(t, 1000)
		g := lb.Gather(workload)
		if g.Max == 0 || g.SavingsBound() < 1 {
			return
		}
		exact := rapid.SampledFrom([]int{8, 16, 32, 64}).Draw(t, "exact")
		var o lb.Outlook
		o.Look(workload, g, 0, exact)
		coarse := 0
		for _, w := range workload {
			if int(w) >= exact {
				coarse++
			}
		}
		if coarse == 1 {
			coarse = 0
		}
		lo, hi, ok := o.Bracket(0)
		most := levelFor(workload, g.Idle-coarse)
		least := max(levelFor(workload, g.Idle+coarse), int32((g.Sum+int64(len(workload))-1)/int64(len(workload))))
		if !ok || lo < min(least, hi) || hi > most {
			t.Fatalf("%v: %d to %d, expected within %d to %d", workload, lo, hi, least, most)
		}
	})
}

// levelFor returns the smallest level that takes at most so many helpers, the largest
// workload where there is none.
func levelFor(workload []int32, idle int) int32 {
	largest := slices.Max(workload)
	for level := int32(1); level < largest; level++ {
		helpers := 0
		for _, w := range workload {
			helpers += int(max(w-1, 0) / level)
		}
		if helpers <= idle {
			return level
		}
	}
	return largest
}

// The cycle's plans are the best there are, and no worthwhile one is refused, also
// where the histogram alone would leave a doubt.
func TestPlansOfCoarseOutlooks(t *testing.T) {
	for _, c := range []struct {
		workload []int32
		cost     float64
		at       int
		newMax   int32
	}{
		{[]int32{160, 66, 160, 0, 160, 0}, 44.93, 66, 47},                                 // ceil(94/2)
		{[]int32{16, 65, 65, 17, 65, 14, 65, 15, 65, 0, 47, 65, 0, 0, 65, 0}, 7.54, 0, 0}, // at 17 it could leave 24
	} {
		cycle := lb.NewCycle(lb.Options{Cost: fixedCosts{0.01, c.cost - 0.01, 1}.model(t, 0)})
		left, done := slices.Clone(c.workload), false
		for i := 0; lb.Gather(left).Max > 0 && !done; i++ {
			if cycle.Due(i) {
				step, g := cycle.Look(i, lb.Gather(left), left), lb.Gather(left)
				if done = step.Plan != nil; done {
					best := new(lb.Minimax).Plan(make([]int32, len(left)), left, g)
					if got := lb.MaxAfter(left, step.Plan); got != best || step.NewMax != best || c.at > 0 && (i != c.at || got != c.newMax) {
						t.Errorf("%v after %d: leaves %d, the best %d", c.workload, i, got, best)
					}
				}
			}
			for p := range left {
				left[p] = max(left[p]-1, 0)
			}
		}
		if !done {
			t.Errorf("%v: no redistribution", c.workload)
		}
	}
}

// What a cycle foretells is what Gather finds, so that a loop that relies on it
// does the same.
func TestForeseenIsWhatGatherFinds(t *testing.T) {
	foretold := 0
	rapid.Check(t, func(t *rapid.T) {
		workload := runnable(t)
		exact := rapid.SampledFrom([]int{8, 16, 64}).Draw(t, "exact")
		c := lb.NewCycle(lb.Options{Cost: drawCosts(t).model(t, 0), Exact: exact})
		a := vp.NewArray(workload)
		for i := 0; lb.Gather(a.Workload).Active > 0; i++ {
			g := lb.Gather(a.Workload)
			foreseen, ok := c.Foreseen(i)
			if ok {
				foretold++
				if foreseen != g {
					t.Fatalf("%v, iteration %d: foreseen %+v, found %+v", workload, i, foreseen, g)
				}
			}
			before := c.Counts()
			if c.Due(i) {
				if step := c.Look(i, g, a.Workload); step.Plan != nil {
					if err := a.Redistribute(nil, step.Plan); err != nil {
						t.Fatal(err)
					}
				}
				after := c.Counts()
				if gathered := after.Looks - before.Looks; gathered == 1 == ok || gathered+after.Foreseen-before.Foreseen != 1 {
					t.Fatalf("iteration %d, foreseen %v: %+v, then %+v", i, ok, before, after)
				}
			} else if ok {
				t.Fatalf("iteration %d was foreseen but is not due", i)
			}
			for p := range a.Workload {
				a.Workload[p] = max(a.Workload[p]-1, 0)
			}
		}
	})
	if foretold == 0 {
		t.Error("nothing was ever foretold")
	}
}

// Half of the processors are idle and the rest have 8, some 60. The level is at
// least ceil(S/N) and at most (S-A)/I, which is so close that there is no outlook.
func TestManyIdleNeedNoOutlook(t *testing.T) {
	workload := make([]int32, 200)
	for p := range 100 {
		workload[p] = 8
	}
	for p := range 10 {
		workload[p] = 60
	}
	// S = 1320, so at least 7; (1320-100)/100 rounded up is 13. A look costs 4.
	c := lb.NewCycle(lb.Options{Cost: fixedCosts{4, 3, 1}.model(t, 1)})
	step := c.Look(0, lb.Gather(workload), workload)
	if step.Plan == nil || c.Counts().Outlooks != 0 || step.NewMax > 8 {
		t.Errorf("%v, leaves %d: %+v", step, step.NewMax, c.Counts())
	}
	// One that costs 1 may win more than it costs.
	c = lb.NewCycle(lb.Options{Cost: fixedCosts{1, 3, 1}.model(t, 1)})
	c.Look(0, lb.Gather(workload), workload)
	if c.Counts().Outlooks != 1 {
		t.Errorf("%+v", c.Counts())
	}
}

// An early trial that the planner spoils must not end the looks.
func TestSpoiledTrialIsLookedAtAgain(t *testing.T) {
	workload := make([]int32, 200)
	for p := range 100 {
		workload[p] = 60
	}
	c := lb.NewCycle(lb.Options{Planner: idler{}, Cost: fixedCosts{4, 3, 1}.model(t, 1)})
	if step := c.Look(0, lb.Gather(workload), workload); step.Plan != nil || c.Next() == lb.NoLook || c.Next() == math.MaxInt32 {
		t.Errorf("%v, next look %d", step, c.Next())
	}
}

// idler gives nothing to anybody.
type idler struct{}

func (idler) Plan(allotted, workload []int32, g lb.Information) int32 {
	clear(allotted)
	return g.Max
}
