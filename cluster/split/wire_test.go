package split

import (
	"slices"
	"testing"
)

// FuzzWire decodes plans, starts of frames, keys and parts that a hostile process may send. Each message must be
// refused or lie within the given shape.
func FuzzWire(f *testing.F) {
	s := Shape{Frames: 3, Blocks: 4, Rows: 5, Width: 8, Height: 10, TileHeight: 2}
	f.Add([]byte(`{"members":[{"name":"a"},{"name":"b"}],"owner":[0,1,1,0]}`))
	f.Add([]byte(`{"members":[{"name":"a"}],"owner":[0,0,0,9]}`))
	f.Add([]byte(`{"members":[{"name":"a"}],"owner":[0,0,0,1]}`))
	f.Add([]byte(`{"cuts":[0,2,5],"oldest":1}`))
	f.Add([]byte(`{"cuts":[0,9,5]}`))
	f.Add([]byte{1, 0, 0, 0, 2, 0, 0, 0, 7, 7, 2, 0, 0, 0, 0, 0, 0, 0})
	f.Add([]byte{1, 0, 0, 0, 255, 255, 255, 255})
	f.Add([]byte{1, 0, 0, 0, 1, 0, 0, 0, 7, 1, 0, 0, 0, 1, 0, 0, 0, 7}) // the same row twice
	own := Rows{1, 3}
	pixels := s.Width * s.pixelRows(own).len()
	good := framePart{covered: 3, seconds: []float64{1, 2}, samples: make([]uint32, s.Rows), light: 1, picture: make([]byte, 4*pixels)}
	f.Add(good.append(nil))
	f.Add(append(good.append(nil), 0))
	good.picture = good.picture[1:]
	f.Add(good.append(nil))
	f.Fuzz(func(t *testing.T, body []byte) {
		if p, me, err := parsePlan(body, "a", &s); err == nil {
			if p.Members[me].Name != "a" || len(p.blocksOf(me)) > s.Blocks || slices.ContainsFunc(p.Owner, func(o uint16) bool { return int(o) >= len(p.Members) }) {
				t.Errorf("plan %+v", p)
			}
		}
		if d, err := parseDraw(body, 1, 2, &s); err == nil {
			if a, b := d.rowsOf(0), d.rowsOf(1); a.Lo != 0 || a.Hi != b.Lo || b.Hi != s.Rows || a.Len() < 0 || b.Len() < 0 {
				t.Errorf("rows %v %v", a, b)
			}
		}
		if rows, err := parseKeys(body, Rows{1, 3}); err == nil {
			n := 0
			for _, r := range rows {
				if n += len(r); r != nil {
					n += 8 // the number and the length of the row
				}
			}
			if len(rows) != 2 || n != len(body) { // each byte belongs to one row
				t.Errorf("%d rows with %d bytes of %d", len(rows), n, len(body))
			}
		}
		for _, band := range []int{0, 3} {
			s.Slab = band
			if x, err := parsePart(body, 2, own, &s); err == nil {
				if len(x.seconds) != 2 || len(x.samples) != s.Rows || band == 0 && len(x.picture) != 4*pixels || len(x.picture) > len(body) || x.covered < 0 || x.covered > pixels {
					t.Errorf("strip %+v", x)
				}
			}
		}
	})
}
