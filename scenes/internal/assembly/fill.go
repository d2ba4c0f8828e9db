package assembly

import (
	"fmt"
	"math"

	"lockstep/scenes"
	"lockstep/scenes/internal/extent"
	"lockstep/scenes/internal/origin"
	"lockstep/scenes/internal/parallel"
	"lockstep/scenes/internal/surface"
)

func trianglePlace(triangle int) string { return fmt.Sprintf("triangle %d", triangle) }

// chunk is the number of vertices or triangles that a goroutine writes at once. Temporary copies of a chunk fit into
// the second-level cache.
const chunk = 2048

// A task is a chunk of work: items lo to hi (exclusive) of the vertexRange or triangleRange with the index `of`.
type task struct{ of, lo, hi int }

func splitTasks(n int, size func(i int) int) (all []task) {
	for i := range n {
		for lo, most := 0, size(i); lo < most; lo += chunk {
			all = append(all, task{i, lo, min(lo+chunk, most)})
		}
	}
	return all
}

// runTasks calls the function each for all tasks, on several goroutines.
func (b *builder) runTasks(all []task, each func(worker int, t task)) error {
	return parallel.For(b.in.Context(), b.workers(len(all)), len(all), func(worker, i int) error {
		each(worker, all[i])
		return nil
	})
}

func (b *builder) workers(n int) int { return parallel.Workers(b.in.Options.Workers, n) }

// fill writes the whole mesh: first the vertices, then the triangles that refer to them.
func (b *builder) fill() (extent.Tally, error) {
	b.mesh.Origin = b.chooseOrigin()
	points := splitTasks(len(b.vertexRanges), func(i int) int { return b.vertexRanges[i].points.N })
	rooms := make([]scratch, b.workers(len(points)))
	if err := b.runTasks(points, func(worker int, t task) { b.writeVertices(&rooms[worker], t) }); err != nil {
		return extent.Tally{}, err
	}
	shapes := splitTasks(len(b.triangleRanges), func(i int) int { return b.triangleRanges[i].shape.N })
	corners := make([][chunk][3]uint32, b.workers(len(shapes)))
	tallies := extent.NewTallies(len(corners))
	err := b.runTasks(shapes, func(worker int, t task) { b.writeTriangles(&corners[worker], t, &tallies[worker]) })
	b.places = nil
	return extent.Sum(tallies), err
}

// chooseOrigin chooses the origin from a sample of all transformed points.
func (b *builder) chooseOrigin() [3]float64 {
	step := 1 + len(b.vertexRanges)/origin.SampleSize
	each := max(1, 3*origin.SampleSize*step/max(1, len(b.vertexRanges)))
	var buffer [chunk][3]float64
	return origin.Choose(func(yield func([3]float64) bool) {
		for i := 0; i < len(b.vertexRanges); i += step {
			u := &b.vertexRanges[i]
			n := min(each, u.points.N, chunk)
			u.points.Positions(0, n, buffer[:n])
			for _, p := range buffer[:n] {
				if !yield(u.at.Transform.Point(p)) {
					return
				}
			}
		}
	})
}

// A scratch holds the temporary copies of one worker.
type scratch struct {
	places    [chunk][3]float64
	texCoords [chunk][2]float64
}

func (b *builder) writeVertices(r *scratch, t task) {
	u, n, a := &b.vertexRanges[t.of], t.hi-t.lo, b.mesh.Attributes
	first := u.first + t.lo
	from := r.places[:n]
	u.points.Positions(t.lo, t.hi, from)
	b.placePoints(&u.at.Transform, from, b.places[first:first+n])
	if u.points.Normals != nil {
		u.points.Normals(t.lo, t.hi, from)
		turnNormals(&u.at.Transform, from, a.Normals.Values[first:first+n])
	}
	if u.points.Colors != nil {
		u.points.Colors(t.lo, t.hi, a.Colors.Values[first:first+n])
	} else if b.colors && b.Palette == nil {
		for i := range n {
			a.Colors.Values[first+i] = scenes.Opaque(0xffffff)
		}
	}
	set := func(from func(lo, hi int, to [][2]float64), values [][2]float32) {
		if from == nil {
			return
		}
		uv := r.texCoords[:n]
		from(t.lo, t.hi, uv)
		for i, c := range uv {
			values[first+i] = surface.TexCoord(c)
		}
	}
	set(u.points.TexCoords, a.TexCoords.Values)
	set(u.points.TexCoords2, a.TexCoords2.Values)
}

