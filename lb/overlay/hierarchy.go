package overlay

// The adaptive hierarchical master-worker protocol (AHMW) is by Bendjoudi, Melab and Talbi, "An adaptive hierarchical
// master-worker (AHMW) framework for grids: Application to B&B algorithms", JPDC 72(2), 2012. This file follows the
// description of Vu and others.
//
// Peers with children are masters, and peers without are workers. A master hands out sub-problems one at a time. A
// master without sub-problems gets one from its parent, or half of those of another master of its level. It works on a
// sub-problem from its parent for one slice, which makes many smaller ones.
//
// The description does not say what happens to large sub-problems. Here a worker that has not finished after
// returnAfter slices returns half of its remaining work to its master. Otherwise a run would wait for the largest
// sub-problem.

// newHierarchy returns the strategy of a peer in AHMW.
func newHierarchy(p *Peer) strategy {
	if len(p.children) == 0 {
		return &leafWorker{}
	}
	h := &levelMaster{}
	h.start, h.end = p.level(int(p.id))
	p.master = true
	return h
}

// A levelMaster is the strategy of a peer with children.
type levelMaster struct {
	start, end    int // range of the masters of the same level
	queue         []int32
	parentAsked   bool
	colleagueWait bool // a master of the same level was asked and has not answered
}

func (h *levelMaster) onIdle(p *Peer) {
	p.master = true
	p.reportIdle()
	if p.done || len(h.queue) == 0 {
		return
	}
	if p.parent >= 0 && !h.parentAsked {
		h.parentAsked = true
		p.send(Message{To: p.parent, Kind: Ask})
	}
	if n := h.end - h.start; n > 1 && !h.colleagueWait {
		h.colleagueWait = true
		to := int32(h.start) + p.random.other(n, p.id-int32(h.start))
		p.send(Message{To: to, Kind: Ask, A: 1})
	}
}

func (h *levelMaster) receive(p *Peer, m Message) {
	switch m.Kind {
	case Ask:
		if m.A == 0 {
			h.queue = append(h.queue, m.From)
		} else if parcel := p.pool.Split(0.5); parcel != nil {
			p.give(m.From, parcel, 1)
		} else {
			p.send(Message{To: m.From, Kind: Refuse})
		}
	case Refuse:
		h.colleagueWait = false
	case Report:
		p.recordReport(p.childIndex(m.From), m.A, m.B)
	case Work:
		p.take(m)
		switch {
		case m.A == 1:
			h.colleagueWait = false
		case m.From == p.parent:
			h.parentAsked = false
			p.master = false // the peer itself expands the received work for one slice
			return
		}
	}
	h.serve(p)
}

func (h *levelMaster) onWorked(p *Peer) {
	p.master = true
	h.serve(p)
}

// serve hands out sub-problems to the children that wait.
func (h *levelMaster) serve(p *Peer) {
	for len(h.queue) > 0 && p.hasWork() {
		parcel := p.pool.Take(1)
		if parcel == nil {
			parcel = p.pool.Split(1)
		}
		p.give(h.queue[0], parcel, 0)
		h.queue = h.queue[1:]
	}
}

// A leafWorker is the strategy of a peer without children.
type leafWorker struct {
	asking bool
	slices int // number of slices since the worker received work
}

// returnAfter is the number of slices for which a worker works on one sub-problem. It then returns half of its
// remaining work.
const returnAfter = 32

func (w *leafWorker) onIdle(p *Peer) {
	p.reportIdle()
	if !w.asking && p.parent >= 0 {
		w.asking, w.slices = true, 0
		p.send(Message{To: p.parent, Kind: Ask})
	}
}

func (w *leafWorker) receive(p *Peer, m Message) {
	if m.Kind == Work {
		w.asking = false
		p.take(m)
	}
}

func (w *leafWorker) onWorked(p *Peer) {
	if w.slices++; w.slices%returnAfter != 0 || p.parent < 0 {
		return
	}
	if parcel := p.pool.Split(0.5); parcel != nil {
		p.give(p.parent, parcel, 0)
	}
}
