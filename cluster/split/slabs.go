package split

// A slab is a group of pixel rows that are encoded together. Slabs and tile rows start at different pixel rows, so
// several members may own rows of the same slab. The owner of the slab's last row encodes it, and receives the other
// rows from their owners. It also receives the row above the slab, which the PNG filter of the slab's first row needs.

// A pixelRows is a range of pixel rows: lo to hi-1.
type pixelRows struct{ lo, hi int }

// intersection returns the intersection of two ranges. Its len is 0 if there is none.
func (p pixelRows) intersection(q pixelRows) pixelRows {
	return pixelRows{max(p.lo, q.lo), min(p.hi, q.hi)}
}

func (p pixelRows) len() int { return max(p.hi-p.lo, 0) }

// pixelRows returns the pixel rows of a range of tile rows.
func (s *Shape) pixelRows(r Rows) pixelRows {
	return pixelRows{min(r.Lo*s.TileHeight, s.Height), min(r.Hi*s.TileHeight, s.Height)}
}

// rowBytes returns the size of a pixel row in bytes.
func (s *Shape) rowBytes() int { return 4 * s.Width }

// slabsBefore returns the number of slabs whose last row lies above a pixel row.
func (s *Shape) slabsBefore(row int) int {
	if row >= s.Height {
		return (s.Height + s.Slab - 1) / s.Slab
	}
	return row / s.Slab
}

// slabs returns the range of slabs, lo to hi-1, that a node encodes. own holds the node's tile rows.
func (s *Shape) slabs(own Rows) (lo, hi int) {
	p := s.pixelRows(own)
	return s.slabsBefore(p.lo), s.slabsBefore(p.hi)
}

// slabRows returns the pixel rows that are needed to encode a slab: its own rows and the row above them.
func (s *Shape) slabRows(slab int) pixelRows {
	return pixelRows{max(slab*s.Slab-1, 0), min((slab+1)*s.Slab, s.Height)}
}

// rowsAbove returns the pixel rows of other members that a node needs to encode its slabs. own holds the node's tile
// rows.
func (s *Shape) rowsAbove(own Rows) pixelRows {
	lo, hi := s.slabs(own)
	if lo == hi {
		return pixelRows{}
	}
	return pixelRows{s.slabRows(lo).lo, s.pixelRows(own).lo}
}

// A border is the part of a member's rows that belongs to a slab of another member.
type border struct {
	// to is the index of the member that encodes the slab.
	to   int
	rows pixelRows
}

// border returns the border of a member. If it has none, rows is empty.
func (d *drawMessage) border(s *Shape, member int) border {
	p := s.pixelRows(d.rowsOf(member))
	if p.hi == s.Height {
		return border{}
	}
	slab := s.slabsBefore(p.hi)
	to := member + 1
	for lo, hi := s.slabs(d.rowsOf(to)); slab < lo || slab >= hi; lo, hi = s.slabs(d.rowsOf(to)) {
		to++ // the loop ends, because the owner of the picture's last row encodes the last slab
	}
	return border{to, s.slabRows(slab).intersection(p)}
}
