package circuit

import "fmt"

// A GradientRule says which loads the heavier element sends while it leads by dif. Sending a load w changes the lead to
// dif-2w.
type GradientRule uint8

// The rules are possible readings of the condition in Algorithm 2.3 of Demirel and Sbalzarini. w is a load of the
// sender, and dif is the sender's total minus the other element's total.
const (
	// AsPrinted sends w if w < 2 dif. The other element may then lead by up to three times the old lead, after which
	// nothing more moves.
	AsPrinted GradientRule = iota
	// Improving sends w if w < dif, so that each move lessens the discrepancy.
	Improving
	// Under sends w if 2w <= dif, so that the sender stays the heavier element.
	Under
)

// With Gradient only the heavier element sends loads. It sends its heaviest loads first, as far as the rule allows. The
// rules Improving and Under never increase the discrepancy; AsPrinted can. Cost O(n log n), or O(n) if the loads are
// stored in descending order. Source: Demirel and Sbalzarini, Algorithm 2.3.
type Gradient struct {
	Rule GradientRule // default AsPrinted
}

// Balance implements [Method].
func (g Gradient) Balance(p Pair, ws *Workspace) {
	p.check()
	sender, dif := p.heavier()
	if dif == 0 {
		return
	}
	for _, i := range orNew(ws).descending(p.Load) {
		// The side is tested last because a branch on it is often mispredicted.
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
