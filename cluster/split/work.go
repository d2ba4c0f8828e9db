package split

import (
	"fmt"
	"time"

	"lockstep/cluster/link"
)

// step does one piece of work, if there is any: it sends or lights the oldest frame for which all that
// wants has arrived, or else draws the oldest that was not drawn. So keys travel while the next
// frame is drawn.
func (n *node) step() (did bool, err error) {
	for i, f := range n.order {
		if f.layer == nil || !f.complete(n.name) || f.lit != nil && !n.bordered(f) {
			continue
		}
		ended, err := n.advance(f)
		if ended || err != nil {
			n.drop(f)
			n.order = append(n.order[:i], n.order[i+1:]...)
		}
		return true, err
	}
	for _, f := range n.order {
		if f.layer == nil {
			return true, n.draw(f)
		}
	}
	return false, nil
}

// advance lights a frame, or sends one that was lit. It ends with the strip, or with another member's fault,
// by which the root will miss the strip.
func (n *node) advance(f *nodeFrame) (ended bool, err error) {
	if f.lit == nil {
		if ended, err = n.light(f); ended || err != nil || !n.bordered(f) {
			return ended, err
		}
	}
	fault, err := n.finish(f)
	if fault != "" {
		n.blame(fault, fmt.Errorf("%w: border of frame %d", errWire, f.frame))
	}
	return true, err
}

// blame ends the connection with another member.
func (n *node) blame(name string, why error) {
	n.refuse(name, why)
	n.links.Drop(name, why)
}

// complete reports whether the keys of all members have arrived.
func (f *nodeFrame) complete(me string) bool {
	for _, m := range f.plan.Members {
		if _, ok := f.keys[m.Name]; !ok && m.Name != me {
			return false
		}
	}
	return true
}

// draw draws this node's blocks and sends their keys to the owners of the rows.
func (n *node) draw(f *nodeFrame) error {
	layer, err := n.drawer.Draw(n.ctx, int(f.frame), f.plan.blocks)
	if err != nil {
		return fmt.Errorf("frame %d: %w", f.frame, err)
	}
	f.layer = layer
	for i, m := range f.plan.Members {
		if i == f.plan.me {
			continue
		}
		need, err := n.drawer.Needed(int(f.frame), f.rows.own(i))
		if err != nil {
			return fmt.Errorf("frame %d: %w", f.frame, err)
		}
		body := appendKeys(n.body(), layer, need)
		n.send(m.Name, link.Message{Kind: kindKeys, Epoch: f.epoch, Frame: f.frame, Body: body})
	}
	return nil
}

// send sends a message whose body is this node's. Who is not connected any more is lost: the root ends
// the epoch.
func (n *node) send(to string, m link.Message) {
	_ = n.links.Send(to, m, func() { n.recycle(m.Body) })
}

// light lights this node's rows, and sends them to the root or encodes them.
func (n *node) light(f *nodeFrame) (ended bool, err error) {
	all := make([][][]byte, 0, len(f.plan.Members))
	for _, m := range f.plan.Members {
		if m.Name == n.name {
			continue
		}
		rows, err := parseKeys(f.keys[m.Name], f.need)
		if err != nil {
			n.blame(m.Name, err)
			return true, nil
		}
		all = append(all, rows)
	}
	own, start := f.rows.own(f.plan.me), time.Now()
	pixels, covered, err := n.drawer.Light(n.ctx, int(f.frame), own, func(row int) [][]byte {
		parts := make([][]byte, 0, len(all)+1)
		parts = append(parts, f.layer.Row(row))
		for _, rows := range all {
			parts = append(parts, rows[row-f.need.Lo])
		}
		return parts
	})
	if err != nil {
		return true, fmt.Errorf("frame %d: %w", f.frame, err)
	}
	s := strip{covered: covered, seconds: f.layer.Seconds(), active: make([]uint32, n.shape.Rows), light: time.Since(start).Seconds()}
	for row := range s.active {
		s.active[row] = uint32(f.layer.Samples(row))
		s.bytes += len(f.layer.Row(row))
	}
	if n.shape.Band > 0 {
		if err := n.encode(f, s, pixels); err != nil {
			return true, fmt.Errorf("frame %d: %w", f.frame, err)
		}
		return false, nil
	}
	s.picture = pixels
	n.sendStrip(f, &s)
	return true, nil
}

// sendStrip sends this node's part of a frame to the root.
func (n *node) sendStrip(f *nodeFrame, s *strip) {
	n.send(RootName, link.Message{Kind: kindStrip, Epoch: f.epoch, Frame: f.frame, Body: s.append(n.body())})
}

// body returns memory for a message, and recycle takes it back.
func (n *node) body() []byte {
	n.freeMu.Lock()
	defer n.freeMu.Unlock()
	if len(n.free) == 0 {
		return nil
	}
	best, last := 0, len(n.free)-1
	for i, b := range n.free { // the largest: one that is too small would be allocated anew
		if cap(b) > cap(n.free[best]) {
			best = i
		}
	}
	b := n.free[best]
	n.free[best] = n.free[last]
	n.free = n.free[:last]
	return b[:0]
}

func (n *node) recycle(b []byte) {
	n.freeMu.Lock()
	n.free = append(n.free, b)
	n.freeMu.Unlock()
}
