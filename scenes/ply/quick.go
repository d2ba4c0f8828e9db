package ply

import (
	"encoding/binary"
	"math"
	"math/bits"

	"lockstep/scenes/internal/text"
)

// shape says which rows of an element are quick to read.
func (r *reader) shape(e *element, want int) (numbers, triangles bool) {
	numbers = true
	for i := range e.properties {
		numbers = numbers && e.properties[i].count == none
	}
	return numbers, want == 0 && r.row.each == nil && len(e.properties) == 1 && len(r.faceFields) == 0 && len(r.materials) == 0
}

// quick takes in rows of usual form of a part of a text: numbers alone, or one list of
// three numbers that are not negative.
func (p *part) quick(e *element, use func() error, want int) error {
	numbers, triangles := p.shape(e, want)
	b := p.rows.Rest()
	if b == nil || !numbers && !triangles {
		return nil
	}
	p.row.room(e)
	at, lines := 0, 0
	for left := e.count - p.reader.at.row; left > 0; left-- {
		var next int
		var ok bool
		if numbers {
			next, ok = text.Floats(b, at, p.row.numbers)
			ok = ok && use() == nil // else the part ends there
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
	return nil
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

// quick takes in rows of usual form of a binary file: numbers alone, or one list of three
// int32, whose number is a byte.
func (b *binaryRows) quick(r *reader, e *element, use func() error, want int) error {
	numbers, triangles := r.shape(e, want)
	switch {
	case numbers:
		return b.quickNumbers(r, e, use)
	case triangles && sizes[e.properties[0].count] == 1 && (e.properties[0].kind == int32s || e.properties[0].kind == uint32s):
		return b.quickTriangles(r, e)
	}
	return nil
}

// maxQuickRow bounds the bytes of a row, so that a window holds many.
const maxQuickRow = 4096

func (b *binaryRows) quickNumbers(r *reader, e *element, use func() error) error {
	size := 0
	for i := range e.properties {
		size += sizes[e.properties[i].kind]
	}
	if size > maxQuickRow {
		return nil
	}
	r.row.room(e)
	order := b.Order()
	for r.at.row < e.count {
		w, err := b.Window(size)
		if err != nil || len(w) < size {
			return err
		}
		done := 0
		for ; len(w)-done >= size && r.at.row < e.count; r.at.row++ {
			b.started = b.Offset() + int64(done)
			at := done
			for i := range e.properties {
				k := e.properties[i].kind
				r.row.numbers[i] = decode(w[at:], k, order)
				at += sizes[k]
			}
			done = at
			if err := use(); err != nil {
				return err
			}
		}
		b.Skip(done)
	}
	return nil
}

// decode returns the number at the start of b.
func decode(b []byte, k kind, order binary.ByteOrder) float64 {
	switch k {
	case float32s:
		return float64(math.Float32frombits(order.Uint32(b)))
	case uint8s:
		return float64(b[0])
	case int8s:
		return float64(int8(b[0]))
	case int16s:
		return float64(int16(order.Uint16(b)))
	case uint16s:
		return float64(order.Uint16(b))
	case int32s:
		return float64(int32(order.Uint32(b)))
	case uint32s:
		return float64(order.Uint32(b))
	case int64s:
		return float64(int64(order.Uint64(b)))
	case uint64s:
		return float64(order.Uint64(b))
	}
	return math.Float64frombits(order.Uint64(b))
}

func (b *binaryRows) quickTriangles(r *reader, e *element) error {
	const size = 1 + 3*4
	swap := b.Order() == binary.ByteOrder(binary.BigEndian)
	for r.at.row < e.count {
		w, err := b.Window(size)
		if err != nil {
			return err
		}
		done, rows := 0, min(uint64(len(w)/size), e.count-r.at.row)
		for range rows {
			row := w[done : done+size]
			v0, v1, v2 := binary.LittleEndian.Uint32(row[1:]), binary.LittleEndian.Uint32(row[5:]), binary.LittleEndian.Uint32(row[9:])
			if swap {
				v0, v1, v2 = bits.ReverseBytes32(v0), bits.ReverseBytes32(v1), bits.ReverseBytes32(v2)
			}
			if row[0] != 3 || !r.AddTriangle(int64(v0), int64(v1), int64(v2)) {
				b.Skip(done)
				return nil
			}
			done += size
			r.at.row++
		}
		b.Skip(done)
		if rows == 0 {
			return nil
		}
	}
	return nil
}
