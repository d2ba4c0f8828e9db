package bench

import (
	"cmp"
	"slices"

	"lockstep/lb/circuit"
)

// A gridRule decides circuit.Mobility's rule for subdomains in blocks without
// a stored stencil: a subdomain's neighbours follow from its place in its
// block, and whether two elements are joined from a mask of directions.
type gridRule struct {
	joined  []uint8 // per element, bit d set when it is joined in direction d
	stencil [][]stencilEntry
	per     int32 // subdomains per element
	width   int32 // of the grid of elements

	common     [9][256]uint8
	reciprocal uint64 // 2^reciprocalBits over per, rounded up
}

// A stencilEntry leads from a subdomain to one in its stencil.
type stencilEntry struct {
	direction uint8 // of the other's home from this one's, or home
	offset    int32 // from the first load of this one's home to the other
}

// Directions are numbered (dy+1)*3 + dx+1 without the middle, which is home.
const homeDirection = 8

func direction(dx, dy int32) uint8 {
	d := (dy+1)*3 + dx + 1
	switch {
	case d == 4:
		return homeDirection
	case d > 4:
		d--
	}
	return uint8(d)
}

func newGridRule(g *circuit.Graph, b circuit.Blocks, t circuit.Topology) *gridRule {
	r := &gridRule{
		joined: make([]uint8, g.Elements()),
		per:    int32(b.Columns * b.Rows),
		width:  int32(b.Width),
	}
	r.common = commonDirections()
	r.reciprocal = 1<<reciprocalBits/uint64(r.per) + 1
	for e := range r.joined {
		for _, f := range g.Neighbours(int32(e)) {
			r.joined[e] |= 1 << r.towards(int32(e), f)
		}
	}
	for local := range b.Columns * b.Rows {
		r.stencil = append(r.stencil, stencilOf(b, t, local))
	}
	return r
}

func stencilOf(b circuit.Blocks, t circuit.Topology, local int) (entries []stencilEntry) {
	for dy := -1; dy <= 1; dy++ {
		for dx := -1; dx <= 1; dx++ {
			if dx == 0 && dy == 0 || t == circuit.FourNeighbour && dx != 0 && dy != 0 {
				continue
			}
			x, y := local%b.Columns+dx, local/b.Columns+dy
			ex, ey := floorDiv(x, b.Columns), floorDiv(y, b.Rows)
			entries = append(entries, stencilEntry{
				direction: direction(int32(ex), int32(ey)),
				offset:    int32((ey*b.Width+ex)*b.Columns*b.Rows + (y-ey*b.Rows)*b.Columns + x - ex*b.Columns),
			})
		}
	}
	// Subdomains at a border of their block are the ones that cannot move, and
	// the neighbours beyond the border tell so first.
	slices.SortStableFunc(entries, func(a, b stencilEntry) int { return cmp.Compare(a.direction, b.direction) })
	return entries
}

func floorDiv(a, b int) int {
	if a < 0 {
		return -1
	}
	return a / b
}

// towards returns the direction from element e to f, homeDirection when they
// are not next to each other. In rows of at least four elements, elements that
// are two apart cannot be mistaken for ones at a row's other end, since the
// mask has no direction that leads out of the grid.
func (r *gridRule) towards(e, f int32) uint8 {
	w := r.width
	switch f - e {
	case -w - 1:
		return 0
	case -w:
		return 1
	case -w + 1:
		return 2
	case -1:
		return 3
	case 1:
		return 4
	case w - 1:
		return 5
	case w:
		return 6
	case w + 1:
		return 7
	}
	return homeDirection
}

// freshMobility marks a load's mobility as known; the bits below it are the
// directions in which its element may send it.
const freshMobility = 1 << 8

// mobility returns in which directions element u may send one of its loads: as
// circuit.Mobility.May, but for all of u's neighbours at once.
func (r *gridRule) mobility(owner []int32, load, u int32) uint16 {
	home := r.home(load)
	joined := r.joined[home]
	base := home * r.per
	may := r.joined[u]
	for _, s := range r.stencil[load-base] {
		if joined>>(s.direction&7)&1 == 0 && s.direction != homeDirection {
			continue
		}
		if w := owner[base+s.offset]; w != u {
			if may &= r.common[r.towards(u, w)][r.joined[w]]; may == 0 {
				break
			}
		}
	}
	return freshMobility | uint16(may)
}

// forget marks the mobility of a load that moved, and of those in whose
// stencil it is, as unknown.
func (r *gridRule) forget(known []uint16, load int32) {
	home := r.home(load)
	joined := r.joined[home]
	base := home * r.per
	known[load] = 0
	for _, s := range r.stencil[load-base] {
		if s.direction == homeDirection || joined>>s.direction&1 == 1 {
			known[base+s.offset] = 0
		}
	}
}

func (r *gridRule) home(load int32) int32 {
	return int32(uint64(load) * r.reciprocal >> reciprocalBits)
}

// commonDirections returns, for an element w in direction d that is itself
// joined in the directions of a mask, the directions that lead to w or to an
// element to which w is joined. Row 8 is for elements that are not next to each
// other and have none in common.
func commonDirections() (table [9][256]uint8) {
	for d, from := range directionSteps {
		for mask := range 256 {
			table[d][mask] = 1 << d
			for e, to := range directionSteps {
				dx, dy := to.dx-from.dx, to.dy-from.dy
				if d != e && max(dx, -dx, dy, -dy) == 1 && mask>>direction(dx, dy)&1 == 1 {
					table[d][mask] |= 1 << e
				}
			}
		}
	}
	return table
}

var directionSteps = [8]struct{ dx, dy int32 }{{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}}

// reciprocalBits is the precision of the division by the loads per element:
// with it the product of a load below 2^31 errs by less than 2^-9, so the
// quotient is exact for divisors up to maxBlock.
const (
	reciprocalBits = 40
	maxBlock       = 1 << 9
)
