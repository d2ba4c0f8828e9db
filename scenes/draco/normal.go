package draco

// An octahedron maps directions to a square. Each direction is projected onto a regular octahedron. The surface of
// the octahedron is cut along four edges and laid flat. The half with positive x fills the diamond in the middle of
// the square.
type octahedron struct {
	turned bool  // differences are stored as if the prediction were in one fixed quadrant
	cells  int32 // number of values of a coordinate; coordinates wrap around modulo this number
	last   int32 // greatest coordinate
	middle int32
}

// newOctahedron returns the octahedron for coordinates with the same number of bits as `largest`.
func newOctahedron(largest uint32, turned bool) octahedron {
	cells := int32(1)
	for uint32(cells) < largest {
		cells = cells<<1 | 1
	}
	return octahedron{turned: turned, cells: cells, last: cells - 1, middle: (cells - 1) / 2}
}

// restore returns the coordinates for the prediction (ps, pt) and the difference (ds, dt).
func (s *octahedron) restore(ps, pt, ds, dt int32) (int32, int32) {
	ps, pt = ps-s.middle, pt-s.middle
	outer := abs(ps)+abs(pt) > s.middle
	if outer {
		ps, pt = s.invert(ps, pt)
	}
	turns := 0
	if s.turned {
		turns = quarterTurns(ps, pt)
	}
	ps, pt = turn(ps, pt, turns)
	ps, pt = s.wrapAround(ps+ds), s.wrapAround(pt+dt)
	ps, pt = turn(ps, pt, (4-turns)%4)
	if outer {
		ps, pt = s.invert(ps, pt)
	}
	return ps + s.middle, pt + s.middle
}

// wrapAround reduces a coordinate to the range from -middle to middle, modulo cells.
func (s *octahedron) wrapAround(v int32) int32 {
	if v > s.middle {
		return v - s.cells
	}
	if v < -s.middle {
		return v + s.cells
	}
	return v
}

// invert swaps the diamond in the middle of the square with the four outer corners.
func (s *octahedron) invert(a, b int32) (int32, int32) {
	signA, signB := int32(-1), int32(-1)
	switch {
	case a >= 0 && b >= 0:
		signA, signB = 1, 1
	case a <= 0 && b <= 0:
	default:
		if a > 0 {
			signA = 1
		}
		if b > 0 {
			signB = 1
		}
	}
	cornerA, cornerB := signA*s.middle, signB*s.middle
	a, b = 2*a-cornerA, 2*b-cornerB
	if signA == signB {
		a, b = -b, -a
	} else {
		a, b = b, a
	}
	return (a + cornerA) / 2, (b + cornerB) / 2
}

// quarterTurns returns how many quarter turns bring (a, b) into the quadrant where both coordinates are negative. The
// quadrant includes points whose second coordinate is zero, and the point (0, 0).
func quarterTurns(a, b int32) int {
	switch {
	case a < 0 && b <= 0 || a == 0 && b == 0:
		return 0
	case a >= 0 && b < 0:
		return 1
	case a > 0:
		return 2
	}
	return 3
}

// turn rotates (a, b) by a number of quarter turns.
func turn(a, b int32, quarters int) (int32, int32) {
	switch quarters {
	case 1:
		return b, -a
	case 2:
		return -a, -b
	case 3:
		return -b, a
	}
	return a, b
}

func abs[T int32 | int64](v T) T {
	if v < 0 {
		return -v
	}
	return v
}

// restoreNormals replaces all differences by normals. It predicts each normal as the mean of the normals of the
// triangles around the vertex, weighted by area. turned has a flag for each normal that tells whether the prediction is
// reversed.
func (p *prediction) restoreNormals(turned flagDecoder) {
	if p.err != nil {
		return
	}
	positions := p.decodedPositions()
	if p.err != nil || !p.spendWork(3*int64(p.faces)) {
		return
	}
	for i := range p.n {
		v := p.sphere.scaleToOctahedron(p.areaNormal(positions, p.order[i]))
		if turned.next() {
			v = [3]int32{-v[0], -v[1], -v[2]}
		}
		predicted := p.sphere.toSquare(v)
		p.restoreAt(i, predicted[:])
	}
}

// areaNormal returns the sum of the normals of the triangles around the vertex of the corner `start`. Each normal is as
// long as twice the area of its triangle. If the sum is large, it is scaled down to about 1<<29.
func (p *prediction) areaNormal(positions *values, start int32) (sum [3]int64) {
	middle := positions.at(start)
	a, b := minus(positions.at(next(start)), middle), minus(positions.at(previous(start)), middle)
	first := a
	left := true
	for c := start; ; {
		sum[0] += a[1]*b[2] - a[2]*b[1]
		sum[1] += a[2]*b[0] - a[0]*b[2]
		sum[2] += a[0]*b[1] - a[1]*b[0]
		if left {
			if c = p.swingLeft(c); c == start {
				break
			} else if c >= 0 {
				a, b = b, minus(positions.at(previous(c)), middle)
				continue
			}
			left = false
			c, a = start, first
		}
		if c = p.swingRight(c); c < 0 {
			break
		}
		a, b = minus(positions.at(next(c)), middle), a
	}
	const most = 1 << 29
	if size := abs(sum[0]) + abs(sum[1]) + abs(sum[2]); size > most {
		for i := range sum {
			sum[i] /= size / most
		}
	}
	return sum
}

// scaleToOctahedron scales v so that the absolute values of its components add up to middle.
func (s *octahedron) scaleToOctahedron(v [3]int64) [3]int32 {
	size := abs(v[0]) + abs(v[1]) + abs(v[2])
	if size <= 0 { // v is zero, or the sum overflowed
		return [3]int32{s.middle, 0, 0}
	}
	x := int32(v[0] * int64(s.middle) / size)
	y := int32(v[1] * int64(s.middle) / size)
	z := s.middle - abs(x) - abs(y)
	if v[2] < 0 {
		z = -z
	}
	return [3]int32{x, y, z}
}

// toSquare returns the coordinates in the square of a vector v on the octahedron.
func (s *octahedron) toSquare(v [3]int32) [2]int32 {
	if v[0] >= 0 {
		return s.canonical(v[1]+s.middle, v[2]+s.middle)
	}
	a, b := abs(v[2]), abs(v[1])
	if v[1] >= 0 {
		a = s.last - a
	}
	if v[2] >= 0 {
		b = s.last - b
	}
	return s.canonical(a, b)
}

// canonical returns (a, b), unless it is on the border of the square. On the border, several points mean the same
// direction. For such a point, canonical returns the one point that stands for all of them.
func (s *octahedron) canonical(a, b int32) [2]int32 {
	switch {
	case a == 0 && b == 0, a == 0 && b == s.last, a == s.last && b == 0:
		return [2]int32{s.last, s.last}
	case a == 0 && b > s.middle, a == s.last && b < s.middle:
		return [2]int32{a, 2*s.middle - b}
	case b == s.last && a < s.middle, b == 0 && a > s.middle:
		return [2]int32{2*s.middle - a, b}
	}
	return [2]int32{a, b}
}
