package draco

import "math"

// readSides reads a flag for each prediction by predictSimilar. The flag tells on which side of the edge the third
// corner of the triangle lies in the texture.
func (p *prediction) readSides() []bool {
	n := p.u32()
	if p.err == nil && uint64(n) > uint64(p.n) {
		p.fail("%d sides of %d texture coordinates", n, p.n)
	}
	flags := p.readFlags()
	if !p.reserveMemory(int64(n)) || !p.spendWork(int64(n)) {
		return nil
	}
	sides := make([]bool, n)
	side := true
	for i := range sides {
		side = side == flags.next() // a flag of 0 changes the side
		sides[i] = side
	}
	return sides
}

// restoreTexCoords replaces all differences by texture coordinates. The predictions assume that each triangle has the
// same shape in the texture as in space.
func (p *prediction) restoreTexCoords(sides []bool) {
	if p.err != nil {
		return
	}
	positions := p.decodedPositions()
	if p.err == nil && p.width != 2 {
		p.fail("%d texture coordinates of a place", p.width)
	}
	if p.err != nil {
		return
	}
	for i := range p.n {
		c := p.order[i]
		n, b := int(p.entries[next(c)]), int(p.entries[previous(c)])
		var predicted [2]int32
		switch {
		case n < i && b < i:
			var ok bool
			if predicted, sides, ok = p.predictSimilar(positions, c, sides); !ok {
				p.fail("too few sides of texture coordinates, or positions too far apart")
				return
			}
		case n < i:
			predicted = p.texCoordAt(n)
		case i > 0:
			predicted = p.texCoordAt(i - 1)
		}
		p.restoreAt(i, predicted[:])
	}
}

func (p *prediction) texCoordAt(entry int) [2]int32 { return [2]int32(p.ints[2*entry:]) }

// predictSimilar predicts the texture coordinates of corner c from those of the other two corners of its triangle. It
// removes the last element of `sides`, unless the edge between these two corners has no length. It returns the
// prediction and the remaining sides. The bool is false after an error.
func (p *prediction) predictSimilar(positions *values, c int32, sides []bool) ([2]int32, []bool, bool) {
	n, b := p.texCoordAt(int(p.entries[next(c)])), p.texCoordAt(int(p.entries[previous(c)]))
	if n == b {
		return b, sides, true
	}
	tip, from, to := positions.at(c), positions.at(next(c)), positions.at(previous(c))
	edge, side := minus(to, from), minus(tip, from)
	length2 := dot(edge, edge)
	if length2 == 0 {
		return p.predictNext(c), sides, true
	}
	if len(sides) == 0 || length2 < 0 {
		return n, nil, false
	}
	left := sides[len(sides)-1]
	sides = sides[:len(sides)-1]
	along := dot(side, edge)
	var foot [3]int64 // foot of the perpendicular from corner c to the edge
	for i := range foot {
		foot[i] = from[i] + along*edge[i]/length2
	}
	height := minus(tip, foot)
	scale := int64(floorRoot(uint64(dot(height, height)) * uint64(length2)))
	du, dv := int64(b[0])-int64(n[0]), int64(b[1])-int64(n[1])
	u, v := dv*scale, -du*scale
	if !left {
		u, v = -u, -v
	}
	return [2]int32{
		int32((int64(n[0])*length2 + du*along + u) / length2),
		int32((int64(n[1])*length2 + dv*along + v) / length2),
	}, sides, true
}

// predictNext predicts that corner c has the texture coordinates of the next corner. It is used if the edge opposite to
// c has no length.
func (p *prediction) predictNext(c int32) [2]int32 { return p.texCoordAt(int(p.entries[next(c)])) }

func minus(a, b [3]int64) [3]int64 { return [3]int64{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

func dot(a, b [3]int64) int64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

// floorRoot returns the integer square root of v.
func floorRoot(v uint64) uint64 {
	r := uint64(math.Sqrt(float64(v)))
	for r > math.MaxUint32 || r*r > v {
		r--
	}
	for r < math.MaxUint32 && (r+1)*(r+1) <= v {
		r++
	}
	return r
}
