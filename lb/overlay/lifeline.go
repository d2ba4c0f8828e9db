package overlay

import "slices"

// lifeline is the protocol of Saraswat and others, "Lifeline-based Global Load Balancing", PPoPP 2011. An idle peer
// asks a few random peers. After randomTries refusals it asks its lifelines, and then no other peer. The lifelines of a
// peer are its neighbours in a fixed graph of low degree and diameter. A lifeline remembers the request and gives half
// of its work as soon as it can.
type lifeline struct {
	lines   []int32
	asked   []bool // asked[i]: lines[i] was asked and has not answered
	tries   int    // number of refusals since the peer became idle
	asking  bool
	waiting []int32 // peers that have asked this peer over their lifelines and still wait
	victims []int32 // peers that may be asked at random; if empty, all peers
}

// randomTries is the number of random peers that are asked before the lifelines. An early version of the protocol Reach
// was simulated with 10,000 peers on the tree T1 and one seed. Its efficiency was
//
//	tries        2      4      8      32
//	           18.9   18.3   15.4   14.3 %
//
// That version asked any peer at random. docs/record/overlay.md has the present efficiency, over ten seeds.
const randomTries = 2

// lifelineBase is the base of the cyclic hypercube, the graph of lifelines. Numbers of peers are written in this base.
// A peer has a lifeline for each digit of its number, to the peer whose number has this digit increased by one,
// cyclically. With base 32, a message among 32,768 peers would need up to 93 hops.
const lifelineBase = 4

// Tags of Ask and Work messages: the kind of request.
const (
	atRandom     = 0
	overLifeline = 1
	atStart      = 2
)

func newLifeline(p *Peer) *lifeline {
	l := &lifeline{lines: cyclicHypercube(p.id, p.Peers(), lifelineBase)}
	l.asked = make([]bool, len(l.lines))
	p.neighbours = l.lines
	return l
}

// cyclicHypercube returns the lifelines of peer id, one for each digit of id, see lifelineBase.
func cyclicHypercube(id int32, peers, base int) []int32 {
	var lines []int32
	v := int(id)
	for place := 1; place < peers; place *= base {
		digit := v / place % base
		rest := v - digit*place
		// Increasing the highest digit may lead past the last peer. Then try the next value of the digit.
		for step := 1; step < base; step++ {
			to := rest + (digit+step)%base*place
			if to < peers {
				if !slices.Contains(lines, int32(to)) {
					lines = append(lines, int32(to))
				}
				break
			}
		}
	}
	return lines
}

func (l *lifeline) onIdle(p *Peer) {
	p.reportIdle()
	if p.done || l.asking || p.Peers() == 1 {
		return
	}
	if l.tries < randomTries {
		l.asking = true
		p.send(Message{To: l.victim(p), Kind: Ask})
		return
	}
	for i, to := range l.lines {
		if !l.asked[i] {
			l.asked[i] = true
			p.send(Message{To: to, Kind: Ask, A: overLifeline})
		}
	}
}

// victim returns a random peer for asking.
func (l *lifeline) victim(p *Peer) int32 {
	if n := len(l.victims); n > 0 {
		return l.victims[p.random.below(n)]
	}
	return p.random.other(p.Peers(), p.id)
}

func (l *lifeline) receive(p *Peer, m Message) {
	l.listen(p, m)
	l.onWorked(p)
}

func (l *lifeline) listen(p *Peer, m Message) {
	switch m.Kind {
	case Ask:
		if m.A == overLifeline {
			l.waiting = append(l.waiting, m.From)
		} else if parcel := p.pool.Split(0.5); parcel != nil {
			p.give(m.From, parcel, atRandom)
		} else {
			p.send(Message{To: m.From, Kind: Refuse})
		}
	case Refuse:
		l.asking = false
		l.tries++
	case Work:
		l.tries = 0
		if m.A == overLifeline {
			l.asked[slices.Index(l.lines, m.From)] = false
		} else {
			l.asking = false
		}
		p.take(m)
	case Report:
		p.recordReport(p.childIndex(m.From), m.A, m.B)
	}
}

// onWorked serves the peers that wait.
func (l *lifeline) onWorked(p *Peer) {
	for len(l.waiting) > 0 {
		parcel := p.pool.Split(0.5)
		if parcel == nil {
			return
		}
		p.give(l.waiting[0], parcel, overLifeline)
		l.waiting = l.waiting[1:]
	}
}
