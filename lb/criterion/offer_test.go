package criterion

import (
	"errors"
	"testing"
)

// The function offers runs a program in which every iteration adds growth to one element's time. The program can move
// that excess to other elements at the cost price, or divide all work anew at the cost dear. It returns the number of
// balancings and the total cost.
func offers(c Criterion, n int, growth, price, dear float64, offered bool) (balances int, total float64) {
	excess := 0.0
	for t := range n {
		s := Sample{Mean: 1, Min: 1, Balanced: t == 0, Cost: dear}
		if t > 0 && c.Decide().Balance {
			s.Balanced, s.Cost, excess = true, price, 0
			balances++
			total += price
		}
		s.Max = 1 + excess
		total += s.Max
		if offered {
			s.Price, s.Kept = price, 1
		}
		c.Observe(s)
		excess += growth
	}
	return balances, total
}

// TestBoundedTakesTheOffer checks that even if dividing all work anew is too expensive, an offered cheap move pays.
// The best time is every sqrt(2 price/growth) iterations.
func TestBoundedTakesTheOffer(t *testing.T) {
	const n, growth, price, dear = 2000, 0.01, 2.0, 1e5
	balances, told := offers(&Bounded{Iterations: n}, n, growth, price, dear, true)
	if want := n / 20; balances < want*8/10 || balances > want*12/10 {
		t.Errorf("%d balancings, want about %d", balances, want)
	}
	// The least cost is n, plus the price and growth*20*19/2 for every 20 iterations.
	if least := n + n/20*(price+1.9); told > 1.01*least {
		t.Errorf("cost %v, the least is %v", told, least)
	}
	if balances, _ := offers(&Bounded{Iterations: n}, n, growth, price, dear, false); balances != 0 {
		t.Errorf("%d balancings for a cost that the run cannot repay", balances)
	}
	if balances, _ := offers(&Bounded{}, n, growth, price, dear, true); balances < 80 || balances > 140 {
		t.Errorf("end unknown: %d balancings, want about 100", balances)
	}
}

// TestBoundedWeighsWhatTheOfferRemoves checks that an imbalance that the offered move does not remove is no reason to
// make the move.
func TestBoundedWeighsWhatTheOfferRemoves(t *testing.T) {
	c := &Bounded{Iterations: 1000}
	for i := range 1000 {
		c.Observe(Sample{Max: 3, Mean: 1, Min: 0, Balanced: i == 0, Cost: 10, Price: 1, Kept: 3})
		if d := c.Decide(); d.Balance {
			t.Fatalf("iteration %d: %v", i, d)
		}
	}
}

// TestControllerTakesTheOffer checks that if cheap moves are offered, a controller makes them at the same time on every
// rank, although dividing all work anew would never save time. The saving is that of the slowest rank.
func TestControllerTakesTheOffer(t *testing.T) {
	const n, growth, price = 1000, 0.01, 2.0
	run := func(offered bool) (balances int) {
		rank := [2]Controller{}
		var reports []Report
		for i := range rank {
			rank[i].Balanced(1e5)
			rank[i].Reduce = func(Report) (Report, error) { return reports[0].Merge(reports[1]), nil }
		}
		excess := 0.0
		for range n {
			if d := rank[0].Decide(); d != rank[1].Decide() {
				t.Fatalf("the ranks decide %v and %v", d, rank[1].Decide())
			} else if d.Balance {
				balances, excess = balances+1, 0
				rank[0].Balanced(price)
				rank[1].Balanced(price)
			}
			reports = reports[:0]
			for i, x := range []float64{1 + excess, 1 - excess/10} {
				if offered {
					rank[i].Offer(price, 1)
				}
				r, err := rank[i].report([]float64{x})
				if err != nil {
					t.Fatal(err)
				}
				reports = append(reports, r)
			}
			for i, x := range []float64{1 + excess, 1 - excess/10} {
				if err := rank[i].Observe(x); err != nil {
					t.Fatal(err)
				}
			}
			excess += growth
		}
		return balances
	}
	if got := run(true); got < 40 || got > 75 { // the best is every sqrt(2 price/growth) = 20 iterations
		t.Errorf("%d balancings with offers, want about 50", got)
	}
	if got := run(false); got != 0 {
		t.Errorf("%d balancings without offers", got)
	}
}

// TestOfferLastsAnIteration checks that an offer holds for one iteration. A failed reduction does not lose it.
func TestOfferLastsAnIteration(t *testing.T) {
	c := &Controller{}
	c.Offer(3, 1)
	c.Reduce = func(Report) (Report, error) { return Report{}, errors.New("down") }
	if c.Observe(2, 1) == nil {
		t.Error("no error")
	}
	c.Reduce = nil
	for i, want := range []float64{3, 0} {
		if err := c.Observe(2, 1); err != nil || c.Criterion.(*Bounded).s.Price != want {
			t.Errorf("observation %d: %v, price %v, want %v", i, err, c.Criterion.(*Bounded).s.Price, want)
		}
	}
	a, b := Report{Count: 1, Price: 2, Kept: 5}, Report{Count: 1, Price: 3, Kept: 4}
	if m := a.Merge(b); m.Price != 3 || m.Kept != 5 || m != b.Merge(a) {
		t.Errorf("merged %+v", m)
	}
}
