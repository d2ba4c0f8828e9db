package overlay

import "slices"

// tree is the protocol of Vu and others (Section II). An idle peer asks its children one after another. Once all its
// children have asked the peer for work, it asks its parent. A peer that is asked while idle does not answer. It
// remembers the request and serves it when it has work. With bridges, an idle peer also asks a distant peer at the same
// time.
//
// The paper leaves these points open:
//
//   - A bridge is drawn at random once, when the overlay is built.
//   - Requests over bridges are served first, then the request of the parent. Each request gets its fraction of
//     the work that is left at that time.
//   - Children are served last, with fractions of the work that is left for the subtree. If all of them wait, each gets
//     a part in proportion to the size of its subtree, and the peer keeps the part of a single peer.
//   - A peer that has asked its parent and gets work from elsewhere withdraws the request. The parent may then ask this
//     peer. Otherwise work that came over a bridge could leave the subtree only over another bridge. Of 128 peers, one
//     then did all the work.
//   - If a pool cannot be divided, the request stays until it can.
//
// A child's report is also its request to the parent. The request waits as long as the report is valid, see detect.go.
type tree struct {
	askedChild  int     // index of the child that was asked and has not answered, or -1
	parentWaits bool    // the parent has asked
	bridges     []int32 // peers that have asked over their bridges
	bridgeSizes []int64 // sizes of the subtrees of these peers
	bridgeAsked bool
}

func newTree(p *Peer) *tree {
	if p.bridge != nil {
		p.neighbours = []int32{p.bridge[p.id]}
	}
	return &tree{askedChild: -1}
}

func (t *tree) onIdle(p *Peer) {
	if p.bridge != nil && !t.bridgeAsked {
		t.bridgeAsked = true
		p.send(Message{To: p.bridge[p.id], Kind: Ask, A: int64(p.size[p.id])})
	}
	if t.askedChild >= 0 {
		return
	}
	if p.missing > 0 {
		t.askedChild = p.nthMissing(p.random.below(p.missing))
		p.send(Message{To: p.children[t.askedChild], Kind: Ask})
		return
	}
	// The report also answers the parent's request, so the parent no longer waits.
	t.parentWaits = false
	p.reportIdle()
}

func (t *tree) receive(p *Peer, m Message) {
	child := p.childIndex(m.From)
	switch m.Kind {
	case Ask:
		if m.A > 0 {
			t.bridges, t.bridgeSizes = append(t.bridges, m.From), append(t.bridgeSizes, m.A)
		} else if p.hasWork() || !p.lastReport.valid {
			t.parentWaits = true
		}
	case Report:
		p.recordReport(child, m.A, m.B)
		if t.askedChild == child {
			t.askedChild = -1
		}
	case Withdraw:
		p.voidReport(child) // has no effect if work for the child is on its way
	case Work:
		p.take(m)
		t.noteAnswered(p, m, child)
	}
	t.serve(p)
}

// Tags of parcels: the kind of request that a parcel answers.
const (
	overTree   = 0
	overBridge = 1
)

// noteAnswered notes which request a parcel answers.
func (t *tree) noteAnswered(p *Peer, m Message, child int) {
	switch {
	case m.A == overBridge:
		t.bridgeAsked = false
	case m.From == p.parent:
		// The parent may have sent this work before it received this peer's last report. The parent then still takes
		// that report for valid.
		p.lastReport.valid = p.lastReport.valid && m.B < p.lastReport.number
	case t.askedChild == child:
		t.askedChild = -1
	}
	if p.lastReport.valid {
		p.lastReport.valid = false
		p.send(Message{To: p.parent, Kind: Withdraw})
	}
}

func (t *tree) onWorked(p *Peer) { t.serve(p) }

// serve gives work to all peers that wait, as long as there is work.
func (t *tree) serve(p *Peer) {
	if !t.parentWaits && p.missing == len(p.children) && len(t.bridges) == 0 || !p.hasWork() {
		return
	}
	own := float64(p.size[p.id])
	for len(t.bridges) > 0 {
		other := float64(t.bridgeSizes[0])
		if !t.tryGive(p, t.bridges[0], other/(other+own), overBridge) {
			return
		}
		t.bridges, t.bridgeSizes = slices.Delete(t.bridges, 0, 1), slices.Delete(t.bridgeSizes, 0, 1)
	}
	if t.parentWaits {
		whole := float64(p.size[p.parent])
		if !t.tryGive(p, p.parent, (whole-own)/whole, overTree) {
			return
		}
		t.parentWaits = false
	}
	left := own
	for i, c := range p.children {
		if !p.childReports[i].valid {
			continue
		}
		size := float64(p.size[c])
		if !t.tryGive(p, c, size/left, overTree) {
			return
		}
		left -= size
		p.voidReport(i)
	}
}

// tryGive gives a fraction of the pool to another peer. It returns false if the pool has nothing to give.
func (t *tree) tryGive(p *Peer, to int32, fraction float64, tag int64) bool {
	parcel := p.options.Share.portion(p.pool, fraction)
	if parcel == nil {
		return false
	}
	p.give(to, parcel, tag)
	return true
}
