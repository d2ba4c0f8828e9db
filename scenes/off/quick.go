package off

import "lockstep/scenes/internal/text"

// readFast reads lines of the usual form in a part: vertices of three numbers, and triangles without a colour. It stops
// before any other line.
func (r *reader) readFast() {
	b := r.lines.Rest()
	if b == nil || !r.part {
		return
	}
	plain := !r.weight && !r.normal && !r.texture
	at, lines := 0, 0
	for ; r.rowsRead < r.counts[0]+r.counts[1]; r.rowsRead++ {
		var next int
		var ok bool
		if r.rowsRead >= r.counts[0] {
			next, ok = r.quickTriangle(b, at)
		} else if plain {
			next, ok = r.quickVertex(b, at)
		}
		if !ok {
			break
		}
		at = next
		lines++
	}
	r.lines.Take(lines, at)
}

func (r *reader) quickVertex(b []byte, at int) (next int, ok bool) {
	var v [3]float64
	if next, ok = text.Floats(b, at, v[:]); ok {
		ok = r.AddPoint(v) == nil
	}
	return next, ok
}

func (r *reader) quickTriangle(b []byte, at int) (next int, ok bool) {
	var v [3]int64
	next, ok = text.Triangle(b, at, &v)
	return next, ok && r.AddTriangle(v[0], v[1], v[2])
}
