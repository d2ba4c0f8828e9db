package ply

import "lockstep/scenes/internal/text"

// quick takes in rows of usual form of a part as fast as it can, and stops in front of
// any other: numbers alone, or one list of three numbers that are not negative.
func (p *part) quick(e *element, use func() error, want int) {
	b := p.rows.Rest()
	if b == nil || p.row.each != nil {
		return
	}
	p.row.room(e)
	at, lines := 0, 0
	scalars := true
	for i := range e.properties {
		scalars = scalars && e.properties[i].count == none
	}
	triangles := want == 0 && len(e.properties) == 1 && len(p.faceFields) == 0 && len(p.materials) == 0
	for left := e.count - p.reader.at.row; left > 0 && (scalars || triangles); left-- {
		var next int
		var ok bool
		if scalars {
			next, ok = text.Floats(b, at, p.row.numbers)
			ok = ok && use() == nil
		} else {
			next, ok = p.quickTriangle(b, at)
		}
		if !ok {
			break
		}
		at = next
		lines++
	}
	p.rows.Take(lines, at)
	p.reader.at.row += uint64(lines)
}

// quickTriangle takes in a row with one list.
func (p *part) quickTriangle(b []byte, at int) (next int, ok bool) {
	for b[at] == ' ' || b[at] == '\t' {
		at++
	}
	if b[at] != '3' || b[at+1] != ' ' && b[at+1] != '\t' {
		return at, false
	}
	var v [3]int64
	next, ok = text.Ints(b, at+1, v[:])
	return next, ok && p.AddTriangle(v[0], v[1], v[2])
}
