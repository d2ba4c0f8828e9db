package flowshop

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"lockstep/lb/overlay"
	"lockstep/lb/overlay/check"
	"lockstep/lb/overlay/local"
	"lockstep/lb/overlay/simulate"
	"lockstep/vp/isa"
)

var long = flag.Bool("long", false, "search trees of up to hundreds of millions of sub-problems")

// instance returns Taillard's instance with the given number.
func instance(t testing.TB, number int) *Instance {
	t.Helper()
	in, err := Taillard(number)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func search(t testing.TB, in *Instance, o Options) *Search {
	t.Helper()
	s, err := NewSearch(in, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestTreeSizes compares the numbers of sub-problems of searches that start with the optimum.
func TestTreeSizes(t *testing.T) {
	for _, c := range []struct {
		number  int
		options Options
		want    int64
		long    bool
	}{
		{30, Options{Rule: MinBranch}, 2384814, false},
		{30, Options{Rule: MinMin}, 2743022, false},
		{30, Options{Rule: MaxSum, Bounding: TwoMachine}, 1645928, true},
		{30, Options{Rule: MinBranch, Bounding: TwoMachine}, 1286032, true},
		{29, Options{Rule: MinBranch}, 12219491, true},
		{29, Options{Rule: MinMin}, 14470452, true},
		{28, Options{Rule: MinBranch}, 12708830, true},
		{28, Options{Rule: MinMin}, 15297844, true},
		{22, Options{Rule: MinBranch}, 45399242, true},
		{25, Options{Rule: MinBranch}, 82779876, true},
		{24, Options{Rule: MinBranch}, 201781910, true},
		{26, Options{Rule: MinBranch}, 275150519, true},
		{27, Options{Rule: MinBranch}, 351778138, true},
		{21, Options{Rule: MinBranch}, 460527885, true},
		{23, Options{Rule: MinBranch}, 2852379978, true},
	} {
		if c.long && !*long {
			continue
		}
		in := instance(t, c.number)
		t.Run(fmt.Sprintf("%s/rule=%d/bounding=%d", in.Name, c.options.Rule, c.options.Bounding), func(t *testing.T) {
			c.options.Bound = in.Best
			p := search(t, in, c.options).Solve()
			if p.Nodes() != c.want || p.Bound() != int64(in.Best) {
				t.Errorf("%d sub-problems, want %d; bound %d", p.Nodes(), c.want, p.Bound())
			}
		})
	}
}

// drawInstance returns a small random instance with short and long times.
func drawInstance(t *rapid.T, jobs int) *Instance {
	in := &Instance{Name: "drawn", Jobs: rapid.IntRange(1, jobs).Draw(t, "jobs"), Machines: rapid.IntRange(1, 6).Draw(t, "machines")}
	most := rapid.SampledFrom([]int{1, 9, 99}).Draw(t, "longest")
	for range in.Machines {
		in.Times = append(in.Times, rapid.SliceOfN(rapid.IntRange(0, most), in.Jobs, in.Jobs).Draw(t, "times"))
	}
	return in
}

// optimum returns the least makespan of all orders that begin with first and end with last.
func optimum(in *Instance, first, middle, last []int) int {
	if len(middle) == 0 {
		return in.Makespan(append(append([]int(nil), first...), last...))
	}
	best := math.MaxInt
	for i, j := range middle {
		rest := append(append([]int(nil), middle[:i]...), middle[i+1:]...)
		best = min(best, optimum(in, append(first[:len(first):len(first)], j), rest, last))
	}
	return best
}

// TestOptimum checks that the search finds the optimum with every rule and every bound, even if peers share the work.
// The order that it returns must have this makespan.
func TestOptimum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInstance(t, 6)
		want := optimum(in, nil, in.jobsInOrder(), nil)
		s, err := NewSearch(in, Options{
			Rule: Rule(rapid.IntRange(0, 3).Draw(t, "rule")), Bounding: Bounding(rapid.IntRange(0, 1).Draw(t, "bounding")),
			Lengths: rapid.Bool().Draw(t, "lengths"),
		})
		if err != nil {
			t.Fatal(err)
		}
		if p := s.Solve(); p.Bound() != int64(want) || in.Makespan(p.Order()) != want {
			t.Fatalf("found %d with %v, the optimum is %d", p.Bound(), p.Order(), want)
		}
		o := check.Options{
			Overlay: overlay.Options{
				Protocol: overlay.Protocol(rapid.IntRange(0, int(overlay.Keep)).Draw(t, "protocol")),
				Share:    overlay.Share(rapid.IntRange(0, 3).Draw(t, "share")),
				Peers:    rapid.IntRange(1, 6).Draw(t, "peers"), Degree: 2,
			},
			Seed: rapid.Uint64().Draw(t, "order"),
		}
		var pools []overlay.Pool
		for range o.Overlay.Peers {
			pools = append(pools, s.NewPool())
		}
		if _, err := check.Run(o, pools, func(p overlay.Pool) { p.(*Pool).Plant() }); err != nil {
			t.Fatal(err)
		}
		best := int64(math.MaxInt64)
		for _, p := range pools {
			best = min(best, p.(*Pool).Bound())
			if order := p.(*Pool).Order(); order != nil && in.Makespan(order) != int(p.(*Pool).Bound()) {
				t.Fatalf("%v takes %d, reported %d", order, in.Makespan(order), p.(*Pool).Bound())
			}
		}
		if best != int64(want) {
			t.Fatalf("shared work found %d, the optimum is %d", best, want)
		}
	})
}