// placePoints writes transformed points relative to the origin of the mesh. Without a transform and with an origin of
// zero, coordinates that fit into float32 keep their bits.
func (b *builder) placePoints(m *scenes.Affine, from [][3]float64, to [][3]float32) {
	o := b.mesh.Origin
	if *m == scenes.Identity() {
		for i, p := range from {
			to[i] = [3]float32{float32(p[0] - o[0]), float32(p[1] - o[1]), float32(p[2] - o[2])}
		}
		return
	}
	for i := range from {
		p := m.Point(from[i])
		to[i] = [3]float32{float32(p[0] - o[0]), float32(p[1] - o[1]), float32(p[2] - o[2])}
	}
}

func turnNormals(m *scenes.Affine, from [][3]float64, to [][3]float32) {
	if *m == scenes.Identity() {
		for i := range from {
			to[i] = surface.Unit(from[i])
		}
		return
	}
	n := m.Cofactors()
	sign := 1.0
	if m.Det() < 0 {
		sign = -1
	}
	// The cofactors are divided by the largest cofactor, because a cofactor times a small normal might underflow.
	largest := 0.0
	for r := range 3 {
		for c := range 3 {
			largest = max(largest, math.Abs(n[r][c]))
		}
	}
	if largest > 0 {
		for r := range 3 {
			for c := range 3 {
				n[r][c] *= sign / largest
			}
		}
	}
	for i := range from {
		to[i] = surface.Unit(n.Point(from[i]))
	}
}

func (b *builder) writeTriangles(corners *[chunk][3]uint32, t task, y *extent.Tally) {
	d, n, a := &b.triangleRanges[t.of], t.hi-t.lo, b.mesh.Attributes
	first := d.first + t.lo
	of := corners[:n]
	write := func(columns *[3][]uint32, add uint32) {
		for i := range of {
			c := of[i]
			if d.mirror {
				c[1], c[2] = c[2], c[1]
			}
			columns[0][first+i], columns[1][first+i], columns[2][first+i] = c[0]+add, c[1]+add, c[2]+add
		}
	}
	if b.Palette != nil && d.shape.ColorOf != nil {
		d.shape.ColorOf(t.lo, t.hi, of)
		write(&a.Colors.Index, 0)
	}
	if b.Scene.TexCoords != nil && d.shape.TexCoordOf != nil {
		d.shape.TexCoordOf(t.lo, t.hi, of)
		write(&a.TexCoords.Index, 0)
	}
	d.shape.Corners(t.lo, t.hi, of)
	write(&a.Index, uint32(d.vertex))
	b.writeCorners(first, n, y)
	if a.MaterialOf == nil {
		return
	}
	if d.shape.MaterialOf != nil {
		d.shape.MaterialOf(t.lo, t.hi, a.MaterialOf[first:first+n])
		return
	}
	for i := range n {
		a.MaterialOf[first+i] = d.shape.Material
	}
}

// writeCorners writes the coordinates of the corners of n triangles, one coordinate of one corner at a time.
func (b *builder) writeCorners(first, n int, tally *extent.Tally) {
	m, finite := b.mesh, true
	for k := range 3 {
		of := m.Attributes.Index[k][first : first+n]
		x, y, z := m.X[k][first:first+n], m.Y[k][first:first+n], m.Z[k][first:first+n]
		finite = writeCornerColumn(&tally.Extent, b.places, of, x, y, z) && finite
	}
	if finite {
		return
	}
	for t := first; t < first+n; t++ {
		for _, p := range m.Triangle(t) {
			if p[0]-p[0] != 0 || p[1]-p[1] != 0 || p[2]-p[2] != 0 {
				tally.AddBad(t, false)
				break
			}
		}
	}
}

// writeCornerColumn writes the coordinates of one corner of each triangle. It extends e by the finite positions and
// reports whether all are finite. For the comparisons in its loop see extent.Extent.AddColumns.
func writeCornerColumn(e *extent.Extent, places [][3]float32, of []uint32, x, y, z []float32) bool {
	finite := true
	lox, loy, loz, hix, hiy, hiz := e.Lo[0], e.Lo[1], e.Lo[2], e.Hi[0], e.Hi[1], e.Hi[2]
	x, y, z = x[:len(of)], y[:len(of)], z[:len(of)]
	for i, v := range of {
		p := &places[v]
		px, py, pz := p[0], p[1], p[2]
		x[i], y[i], z[i] = px, py, pz
		if px >= lox && px <= hix && py >= loy && py <= hiy && pz >= loz && pz <= hiz {
			continue
		}
		finite = e.Add(px, py, pz) && finite
		lox, loy, loz, hix, hiy, hiz = e.Lo[0], e.Lo[1], e.Lo[2], e.Hi[0], e.Hi[1], e.Hi[2]
	}
	return finite
}

// setTriangleColors gives every triangle a single colour, for flat shading.
func (b *builder) setTriangleColors() error {
	return surface.Flatten(b.in.Context(), b.in.Options.Workers, b.mesh, true)
}
