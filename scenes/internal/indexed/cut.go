package indexed

import (
	"lockstep/scenes/internal/parallel"
	"lockstep/scenes/internal/polygon"
)

// A polygon with more than three corners is first stored as a fan of triangles, whatever its shape. The final
// triangles depend on the positions of the polygon's points. Some of these positions may be known only at the end of
// the file.

// A cut is a polygon that is stored as a fan of n triangles. The first triangle has the index `first`. Later, n
// triangles that fit the shape of the polygon replace the fan.
type cut struct{ first, n int32 }

// maxShared is the number of triangles up to which a polygon is small. Several goroutines divide small polygons in
// parallel. Larger polygons are divided one after the other, because their total work is limited.
const maxShared = 6

// cutsPerPiece is how many polygons a goroutine divides at a time.
const cutsPerPiece = 4096

// cutPolygons replaces the fans of all polygons by triangles that fit their shapes.
func (m *Mesh) cutPolygons() error {
	n := m.cuts.n
	pieces := (n + cutsPerPiece - 1) / cutsPerPiece
	cutters := make([]cutter, parallel.Workers(m.in.Options.Workers, pieces))
	err := parallel.For(m.in.Context(), len(cutters), pieces, func(worker, piece int) error {
		for i := piece * cutsPerPiece; i < min(n, (piece+1)*cutsPerPiece); i++ {
			if c := m.cuts.at(i); c.n <= maxShared {
				cutters[worker].Restart() // counts the work anew for each polygon: small polygons need no limit
				cutters[worker].replaceFan(m, c)
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
			large.replaceFan(m, c)
		}
	}
	m.cuts = list[cut]{}
	return nil
}

// A cutter divides polygons into triangles, one after the other.
type cutter struct {
	polygon.Cutter
	places    [][3]float64
	triangles [][3]int32 // triangles of the polygon, as numbers of its corners
	corners   []int32    // the polygon's corners, as they are stored in the list of triangles
}

// replaceFan replaces the fan of a polygon by triangles that fit its shape, in the list of triangles and in the lists
// of normals and texture coordinates.
func (w *cutter) replaceFan(m *Mesh, c *cut) {
	first, n := int(c.first), int(c.n)
	w.loadFan(&m.triangles, first, n)
	w.places, w.triangles = w.places[:0], w.triangles[:0]
	for _, p := range w.corners {
		w.places = append(w.places, *m.points.at(int(p)))
	}
	w.Cut(w.places, func(i, j, k int) {
		w.triangles = append(w.triangles, [3]int32{int32(i), int32(j), int32(k)})
	})
	w.storeFan(&m.triangles, first)
	for _, of := range []*list[[3]int32]{&m.details.normalOf, &m.details.texCoordOf} {
		if first < of.n { // either all triangles of the polygon have entries, or none of them has
			w.loadFan(of, first, n)
			w.storeFan(of, first)
		}
	}
}

// loadFan collects the corners of a polygon from its fan of n triangles.
func (w *cutter) loadFan(l *list[[3]int32], first, n int) {
	t := l.at(first)
	w.corners = append(w.corners[:0], t[0], t[1])
	for i := range n {
		w.corners = append(w.corners, l.at(first + i)[2])
	}
}

func (w *cutter) storeFan(l *list[[3]int32], first int) {
	for i, t := range w.triangles {
		*l.at(first + i) = [3]int32{w.corners[t[0]], w.corners[t[1]], w.corners[t[2]]}
	}
}
