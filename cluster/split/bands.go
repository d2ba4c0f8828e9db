package split

// Bands and rows of tiles begin at different rows of pixels, so that a band may lie in the rows of several
// members. The owner of its last row encodes it. What it lacks lies above its own rows: the members
// there send it their part of the band, and whoever has it the row above the band, by which its first row
// is filtered.

// pixelRows is a range of rows of pixels, hi exclusive.
type pixelRows struct{ lo, hi int }

// within returns what two ranges have in common; lo is not below hi where that is nothing.
func (p pixelRows) within(q pixelRows) pixelRows { return pixelRows{max(p.lo, q.lo), min(p.hi, q.hi)} }

func (p pixelRows) len() int { return max(p.hi-p.lo, 0) }

// pixelRows returns the rows of pixels of rows of tiles.
func (s *Shape) pixelRows(r Rows) pixelRows {
	return pixelRows{min(r.Lo*s.TileHeight, s.Height), min(r.Hi*s.TileHeight, s.Height)}
}

// rowBytes returns the bytes of a row of pixels.
func (s *Shape) rowBytes() int { return 4 * s.Width }

// bandsBefore returns the number of bands whose last row lies above a row of pixels.
func (s *Shape) bandsBefore(row int) int {
	if row >= s.Height {
		return (s.Height + s.Band - 1) / s.Band
	}
	return row / s.Band
}

// bands returns the bands that the owner of rows encodes, hi exclusive.
func (s *Shape) bands(own Rows) (lo, hi int) {
	p := s.pixelRows(own)
	return s.bandsBefore(p.lo), s.bandsBefore(p.hi)
}

// bandRows returns the rows of pixels that are needed to encode a band: its own, and the one above.
func (s *Shape) bandRows(band int) pixelRows {
	return pixelRows{max(band*s.Band-1, 0), min((band+1)*s.Band, s.Height)}
}

// above returns the rows of other members that the owner of rows needs to encode its bands.
func (s *Shape) above(own Rows) pixelRows {
	lo, hi := s.bands(own)
	if lo == hi {
		return pixelRows{}
	}
	return pixelRows{s.bandRows(lo).lo, s.pixelRows(own).lo}
}

// A border is what a member's rows hold of a band that another member encodes.
type border struct {
	to   int // that member
	rows pixelRows
}

// border returns the border of a member; of no rows where it has none.
func (d *draw) border(s *Shape, member int) border {
	p := s.pixelRows(d.own(member))
	if p.hi == s.Height {
		return border{}
	}
	band := s.bandsBefore(p.hi)
	to := member + 1
	for lo, hi := s.bands(d.own(to)); band < lo || band >= hi; lo, hi = s.bands(d.own(to)) {
		to++ // at most to the owner of the picture's last row
	}
	return border{to, s.bandRows(band).within(p)}
}
