package criterion

import "testing"

// offers is a program in which every iteration of the run adds to one element's time,
// growth by growth, and which can hand over that excess for price. Sharing all out anew
// costs dear. It returns the balancings and the total cost.
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

// A balancing that is dear for the whole pays where a cheap move is on offer: at the
// best, every sqrt(2 price/growth) iterations.
func TestBoundedTakesTheOffer(t *testing.T) {
	const n, growth, price, dear = 2000, 0.01, 2.0, 1e5
	balances, told := offers(&Bounded{Iterations: n}, n, growth, price, dear, true)
	if want := n / 20; balances < want*8/10 || balances > want*12/10 {
		t.Errorf("%d balancings, want about %d", balances, want)
	}
	// The least is n plus, for every 20 iterations, the price and growth*20*19/2.
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

// What the move on offer does not remove is no reason to make it.
func TestBoundedWeighsWhatTheOfferRemoves(t *testing.T) {
	c := &Bounded{Iterations: 1000}
	for i := range 1000 {
		c.Observe(Sample{Max: 3, Mean: 1, Min: 0, Balanced: i == 0, Cost: 10, Price: 1, Kept: 3})
		if d := c.Decide(); d.Balance {
			t.Fatalf("iteration %d: %v", i, d)
		}
	}
}
