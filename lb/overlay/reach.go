package overlay

func newReach(p *Peer) strategy { return newLifeline(p) }
