// Package isosurface makes triangles from fields by marching cubes, and reduces their number by collapsing edges. The
// results are the same on every machine, with any number of cores.
package isosurface

import (
	"math"

	"lockstep/scenes/internal/parallel"
	"lockstep/scenes/internal/vector"
	"lockstep/scenes/procedural/internal/numeric"
)

// A Surface is an indexed triangle mesh.
type Surface struct {
	Points    [][3]float64
	Triangles [][3]int32 // indices of points, counter-clockwise as seen from outside
}

// A Lattice holds the points at which a field is sampled. It consists of planes perpendicular to y, which are divided
// into rectangular cells. The cells get smaller from plane to plane, in proportion to the distance from a point, the
// apex. So the lines of the lattice along y are straight.
type Lattice struct {
	n     [3]int    // numbers of cells along x, y and z
	Cell  float64   // size of a cell along x and y at the last plane
	rise  float64   // size of a cell along z at the last plane
	far   float64   // y of the last plane
	slope float64   // change of the values in `size` per unit of y
	y     []float64 // y of each of the n[1]+1 planes
	size  []float64 // size of the cells at each plane, as a fraction of their size at the last plane
}

// A Region is the part of space that a lattice covers. At y = Far it is the rectangle |x| <= HalfX, |z| <= HalfZ. It
// follows the lines of the lattice down to y = Near.
type Region struct{ Near, Far, HalfX, HalfZ float64 }

// NewLattice returns a lattice that covers a region. At the far end, cells are `cell` wide and `rise` high. Cells at
// the near end have ratio times this size; ratio is at most 1.
func NewLattice(cell, rise, ratio float64, r Region) *Lattice {
	near, far := r.Near, r.Far
	// Cells keep their proportions if each is smaller than the one before by the same factor. The apex is the point
	// where their size would be zero.
	l := &Lattice{Cell: cell, rise: rise, far: far, slope: (1 - ratio) / (far - near)}
	factor := 1 - float64(l.slope*cell)
	y, s := far, 1.0
	for y > near {
		l.y, l.size = append(l.y, y), append(l.size, s)
		y -= float64(s * cell)
		s *= factor
	}
	l.y, l.size = append(l.y, y), append(l.size, s)
	for i, j := 0, len(l.y)-1; i < j; i, j = i+1, j-1 {
		l.y[i], l.y[j] = l.y[j], l.y[i]
		l.size[i], l.size[j] = l.size[j], l.size[i]
	}
	l.n = [3]int{2 * int(math.Ceil(r.HalfX/cell)), len(l.y) - 1, 2 * int(math.Ceil(r.HalfZ/rise))}
	return l
}

// point returns the position of lattice point (i, j, k).
func (l *Lattice) point(i, j, k int) [3]float64 {
	s := l.size[j]
	x, z := float64(l.Cell*float64(i-l.n[0]/2)), float64(l.rise*float64(k-l.n[2]/2))
	return [3]float64{float64(x * s), l.y[j], float64(z * s)}
}

// Steps returns the greatest distance between two points along any axis, in cells.
func (l *Lattice) Steps(a, b [3]float64) float64 {
	size := 1 - float64(l.slope*(l.far-(a[1]+b[1])/2))
	across := math.Max(math.Abs(a[0]-b[0]), math.Abs(a[1]-b[1])) / l.Cell
	return math.Max(across, math.Abs(a[2]-b[2])/l.rise) / size
}

// A Field is a function that is negative inside a solid. Its slope must not exceed 1. So its magnitude is a lower bound
// of the distance to the surface.
type Field func(p [3]float64) float64

// brickCells is the number of cells along each side of a brick. A brick is a piece of the lattice that is skipped or
// sampled as a whole. Its 9^3 values take 6 KB.
const brickCells = 8

// A brick holds the surface within one brick of the lattice. Each of its points is identified by the lattice edge on
// which it lies.
type brick struct {
	edges     []uint64
	points    [][3]float64
	triangles [][3]int32
}

// March returns the surface on which f is zero. The surface is closed if f is positive on the border of the lattice.
// The result is the same for any number of workers. Time and memory are proportional to the surface and to the number
// of bricks.
func March(l *Lattice, f Field) *Surface {
	nb := [3]int{}
	for a := range nb {
		nb[a] = (l.n[a] + brickCells - 1) / brickCells
	}
	bricks := make([]brick, nb[0]*nb[1]*nb[2])
	parallel.ForEach(len(bricks), func(b int) {
		at := [3]int{b % nb[0], b / (nb[0] * nb[2]), b / nb[0] % nb[2]}
		for a := range at {
			at[a] *= brickCells
		}
		bricks[b] = l.marchBrick(f, at)
	})
	s := new(Surface)
	index := make(map[uint64]int32)
	for _, b := range bricks {
		local := make([]int32, len(b.edges))
		for i, e := range b.edges {
			at, ok := index[e]
			if !ok {
				at = int32(len(s.Points))
				index[e] = at
				s.Points = append(s.Points, b.points[i])
			}
			local[i] = at
		}
		for _, t := range b.triangles {
			s.Triangles = append(s.Triangles, [3]int32{local[t[0]], local[t[1]], local[t[2]]})
		}
	}
	return s
}

