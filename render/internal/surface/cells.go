package surface

import (
	"math"

	"lockstep/render/internal/float3"
	"lockstep/render/internal/kernel/light"
	"lockstep/render/internal/kernel/occlude"
	"lockstep/render/internal/visible"
)

// Cells holds the points that a row of cells shows. A cell is two by two pixels. It shows one point: the centre of
// one of its pixels, with the nearness and the triangle there. Places of points are relative to the upper one of the
// row's two rows of pixels.
type Cells struct {
	Nearness          []float32 // nearness at the point of each cell; 0 if the cell shows nothing
	Triangles, Places []uint32  // triangle and place (see visible.Place) of each cell, followed by elements for one more vector
	width             int
	first, end        int // set by Shown: only cells `first` to `end` (exclusive) may show something
}

// Begin prepares for width cells.
func (c *Cells) Begin(width int) {
	c.width = width
	if n := width + occlude.Lanes; cap(c.Nearness) < n {
		c.Nearness, c.Triangles, c.Places = make([]float32, n), make([]uint32, n), make([]uint32, n)
	}
}

// Shown returns the first cell that shows something, and the index after the last such cell.
func (c *Cells) Shown() (first, end int) {
	nearness := c.Nearness[:c.width] // no element is negative, so if a sum is 0, all its elements are 0
	const some = 8                   // number of elements that are tested at once
	for len(nearness) >= some && sumOf([some]float32(nearness[len(nearness)-some:])) == 0 {
		nearness = nearness[:len(nearness)-some]
	}
	for len(nearness) > 0 && nearness[len(nearness)-1] == 0 {
		nearness = nearness[:len(nearness)-1]
	}
	end = len(nearness)
	for len(nearness) >= some && sumOf([some]float32(nearness)) == 0 {
		nearness = nearness[some:]
	}
	for len(nearness) > 0 && nearness[0] == 0 {
		nearness = nearness[1:]
	}
	c.first, c.end = end-len(nearness), end
	return c.first, c.end
}

func sumOf(v [8]float32) float32 {
	return v[0] + v[1] + (v[2] + v[3]) + (v[4] + v[5] + (v[6] + v[7]))
}

// Distances returns the memory for the distances of cells `first` to `end` (exclusive) of row y. The caller sets them.
func (o *Occlusion) Distances(y, first, end int) []float32 {
	return o.Z[o.at(first, y):o.at(end, y)]
}

// SetCells sets a row of the occlusion's grid to the points of c. The caller must call c.Shown before, and set the
// distances of the cells that Shown returns. (x, y) is the centre of pixel 0 in the upper row of pixels, relative to
// the picture's centre.
func (s *Shader) SetCells(o *Occlusion, c *Cells, row int, x, y float32) {
	first, end := c.first, c.end
	o.beginRow(row, first, end)
	inf := float32(math.Inf(1))
	z, at := o.Distances(row, first, end), o.at(0, row)
	for i, e := range c.Nearness[first:end] {
		if e == 0 {
			z[i] = inf
		}
	}
	if s.loops == nil {
		for i := first; i < end; i++ {
			o.Open[at+i] = 1
			if p := visible.Place(c.Places[i]); c.Nearness[i] != 0 {
				_, down := p.Sums()
				o.setNormal(at+i, s.scene.pointAt(s.facet(c.Triangles[i]), x+float32(p.Pixel()), y-float32(down/2)).normal)
			}
		}
		return
	}
	s.view.Right, s.view.Above, s.view.Near = o.view.Axes[0], o.view.Axes[1], o.view.Axes[2]
	s.cellPixels.SetGrid(1)
	s.cellPixels.Left, s.cellPixels.Top = x, y
	ahead := s.scene.Records != nil // all records exist already, see lightRowInBatches
	from, n := c.batch(first)
	if ahead {
		s.loops.Seek(&s.triangles, light.Points{Triangles: c.Triangles[from : from+n]}, &s.runs[0])
	}
	for k := 0; n > 0; k = 1 - k {
		next, more := c.batch(from + n)
		if ahead {
			s.loops.Seek(&s.triangles, light.Points{Triangles: c.Triangles[next : next+more]}, &s.runs[1-k])
		}
		points := s.pointsOf(c.Triangles[from:from+n], c.Places[from:from+n], &s.runs[k])
		s.normals = [3][]float32{o.NX[at+from:], o.NY[at+from:], o.NZ[at+from:]}
		s.loops.Normals(&s.triangles, &s.view, &s.cellPixels, points, &s.batch, &s.normals)
		s.releaseRecords()
		from, n = next, more
	}
}

// batch returns the next cells whose normals are computed at once: n cells, beginning with cell `from`. Cell `from` is
// the first one, not before cell `first`, that shows something. n is 0 if there is no such cell.
func (c *Cells) batch(first int) (from, n int) {
	for first < c.end && c.Nearness[first] == 0 {
		first++
	}
	return first, min(c.end-first, light.Capacity)
}

// beginRow records that cells `first` to `end` (exclusive) of a row may show something, and sets the others to
// background. It skips cells that have been background since the last frame. Most cells are skipped.
func (o *Occlusion) beginRow(row, first, end int) {
	last := o.shownCells[row]
	o.shownCells[row] = [2]int32{int32(first), int32(end)}
	if last == unsetRange {
		last = [2]int32{0, int32(o.Width)}
		o.setMargins(row)
	}
	from, to := int(last[0]), int(last[1])
	o.clear(row, from, min(first, to))
	o.clear(row, max(end, from), to)
}

// clear sets cells `first` to `end` (exclusive) of a row to background. Background is infinitely far away, under an
// open sky.
func (o *Occlusion) clear(row, first, end int) {
	if first >= end {
		return
	}
	z, open := o.Z[o.at(first, row):o.at(end, row)], o.Open[o.at(first, row):o.at(end, row)]
	inf := float32(math.Inf(1))
	for i := range z {
		z[i], open[i] = inf, 1
	}
}

// setMargins sets the margins to the left and to the right of a row to background. For the first row it also sets the
// rows above, and for the last row the rows below.
func (o *Occlusion) setMargins(row int) {
	from, to := o.at(-occlude.Margin, row), o.at(o.Width+occlude.Margin, row)
	if row == 0 {
		from = 0
	}
	if row == o.Height-1 {
		to = len(o.Z)
	}
	inf := float32(math.Inf(1))
	for _, z := range [2][]float32{o.Z[from:o.at(0, row)], o.Z[o.at(o.Width, row):to]} {
		for i := range z {
			z[i] = inf
		}
	}
}

// setNormal sets the normal of the cell with index `at`. n is in the axes of the mesh; the grid holds it in the axes of
// the view.
func (o *Occlusion) setNormal(at int, n float3.Vector) {
	o.NX[at], o.NY[at], o.NZ[at] = n.Dot(float3.Of(o.view.Axes[0])), n.Dot(float3.Of(o.view.Axes[1])), n.Dot(float3.Of(o.view.Axes[2]))
}
