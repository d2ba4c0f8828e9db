package circuit

// Diffuse does a round of first-order diffusion: over every edge goes the
// difference of the ends' totals at the start of the round, over one more than the
// greatest degree, as near as [Exchange] with one load in its fit comes. All edges
// send at the same time by the totals of the start, so no circuit is needed; they
// are visited one after the other here, each with the loads that are left. It
// returns the number of moves.
//
// Source: G. Cybenko, "Dynamic load balancing for distributed memory
// multiprocessors", 1989.
func (n *Network) Diffuse(ws *Workspace) (moves int) {
	ws = orNew(ws)
	totals, share := n.Totals(), 1/float64(n.Graph.MaxDegree()+1)
	return n.RoundOf(func(_ int, e Edge, p Pair) {
		sender, from, to := uint8(0), e.U, e.V
		if totals[e.V] > totals[e.U] {
			sender, from, to = 1, e.V, e.U
		}
		Exchange{MaxLoads: 1}.Transfer(p, sender, share*(totals[from]-totals[to]), 0, ws)
	})
}
