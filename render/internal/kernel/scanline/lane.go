package scanline

import "lockstep/render/internal/kernel/array"

// edge holds the point where an edge of a polygon crosses the centre of a row. step moves it to the next row, without
// error. x is the first pixel whose centre is not left of the crossing. r/d is the remainder of that rounding, with 0
// <= r < d.
type edge struct {
	x, dx    int32
	r, dr, d uint32
}

// lane is the state of one polygon during scan conversion.
type lane struct {
	left, right edge
	nextEdge    edge  // replaces the left or right edge after turn more rows
	turn        int32 // number of rows until the side with two edges reaches the middle corner
	turnsLeft   bool
	row, rows   int32 // next row of the picture, and number of rows left

	// The plane of nearness: at (x, y) the nearness is e0 + gx*(x-x0) + gy*(y-y0), with coordinates in subpixels.
	e0, gx, gy float64
	x0, y0     int32
	payload    uint32
}

// set prepares the lane for the given number of rows of polygon n from row first on.
func (l *lane) set(p *array.Polygons, n int, first, rows int32) {
	v0, v1, v2 := p.Corner(0, n), p.Corner(1, n), p.Corner(2, n)
	l.row, l.rows = first, rows
	l.payload = p.Payload[n]
	l.plane(v0, v1, v2)

	// Sort the corners: a is the top, b the middle and c the bottom corner. The order of corners of equal height does
	// not matter, because a horizontal edge crosses no row.
	a, b, c := v0, v1, v2
	if b.Y < a.Y {
		a, b = b, a
	}
	if c.Y < b.Y {
		b, c = c, b
		if b.Y < a.Y {
			a, b = b, a
		}
	}
	long := edgeAt(a, c, l.row)
	var short edge
	if l.turn = array.FirstCenter(b.Y) - l.row; l.turn > 0 {
		short = edgeAt(a, b, l.row)
		if l.turn < l.rows {
			l.nextEdge = edgeAt(b, c, l.row+l.turn)
		}
	} else {
		short = edgeAt(b, c, l.row)
	}
	l.turnsLeft = int64(b.X-a.X)*int64(c.Y-a.Y) < int64(c.X-a.X)*int64(b.Y-a.Y)
	if l.turnsLeft {
		l.left, l.right = short, long
	} else {
		l.left, l.right = long, short
	}
}

// plane computes the plane of nearness through the snapped corners. Differences and products of coordinates are exact
// in float64. The polygon must have an area.
func (l *lane) plane(v0, v1, v2 array.Vertex) {
	x1, y1 := float64(v1.X-v0.X), float64(v1.Y-v0.Y)
	x2, y2 := float64(v2.X-v0.X), float64(v2.Y-v0.Y)
	e1, e2 := float64(v1.E)-float64(v0.E), float64(v2.E)-float64(v0.E)
	per := 1 / (float64(x1*y2) - float64(x2*y1)) // a single division, because divisions are slow
	l.gx = float64((float64(e1*y2) - float64(e2*y1)) * per)
	l.gy = float64((float64(e2*x1) - float64(e1*x2)) * per)
	l.e0, l.x0, l.y0 = float64(v0.E), v0.X, v0.Y
}

// edgeAt returns where the edge from a down to b (a.Y < b.Y) crosses the given row.
//
// The edge crosses the row's centre yc at a.X + (yc-a.Y)*dx/dy. The first pixel whose centre is not left of that is
// pixel ceil(m/d) with m = (a.X-Half)*dy + (yc-a.Y)*dx and d = Sub*dy. All of this is exact, because m stays below 2^47
// and d is at most 2^31.
func edgeAt(a, b array.Vertex, row int32) edge {
	dx, dy := int64(b.X)-int64(a.X), int64(b.Y)-int64(a.Y)
	yc := int64(row)*array.Sub + array.Half
	d := array.Sub * dy
	x, r := floorDiv((int64(a.X)-array.Half)*dy+(yc-int64(a.Y))*dx+d-1, d)
	q, dr := floorDiv(dx, dy)
	return edge{x: int32(x), r: uint32(r), dx: int32(q), dr: uint32(array.Sub * dr), d: uint32(d)}
}

// floorDiv returns the quotient n/d rounded down, and the remainder r with 0 <= r < d.
func floorDiv(n, d int64) (q, r int64) {
	q, r = n/d, n%d
	if r < 0 {
		q, r = q-1, r+d
	}
	return q, r
}

// step moves the crossing one row down. r + dr stays below 2*d, so it fits into uint32.
func (e *edge) step() {
	e.x += e.dx
	e.r += e.dr
	if e.r >= e.d {
		e.r -= e.d
		e.x++
	}
}

// emit writes the span of the lane's next row, if the row covers any pixel, and moves to the row after it.
func (l *lane) emit(out *array.Spans, width, stride int32) {
	x, end := max(l.left.x, 0), min(l.right.x, width)
	if x < end {
		// The differences of coordinates are exact in float64, so e depends on x and the row only.
		ex := float64(l.gx * float64(x*array.Sub+array.Half-l.x0))
		ey := float64(l.gy * float64(l.row*array.Sub+array.Half-l.y0))
		n := out.N
		out.Start[n] = uint32(l.row*stride + x)
		out.Count[n] = end - x
		out.E[n] = float32(l.e0 + ex + ey)
		out.DE[n] = float32(l.gx * array.Sub)
		out.Payload[n] = l.payload
		out.N = n + 1
	}
	l.row++
	if l.rows--; l.rows == 0 {
		return
	}
	l.left.step()
	l.right.step()
	if l.turn--; l.turn == 0 {
		if l.turnsLeft {
			l.left = l.nextEdge
		} else {
			l.right = l.nextEdge
		}
	}
}

// AppendRow appends the span of one row of polygon n, if the row covers any pixel. It is one task of scan conversion,
// for loops that do tasks in any order. It prepares a lane for this row alone, which costs many times as much as the
// row itself.
func AppendRow(out *array.Spans, p *array.Polygons, n int, row, width, stride int32) {
	var one lane
	one.set(p, n, row, 1)
	one.emit(out, width, stride)
}
