package split

import (
	"fmt"
	"time"

	"lockstep/cluster/link"
)

// A litFrame is a part of a frame whose first band waits for pixels of other members.
type litFrame struct {
	strip strip  // without the picture
	first []byte // own pixels of the first band
	rest  []byte // the bands after it, encoded
}

// encode encodes the bands of own rows, whose pixels these are, and sends the strip. Pixels that another
// member needs are sent first. Where some of others are missing, all but the first band is encoded.
func (n *node) encode(f *nodeFrame, x strip, pixels []byte) error {
	s, own, start := &n.shape, f.rows.own(f.plan.me), time.Now()
	rows := s.pixelRows(own)
	if b := f.rows.border(s, f.plan.me); b.rows.len() > 0 {
		n.send(f.plan.Members[b.to].Name, link.Message{Kind: kindBorder, Epoch: f.epoch, Frame: f.frame, Body: append(n.body(), s.part(pixels, rows, b.rows)...)})
	}
	lo, hi := s.bands(own)
	l := &litFrame{strip: x}
	if s.above(own).len() > 0 {
		l.first = append(n.body(), s.part(pixels, rows, s.bandRows(lo))...)
		lo++
	}
	f.lit = l
	var err error
	l.rest, err = n.encodeBands(n.body(), lo, hi, pixels, rows)
	l.strip.light += time.Since(start).Seconds()
	return err
}

// encodeBands appends bands lo to hi (exclusive), whose pixels are among those of rows.
func (n *node) encodeBands(dst []byte, lo, hi int, pixels []byte, rows pixelRows) ([]byte, error) {
	if lo >= hi {
		return dst, nil
	}
	s := &n.shape
	return n.drawer.(Encoder).Encode(n.ctx, dst, lo, hi, s.part(pixels, rows, pixelRows{s.bandRows(lo).lo, s.bandRows(hi - 1).hi}))
}

// part returns the pixels of some rows among those of rows.
func (s *Shape) part(pixels []byte, rows, some pixelRows) []byte {
	some = some.within(rows)
	return pixels[s.rowBytes()*(some.lo-rows.lo):][:s.rowBytes()*some.len()]
}

// bordered reports whether the members above have sent what the first band lacks.
func (n *node) bordered(f *nodeFrame) bool {
	above := n.shape.above(f.rows.own(f.plan.me))
	for i, m := range f.plan.Members[:f.plan.me] {
		if _, ok := f.borders[m.Name]; !ok && n.shape.pixelRows(f.rows.own(i)).within(above).len() > 0 {
			return false
		}
	}
	return true
}

// finish encodes the first band with what other members sent of it, and sends the strip. It returns
// which member sent a border of another size.
func (n *node) finish(f *nodeFrame) (fault string, err error) {
	s, own, start := &n.shape, f.rows.own(f.plan.me), time.Now()
	l, picture := f.lit, n.body()
	if above := s.above(own); above.len() > 0 {
		pixels := n.body()
		for i, m := range f.plan.Members[:f.plan.me] {
			rows := s.pixelRows(f.rows.own(i)).within(above)
			if rows.len() > 0 && len(f.borders[m.Name]) != s.rowBytes()*rows.len() {
				return m.Name, nil
			}
			if rows.len() > 0 {
				pixels = append(pixels, f.borders[m.Name]...)
			}
		}
		pixels = append(pixels, l.first...)
		lo, _ := s.bands(own)
		if picture, err = n.encodeBands(picture, lo, lo+1, pixels, s.bandRows(lo)); err != nil {
			return "", err
		}
		n.recycle(pixels)
	}
	l.strip.picture = append(picture, l.rest...)
	l.strip.light += time.Since(start).Seconds()
	n.sendStrip(f, &l.strip)
	n.recycle(l.strip.picture)
	return "", nil
}

// keepBorder takes pixels of another member. Those of an epoch that this node does not know are late.
func (n *node) keepBorder(m *link.Message) error {
	f := n.frameAt(m)
	if f == nil {
		return nil
	}
	if _, twice := f.borders[m.From]; twice || n.shape.Band == 0 {
		return fmt.Errorf("%w: border of frame %d", errWire, m.Frame)
	}
	f.borders[m.From] = m.Body
	return nil
}