// TestBoundsAreBounds checks that a bound never exceeds the best makespan of its sub-problem. If one job is free, the
// bound must equal the makespan.
func TestBoundsAreBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInstance(t, 6)
		s, err := NewSearch(in, Options{Bounding: Bounding(rapid.IntRange(0, 1).Draw(t, "bounding"))})
		if err != nil {
			t.Fatal(err)
		}
		n, first, last, free := s.root, []int(nil), []int(nil), in.jobsInOrder()
		for len(free) > 0 {
			var c children
			s.bound(&n, s.times, &limits{100, 100}, &c)
			for i, j := range free {
				rest := append(append([]int(nil), free[:i]...), free[i+1:]...)
				atFrontBest := optimum(in, append(first[:len(first):len(first)], j), rest, last)
				atBackBest := optimum(in, first, rest, append([]int{j}, last...))
				front, back := int(c.bounds[atFront][j]), int(c.bounds[atBack][j])
				if front > atFrontBest || back > atBackBest {
					t.Fatalf("%v %v %v, job %d: bounds %d and %d of %d and %d", first, free, last, j, front, back, atFrontBest, atBackBest)
				}
				if len(free) == 1 && (front != atFrontBest || back != atBackBest) {
					t.Fatalf("%v %v %v: bounds %d and %d of %d", first, free, last, front, back, atFrontBest)
				}
			}
			i, end := rapid.IntRange(0, len(free)-1).Draw(t, "job"), rapid.IntRange(0, 1).Draw(t, "end")
			j, child := free[i], node{}
			n.fixJob(end, j, &s.byJob[j], in.Machines, &child)
			n = child
			free = append(append([]int(nil), free[:i]...), free[i+1:]...)
			if end == atFront {
				first = append(first, j)
			} else {
				last = append([]int{j}, last...)
			}
		}
	})
}

// leastEnd tries all orders of the jobs, with the same order on both machines. It returns the earliest time at which
// the second machine has completed all jobs. Each job waits for its lag between the machines.
func leastEnd(first, second int16, times [2]row, lag, jobs []int16) int16 {
	if len(jobs) == 0 {
		return second
	}
	best := int16(math.MaxInt16)
	for i, job := range jobs {
		rest := append(append([]int16(nil), jobs[:i]...), jobs[i+1:]...)
		through := first + times[0][job]
		best = min(best, leastEnd(through, max(second, through+lag[job])+times[1][job], times, lag, rest))
	}
	return best
}

// TestTwoMachineBound checks that the two-machine bound is the makespan of the best order for the worst pair of
// machines.
func TestTwoMachineBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInstance(t, 6)
		s, err := NewSearch(in, Options{Bounding: TwoMachine})
		if err != nil {
			t.Fatal(err)
		}
		n, free := s.root, []int16(nil)
		for job := range in.Jobs {
			if end := rapid.IntRange(0, 3).Draw(t, "end"); end <= atBack {
				child := node{}
				n.fixJob(end, job, &s.byJob[job], in.Machines, &child)
				n = child
			} else {
				free = append(free, int16(job))
			}
		}
		want := int16(0)
		for u := range in.Machines {
			lag := make([]int16, in.Jobs)
			for v := u + 1; v < in.Machines; v++ {
				want = max(want, n.back[v]+leastEnd(n.front[u], n.front[v], [2]row{s.times[u], s.times[v]}, lag, free))
				for job := range lag {
					lag[job] += s.times[v][job]
				}
			}
		}
		if got := newJohnsonBounds(s).twoMachineBound(&n); got != want {
			t.Fatalf("%v free: bound %d, want %d", free, got, want)
		}
	})
}

// TestBoundTwin checks that the assembly equals the specification for 1 to 32 machines, also at the limits.
func TestBoundTwin(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	twin := boundFor(isa.Detect())
	for i := range 2000 {
		times := make([]row, 1+i%lanes)
		var n node
		for _, v := range append([]*row{&n.front, &n.back, &n.remain}, pointers(times)...) {
			for k := range v {
				v[k] = int16(r.IntN(1 + r.IntN(1000)))
			}
		}
		l := limits{int16(r.IntN(4000)), int16(r.IntN(4000))}
		var got, want children
		bound(&n, times, &l, &want)
		if i%3 == 0 { // exactly equal to a bound
			l.prune, l.reference = want.bounds[0][r.IntN(lanes)], want.bounds[1][r.IntN(lanes)]
			bound(&n, times, &l, &want)
		}
		twin(&n, times, &l, &got)
		if got != want {
			t.Fatalf("%d machines: %+v, want %+v", len(times), got, want)
		}
	}
}

