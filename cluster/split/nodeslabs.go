package split

import (
	"fmt"
	"time"

	"lockstep/cluster/link"
)

// A litFrame is a part of a frame after lighting. Its first slab is not encoded yet, because that needs pixels of other
// members.
type litFrame struct {
	part  framePart // everything except the picture
	first []byte    // this node's pixels of the first slab
	rest  []byte    // encoded slabs after the first
}

// encode encodes the slabs of this node's rows. It first sends the pixels that another member needs. If the first slab
// needs pixels of other members, finishPart encodes it later.
func (n *node) encode(f *nodeFrame, x framePart, pixels []byte) error {
	s, own, start := &n.shape, f.rows.rowsOf(f.plan.self), time.Now()
	rows := s.pixelRows(own)
	if b := f.rows.border(s, f.plan.self); b.rows.len() > 0 {
		n.send(f.plan.Members[b.to].Name, link.Message{Kind: kindBorder, Epoch: f.epoch, Frame: f.frame, Body: append(n.takeBody(), s.cutPixels(pixels, rows, b.rows)...)})
	}
	lo, hi := s.slabs(own)
	l := &litFrame{part: x}
	if s.rowsAbove(own).len() > 0 {
		l.first = append(n.takeBody(), s.cutPixels(pixels, rows, s.slabRows(lo))...)
		lo++
	}
	f.lit = l
	var err error
	l.rest, err = n.encodeSlabs(n.takeBody(), lo, hi, pixels, rows)
	l.part.light += time.Since(start).Seconds()
	return err
}

// encodeSlabs encodes slabs lo to hi-1 and appends them to dst. pixels are the pixels of the range `rows`, which
// includes all rows of the slabs.
func (n *node) encodeSlabs(dst []byte, lo, hi int, pixels []byte, rows pixelRows) ([]byte, error) {
	if lo >= hi {
		return dst, nil
	}
	s := &n.shape
	return n.drawer.(Encoder).Encode(n.ctx, dst, lo, hi, s.cutPixels(pixels, rows, pixelRows{s.slabRows(lo).lo, s.slabRows(hi - 1).hi}))
}

// cutPixels returns the pixels of the wanted rows that are in the range `rows`. The argument `pixels` holds the pixels
// of that whole range.
func (s *Shape) cutPixels(pixels []byte, rows, wanted pixelRows) []byte {
	wanted = wanted.intersection(rows)
	return pixels[s.rowBytes()*(wanted.lo-rows.lo):][:s.rowBytes()*wanted.len()]
}

// hasBorders reports whether other members have sent all pixels that this node's first slab needs. These pixels lie
// above this node's rows.
func (n *node) hasBorders(f *nodeFrame) bool {
	above := n.shape.rowsAbove(f.rows.rowsOf(f.plan.self))
	for i, m := range f.plan.Members[:f.plan.self] {
		if _, ok := f.borders[m.Name]; !ok && n.shape.pixelRows(f.rows.rowsOf(i)).intersection(above).len() > 0 {
			return false
		}
	}
	return true
}

// finishPart encodes the first slab and sends the part. If a member has sent pixels of the wrong size, it returns the
// member's name as fault.
func (n *node) finishPart(f *nodeFrame) (fault string, err error) {
	s, own, start := &n.shape, f.rows.rowsOf(f.plan.self), time.Now()
	l, picture := f.lit, n.takeBody()
	if above := s.rowsAbove(own); above.len() > 0 {
		pixels := n.takeBody()
		for i, m := range f.plan.Members[:f.plan.self] {
			rows := s.pixelRows(f.rows.rowsOf(i)).intersection(above)
			if rows.len() > 0 && len(f.borders[m.Name]) != s.rowBytes()*rows.len() {
				return m.Name, nil
			}
			if rows.len() > 0 {
				pixels = append(pixels, f.borders[m.Name]...)
			}
		}
		pixels = append(pixels, l.first...)
		lo, _ := s.slabs(own)
		if picture, err = n.encodeSlabs(picture, lo, lo+1, pixels, s.slabRows(lo)); err != nil {
			return "", err
		}
		n.recycle(pixels)
	}
	l.part.picture = append(picture, l.rest...)
	l.part.light += time.Since(start).Seconds()
	n.sendPart(f, &l.part)
	n.recycle(l.part.picture)
	return "", nil
}

// storeBorder stores pixels that another member has sent. It ignores pixels of ended epochs.
func (n *node) storeBorder(m *link.Message) error {
	f := n.frameOf(m)
	if f == nil {
		return nil
	}
	if _, twice := f.borders[m.From]; twice || n.shape.Slab == 0 {
		return fmt.Errorf("%w: border of frame %d", errWire, m.Frame)
	}
	f.borders[m.From] = m.Body
	return nil
}
