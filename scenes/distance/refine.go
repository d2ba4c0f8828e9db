package distance

import (
	"math"
	"sort"

	"lockstep/scenes"
	"lockstep/scenes/internal/vector"
)

// A Refinement determines how finely Refine divides a surface. The zero value divides edges longer than a 128th of the
// diagonal of the mesh's box, and makes at most 2^19 triangles.
type Refinement struct {
	// Edge is the length above which edges are divided, in units of the mesh. 0 means a 128th of the diagonal of the
	// mesh's box. Measured points are then about ten pixels apart in a large picture.
	Edge float64
	// Most is the greatest number of triangles of the result. 0 means 2^19: measuring the distances of that many
	// triangles takes about as long as drawing them. If there would be more triangles, Refine keeps longer edges than
	// Edge. A mesh that already has more triangles than Most is not changed.
	Most int
}

// edgesAcross is the number of edges of the default length along the diagonal of the box, and mostRefined is the
// default of Refinement.Most.
const (
	edgesAcross = 128
	mostRefined = 1 << 19
)

// A Refined is a mesh with more triangles on the same surface.
type Refined struct {
	// Mesh has one vertex per position. Its Attributes only have Index and Vertices. It has the parts of the original
	// mesh and the colours of its triangles.
	Mesh *scenes.Mesh
	// Points holds the vertices relative to the origin of the mesh, before they were rounded to float32.
	Points [][3]float64
	// Edge is the length above which the last round divided edges; 0 if no edge was divided.
	Edge float64
	// Owners[t] is the triangle of the original mesh to which triangle t of Mesh belongs. Owners is in ascending order.
	Owners []uint32

	triangles [][3]uint32 // vertices of each triangle
}

// Refine divides triangles at the middles of edges that are too long, in rounds. Whether an edge is divided depends
// only on its two ends. So neighbouring triangles divide it in the same way and no crack opens. New vertices lie on the
// original triangles, up to the rounding of coordinates.
//
// Refine needs about 100 bytes per triangle of the result. Its time is proportional to the number of triangles, summed
// over all rounds.
func Refine(m *scenes.Mesh, o Refinement) Refined {
	v := numberVertices(m)
	r := refiner{points: make([][3]float64, v.Len()), triangles: make([][3]uint32, m.Len()), owners: make([]uint32, m.Len())}
	for i := range r.points {
		k, t := v.At(i)
		r.points[i] = cornerOf(m, k, t)
	}
	for t := range r.triangles {
		r.triangles[t], r.owners[t] = [3]uint32(v.Index[3*t:3*t+3]), uint32(t)
	}
	long := o.Edge
	if b := m.Bounds(); long == 0 && !b.Empty() {
		size := b.Size()
		long = math.Sqrt(vector.Dot(size, size)) / edgesAcross
	}
	most := o.Most
	if most == 0 {
		most = mostRefined
	}
	if long > 0 {
		r.refine(long, most)
	}
	return Refined{Mesh: r.makeMesh(m), Points: r.points, Edge: r.longest, Owners: r.owners, triangles: r.triangles}
}

// A refiner is the state of Refine.
type refiner struct {
	points    [][3]float64
	triangles [][3]uint32
	owners    []uint32 // for each triangle, the triangle of the original mesh; in ascending order
	longest   float64  // length above which the last round divided edges
}

// coarsenFactor is the factor by which the allowed length of edges grows if there would be too many triangles.
const coarsenFactor = 1.25

// refine divides triangles in rounds until no edge is longer than `long`. If there would be more than `most` triangles,
// it replaces this length by a greater length.
func (r *refiner) refine(long float64, most int) {
	for {
		n, parted := r.countDivided(long)
		for parted > 0 && n > most {
			long *= coarsenFactor
			n, parted = r.countDivided(long)
		}
		if parted == 0 {
			return
		}
		r.divide(long, n)
		r.longest = long
	}
}

// isTooLong reports whether the edge between the vertices a and b must be divided. The result does not depend on the
// order of the vertices.
func (r *refiner) isTooLong(a, b uint32, long float64) bool {
	d := vector.Sub(r.points[a], r.points[b])
	square := vector.Dot(d, d)
	return square > float64(long*long) && square <= math.MaxFloat64
}

