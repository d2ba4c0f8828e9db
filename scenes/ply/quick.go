package ply

import "lockstep/scenes/internal/text"

// rowForm reports whether each row of an element consists only of numbers, or only of one list that may be a triangle.
// Such rows can be read in bulk.
func (r *reader) rowForm(e *element, want int) (numbers, triangles bool) {
	numbers = true
	for i := range e.properties {
		numbers = numbers && e.properties[i].count == none
	}
	return numbers, want == 0 && r.row.each == nil && len(e.properties) == 1 && len(r.faceFields) == 0 && len(r.materials) == 0
}

// readFast reads rows of a part of a text until a row has an unusual form. A usual row consists only of numbers, or
// only of one list of three numbers that are not negative.
func (p *part) readFast(e *element, use func() error, want int) error {
	numbers, triangles := p.rowForm(e, want)
	b := p.rows.Rest()
	if b == nil || !numbers && !triangles {
		return nil
	}
	p.row.prepare(e)
	at, lines := 0, 0
	for left := e.count - p.reader.at.row; left > 0; left-- {
		var next int
		var ok bool
		if numbers {
			next, ok = text.Floats(b, at, p.row.numbers)
			ok = ok && use() == nil // after an error, the row is read again by the slower reader, which reports it
		} else {
			next, ok = p.readTriangle(b, at)
		}
		if !ok {
			break
		}
		at = next
		lines++
	}
	p.rows.Take(lines, at)
	p.reader.at.row += uint64(lines)
	return nil
}

// readTriangle reads a row with one list. ok is false if the list does not have three numbers.
func (p *part) readTriangle(b []byte, at int) (next int, ok bool) {
	var v [3]int64
	next, ok = text.Triangle(b, at, &v)
	return next, ok && p.AddTriangle(v[0], v[1], v[2])
}
