package criterion

import (
	"errors"
	"math"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// drifting returns the times of an iteration of the given age.
func drifting(age int) []float64 {
	x := 0.02 * float64(age)
	return []float64{1 - x/3, 1 - x/3, 1 - x/3, 1 + x}
}

// lead runs n iterations and lets the controller decide. It returns the iterations before which the controller
// balanced, and the age at the end.
func lead(t *testing.T, c *Controller, from, n, age int) (balances []int, last int) {
	t.Helper()
	for i := from; i < from+n; i++ {
		if c.Decide().Balance {
			balances, age = append(balances, i), 0
			c.Balanced(3)
		}
		if err := c.Observe(drifting(age)...); err != nil {
			t.Fatal(err)
		}
		age++
	}
	return balances, age
}

// TestControllerNeedsNoFirstCost checks that a controller balances even if the cost of the first distribution is
// unknown, and learns the cost of balancing.
func TestControllerNeedsNoFirstCost(t *testing.T) {
	balances, _ := lead(t, &Controller{}, 0, 200, 0)
	if len(balances) < 5 || len(balances) > 14 {
		t.Errorf("balances %v; want about ten", balances)
	}
}

// TestControllerStoresItsState checks a controller that is restored from its state. It must make the decisions of a run
// that was not interrupted.
func TestControllerStoresItsState(t *testing.T) {
	whole, _ := lead(t, &Controller{}, 0, 120, 0)
	for stop := range 120 {
		c := &Controller{}
		first, age := lead(t, c, 0, stop, 0)
		data, err := c.State()
		if err != nil {
			t.Fatal(err)
		}
		next := &Controller{}
		if err := next.Restore(data); err != nil {
			t.Fatal(err)
		}
		rest, _ := lead(t, next, stop, 120-stop, age)
		if got := append(first, rest...); len(got) != len(whole) || got[len(got)-1] != whole[len(whole)-1] {
			t.Fatalf("stored after %d iterations: %v, want %v", stop, got, whole)
		}
	}
}

// TestControllerRefusesDamagedStates checks that Restore returns an error for a damaged state. A state that it
// accepts causes no failure later.
func TestControllerRefusesDamagedStates(t *testing.T) {
	c := &Controller{}
	lead(t, c, 0, 50, 0)
	data, err := c.State()
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		damaged := []byte(string(data))
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			damaged[rapid.IntRange(0, len(damaged)-1).Draw(t, "at")] = rapid.SampledFrom([]byte("0189-.,[]{}n")).Draw(t, "byte")
		}
		d := &Controller{}
		if d.Restore(damaged) != nil {
			return
		}
		for age := range 10 {
			d.Decide()
			if err := d.Observe(drifting(age)...); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestControllerRefusesByName checks that the error names an invalid time or cost, and the controller still balances
// afterwards.
func TestControllerRefusesByName(t *testing.T) {
	for want, observe := range map[string]func(c *Controller) error{
		"processing element 2 is NaN":            func(c *Controller) error { return c.Observe(1, 1, math.NaN(), 1) },
		"processing element 0 is +Inf":           func(c *Controller) error { return c.Observe(math.Inf(1), 1, 1, 1) },
		"processing element 3 is -1":             func(c *Controller) error { return c.Observe(1, 1, 1, -1) },
		"offer cost NaN and leave 1":             func(c *Controller) error { c.Offer(math.NaN(), 1); return c.Observe(1, 1, 1, 1) },
		"offer cost 1 and leave -2":              func(c *Controller) error { c.Offer(1, -2); return c.Observe(1, 1, 1, 1) },
		"cost of balancing is NaN; expected a f": func(c *Controller) error { c.Balanced(math.NaN()); return c.Observe(1, 1, 1, 1) },
	} {
		for _, k := range []Criterion{nil, &Menon{}} {
			c := &Controller{Criterion: k}
			c.Balanced(3)
			lead(t, c, 0, 10, 0)
			if err := observe(c); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v; want %q", err, want)
			}
			if balances, _ := lead(t, c, 11, 100, 11); len(balances) < 3 {
				t.Errorf("%T after %q: balances %v; want at least 3", c.Criterion, want, balances)
			}
		}
	}
}

// TestControllerKeepsTheCost checks that an invalid cost does not count as 0. The cost of the previous balancing
// replaces it.
func TestControllerKeepsTheCost(t *testing.T) {
	for _, c := range []struct{ cost, want float64 }{{math.NaN(), 10}, {-1, 10}, {7, 7}} {
		m := &Menon{}
		control := &Controller{Criterion: m}
		control.Balanced(10)
		if err := control.Observe(1, 1); err != nil {
			t.Fatal(err)
		}
		control.Balanced(c.cost)
		if err := control.Observe(math.NaN(), 1); err == nil {
			t.Error("no error")
		}
		if err := control.Observe(3, 1); err != nil {
			t.Fatal(err)
		}
		if d := control.Decide(); d.Limit != c.want {
			t.Errorf("after a cost of %v: %v, want a limit of %v", c.cost, d, c.want)
		}
	}
}

// allReduce returns a function that merges the reports of n ranks in each iteration.
func allReduce(n int) func(Report) (Report, error) {
	var mu sync.Mutex
	arrived := sync.NewCond(&mu)
	var sum, done Report
	count, round := 0, 0
	return func(r Report) (Report, error) {
		mu.Lock()
		defer mu.Unlock()
		mine := round
		sum = sum.Merge(r)
		if count++; count == n {
			done, sum, count = sum, Report{}, 0
			round++
			arrived.Broadcast()
		}
		for round == mine {
			arrived.Wait()
		}
		return done, nil
	}
}

// TestRanksAgree checks that ranks with one element each make equal decisions, even if a rank measures an invalid time.
func TestRanksAgree(t *testing.T) {
	const ranks, iterations = 4, 100
	reduce := allReduce(ranks)
	var all [ranks][]int
	var wg sync.WaitGroup
	for rank := range ranks {
		wg.Go(func() {
			c := &Controller{Reduce: reduce}
			age := 0
			for i := range iterations {
				if c.Decide().Balance {
					all[rank], age = append(all[rank], i), 0
					c.Balanced(2 + float64(rank)/4)
				}
				x := drifting(age)[rank]
				if rank == 1 && i == 30 {
					x = math.NaN()
				}
				err := c.Observe(x)
				if bad := i == 30; bad != (err != nil) || bad && rank != 1 && !errors.Is(err, ErrElsewhere) {
					t.Errorf("rank %d, iteration %d: %v", rank, i, err)
				}
				age++
			}
		})
	}
	wg.Wait()
	for rank := range ranks {
		if len(all[rank]) < 3 || len(all[rank]) != len(all[0]) || all[rank][2] != all[0][2] {
			t.Errorf("rank %d balances %v, rank 0 %v", rank, all[rank], all[0])
		}
	}
}

// TestControllerPassesErrors checks that a failed reduction is reported as an error, and the balancing before it is
// not forgotten.
func TestControllerPassesErrors(t *testing.T) {
	down := errors.New("the network is down")
	c := &Controller{Reduce: func(Report) (Report, error) { return Report{}, down }}
	c.Balanced(3)
	if err := c.Observe(1, 2); !errors.Is(err, down) {
		t.Errorf("%v", err)
	}
	c.Reduce = nil
	if err := c.Observe(1, 2); err != nil || c.Criterion.(*Bounded).s.Cost.N != 1 {
		t.Errorf("%v; the cost was forgotten", err)
	}
	if _, err := (&Controller{Criterion: &Menon{}}).State(); err == nil {
		t.Error("stored the state of a criterion that has none to store")
	}
}

// TestControllerKeepsWhatARefusedIterationTold checks that a refused iteration is counted, and a balancing before it
// is reported with the next valid iteration.
func TestControllerKeepsWhatARefusedIterationTold(t *testing.T) {
	b := &Bounded{}
	c := Controller{Criterion: b}
	if err := c.Observe(1, 3); err != nil {
		t.Fatal(err)
	}
	c.Balanced(7)
	for range 2 {
		if err := c.Observe(1, math.NaN()); err == nil {
			t.Fatal("a time that is no number is not refused")
		}
	}
	if err := c.Observe(1, 1); err != nil {
		t.Fatal(err)
	}
	if b.s.Seen != 4 || b.s.Cost.N != 1 || b.s.Cost.forecast() != 7 || b.s.Regret.Age != 1 {
		t.Errorf("%d iterations, %d costs of %v, age %d; want 4, 1 of 7, 1", b.s.Seen, b.s.Cost.N, b.s.Cost.forecast(), b.s.Regret.Age)
	}
}

// TestControllerRefusesPayers checks that a state without payers is refused, and a state with more than mostPayers
// payers.
func TestControllerRefusesPayers(t *testing.T) {
	c := &Controller{}
	lead(t, c, 0, 50, 0)
	b := c.Criterion.(*Bounded)
	for _, n := range []int{0, mostPayers + 1} {
		b.s.Ledger.Payers.Old = make([]payer, n)
		data, err := c.State()
		if err != nil {
			t.Fatal(err)
		}
		if err := new(Controller).Restore(data); err == nil || !strings.Contains(err.Error(), "payers; expected 1 to 8") {
			t.Errorf("%d payers: %v", n, err)
		}
	}
}
