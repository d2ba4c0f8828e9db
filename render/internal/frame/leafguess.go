package frame

import (
	"math"

	"lockstep/render/internal/groups"
)

const (
	// leastCell is the least side of the cells of a picture, in samples, in which guess looks for what is before the rest, and
	// perCell how many bundles such a cell has at least if a mesh fills the picture.
	leastCell = 16
	perCell   = 8
)

// thick is how many times as deep as bundles are themselves what a cell shows must be on average to be more than one surface: that
// far apart lie parts of a slanted one.
const thick = 4

// A guessed cell is what lies behind it: from the least to the greatest nearness of the middles of bundles, and their own depths.
type guessedCell struct {
	least, most float32
	depths      float32
	n           int32
}

// split returns the nearness below which bundles are taken to be behind others.
func (c *guessedCell) split() float32 {
	if (c.most-c.least)*float32(c.n) <= thick*c.depths {
		return 0
	}
	return (c.most + c.least) / 2
}

// guess has groups expected only where their bundle lies in the nearer half of what its cell shows, if that is more than one
// surface. It is often wrong at edges, which costs time and no more: groups are tested before they are left out, as if
// history had said so. Where triangles are read from a file that is worth more than what it takes: of a turntable of a hundred
// million of them, by five degrees a frame, history alone hid 39 % after twenty frames, and with guesses 48 %.
func (l *Leaves) guess() {
	f := &l.frame
	area := float64(f.View.Width) * float64(f.View.Height)
	side := max(leastCell, int(math.Sqrt(perCell*area/float64(max(f.Groups.Bundles(), 1)))))
	width, height := int(f.View.Width)/side+1, int(f.View.Height)/side+1
	l.cells, l.cellOf = resize(l.cells, width*height), resize(l.cellOf, f.Groups.Bundles())
	l.nearness = resize(l.nearness, len(l.cellOf))
	cells, of, near := l.cells, l.cellOf, l.nearness
	clear(cells)
	for i := range of {
		m, ok := l.project.Middle(i)
		if of[i] = -1; !ok {
			continue
		}
		of[i], near[i] = int32(int(m.Y)/side*width+int(m.X)/side), m.Near
		c, middle := &cells[of[i]], (m.Near+m.Far)/2
		if c.n == 0 {
			c.least, c.most = middle, middle
		}
		c.least, c.most = min(c.least, middle), max(c.most, middle)
		c.depths, c.n = c.depths+(m.Near-m.Far), c.n+1
	}
	for i, cell := range of {
		if cell < 0 || near[i] >= cells[cell].split() {
			continue
		}
		for g := i * groups.Bundle; g < min((i+1)*groups.Bundle, f.Groups.Len()); g++ {
			l.shown[g] = l.number - patience - 1
		}
	}
}
