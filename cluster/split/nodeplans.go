package split

import (
	"fmt"
	"slices"

	"lockstep/cluster/link"
)

// receivePlan handles a plan and connects with its members. Of two members, the later one in the plan dials the
// earlier.
func (n *node) receivePlan(m *link.Message) error {
	p, me, err := parsePlan(m.Body, n.name, &n.shape)
	if err != nil {
		return err
	}
	if m.Epoch <= n.latest {
		return fmt.Errorf("%w: epoch %d after %d", errWire, m.Epoch, n.latest)
	}
	n.latest = m.Epoch
	e := &epochPlan{planMessage: p, epoch: m.Epoch, self: me, blocks: p.blocksOf(me)}
	n.plans[m.Epoch] = e
	n.prefetch(e)
	for _, other := range p.Members[:me] {
		if n.links.Connected(other.Name) || n.dialling[other.Name] {
			continue
		}
		n.dialling[other.Name] = true
		n.background.Go(func() {
			err := n.links.Dial(n.ctx, other.Address)
			select {
			case n.results <- backgroundResult{other.Name, err}:
			case <-n.ctx.Done():
			}
		})
	}
	n.checkReady()
	return nil
}

// prefetch reads the blocks of a plan in the background, before the first frame needs them.
func (n *node) prefetch(e *epochPlan) {
	p, ok := n.drawer.(Prefetcher)
	if !ok {
		return
	}
	e.prefetched = make(chan struct{})
	n.background.Go(func() {
		_ = p.Prefetch(n.ctx, e.blocks) // an error is ignored, because Draw returns the same one
		close(e.prefetched)
		select {
		case n.results <- backgroundResult{}:
		case <-n.ctx.Done():
		}
	})
}

// handleResult handles the result of connecting with a node, or of prefetching.
func (n *node) handleResult(d backgroundResult) {
	delete(n.dialling, d.name)
	// Check that the new connection still exists, because handleEvent reports no loss while the node is being dialled.
	// If d.name is empty, d is the result of prefetching.
	if d.err == nil && (d.name == "" || n.links.Connected(d.name)) {
		n.checkReady()
	} else {
		n.reportLost(d.name)
	}
}

// reportLost tells the root that this node cannot reach a member of the latest plan. The root itself may still be
// connected with both nodes.
func (n *node) reportLost(name string) {
	p := n.plans[n.latest]
	if p == nil || !slices.ContainsFunc(p.Members, func(m memberInfo) bool { return m.Name == name }) {
		return
	}
	_ = n.links.Send(RootName, link.Message{Kind: kindLost, Epoch: n.latest, Body: []byte(name)}, nil)
}

// checkReady tells the root that this node is ready, if all members of the latest plan are connected and the blocks are
// prefetched.
func (n *node) checkReady() {
	p := n.plans[n.latest]
	if p == nil || p.ready {
		return
	}
	if p.prefetched != nil {
		select {
		case <-p.prefetched:
		default:
			return
		}
	}
	for _, m := range p.Members {
		if m.Name != n.name && !n.links.Connected(m.Name) {
			return
		}
	}
	p.ready = true
	_ = n.links.Send(RootName, link.Message{Kind: kindReady, Epoch: p.epoch}, nil)
}