// countDivided returns the number of triangles after the next round, and the number of edges that this round divides.
// It counts an edge once for each triangle that has the edge.
func (r *refiner) countDivided(long float64) (triangles, parted int) {
	for _, c := range r.triangles {
		for k := range 3 {
			if r.isTooLong(c[k], c[(k+1)%3], long) {
				parted++
			}
		}
	}
	return len(r.triangles) + parted, parted
}

// divide divides the edges longer than `long` once. n is the number of triangles after this round.
func (r *refiner) divide(long float64, n int) {
	table, first := newPairNumbers(n-len(r.triangles)), uint32(len(r.points))
	triangles, owners := make([][3]uint32, 0, n), make([]uint32, 0, n)
	for t, c := range r.triangles {
		var mid [3]uint32 // the new vertex on the edge that follows each corner
		var parted [3]bool
		for k := range 3 {
			a, b := c[k], c[(k+1)%3]
			if parted[k] = r.isTooLong(a, b, long); !parted[k] {
				continue
			}
			number, fresh := table.number(a, b)
			if mid[k] = first + number; fresh {
				r.points = append(r.points, vector.Scale(0.5, vector.Add(r.points[a], r.points[b])))
			}
		}
		triangles = r.split(triangles, c, mid, parted)
		for len(owners) < len(triangles) {
			owners = append(owners, r.owners[t])
		}
	}
	r.triangles, r.owners = triangles, owners
}

// split divides triangle c and appends the parts to `to`. mid holds the new vertex on each divided edge.
func (r *refiner) split(to [][3]uint32, c, mid [3]uint32, parted [3]bool) [][3]uint32 {
	turn := 0 // the corner to call a: the edge from a to b is divided; that from d to a only if all are
	for turn < 2 && (!parted[turn] || parted[(turn+2)%3] && parted != [3]bool{true, true, true}) {
		turn++
	}
	a, b, d := c[turn], c[(turn+1)%3], c[(turn+2)%3]
	ab, bd, da := mid[turn], mid[(turn+1)%3], mid[(turn+2)%3]
	switch {
	case !parted[turn]:
		return append(to, c)
	case parted == [3]bool{true, true, true}:
		return append(to, [3]uint32{a, ab, da}, [3]uint32{ab, b, bd}, [3]uint32{da, bd, d}, [3]uint32{ab, bd, da})
	case !parted[(turn+1)%3]:
		return append(to, [3]uint32{a, ab, d}, [3]uint32{ab, b, d})
	}
	to = append(to, [3]uint32{ab, b, bd})
	one, two := vector.Sub(r.points[a], r.points[bd]), vector.Sub(r.points[ab], r.points[d])
	if vector.Dot(one, one) <= vector.Dot(two, two) { // divide the remaining quadrangle along its shorter diagonal
		return append(to, [3]uint32{a, ab, bd}, [3]uint32{a, bd, d})
	}
	return append(to, [3]uint32{a, ab, d}, [3]uint32{ab, bd, d})
}

// makeMesh returns the triangles as a mesh with the origin, up axis, unit, parts and colours of m.
func (r *refiner) makeMesh(m *scenes.Mesh) *scenes.Mesh {
	n := len(r.triangles)
	fine := &scenes.Mesh{Block: scenes.MakeBlock(n), Origin: m.Origin, Up: m.Up, Unit: m.Unit}
	a := &scenes.Attributes{Vertices: len(r.points)}
	for k := range a.Index {
		a.Index[k] = make([]uint32, n)
	}
	for t, c := range r.triangles {
		for k, v := range c {
			p := vector.Single(r.points[v])
			fine.X[k][t], fine.Y[k][t], fine.Z[k][t], a.Index[k][t] = p[0], p[1], p[2], v
		}
	}
	fine.Attributes = a
	if m.Colors != nil {
		fine.Colors = make([]uint32, n)
		for t, owner := range r.owners {
			fine.Colors[t] = m.Colors[owner]
		}
	}
	at := func(owner int) int {
		return sort.Search(n, func(t int) bool { return int(r.owners[t]) >= owner })
	}
	for _, p := range m.Parts {
		p.First, p.Count = at(p.First), at(p.First+p.Count)-at(p.First)
		fine.Parts = append(fine.Parts, p)
	}
	return fine
}
