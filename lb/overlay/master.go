package overlay

import "math"

// Master-worker (MW) is by Mezmaz, Melab and Talbi, "A Grid-enabled Branch and Bound Algorithm for Solving Challenging
// Combinatorial Optimization Problems", IPDPS 2007. Peer 0 is the master and does no work of its own. It knows roughly
// how much work every worker has. A worker without work asks the master, which orders the worker with the most work to
// give it half.
//
// Mezmaz's master halves its own copy of the giver's work and tells the giver afterwards. So a little work is done
// twice: 0.39 % in the runs of that paper. Here the giver halves its work itself and then replies to the master. No
// work is done twice, but the reply costs a message.

// newCentral returns the strategy of a peer in MW.
func newCentral(p *Peer) strategy {
	switch {
	case p.Peers() == 1:
		return &stealing{}
	case p.id > 0:
		return &worker{}
	}
	p.master = true
	return &master{amount: make([]float64, p.Peers()), hasOrder: make([]bool, p.Peers())}
}

// A master is the strategy of peer 0. The run is over when every worker waits. A worker waits from its request until an
// order names it, and gets work only by an order. So while all workers wait, no order is open and no parcel is on its
// way.
type master struct {
	amount   []float64 // last known amount of each worker
	hasOrder []bool    // by worker: it has not answered an order
	queue    []int32   // workers that wait, in order
}

func (m *master) onIdle(*Peer) {}

func (m *master) onWorked(*Peer) {}

func (m *master) receive(p *Peer, msg Message) {
	from := msg.From
	switch msg.Kind {
	case Ask:
		m.amount[from] = 0
		m.queue = append(m.queue, from)
	case Amount:
		m.amount[from] = math.Float64frombits(uint64(msg.A))
	case Gave:
		m.hasOrder[from] = false
		if msg.B == 0 {
			// An amount of 0 keeps the master from sending this worker another order until the worker reports an
			// amount.
			m.amount[from] = 0
			m.queue = append([]int32{int32(msg.A)}, m.queue...)
		} else {
			m.amount[from] /= 2
			m.amount[msg.A] = m.amount[from]
		}
	}
	m.serve(p)
}

// serve gives all work that the master has to the first waiting worker. For each other waiting worker, it orders the
// worker with the most work to give half of that work to the waiting one.
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
		m.hasOrder[owner] = true
		p.send(Message{To: owner, Kind: ShareWith, A: int64(m.queue[0])})
		m.queue = m.queue[1:]
	}
	if len(m.queue) == p.Peers()-1 {
		p.stop()
	}
}

// richest returns the worker with the most work among those that have no open order, or -1.
func (m *master) richest() int32 {
	best, most := int32(-1), 0.0
	for i, a := range m.amount {
		if a > most && !m.hasOrder[i] {
			best, most = int32(i), a
		}
	}
	return best
}

// A worker is the strategy of the other peers. It asks the master for work, and tells the master how much is left.
type worker struct {
	asking bool
	slices int // number of slices since the worker last asked for work
}

// tellEvery is the number of slices of work after which a worker tells the master how much is left. Mezmaz and others
// only say "periodically".
const tellEvery = 16

func (w *worker) onIdle(p *Peer) {
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

func (w *worker) onWorked(p *Peer) {
	if w.slices++; w.slices%tellEvery == 0 && p.hasWork() {
		p.send(Message{To: 0, Kind: Amount, A: int64(math.Float64bits(p.pool.Amount()))})
	}
}
