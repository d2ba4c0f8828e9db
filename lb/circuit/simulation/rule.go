package simulation

import "lockstep/lb/circuit"

// A gridRule decides circuit.Mobility's rule for subdomains in blocks without
// a stored stencil: a subdomain's neighbours follow from its place in its
// block, and whether two elements are joined from a mask of directions.
//
// As long as the rule has held, the owners of a subdomain's stencil are its own
// element and elements joined to that, all within three columns and rows. Four
// by four places, repeated over the grid, tell these apart, so a mark of one
// place's bit stands for an owner, and the marks of a whole stencil or-ed
// together for its set of owners. That needs no branch, and a quarter of the
// memory of owners by number.
type gridRule struct {
	element []gridElement
	stencil []stencilEntry // of each subdomain of a block, reach of them
	offset  []int32        // stencil's offsets alone
	around  uint16         // gridElement.joined inside the grid when every edge is kept
	reach   int32          // entries in a subdomain's stencil
	per     int32          // subdomains per element
	width   int32          // of the grid of elements

	common     [8][256]uint8
	places     [16][256]uint16
	reciprocal uint64 // 2^reciprocalBits over per, rounded up
}

type gridElement struct {
	joined uint16 // bit d set when joined in direction d; homeDirection is set
	place  uint8
}

// A stencilEntry leads from a subdomain to one in its stencil.
type stencilEntry struct {
	direction uint8 // of the other's home from this one's, or homeDirection
	offset    int32 // from this load to the other
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
		element: make([]gridElement, g.Elements()),
		per:     int32(b.Columns * b.Rows),
		width:   int32(b.Width),
	}
	r.common, r.places = commonDirections(), placesAround()
	r.reciprocal = 1<<reciprocalBits/uint64(r.per) + 1
	for e := range r.element {
		joined := uint16(1 << homeDirection)
		for _, f := range g.Neighbours(int32(e)) {
			joined |= 1 << r.towards(int32(e), f)
		}
		r.element[e] = gridElement{joined, placeOf(int32(e%b.Width), int32(e/b.Width))}
	}
	for local := range b.Columns * b.Rows {
		r.stencil = append(r.stencil, stencilOf(b, t, local)...)
	}
	r.reach = int32(len(r.stencil)) / r.per
	r.around = 1 << homeDirection
	for _, s := range r.stencil {
		r.offset = append(r.offset, s.offset)
		r.around |= 1 << s.direction
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
				offset:    int32((ey*b.Width+ex)*b.Columns*b.Rows + (y-ey*b.Rows)*b.Columns + x - ex*b.Columns - local),
			})
		}
	}
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

// mark returns the mark of element e as an owner.
func (r *gridRule) mark(e int32) uint16 { return 1 << (r.element[e].place & 15) }

// keeping returns the owners that a load's stencil may have for the load to
// move between the ends of an edge: these two and all that are joined to both.
func (r *gridRule) keeping(e circuit.Edge) uint16 {
	u, v := r.element[e.U], r.element[e.V]
	both := uint8(u.joined) & r.common[r.towards(e.U, e.V)&7][uint8(v.joined)]
	return r.places[u.place&15][both]
}

// stay tells in stays, 1 or 0, which of the loads may not move between the ends
// of an edge, whose keeping it is given.
func (r *gridRule) stay(marks []uint16, keeping uint16, entries []uint64, stays []uint8) {
	offset, element, around := r.offset, r.element, r.around
	if r.reach != 8 {
		around = 0 // no element's mask
	}
	for k, entry := range entries {
		_, load := unpackLoad(entry)
		home := r.home(load)
		if element[home].joined != around {
			stays[k] = nonzero(r.owners(marks, load) &^ keeping)
			continue
		}
		// The usual case with eight neighbours, most of a round's time.
		o := (*[8]int32)(offset[(load-home*r.per)*8:])
		set := marks[load+o[0]] | marks[load+o[1]] | marks[load+o[2]] | marks[load+o[3]] |
			marks[load+o[4]] | marks[load+o[5]] | marks[load+o[6]] | marks[load+o[7]]
		stays[k] = nonzero(set &^ keeping)
	}
}

// nonzero returns 1 unless x is 0, without a branch.
func nonzero(x uint16) uint8 { return uint8(-uint32(x) >> 31) }

// owners returns the set of owners in a load's stencil, given all loads' marks.
func (r *gridRule) owners(marks []uint16, load int32) (set uint16) {
	home := r.home(load)
	joined := r.element[home].joined
	from := (load - home*r.per) * r.reach
	if joined == r.around {
		for _, offset := range r.offset[from : from+r.reach] {
			set |= marks[load+offset]
		}
		return set
	}
	for _, s := range r.stencil[from : from+r.reach] {
		// Subdomains of elements that are not joined to this one are not in the
		// stencil; in their stead the load itself is looked at.
		there := -(int32(joined) >> (s.direction & 15) & 1)
		set |= marks[load+s.offset&there]
	}
	return set
}

func (r *gridRule) home(load int32) int32 {
	return int32(uint64(load) * r.reciprocal >> reciprocalBits)
}

// commonDirections returns, for an element w in direction d that is itself
// joined in the directions of a mask, the directions that lead to w or to an
// element to which w is joined.
func commonDirections() (table [8][256]uint8) {
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

// placeOf numbers the places of elements, which repeat every four columns and
// rows.
func placeOf(x, y int32) uint8 { return uint8(y&3<<2 | x&3) }

// placesAround returns, for an element in a place, the marks of itself and of
// the elements in the directions of a mask.
func placesAround() (table [16][256]uint16) {
	for place := range int32(len(table)) {
		x, y := place&3, place>>2
		for mask := range 256 {
			set := uint16(1) << place
			for d, step := range directionSteps {
				if mask>>d&1 == 1 {
					set |= 1 << placeOf(x+step.dx, y+step.dy)
				}
			}
			table[place][mask] = set
		}
	}
	return table
}

var directionSteps = [8]struct{ dx, dy int32 }{{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}}

// reciprocalBits is the precision of the division by the loads per element:
// with it the product of a load below 2^31 errs by less than 2^-9, so the
// quotient is exact for divisors up to MaxLoads.
const reciprocalBits = 40
