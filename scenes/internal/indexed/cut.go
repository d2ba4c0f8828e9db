package indexed

import (
	"lockstep/scenes/internal/parallel"
	"lockstep/scenes/internal/polygon"
)

// Polygons of more than three corners are collected as fans, whatever their shape. Where to cut
// them depends on their points, and all points are known only at the end.

// A cut is a polygon to be cut: the triangles of its fan.
type cut struct{ first, n int32 }

// maxShared is the number of triangles of polygons that are cut by several goroutines.
// Larger ones are cut one after the other, for together they have a limit to their work.
const maxShared = 6

// cutsPerPiece is the number of polygons that a goroutine cuts at a time.
const cutsPerPiece = 4096

// cutPolygons cuts all polygons.
func (m *Mesh) cutPolygons() error {
	n := m.cuts.n
	pieces := (n + cutsPerPiece - 1) / cutsPerPiece
	cutters := make([]cutter, parallel.Workers(m.in.Options.Workers, pieces))
	err := parallel.For(m.in.Context(), len(cutters), pieces, func(worker, piece int) error {
		for i := piece * cutsPerPiece; i < min(n, (piece+1)*cutsPerPiece); i++ {
			if c := m.cuts.at(i); c.n <= maxShared {
				cutters[worker].Restart() // few corners are little work
				cutters[worker].cut(m, c)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	large := &cutter{}
	for i := range n {
		if c := m.cuts.at(i); c.n > maxShared {
			if err := m.in.Context().Err(); err != nil {
				return err
			}
			large.cut(m, c)
		}
	}
	m.cuts = list[cut]{}
	return nil
}

// A cutter cuts one polygon after the other.
type cutter struct {
	polygon.Cutter
	places    [][3]float64
	triangles [][3]int32 // as numbers of corners of the polygon
	corners   []int32    // the corners of a triangle as the mesh stores them
}

// cut replaces the fan of a polygon, and what else its corners have.
func (w *cutter) cut(m *Mesh, c *cut) {
	first, n := int(c.first), int(c.n)
	w.load(&m.triangles, first, n)
	w.places, w.triangles = w.places[:0], w.triangles[:0]
	for _, p := range w.corners {
		w.places = append(w.places, *m.points.at(int(p)))
	}
	w.Cut(w.places, func(i, j, k int) {
		w.triangles = append(w.triangles, [3]int32{int32(i), int32(j), int32(k)})
	})
	w.store(&m.triangles, first)
	for _, of := range []*list[[3]int32]{&m.details.normalOf, &m.details.texCoordOf} {
		if first < of.n { // all triangles of a polygon have entries, or none has
			w.load(of, first, n)
			w.store(of, first)
		}
	}
}

// load finds the numbers of the corners of a polygon in its fan.
func (w *cutter) load(l *list[[3]int32], first, n int) {
	t := l.at(first)
	w.corners = append(w.corners[:0], t[0], t[1])
	for i := range n {
		w.corners = append(w.corners, l.at(first + i)[2])
	}
}

func (w *cutter) store(l *list[[3]int32], first int) {
	for i, t := range w.triangles {
		*l.at(first + i) = [3]int32{w.corners[t[0]], w.corners[t[1]], w.corners[t[2]]}
	}
}
