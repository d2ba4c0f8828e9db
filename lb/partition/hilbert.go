package partition

import "math"

// levels2 and levels3 are the levels of the Hilbert curves in the plane and in space: how many times each side is
// halved. A key has one bit per level and dimension: 56 bits in the plane and 57 in space. Source: Zoltan, src/hsfc. A
// test compares keys with Zoltan's keys in testdata.
const (
	levels2 = 28
	levels3 = 19
)

// A turn is a symmetry of the square or the cube. It maps one bit of each coordinate to one bit of each coordinate. Bit
// i of the result is bit from[i] of the argument, inverted if flip[i] is 1.
type turn struct {
	from, flip [3]uint8
}

func (s turn) apply(b [3]uint8) (r [3]uint8) {
	for i := range r {
		r[i] = b[s.from[i]] ^ s.flip[i]
	}
	return r
}

// after returns the symmetry that applies the turn `first`, and then s.
func (s turn) after(first turn) (r turn) {
	for i := range r.from {
		r.from[i] = first.from[s.from[i]]
		r.flip[i] = first.flip[s.from[i]] ^ s.flip[i]
	}
	return r
}

// A curve is a Hilbert curve as a state machine. Each step reads one bit of every coordinate and writes one digit of
// the key.
type curve struct {
	dim, levels int
	digit       [][8]uint8 // digit[state][code]; the bits of a code are x, y and z, from the highest to the lowest
	next        [][8]uint8 // next[state][code] is the state after a code
	code        [][8]uint8 // code[state][digit], the inverse of digit
}

// newCurve finds all states of a curve. visit is the order in which the curve visits the cells. turns[code] is how the
// curve is turned in the cell with that code.
func newCurve(dim, levels int, visit []uint8, turns []turn) *curve {
	c := &curve{dim: dim, levels: levels}
	states := []turn{{from: [3]uint8{0, 1, 2}}}
	for s := 0; s < len(states); s++ {
		var digit, next, code [8]uint8
		for k := range visit {
			seen := c.number(states[s].apply(c.bits(uint8(k))))
			digit[k] = visit[seen]
			code[visit[seen]] = uint8(k)
			next[k] = stateNumber(&states, turns[seen].after(states[s]))
		}
		c.digit, c.next, c.code = append(c.digit, digit), append(c.next, next), append(c.code, code)
	}
	return c
}

// stateNumber returns the index of a state. It adds the state if it is new.
func stateNumber(states *[]turn, t turn) uint8 {
	for i, s := range *states {
		if s == t {
			return uint8(i)
		}
	}
	*states = append(*states, t)
	return uint8(len(*states) - 1)
}

// bits splits code into one bit for each coordinate.
func (c *curve) bits(code uint8) (b [3]uint8) {
	for i := range c.dim {
		b[i] = code >> (c.dim - 1 - i) & 1
	}
	return b
}

func (c *curve) number(b [3]uint8) (code uint8) {
	for i := range c.dim {
		code = code<<1 | b[i]
	}
	return code
}

// curves are the two Hilbert curves. In the plane the curve visits the quadrants (0,0), (1,0), (1,1) and (0,1). It is
// turned only in the first and the last of them. The orders and turns were derived from keys that Zoltan's functions
// computed.
var curves = [...]*curve{
	newCurve(2, levels2, []uint8{0, 3, 1, 2}, []turn{
		{from: [3]uint8{1, 0, 2}}, {from: [3]uint8{1, 0, 2}, flip: [3]uint8{1, 1, 0}},
		{from: [3]uint8{0, 1, 2}}, {from: [3]uint8{0, 1, 2}},
	}),
	newCurve(3, levels3, []uint8{0, 7, 3, 4, 1, 6, 2, 5}, []turn{
		{from: [3]uint8{2, 1, 0}}, {from: [3]uint8{2, 1, 0}, flip: [3]uint8{1, 0, 1}},
		{from: [3]uint8{2, 0, 1}, flip: [3]uint8{1, 1, 0}}, {from: [3]uint8{2, 0, 1}, flip: [3]uint8{0, 1, 1}},
		{from: [3]uint8{0, 2, 1}}, {from: [3]uint8{0, 2, 1}, flip: [3]uint8{0, 1, 1}},
		{from: [3]uint8{0, 1, 2}}, {from: [3]uint8{0, 1, 2}},
	}),
}

// HilbertKey returns the position of a point along the Hilbert curve, from 0 to 1. The curve fills the unit square, or
// the unit cube if there are three coordinates. Coordinates below 0 count as 0, and those above 1 as 1.
func HilbertKey(at ...float64) float64 {
	c := curves[len(at)-2]
	var cell [3]uint32
	for d, x := range at {
		cell[d] = gridOf(x)
	}
	return math.Ldexp(float64(c.key(cell)), -c.dim*c.levels)
}

// gridOf maps a coordinate from 0 to 1 to a 32-bit integer. The factor is Zoltan's. With it, 1/2 is in the lower half.
func gridOf(x float64) uint32 {
	return uint32(min(max(x, 0), 1) * math.MaxUint32)
}

// key returns the key of a cell as an integer of dim*levels bits.
func (c *curve) key(cell [3]uint32) uint64 {
	x, y, z := cell[0], cell[1], cell[2]
	key, state := uint64(0), uint8(0)
	if c.dim == 2 {
		for range levels2 {
			code := (x>>31)<<1 | y>>31
			key = key<<2 | uint64(c.digit[state][code])
			state = c.next[state][code]
			x, y = x<<1, y<<1
		}
		return key
	}
	for range levels3 {
		code := (x>>31)<<2 | (y>>31)<<1 | z>>31
		key = key<<3 | uint64(c.digit[state][code])
		state = c.next[state][code]
		x, y, z = x<<1, y<<1, z<<1
	}
	return key
}
