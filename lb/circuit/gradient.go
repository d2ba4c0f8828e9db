package circuit

import "fmt"

// A GradientRule says which loads the heavier element sends. dif is the lead of the heavier element: its total minus
// the total of the lighter one. Sending a load w changes the lead to dif-2w.
type GradientRule uint8

// The rules are possible readings of the condition in Algorithm 2.3 of Demirel and Sbalzarini. w is a load of the
// sender.
const (
	// AsPrinted sends w if w < 2 dif. Then the other element may become the heavier one, with a lead of up to three
	// times the old lead, and no further load moves.
	AsPrinted GradientRule = iota
	// Improving sends w if w < dif. Each move lessens the difference of the two totals.
	Improving
	// Under sends w if 2w <= dif. The sender stays the heavier element.
	Under
)

// Gradient is a method in which only the heavier element sends loads. It sends its heaviest loads first, as far as the
// rule allows. The rules Improving and Under never increase the discrepancy; AsPrinted can. The cost is O(n log n), or
// O(n) if the loads are stored in descending order. Source: Demirel and Sbalzarini, Algorithm 2.3.
type Gradient struct {
	Rule GradientRule // the default is AsPrinted
}

// Balance implements [Method].
func (g Gradient) Balance(p Pair, ws *Workspace) {
	p.check()
	sender, dif := p.heavier()
	if dif == 0 {
		return
	}
	for _, i := range orNew(ws).descending(p.Load) {
		// Test the side last: a branch on it is often mispredicted.
		if w := p.Load[i]; g.sends(w, dif) && p.Side[i] == sender {
			p.Side[i] = 1 - sender
			dif -= 2 * w
		}
	}
}

func (g Gradient) sends(w, dif float64) bool {
	switch g.Rule {
	case AsPrinted:
		return w < 2*dif
	case Improving:
		return w < dif
	case Under:
		return 2*w <= dif
	}
	panic(fmt.Sprintf("circuit: unknown gradient rule %d", g.Rule))
}