func pointers(rows []row) []*row {
	var p []*row
	for i := range rows {
		p = append(p, &rows[i])
	}
	return p
}

// TestSplit checks that giving away any part at any time changes neither the number of sub-problems nor the number of
// permutations.
func TestSplit(t *testing.T) {
	in := Generate(10, 10, 31108)
	_, best := in.NewHeuristic(1).Improve(t.Context(), 200, 0)
	s := search(t, in, Options{Bound: best})
	want := s.Solve().Nodes()
	if want < 500 {
		t.Fatalf("a tree of %d sub-problems is no test", want)
	}
	rapid.Check(t, func(t *rapid.T) {
		first := s.NewPool()
		first.Plant()
		pools, total := []*Pool{first}, int64(0)
		for len(pools) > 0 {
			i := rapid.IntRange(0, len(pools)-1).Draw(t, "pool")
			p := pools[i]
			p.Work(rapid.IntRange(0, 200).Draw(t, "steps"))
			if p.Empty() != (p.Amount() == 0) {
				t.Fatalf("empty is %v with %v left", p.Empty(), p.Amount())
			}
			if p.Empty() {
				total += p.Nodes()
				pools = append(pools[:i], pools[i+1:]...)
				continue
			}
			before, parcel, fraction := p.Amount(), []byte(nil), 0.
			if rapid.Bool().Draw(t, "take") {
				parcel = p.Take(rapid.IntRange(1, 3).Draw(t, "units"))
			} else {
				fraction = rapid.OneOf(rapid.Float64Range(0.001, 0.999), rapid.Just(0.9999999)).Draw(t, "fraction")
				parcel = p.Split(fraction)
			}
			if parcel == nil {
				if before >= 2*float64(s.factorial[in.Jobs*9/16]) {
					t.Fatalf("nothing of %v", before)
				}
				continue
			}
			if fraction > 0 && p.remaining() != uint64(before)-p.parcelSize(fraction*before, uint64(before)) {
				t.Fatalf("%v of %v left %v", fraction, before, p.Amount())
			}
			if p.Empty() {
				t.Fatalf("%v of %v left nothing", fraction, before)
			}
			q := s.NewPool()
			q.Merge(parcel)
			if p.remaining() >= uint64(before)+512 || q.Empty() {
				t.Fatalf("%v became %v and %v", before, p.Amount(), q.Amount())
			}
			if len(pools) < 30 {
				pools = append(pools, q)
			} else {
				pools[rapid.IntRange(0, len(pools)-1).Draw(t, "receiver")].Merge(parcel)
			}
		}
		if total != want {
			t.Fatalf("%d sub-problems in parts, %d in one", total, want)
		}
	})
}

// TestSharedTrees checks that local and simulated peers decompose each sub-problem exactly once.
func TestSharedTrees(t *testing.T) {
	in := Generate(11, 15, 31108)
	_, best := in.NewHeuristic(1).Improve(t.Context(), 300, 0)
	s := search(t, in, Options{Bound: best})
	want := s.Solve().Nodes()
	model := simulate.Model{Step: 100000, Latency: 20000, Overhead: 1000, Bandwidth: 1e9}
	for p := overlay.TR; p < overlay.Keep; p++ {
		for _, peers := range []int{1, 2, 60} {
			net, err := overlay.New(overlay.Options{Protocol: p, Peers: peers, Seed: 2})
			if err != nil {
				t.Fatal(err)
			}
			for _, simulated := range []bool{true, false} {
				pools := make([]overlay.Pool, peers)
				for i := range pools {
					pools[i] = s.NewPool()
				}
				pools[net.Holder()].(*Pool).Plant()
				if simulated {
					_, err = simulate.Run(context.Background(), model, net, pools)
				} else {
					_, err = local.Run(context.Background(), net, pools, 50)
				}
				if err != nil {
					t.Fatal(p, err)
				}
				nodes := int64(0)
				for _, pool := range pools {
					nodes += pool.(*Pool).Nodes()
				}
				if nodes != want {
					t.Errorf("%v, %d peers, simulated %v: %d sub-problems, want %d", p, peers, simulated, nodes, want)
				}
			}
		}
	}
}

func TestFaultyInstances(t *testing.T) {
	for _, in := range []*Instance{
		instance(t, 31),
		{Name: "none"},
		{Name: "negative", Jobs: 1, Machines: 1, Times: [][]int{{-1}}},
		{Name: "long", Jobs: 1, Machines: 1, Times: [][]int{{1 << 20}}},
	} {
		if _, err := NewSearch(in, Options{}); err == nil {
			t.Errorf("%s is accepted", in.Name)
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	in := instance(b, 30)
	s := search(b, in, Options{Bound: in.Best})
	p := s.NewPool()
	for b.Loop() {
		if p.Empty() {
			p.Plant()
		}
		p.Work(10000)
	}
	b.ReportMetric(float64(p.Nodes())/b.Elapsed().Seconds()/1e6, "Mnodes/s")
}
