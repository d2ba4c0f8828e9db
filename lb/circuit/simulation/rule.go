package simulation

import "lockstep/lb/circuit"

// A gridRule applies the rule of circuit.Mobility to subdomains in blocks, without a stored stencil. A subdomain's
// neighbours follow from its place in its block. A mask of directions says which elements are joined.
//
// As long as the rule has held, the owners of a subdomain's stencil are its own element and elements joined to that,
// all within three columns and rows. To tell them apart, each element has one of 16 places: its column and row modulo
// 4. Each subdomain has 16 counts of 4 bits, one for each place. A count is the number of subdomains in the stencil
// whose owner has this place, at most eight. All counts of a subdomain fit into 64 bits. So one mask of 64 bits tells
// whether a load may move, and a move changes the counts of eight other loads by one addition each.
type gridRule struct {
	element []gridElement
	// stencil holds the stencils of a block's subdomains, with reach entries per subdomain.
	stencil         []stencilEntry
	offset          []int32 // field offset of each entry of stencil
	allJoined       uint16  // value of gridElement.joined of an element with all neighbours
	reach           int32   // number of entries in a subdomain's stencil
	loadsPerElement int32   // number of subdomains per element
	width           int32   // width of the grid in elements

	common     [8][256]uint8
	places     [16][256]uint64
	reciprocal uint64 // 2^reciprocalBits / loadsPerElement, rounded up
}

type gridElement struct {
	joined uint16 // bit d is set if the element in direction d is joined; bit homeDirection is always set
	place  uint8
}

// A stencilEntry leads from a subdomain to another one in its stencil.
type stencilEntry struct {
	direction uint8 // direction between the elements where the two subdomains start, or homeDirection
	offset    int32 // number of the other subdomain minus the number of this one
}

// homeDirection means the element itself. Directions 0 to 7 are its eight neighbours, row by row.
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
		element:         make([]gridElement, g.Elements()),
		loadsPerElement: int32(b.Columns * b.Rows),
		width:           int32(b.Width),
	}
	r.common, r.places = commonDirections(), placesAround()
	r.reciprocal = 1<<reciprocalBits/uint64(r.loadsPerElement) + 1
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
	r.reach = int32(len(r.stencil)) / r.loadsPerElement
	r.allJoined = 1 << homeDirection
	for _, s := range r.stencil {
		r.offset = append(r.offset, s.offset)
		r.allJoined |= 1 << s.direction
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

// towards returns the direction from element e to f. It decides by the difference of the two numbers. It returns
// homeDirection if neighbours cannot have this difference. Elements at opposite ends of neighbouring rows can have the
// same difference as neighbours. That does no harm: no mask contains a direction that leads out of the grid, and rows
// have at least four elements.
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

// mark returns a mask of counts: 1 in the place of element e, and 0 elsewhere.
func (r *gridRule) mark(e int32) uint64 { return 1 << (r.element[e].place & 15 * 4) }

// allowedOwners returns, as a mask of counts, the elements that may own the stencil of a load that moves between the
// ends of e: both ends, and all elements that are joined to both.
func (r *gridRule) allowedOwners(e circuit.Edge) uint64 {
	u, v := r.element[e.U], r.element[e.V]
	both := uint8(u.joined) & r.common[r.towards(e.U, e.V)&7][uint8(v.joined)]
	return r.places[u.place&15][both]
}

// count sets the counts of element e's subdomains at the start, when every subdomain is still on its first element.
func (r *gridRule) count(owners []uint64, e int32) {
	at := r.element[e]
	x, y := int32(at.place&3), int32(at.place>>2)
	var mark [9]uint64 // by direction: the mark of the element there, 0 if it is not joined
	mark[homeDirection] = r.mark(e)
	for d, step := range directionSteps {
		mark[d] = uint64(at.joined>>d&1) << (placeOf(x+step.dx, y+step.dy) * 4)
	}
	for local := range r.loadsPerElement {
		count := uint64(0)
		for _, s := range r.stencil[local*r.reach : (local+1)*r.reach] {
			count += mark[s.direction]
		}
		owners[e*r.loadsPerElement+local] = count
	}
}

// addCounts adds change to the counts of all loads whose stencils contain one of the entries. It is called after the
// owner of these entries has changed.
func (r *gridRule) addCounts(owners []uint64, entries []uint64, change uint64) {
	for _, entry := range entries {
		_, load := unpackLoad(entry)
		home := r.home(load)
		joined := r.element[home].joined
		from := (load - home*r.loadsPerElement) * r.reach
		if joined == r.allJoined {
			for _, offset := range r.offset[from : from+r.reach] {
				owners[load+offset] += change
			}
			continue
		}
		for _, s := range r.stencil[from : from+r.reach] {
			// The stencil omits subdomains that start on elements not joined to home.
			if joined>>s.direction&1 == 1 {
				owners[load+s.offset] += change
			}
		}
	}
}

// nonzero returns 0 if x is 0 and 1 otherwise, without a branch.
func nonzero(x uint64) uint64 { return (x | -x) >> 63 }

func (r *gridRule) home(load int32) int32 {
	return int32(uint64(load) * r.reciprocal >> reciprocalBits)
}

// commonDirections returns a table of masks of directions. Let w be the neighbour of an element m in direction d, and
// mask the directions in which elements are joined to w. Then table[d][mask] holds the directions from m to w and to
// the elements joined to w.
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

// placeOf returns the number of an element's place. Places repeat every four columns and rows.
func placeOf(x, y int32) uint8 { return uint8(y&3<<2 | x&3) }

// placesAround returns a table of masks of counts. table[place][mask] marks an element in that place and its neighbours
// in the directions of mask.
func placesAround() (table [16][256]uint64) {
	for place := range int32(len(table)) {
		x, y := place&3, place>>2
		for mask := range 256 {
			set := uint64(15) << (place * 4)
			for d, step := range directionSteps {
				if mask>>d&1 == 1 {
					set |= 15 << (placeOf(x+step.dx, y+step.dy) * 4)
				}
			}
			table[place][mask] = set
		}
	}
	return table
}

var directionSteps = [8]struct{ dx, dy int32 }{{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}}

// reciprocalBits is the precision with which home divides by the loads per element. For load numbers below 2^31, the
// quotient is too large by less than 2^-9 before it is rounded down. So the rounded quotient is exact for divisors up
// to MaxLoads, which is 2^9.
const reciprocalBits = 40
