package split

import (
	"fmt"
	"time"

	"lockstep/cluster/link"
)

// step does one step of work and returns true. It returns false if there is nothing to do. It lights or finishes the
// oldest frame for which all messages have arrived. If there is none, it draws the oldest frame that is not drawn yet.
// So the next frame is drawn while keys are transferred.
func (n *node) step() (did bool, err error) {
	for i, f := range n.order {
		if f.layer == nil || !f.hasAllKeys(n.name) || f.lit != nil && !n.hasBorders(f) {
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

// advance lights a frame, or finishes a frame that is lit. ended is true if this node has nothing left to do for the
// frame. In that case the node's part was sent, or another member is faulty. If one is faulty, no part is sent, because
// the root ends the epoch.
func (n *node) advance(f *nodeFrame) (ended bool, err error) {
	if f.lit == nil {
		if ended, err = n.light(f); ended || err != nil || !n.hasBorders(f) {
			return ended, err
		}
	}
	fault, err := n.finishPart(f)
	if fault != "" {
		n.disconnect(fault, fmt.Errorf("%w: border of frame %d", errWire, f.frame))
	}
	return true, err
}

// disconnect ends the connection with another member.
func (n *node) disconnect(name string, why error) {
	n.reportDisconnect(name, why)
	n.links.Drop(name, why)
}

// hasAllKeys reports whether the keys of all other members have arrived.
func (f *nodeFrame) hasAllKeys(me string) bool {
	for _, m := range f.plan.Members {
		if _, ok := f.keys[m.Name]; !ok && m.Name != me {
			return false
		}
	}
	return true
}

// draw draws this node's blocks and sends their keys to the owners of the tile rows.
func (n *node) draw(f *nodeFrame) error {
	layer, err := n.drawer.Draw(n.ctx, int(f.frame), f.plan.blocks)
	if err != nil {
		return fmt.Errorf("frame %d: %w", f.frame, err)
	}
	f.layer = layer
	for i, m := range f.plan.Members {
		if i == f.plan.self {
			continue
		}
		need, err := n.drawer.Needed(int(f.frame), f.rows.rowsOf(i))
		if err != nil {
			return fmt.Errorf("frame %d: %w", f.frame, err)
		}
		body := appendKeys(n.takeBody(), layer, need)
		n.send(m.Name, link.Message{Kind: kindKeys, Epoch: f.epoch, Frame: f.frame, Body: body})
	}
	return nil
}

// send sends a message and keeps its body for later messages. If the member is not connected, the message is lost, and
// the root ends the epoch.
func (n *node) send(to string, m link.Message) {
	_ = n.links.Send(to, m, func() { n.recycle(m.Body) })
}

// light computes the colours of this node's rows, and then sends or encodes the pixels. ended has the same meaning as
// in advance.
func (n *node) light(f *nodeFrame) (ended bool, err error) {
	all := make([][][]byte, 0, len(f.plan.Members))
	for _, m := range f.plan.Members {
		if m.Name == n.name {
			continue
		}
		rows, err := parseKeys(f.keys[m.Name], f.need)
		if err != nil {
			n.disconnect(m.Name, err)
			return true, nil
		}
		all = append(all, rows)
	}
	own, start := f.rows.rowsOf(f.plan.self), time.Now()
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
	s := framePart{covered: covered, seconds: f.layer.Seconds(), samples: make([]uint32, n.shape.Rows), light: time.Since(start).Seconds()}
	for row := range s.samples {
		s.samples[row] = uint32(f.layer.Samples(row))
		s.bytes += len(f.layer.Row(row))
	}
	if n.shape.Slab > 0 {
		if err := n.encode(f, s, pixels); err != nil {
			return true, fmt.Errorf("frame %d: %w", f.frame, err)
		}
		return false, nil
	}
	s.picture = pixels
	n.sendPart(f, &s)
	return true, nil
}

// sendPart sends this node's part of a frame to the root.
func (n *node) sendPart(f *nodeFrame, s *framePart) {
	n.send(RootName, link.Message{Kind: kindPart, Epoch: f.epoch, Frame: f.frame, Body: s.append(n.takeBody())})
}

// takeBody returns a slice for the body of a message. Method recycle takes it back.
func (n *node) takeBody() []byte {
	n.freeMu.Lock()
	defer n.freeMu.Unlock()
	if len(n.freeBodies) == 0 {
		return nil
	}
	best, last := 0, len(n.freeBodies)-1
	for i, b := range n.freeBodies { // choose the largest body, because one that is too small has to be replaced
		if cap(b) > cap(n.freeBodies[best]) {
			best = i
		}
	}
	b := n.freeBodies[best]
	n.freeBodies[best] = n.freeBodies[last]
	n.freeBodies = n.freeBodies[:last]
	return b[:0]
}

func (n *node) recycle(b []byte) {
	n.freeMu.Lock()
	n.freeBodies = append(n.freeBodies, b)
	n.freeMu.Unlock()
}
