package overlay

import "math"

// Master-worker after Mezmaz, Melab and Talbi, "A Grid-enabled Branch and Bound
// Algorithm for Solving Challenging Combinatorial Optimization Problems", IPDPS
// 2007. Peer 0 is the master and does no work of its own. It knows about how
// much every worker has; a worker without work asks it, and it has the one with
// the most give half.
//
// Mezmaz's master halves its own copy of the owner's interval and tells the owner
// afterwards, so that a little is explored twice (0.39 % there). Here the owner
// halves what it has, so that any divisible work will do and nothing is done
// twice; the owner's reply costs a message.

// newCentral returns the part of a peer of MW.
func newCentral(p *Peer) strategy {
	switch {
	case p.Peers() == 1:
		return &stealing{}
	case p.id > 0:
		return &worker{}
	}
	p.master = true
	return &master{amount: make([]float64, p.Peers()), ordered: make([]bool, p.Peers())}
}

// master is peer 0. The run is over when every worker waits: a worker waits from
// its request on until an order names it, and can obtain work from an order
// alone. While all wait no order stands, so no parcel is on its way.
type master struct {
	amount  []float64 // last known, of each worker
	ordered []bool    // workers with an order that they have not answered
	queue   []int32   // workers that wait
}

func (m *master) idle(*Peer) {}

func (m *master) worked(*Peer) {}

func (m *master) receive(p *Peer, msg Message) {
	from := msg.From
	switch msg.Kind {
	case Ask:
		m.amount[from] = 0
		m.queue = append(m.queue, from)
	case Amount:
		m.amount[from] = math.Float64frombits(uint64(msg.A))
	case Gave:
		m.ordered[from] = false
		if msg.B == 0 {
			// The owner is asked again once it has told that it has more.
			m.amount[from] = 0
			m.queue = append([]int32{int32(msg.A)}, m.queue...)
		} else {
			m.amount[from] /= 2
			m.amount[msg.A] = m.amount[from]
		}
	}
	m.serve(p)
}

// serve gives the first worker everything, and lets workers with the most work
// share with the others.
func (m *master) serve(p *Peer) {
	if p.hasWork() && len(m.queue) > 0 {
		m.amount[m.queue[0]] = p.pool.Amount()
		p.give(m.queue[0], p.pool.Split(1), 0)
		m.queue = m.queue[1:]
	}
	for len(m.queue) > 0 {
		owner := m.richest()
		if owner < 0 {
			break
		}
		m.ordered[owner] = true
		p.send(Message{To: owner, Kind: ShareWith, A: int64(m.queue[0])})
		m.queue = m.queue[1:]
	}
	if len(m.queue) == p.Peers()-1 {
		p.stop()
	}
}

// richest returns the worker with the most work that has no order, or -1.
func (m *master) richest() int32 {
	best, most := int32(-1), 0.0
	for i, a := range m.amount {
		if a > most && !m.ordered[i] {
			best, most = int32(i), a
		}
	}
	return best
}

// worker asks the master for work and tells it how much is left.
type worker struct {
	asking bool
	slices int // since the master was told
}

// tellEvery is how many slices of work pass between two messages that tell the
// master how much is left. Mezmaz: periodically.
const tellEvery = 16

func (w *worker) idle(p *Peer) {
	if !w.asking {
		w.asking, w.slices = true, 0
		p.send(Message{To: 0, Kind: Ask})
	}
}

func (w *worker) receive(p *Peer, m Message) {
	switch m.Kind {
	case Work:
		w.asking = false
		p.take(m)
	case ShareWith:
		parcel := p.pool.Split(0.5)
		gave := int64(0)
		if parcel != nil {
			p.give(int32(m.A), parcel, 0)
			gave = 1
		}
		p.send(Message{To: 0, Kind: Gave, A: m.A, B: gave})
	}
}

func (w *worker) worked(p *Peer) {
	if w.slices++; w.slices%tellEvery == 0 && p.hasWork() {
		p.send(Message{To: 0, Kind: Amount, A: int64(math.Float64bits(p.pool.Amount()))})
	}
}
