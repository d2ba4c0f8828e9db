package partition

import "math"

// A hilbert maps positions to keys, the order of positions along the Hilbert curve through a box.
type hilbert struct {
	curve       *curve
	from, scale [3]float64
}

// HSFC cuts the Hilbert curve through the points' bounding box. The box is slightly enlarged, so that rounding leaves
// all points inside. Source: Zoltan, src/hsfc. Zoltan searches for all cuts at once. Here the curve is bisected, which
// gives the same balance as the other methods.
func HSFC(p Points, parts int, o Options) (*Partition, error) {
	if err := p.check(parts, o); err != nil {
		return nil, err
	}
	h := newHilbert(p, o)
	n := p.Len()
	key := make([]float64, n)
	eachChunk(o.loop(), 0, n, func(_, from, to int) {
		for i := from; i < to; i++ {
			z := 0.0
			if len(p.At) == 3 {
				z = p.At[2][i]
			}
			key[i] = h.key(p.At[0][i], p.At[1][i], z)
		}
	})
	line := Points{At: [][]float64{key}, Weight: p.Weight}
	r := bisect(line, parts, o, false, func(*bisection, *node, *worker) cut { return axis(0) })
	r.dim, r.curve = len(p.At), h
	return r, nil
}

func newHilbert(p Points, o Options) *hilbert {
	const margin = 1.6e-7 // fraction of each extent that is added on both sides, as in Zoltan
	h := &hilbert{curve: curves[len(p.At)-2]}
	if p.Len() == 0 {
		return h
	}
	var s selector
	for d, column := range p.At {
		from, to := s.limits(o.loop(), column, 0, p.Len())
		// Lengths are halved because the full length could overflow. The limits keep h.from and the scale finite.
		half := to/2 - from/2
		h.from[d] = max(from-float64(half*2*margin), -math.MaxFloat64)
		if half > 0 {
			h.scale[d] = min(1/(half*(1+2*margin)), math.MaxFloat64)
		}
	}
	return h
}

// cell returns the cell of the finest grid that contains a position. Every cell coordinate is monotone in the
// position's coordinate.
func (h *hilbert) cell(x, y, z float64) [3]uint32 {
	at := [3]float64{x, y, z}
	var c [3]uint32
	for d := range h.curve.dim {
		c[d] = gridOf((at[d]/2 - h.from[d]/2) * h.scale[d])
	}
	return c
}

// key returns the key of a position, an integer of 56 or 57 bits. The float64 keeps the 53 highest of these bits.
func (h *hilbert) key(x, y, z float64) float64 { return float64(h.curve.key(h.cell(x, y, z))) }

// overlap appends the leaves of p (parts, before they are renumbered) that own cells in a box.
func (h *hilbert) overlap(p *Partition, dst []int32, lo, hi [3]float64) []int32 {
	s := boxSearch{c: h.curve, p: p, from: len(dst), found: dst}
	s.lo, s.hi = h.cell(lo[0], lo[1], lo[2]), h.cell(hi[0], hi[1], hi[2])
	s.visit([3]uint32{}, 0, 0, 0)
	return s.found
}

// A boxSearch collects the leaves of a partition that own cells in a box, including the cells of both corners.
type boxSearch struct {
	c      *curve
	p      *Partition
	lo, hi [3]uint32
	from   int // index in found of the first leaf of this search
	found  []int32
}

// visit searches a cell of the given level. The cell is given by its lowest corner, the digits of its key and the state
// of the curve in it. visit follows the curve, so it finds leaves in order. It divides a cell only if the cell is
// partly outside the box and the curve is cut in the cell. So it divides at most one cell per cut and level.
func (s *boxSearch) visit(corner [3]uint32, level int, key uint64, state uint8) {
	side := uint64(1) << (32 - level)
	inside := true
	for d := range s.c.dim {
		from, to := uint64(corner[d]), uint64(corner[d])+side-1
		if from > uint64(s.hi[d]) || to < uint64(s.lo[d]) {
			return
		}
		inside = inside && from >= uint64(s.lo[d]) && to <= uint64(s.hi[d])
	}
	rest := s.c.dim * (s.c.levels - level)
	first := s.p.leaf(float64(key<<rest), 0, 0, 0)
	last := s.p.leaf(float64((key+1)<<rest-1), 0, 0, 0)
	if inside || first == last {
		s.add(first, last)
		return
	}
	for digit := range uint8(1) << s.c.dim {
		code := s.c.code[state][digit]
		sub := corner
		for d, bit := range s.c.bits(code) {
			sub[d] |= uint32(uint64(bit) * (side / 2))
		}
		s.visit(sub, level+1, key<<s.c.dim|uint64(digit), s.c.next[state][code])
	}
}

func (s *boxSearch) add(first, last int) {
	if n := len(s.found); n > s.from {
		first = max(first, int(s.found[n-1])+1)
	}
	for leaf := first; leaf <= last; leaf++ {
		s.found = append(s.found, int32(leaf))
	}
}