// misses reports whether the surface certainly does not touch the brick between the lattice points lo and hi.
func (l *Lattice) misses(f Field, lo, hi [3]int) bool {
	middle := vector.Scale(0.5, vector.Add(l.point(lo[0], lo[1], lo[2]), l.point(hi[0], hi[1], hi[2])))
	far := 0.0
	for c := range 8 {
		at := lo
		for a := range at {
			if c>>a&1 != 0 {
				at[a] = hi[a]
			}
		}
		d := vector.Add(l.point(at[0], at[1], at[2]), vector.Scale(-1, middle))
		far = math.Max(far, vector.Dot(d, d))
	}
	return math.Abs(f(middle)) > math.Sqrt(far)
}

// marchBrick makes the triangles of the brick that starts at cell lo.
func (l *Lattice) marchBrick(f Field, lo [3]int) (b brick) {
	hi := lo
	for a := range hi {
		hi[a] = min(lo[a]+brickCells, l.n[a])
	}
	if l.misses(f, lo, hi) {
		return b
	}
	var values [brickCells + 1][brickCells + 1][brickCells + 1]float64 // values of the field, indexed by y, z and x
	for j := lo[1]; j <= hi[1]; j++ {
		for k := lo[2]; k <= hi[2]; k++ {
			for i := lo[0]; i <= hi[0]; i++ {
				values[j-lo[1]][k-lo[2]][i-lo[0]] = f(l.point(i, j, k))
			}
		}
	}
	index := make(map[uint64]int32)
	for j := lo[1]; j < hi[1]; j++ {
		for k := lo[2]; k < hi[2]; k++ {
			for i := lo[0]; i < hi[0]; i++ {
				var corner [8]float64
				for c := range corner {
					corner[c] = values[j-lo[1]+c>>1&1][k-lo[2]+c>>2][i-lo[0]+c&1]
				}
				l.marchCell(f, [3]int{i, j, k}, &corner, &b, index)
			}
		}
	}
	return b
}

// marchCell adds the triangles of the cell `at` to b.
func (l *Lattice) marchCell(f Field, at [3]int, values *[8]float64, b *brick, index map[uint64]int32) {
	set := 0
	for c, v := range values {
		if v < 0 {
			set |= 1 << c
		}
	}
	cc := &cubeCases()[set]
	for t := 0; t < cc.n; t += 3 {
		var tri [3]int32
		for k := range tri {
			e := cubeEdges[cc.edges[t+k]]
			name := l.edgeName(at, e)
			p, ok := index[name]
			if !ok {
				p = int32(len(b.points))
				index[name] = p
				b.edges = append(b.edges, name)
				lo, hi := l.corner(at, e.lo), l.corner(at, e.hi)
				b.points = append(b.points, crossing(f, lo, hi, values[e.lo], values[e.hi]))
			}
			tri[k] = p
		}
		b.triangles = append(b.triangles, tri)
	}
}

func (l *Lattice) corner(at [3]int, c int) [3]float64 {
	return l.point(at[0]+c&1, at[1]+c>>1&1, at[2]+c>>2)
}

// edgeName returns a number that identifies edge e of the cell `at` in the lattice.
func (l *Lattice) edgeName(at [3]int, e cubeEdge) uint64 {
	i, j, k := at[0]+e.lo&1, at[1]+e.lo>>1&1, at[2]+e.lo>>2
	return ((uint64(j)*uint64(l.n[2]+1)+uint64(k))*uint64(l.n[0]+1)+uint64(i))*3 + uint64(e.axis)
}

// crossingSteps is the number of steps that refine the first guess of the zero on an edge. For a smooth field, four
// steps are enough for a float32. More are needed where two parts of the solid meet and the field has a kink.
const crossingSteps = 8

// endGap is the least distance of a point of the surface from the ends of its edge, as a fraction of the edge. At an
// end, the points of several edges would coincide and triangles would vanish.
const endGap = 1.0 / 64

// crossing returns the point between a and b where the field is zero. fa and fb are the values at a and b, and have
// opposite signs. The method is false position with the Illinois rule.
func crossing(f Field, a, b [3]float64, fa, fb float64) [3]float64 {
	lo, hi, flo, fhi := 0.0, 1.0, fa, fb
	at := func(t float64) [3]float64 {
		return [3]float64{numeric.Mix(t, a[0], b[0]), numeric.Mix(t, a[1], b[1]), numeric.Mix(t, a[2], b[2])}
	}
	t, last := fa/(fa-fb), 0
	for range crossingSteps {
		v := f(at(t))
		// If an end does not move in two consecutive steps, its value is halved. Then this end moves in one of the next
		// steps.
		if (v < 0) == (fa < 0) {
			lo, flo = t, v
			if last < 0 {
				fhi /= 2
			}
			last = -1
		} else {
			hi, fhi = t, v
			if last > 0 {
				flo /= 2
			}
			last = 1
		}
		if flo == fhi { // both ends are on the surface
			break
		}
		t = lo + float64((hi-lo)*(flo/(flo-fhi)))
	}
	return at(math.Max(endGap, math.Min(1-endGap, t)))
}
