package indexed

import (
	"lockstep/scenes"
	"lockstep/scenes/internal/extent"
	"lockstep/scenes/internal/parallel"
)

// fill writes all triangles, several blocks in parallel.
func (m *Mesh) fill(out *scenes.Mesh) (extent.Tally, error) {
	workers := parallel.Workers(m.in.Options.Workers, scenes.NumBlocks(out))
	each := extent.NewTallies(workers)
	err := parallel.For(m.in.Context(), workers, scenes.NumBlocks(out), func(worker, i int) error {
		lo, hi := scenes.BlockRange(i, out.Len())
		for lo < hi {
			of := m.triangles.runFrom(lo, hi)
			m.fillRun(out, lo, of, &each[worker])
			lo += len(of)
		}
		return nil
	})
	return extent.Sum(each), err
}

// fillRun writes consecutive triangles, one coordinate of one corner at a time. `first` is the index of the first
// triangle.
func (m *Mesh) fillRun(out *scenes.Mesh, first int, of [][3]int32, tally *extent.Tally) {
	end, finite := first+len(of), true
	for k := range 3 {
		x, y, z := out.X[k][first:end], out.Y[k][first:end], out.Z[k][first:end]
		finite = m.fillColumn(&tally.Extent, of, k, out.Origin, [3][]float32{x, y, z}) && finite
		if out.Attributes != nil {
			index := out.Attributes.Index[k][first:end]
			for i := range of {
				index[i] = uint32(of[i][k])
			}
		}
	}
	if out.Colors != nil {
		for i := range of {
			out.Colors[first+i] = m.triangleColor(first+i, &of[i])
		}
	}
	if !finite {
		m.countBad(out, first, of, tally)
	}
}

// fillColumn writes corner k of triangles relative to the origin o. It extends e by the finite corners and reports
// whether all are finite. For the comparisons in its loop see extent.Extent.AddColumns.
func (m *Mesh) fillColumn(e *extent.Extent, of [][3]int32, k int, o [3]float64, to [3][]float32) bool {
	points, finite := m.points.chunks, true
	lox, loy, loz, hix, hiy, hiz := e.Lo[0], e.Lo[1], e.Lo[2], e.Hi[0], e.Hi[1], e.Hi[2]
	x, y, z := to[0][:len(of)], to[1][:len(of)], to[2][:len(of)]
	for i := range of {
		v := uint32(of[i][k])
		p := &points[v/chunkSize][v%chunkSize]
		px, py, pz := float32(p[0]-o[0]), float32(p[1]-o[1]), float32(p[2]-o[2])
		x[i], y[i], z[i] = px, py, pz
		if px >= lox && px <= hix && py >= loy && py <= hiy && pz >= loz && pz <= hiz {
			continue
		}
		finite = e.Add(px, py, pz) && finite
		lox, loy, loz, hix, hiy, hiz = e.Lo[0], e.Lo[1], e.Lo[2], e.Hi[0], e.Hi[1], e.Hi[2]
	}
	return finite
}

// countBad counts the triangles that are not finite in single precision. `first` is the index of the first triangle.
func (m *Mesh) countBad(out *scenes.Mesh, first int, of [][3]int32, tally *extent.Tally) {
	for i := range of {
		t, finite, large := first+i, true, true
		for k, v := range of[i] {
			x, y, z := out.X[k][t], out.Y[k][t], out.Z[k][t]
			if x-x == 0 && y-y == 0 && z-z == 0 {
				continue
			}
			finite = false
			p := m.points.at(int(v))
			large = large && p[0]-p[0] == 0 && p[1]-p[1] == 0 && p[2]-p[2] == 0
		}
		if !finite {
			tally.AddBad(t, large)
		}
	}
}

// triangleColor returns the colour of a triangle, or the mean colour of its corners if it has none.
func (m *Mesh) triangleColor(t int, tri *[3]int32) uint32 {
	if t < m.faceColors.n {
		return *m.faceColors.at(t)
	}
	if m.colors.n == 0 {
		return scenes.DefaultColor
	}
	var sum [3]uint32
	for _, i := range tri {
		rgb := uint32(scenes.DefaultColor)
		if int(i) < m.colors.n {
			rgb = *m.colors.at(int(i))
		}
		for c := range sum {
			sum[c] += rgb >> (16 - 8*c) & 255
		}
	}
	return (sum[0]+1)/3<<16 | (sum[1]+1)/3<<8 | (sum[2]+1)/3
}
