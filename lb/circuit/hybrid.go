package circuit

// A Protocol says which method each round uses. Rounds are counted from 1.
type Protocol interface {
	Round(round int) Method
}

// Always is the protocol that uses one method in every round.
type Always struct{ Method Method }

// Round implements [Protocol].
func (a Always) Round(int) Method { return a.Method }

// Hybrid balances with SortedGreedy in round 1 and with Later afterwards.
//
// Demirel and Sbalzarini contradict themselves about the later method of their HybridBalancer. The text and the figures
// say Gradient. Algorithm 3.1 and Section 1.3 say Greedy. See [HybridGradient] and [HybridGreedy].
type Hybrid struct {
	Later Method // nil means Gradient with its default rule AsPrinted
}

// Round implements [Protocol].
func (h Hybrid) Round(round int) Method {
	switch {
	case round <= 1:
		return SortedGreedy{}
	case h.Later == nil:
		return Gradient{}
	}
	return h.Later
}

// HybridGradient returns the HybridBalancer of the text and figures of Demirel and Sbalzarini.
func HybridGradient() Hybrid { return Hybrid{Later: Gradient{}} }

// HybridGreedy returns the HybridBalancer of Algorithm 3.1 of Demirel and Sbalzarini.
func HybridGreedy() Hybrid { return Hybrid{Later: Greedy{}} }
