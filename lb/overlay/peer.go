package overlay

import "fmt"

// A Peer is the state of one participant. It is not safe for concurrent use.
type Peer struct {
	*Overlay
	detector
	id         int32
	parent     int32
	children   []int32 // children of this peer in the tree
	neighbours []int32 // peers that are told better bounds, besides parent and children
	pool       Pool
	bounded    Bounded // the pool, if it has a bound; otherwise nil
	bound      int64   // the last bound that was sent to the neighbours
	transport  Transport
	random     random
	strategy   strategy
	master     bool // the peer hands out its work and does none itself
	done       bool
	failed     bool
	counters   Counters
}

// Counters count the messages that a peer has sent.
type Counters struct {
	Requests int64 // messages that ask for work, including reports in the tree protocols
	Messages int64
	Parcels  int64
	Bytes    int64
}

// Add adds the counters of another peer.
func (c *Counters) Add(o Counters) {
	c.Requests += o.Requests
	c.Messages += o.Messages
	c.Parcels += o.Parcels
	c.Bytes += o.Bytes
}

// A strategy is the part of a peer that differs between protocols: where it looks for work, and to whom it gives work.
type strategy interface {
	// onIdle looks for work. Every method of Peer that may leave the pool empty calls onIdle last. onIdle does nothing
	// if the peer is already waiting for an answer.
	onIdle(p *Peer)
	// receive handles a message, except messages that detect termination.
	receive(p *Peer, m Message)
	// onWorked is called after a slice of work.
	onWorked(p *Peer)
}

// Peer returns the state of peer id, whose work lies in pool. At the start only the peer called the Holder has work; the
// pools of all others are empty. Peer returns an error if the protocol is Keep and pool is not an [Accountable].
func (v *Overlay) Peer(id int, pool Pool, t Transport) (*Peer, error) {
	accountable, ok := pool.(Accountable)
	if !ok && v.options.Protocol == Keep {
		return nil, fmt.Errorf("peer %d: the protocol keep needs a pool whose work can be done again (Accountable), not a %T", id, pool)
	}
	p := &Peer{
		Overlay: v, id: int32(id), parent: v.parent[id], children: v.childrenOf(int32(id)),
		pool: pool, transport: t, random: newRandom(v.options.Seed, id),
	}
	p.childReports, p.missing = make([]counts, len(p.children)), len(p.children)
	p.confirm = true
	if b, ok := pool.(Bounded); ok {
		p.bounded, p.bound = b, b.Bound()
	}
	switch v.options.Protocol {
	case TR, TD, BTD:
		p.confirm = v.options.Protocol == BTD
		p.strategy = newTree(p)
	case MW:
		p.strategy = newCentral(p)
	case AHMW:
		p.strategy = newHierarchy(p)
	case Lifeline:
		p.strategy = newLifeline(p)
	case Reach:
		p.strategy = newReach(p)
	case Keep:
		p.strategy = newKeep(p, accountable)
	default:
		p.strategy = &stealing{}
	}
	return p, nil
}

// ID returns the number of the peer.
func (p *Peer) ID() int { return int(p.id) }

// Done reports whether the run is over. It is then over for all peers.
func (p *Peer) Done() bool { return p.done }

// Failed reports whether the run ended for this peer without a result. In the protocol Keep that happens if the peer
// that held the first work crashed. In other protocols it happens if any peer crashed.
func (p *Peer) Failed() bool { return p.failed }

// Counters returns how many messages the peer has sent so far.
func (p *Peer) Counters() Counters { return p.counters }

// Start begins the run.
func (p *Peer) Start() { p.seekWork() }

// Worked must be called after every slice of work, see Pool.Work.
func (p *Peer) Worked() {
	p.sendBound()
	p.strategy.onWorked(p)
	p.seekWork()
}

// Receive handles a message.
func (p *Peer) Receive(m Message) {
	if p.done {
		return
	}
	if p.bounded != nil && m.Value < p.bound {
		p.bounded.Improve(m.Value)
		p.sendBound()
	}
	switch m.Kind {
	case Probe:
		p.probe()
	case Tally:
		p.waiting--
		p.addTally(m.A)
	case Heard:
		p.awaitsAck = false
	case Stop:
		p.stop()
	case Bound:
	case Down:
		p.handleCrash(m)
	default:
		p.strategy.receive(p, m)
	}
	p.seekWork()
}

// handleCrash handles the news of a crash. In every protocol but Keep the run then ends, because work may be lost.
func (p *Peer) handleCrash(m Message) {
	if p.options.Protocol == Keep {
		p.strategy.receive(p, m)
		return
	}
	p.done, p.failed = true, true
}

// seekWork makes an idle peer look for work.
func (p *Peer) seekWork() {
	if !p.done && !p.hasWork() {
		p.strategy.onIdle(p)
	}
}

// sendBound tells the neighbours a better bound, if there is one.
func (p *Peer) sendBound() {
	if p.bounded == nil || p.bounded.Bound() >= p.bound {
		return
	}
	p.bound = p.bounded.Bound()
	if p.parent >= 0 {
		p.send(Message{To: p.parent, Kind: Bound})
	}
	for _, c := range p.children {
		p.send(Message{To: c, Kind: Bound})
	}
	for _, n := range p.neighbours {
		p.send(Message{To: n, Kind: Bound})
	}
}

// send sends a message together with the peer's bound.
func (p *Peer) send(m Message) {
	m.From = p.id
	if p.bounded != nil {
		m.Value = p.bound
	}
	if m.Kind == Ask || m.Kind == Report && p.reportsAskForWork() {
		p.counters.Requests++
	}
	p.counters.Messages++
	p.counters.Bytes += int64(m.Size())
	p.transport.Send(m)
}

// reportsAskForWork reports whether a peer's report to its parent also asks the parent for work.
func (p *Peer) reportsAskForWork() bool { return p.options.Protocol <= BTD }

// give sends a parcel, which is work on its way. tag tells the receiver which of its requests the parcel answers.
func (p *Peer) give(to int32, parcel []byte, tag int64) {
	p.sent++
	p.counters.Parcels++
	m := Message{To: to, Kind: Work, A: tag, Parcel: parcel}
	if child := p.childIndex(to); child >= 0 {
		m.B = p.childReports[child].number
	}
	p.send(m)
}

// take adds the parcel of a message to the pool.
func (p *Peer) take(m Message) {
	p.received++
	p.pool.Merge(m.Parcel)
}

// Busy reports whether the peer has work and does it itself.
func (p *Peer) Busy() bool { return !p.master && p.hasWork() }

// hasWork reports whether the pool has work.
func (p *Peer) hasWork() bool { return !p.pool.Empty() }
