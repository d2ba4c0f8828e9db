package indexed

import (
	"lockstep/scenes/internal/parallel"
	"lockstep/scenes/internal/polygon"
)

// A polygon with more than three corners is first stored as a fan, whatever its shape. Which triangles fit its shape
// depends on the positions of its points, and some points may be known only at the end of the file.

// A cut is the fan of a polygon. It has n triangles, the first of which has the index `first`. Better triangles replace
// them later.
type cut struct{ first, n int32 }

// maxShared is the greatest number of triangles of a polygon that may be cut in parallel with other polygons. Larger
// polygons are cut one after the other, because their total work is limited.
const maxShared = 6

// cutsPerPiece is the number of polygons that a goroutine cuts in one piece of work.
const cutsPerPiece = 4096

// cutPolygons replaces the fans of all polygons by triangles that fit their shapes.
func (m *Mesh) cutPolygons() error {
	n := m.cuts.n
	pieces := (n + cutsPerPiece - 1) / cutsPerPiece
	cutters := make([]cutter, parallel.Workers(m.in.Options.Workers, pieces))
	err := parallel.For(m.in.Context(), len(cutters), pieces, func(worker, piece int) error {
		for i := piece * cutsPerPiece; i < min(n, (piece+1)*cutsPerPiece); i++ {
			if c := m.cuts.at(i); c.n <= maxShared {
				cutters[worker].Restart() // small polygons do not need the limit
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

// A cutter cuts polygons one after the other.
type cutter struct {
	polygon.Cutter
	places    [][3]float64
	triangles [][3]int32 // triangles of the polygon, by the numbers of its corners
	corners   []int32    // entries of the polygon's corners, as stored in the list of triangles
}

// The method cut replaces the fan of a polygon in the list of triangles and in the lists of its normals and texture
// coordinates.
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
		if first < of.n { // either all or none of the polygon's triangles have entries
			w.load(of, first, n)
			w.store(of, first)
		}
	}
}

// load collects the entries of a polygon's corners from its fan of n triangles.
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
