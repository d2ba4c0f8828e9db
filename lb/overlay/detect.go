package overlay

import "slices"

// Termination
//
// Every peer counts the parcels that it sent and received. A peer reports sums to its parent when it is idle and all
// its children in the tree have reported: its own counts plus those that its children reported. It reports again when
// it is idle and the sums have changed. Let S1 be the root's sum of parcels sent, and R1 its sum of parcels received.
// Each peer's counts were read while the peer was idle, but at a different time for each peer.
//
// A child's report is valid until the parent gives the child work, or learns that the child has found work.
//
// # With links across the tree
//
// When S1 = R1 and the root is idle, the root sends a probe down the tree and adds up the present counts of parcels
// sent. Let S2 be this sum. If S2 = R1 the work is done.
//
// Proof (the four-counter method of Mattern, "Algorithms for distributed termination detection", Distributed Computing
// 2, 1987). Let t be the time at which the root sends the probe, and S and R the true counts at t. Counts never fall,
// R1 was read before t, S2 was read after t, and a parcel is sent before it is received. So R1 <= R <= S <= S2, and S2
// = R1 makes all four equal. R = S means that no parcel is on its way at t. R = R1 means that no peer received a parcel
// between its reading and t. Each peer was idle when its counts were read, and only a parcel can end its idleness. So
// all are idle at t: no pool has work and no message carries any.
//
// The run ends. Once all work is done, every peer becomes idle and reports its final counts, because it reports every
// changed sum. The root then has S1 = R1, and S2 equals both. If S2 differs from R1, counts have changed since they
// were read. So a further report will come, and the root checks again.
//
// In protocols whose reports do not ask for work, a peer has only one report on its way at a time. Its parent answers
// the report when it is idle itself, and all changes in between go into the next report. Without this rule, each parcel
// causes a chain of reports up to the root. With 10,000 peers and a tree of 4 million nodes, all work was done after 12
// milliseconds, but the root had read all reports only after 39 milliseconds.
//
// # In a tree without bridges
//
// No probe is needed: the work is done when the root is idle and every child's report is valid. The reason: while the
// report of a peer v to its parent p is valid, no work is in v's subtree or on its links:
//
//   - When v reports, it is idle and the reports of its children are valid. So by induction on the height no work is
//     below v.
//   - v can get work from p alone, because children without work give none. When p gives work to v, the report becomes
//     invalid.
//   - Links keep order, so a parcel that v sent to p arrives before v's report.

// A detector finds out, at the root of a tree, when all work is done.
type detector struct {
	// confirm says that work may go to peers other than parent and children, so that a probe must confirm the end.
	confirm      bool
	sent         int64
	received     int64
	childReports []counts // last report of each child
	missing      int      // number of children whose report is not valid
	lastReport   counts   // the counts that this peer reported last
	reports      int64    // number of reports that this peer has sent
	awaitsAck    bool     // the parent has not answered the last report

	probing bool
	waiting int   // number of children that have not answered the probe
	tally   int64 // parcels sent, according to the answers so far
	goal    int64 // at the root: parcels received when the probe began
}

// A counts holds the numbers of parcels that a subtree sent and received.
type counts struct {
	sent, received int64
	valid          bool
	number         int64 // number of the report, from 1
	needsAck       bool  // this peer must still answer the report
}

// childIndex returns the position of a child among the peer's children, or -1.
func (p *Peer) childIndex(id int32) int {
	if i, found := slices.BinarySearch(p.children, id); found {
		return i
	}
	return -1
}

// recordReport stores a child's report and marks it as valid.
func (d *detector) recordReport(child int, sent, received int64) {
	if !d.childReports[child].valid {
		d.missing--
	}
	d.childReports[child] = counts{sent: sent, received: received, valid: true, number: d.childReports[child].number + 1, needsAck: true}
}

// nthMissing returns the position of the n-th child whose report is not valid.
func (d *detector) nthMissing(n int) int {
	for i := range d.childReports {
		if d.childReports[i].valid {
			continue
		}
		if n == 0 {
			return i
		}
		n--
	}
	panic("overlay: fewer children without a report than counted")
}

// voidReport makes a child's report invalid, because the child was given work or found work.
func (d *detector) voidReport(child int) {
	if d.childReports[child].valid {
		d.childReports[child].valid = false
		d.missing++
	}
}

// sums adds up the peer's own counts and the counts that its children reported.
func (d *detector) sums() counts {
	c := counts{sent: d.sent, received: d.received, valid: true, number: d.reports}
	for _, h := range d.childReports {
		c.sent += h.sent
		c.received += h.received
	}
	return c
}

// reportIdle is called while the peer is idle. If the reports of all children are valid, it reports to the parent. At
// the root, it checks whether the run is over.
func (p *Peer) reportIdle() {
	if !p.reportsAskForWork() {
		p.answerReports()
	}
	if p.missing > 0 || p.done {
		return
	}
	sums := p.sums()
	if p.parent >= 0 {
		if sums != p.lastReport && !p.awaitsAck {
			p.awaitsAck = !p.reportsAskForWork()
			p.reports++
			p.lastReport = sums
			p.lastReport.number = p.reports
			p.send(Message{To: p.parent, Kind: Report, A: sums.sent, B: sums.received})
		}
		return
	}
	switch {
	case p.probing || sums.sent != sums.received:
	case p.confirm && len(p.children) > 0:
		p.goal = sums.received
		p.probe()
	default:
		p.stop()
	}
}

// answerReports answers the children's reports. The children may then report again.
func (p *Peer) answerReports() {
	for i := range p.childReports {
		if p.childReports[i].needsAck {
			p.childReports[i].needsAck = false
			p.send(Message{To: p.children[i], Kind: Heard})
		}
	}
}

// probe asks the peers of the subtree how many parcels they have sent.
func (p *Peer) probe() {
	p.probing, p.waiting, p.tally = true, len(p.children), 0
	for _, c := range p.children {
		p.send(Message{To: c, Kind: Probe})
	}
	p.addTally(0)
}

// addTally adds a child's answer to the probe. After the last child's answer the peer answers for its subtree.
func (p *Peer) addTally(sent int64) {
	p.tally += sent
	if p.waiting > 0 {
		return
	}
	p.probing = false
	// The proof requires that the peer's own count is read after the probe began.
	p.tally += p.sent
	switch {
	case p.parent >= 0:
		p.send(Message{To: p.parent, Kind: Tally, A: p.tally})
	case p.tally == p.goal:
		p.stop()
	}
}

// stop ends the run for the peer and its subtree. If peers may have crashed, it ends the run for all peers.
func (p *Peer) stop() {
	p.done = true
	if p.options.Protocol == Keep {
		if p.id == p.holder {
			for i := range p.options.Peers - 1 {
				p.send(Message{To: int32(i + 1), Kind: Stop})
			}
		}
		return
	}
	for _, c := range p.children {
		p.send(Message{To: c, Kind: Stop})
	}
}
