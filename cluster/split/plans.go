package split

import (
	"fmt"
	"slices"

	"lockstep/cluster/link"
)

// propose takes a plan and connects with its members: each dials those before it.
func (n *node) propose(m *link.Message) error {
	p, me, err := parsePlan(m.Body, n.name, &n.shape)
	if err != nil {
		return err
	}
	if m.Epoch <= n.latest {
		return fmt.Errorf("%w: epoch %d after %d", errWire, m.Epoch, n.latest)
	}
	n.latest = m.Epoch
	e := &epochPlan{plan: p, epoch: m.Epoch, me: me, blocks: p.blocks(me)}
	n.plans[m.Epoch] = e
	n.prefetch(e)
	for _, other := range p.Members[:me] {
		if n.links.Connected(other.Name) {
			continue
		}
		n.dialling.Go(func() {
			err := n.links.Dial(n.ctx, other.Address)
			select {
			case n.dialled <- dialled{other.Name, err}:
			case <-n.ctx.Done():
			}
		})
	}
	n.checkReady()
	return nil
}

// prefetch reads the blocks of a plan, so that the first frame by it need not wait for them.
func (n *node) prefetch(e *epochPlan) {
	p, ok := n.drawer.(Prefetcher)
	if !ok {
		return
	}
	e.read = make(chan struct{})
	n.dialling.Go(func() {
		_ = p.Prefetch(n.ctx, e.blocks) // Draw meets what is wrong
		close(e.read)
		select {
		case n.dialled <- dialled{}:
		case <-n.ctx.Done():
		}
	})
}

// connected takes the end of an attempt to connect.
func (n *node) connected(d dialled) {
	if d.err == nil {
		n.checkReady()
	} else {
		n.lost(d.name)
	}
}

// lost tells the root that a member of the latest plan cannot be reached: it may be that
// only these two nodes do not see each other.
func (n *node) lost(name string) {
	p := n.plans[n.latest]
	if p == nil || !slices.ContainsFunc(p.Members, func(m member) bool { return m.Name == name }) {
		return
	}
	_ = n.links.Send(RootName, link.Message{Kind: kindLost, Epoch: n.latest, Body: []byte(name)}, nil)
}

// checkReady tells the root when the latest plan's members are all connected.
func (n *node) checkReady() {
	p := n.plans[n.latest]
	if p == nil || p.ready {
		return
	}
	if p.read != nil {
		select {
		case <-p.read:
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
