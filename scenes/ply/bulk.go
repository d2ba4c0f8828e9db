package ply

import (
	"encoding/binary"
	"math"
	"math/bits"

	"lockstep/scenes/internal/parallel"
)

// In this file, rows of fixed size are decoded into the lists of the mesh. Several goroutines decode the rows of one
// buffer of the file at a time.

// readFast reads rows of a binary file in bulk if a row consists only of numbers, or only of one list of three int32.
// It stops before a row of any other form.
func (b *binaryRows) readFast(r *reader, e *element, use func() error, want int) error {
	numbers, triangles := r.rowForm(e, want)
	switch {
	case numbers:
		if err := b.readPointsInBulk(r, e); err != nil {
			return err
		}
		return b.readNumbersInBulk(r, e, use)
	case triangles && (e.properties[0].kind == int32s || e.properties[0].kind == uint32s):
		return b.readTrianglesInBulk(r, e)
	}
	return nil
}

const (
	// maxQuickRow is the greatest size in bytes of a row that is read in bulk. It is small enough that a buffer of the
	// file holds many rows.
	maxQuickRow = 4096
	// pieceRows is how many rows a goroutine decodes at a time.
	pieceRows = 4096
)

// inPieces divides n rows into pieces of pieceRows rows, and calls the function do for all pieces in parallel. A piece
// has the rows lo to hi (exclusive).
func (r *reader) inPieces(n int, do func(lo, hi int)) error {
	parts := (n + pieceRows - 1) / pieceRows
	return parallel.For(r.in.Context(), parallel.Workers(r.in.Options.Workers, parts), parts, func(_, i int) error {
		do(i*pieceRows, min(n, (i+1)*pieceRows))
		return nil
	})
}

// readPointsInBulk reads rows of the element "vertex" in bulk. It does nothing for other elements.
func (b *binaryRows) readPointsInBulk(r *reader, e *element) error {
	if e.name != "vertex" {
		return nil
	}
	l := r.layout(e, b.BigEndian())
	for l.size <= maxQuickRow && r.at.row < e.count {
		w, err := b.Window(l.size)
		if err != nil || len(w) < l.size {
			return err
		}
		rows, err := r.ExtendPoints(int(min(uint64(len(w)/l.size), e.count-r.at.row)), l.kind)
		n := len(rows.Points)
		if err != nil || n == 0 {
			return err
		}
		if err := r.inPieces(n, func(lo, hi int) { l.decodeRows(w, &rows, lo, hi) }); err != nil {
			return err
		}
		b.Skip(n * l.size)
		r.at.row += uint64(n)
	}
	return nil
}

// readNumbersInBulk reads rows of numbers, and calls `use` for each row.
func (b *binaryRows) readNumbersInBulk(r *reader, e *element, use func() error) error {
	size := 0
	for i := range e.properties {
		size += sizes[e.properties[i].kind]
	}
	if size > maxQuickRow {
		return nil
	}
	r.row.prepare(e)
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
				r.row.numbers[i] = decodeNumber(w[at:], k, b.BigEndian())
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

// readTrianglesInBulk reads rows of one list each. It stops before the first row that is not a triangle, or refers to a
// point that does not exist.
func (b *binaryRows) readTrianglesInBulk(r *reader, e *element) error {
	count := e.properties[0].count
	head, swap := sizes[count], b.BigEndian()
	size, points := head+3*4, uint32(min(r.Points(), math.MaxInt32))
	for r.at.row < e.count {
		w, err := b.Window(size)
		if err != nil || len(w) < size || decodeNumber(w, count, swap) != 3 {
			return err
		}
		to, err := r.ExtendTriangles(int(min(uint64(len(w)/size), e.count-r.at.row)))
		if err != nil || len(to) == 0 {
			return err
		}
		good := make([]int, (len(to)+pieceRows-1)/pieceRows)
		err = r.inPieces(len(to), func(lo, hi int) {
			good[lo/pieceRows] = decodeTriangles(w[lo*size:hi*size], count, swap, points, to[lo:hi])
		})
		if err != nil {
			return err
		}
		n := 0
		for i, k := range good {
			n += k
			if n < min(len(to), (i+1)*pieceRows) {
				break
			}
		}
		r.DropLast(len(to) - n)
		b.Skip(n * size)
		r.at.row += uint64(n)
		if n < len(to) {
			return nil
		}
	}
	return nil
}

// decodeTriangles decodes lists of three int32 into `to` and returns their number. count is the numeric type of the
// lengths of the lists. Decoding stops before the first list that is not a triangle, or has an index of `points` or
// more.
func decodeTriangles(rows []byte, count kind, swap bool, points uint32, to [][3]int32) int {
	head := sizes[count]
	size := head + 3*4
	for i := range to {
		row := rows[i*size:][:size]
		if head == 1 && row[0] != 3 || head > 1 && decodeNumber(row, count, swap) != 3 {
			return i
		}
		row = row[head:][:12]
		v0, v1, v2 := binary.LittleEndian.Uint32(row), binary.LittleEndian.Uint32(row[4:]), binary.LittleEndian.Uint32(row[8:])
		if swap {
			v0, v1, v2 = bits.ReverseBytes32(v0), bits.ReverseBytes32(v1), bits.ReverseBytes32(v2)
		}
		if max(v0, v1, v2) >= points {
			return i
		}
		to[i] = [3]int32{int32(v0), int32(v1), int32(v2)}
	}
	return len(to)
}

// decodeNumber returns the number of numeric type k at the start of b.
func decodeNumber(b []byte, k kind, big bool) float64 {
	switch sizes[k] {
	case 1:
		if k == int8s {
			return float64(int8(b[0]))
		}
		return float64(b[0])
	case 2:
		v := binary.LittleEndian.Uint16(b)
		if big {
			v = bits.ReverseBytes16(v)
		}
		if k == int16s {
			return float64(int16(v))
		}
		return float64(v)
	case 4:
		v := binary.LittleEndian.Uint32(b)
		if big {
			v = bits.ReverseBytes32(v)
		}
		switch k {
		case float32s:
			return float64(math.Float32frombits(v))
		case int32s:
			return float64(int32(v))
		}
		return float64(v)
	}
	v := binary.LittleEndian.Uint64(b)
	if big {
		v = bits.ReverseBytes64(v)
	}
	switch k {
	case float64s:
		return math.Float64frombits(v)
	case int64s:
		return float64(int64(v))
	}
	return float64(v)
}
