package overlay

// reach is our own protocol. Like the tree protocols it begins by handing out
// work down a tree in proportion to the subtrees' sizes, without a request: after
// as many hops as the tree is high everyone has a share. From then on it steals at
// random as RWS does, because a random victim is likely to have work while most
// peers do. A peer that is refused several times in a row stops asking, leaves its
// request with its lifelines, and those divide what they have evenly among
// themselves and all whose requests they hold, instead of by halves.
type reach struct {
	lifeline
	handOut int // children that have not been given their first share
}

func newReach(p *Peer) *reach {
	return &reach{lifeline: *newLifeline(p), handOut: len(p.children)}
}

func (r *reach) receive(p *Peer, m Message) {
	if m.Kind == Work && m.A == atStart {
		r.tries = 0
		p.take(m)
		r.worked(p)
		return
	}
	r.lifeline.listen(p, m)
	r.worked(p)
}

// worked hands out first shares, and then serves the requests that the peer
// holds.
func (r *reach) worked(p *Peer) {
	for r.handOut > 0 {
		rest := p.size[p.id] // less the subtrees that have theirs
		for _, c := range p.children[r.handOut:] {
			rest -= p.size[c]
		}
		child := p.children[r.handOut-1]
		parcel := p.pool.Split(float64(p.size[child]) / float64(rest))
		if parcel == nil {
			return
		}
		r.handOut--
		p.give(child, parcel, atStart)
	}
	for len(r.creditor) > 0 {
		parcel := p.pool.Split(1 / float64(len(r.creditor)+1))
		if parcel == nil {
			return
		}
		p.give(r.creditor[0], parcel, overLifeline)
		r.creditor = r.creditor[1:]
	}
}
