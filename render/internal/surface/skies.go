package surface

import (
	"math"
	"slices"

	"lockstep/render/internal/float3"
	"lockstep/render/internal/kernel/light"
	"lockstep/render/internal/kernel/occlude"
	"lockstep/render/internal/visible"
)

// A pixel at an edge shows several surfaces, and the sky may be open above one surface and hidden above another. With
// one value for all samples, the edge would be as jagged as with one sample a pixel, and a pixel beside the edge would
// be too dark or too light. So the open share of the sky is computed for each surface that a pixel shows, from the
// cells that show this surface, if the cells around the pixel differ in their open shares and also in depth or normal.

// A Sky is the open share of the sky above one point of a row. It replaces the value of the point's pixel.
type Sky struct {
	Point int // index of the point in the row
	Open  float32
}

// An Edge marks the pixels of a row around which cells show different surfaces. Bit i of At is for the four cells
// around the pixels X + 2i - 1 and X + 2i. Bits behind pixel X + N are arbitrary.
type Edge struct {
	X, N int
	At   uint64
}

// Edges looks for edges around n adjacent pixels from (px, py) on; px must be even, and n at most occlude.Pixels. ok is
// false if there are none.
func (o *Occlusion) Edges(n, px, py int) (e Edge, ok bool) {
	e = Edge{X: px, N: n}
	if o.loops != nil {
		e.At = o.loops.Edges(&o.Grid, o.inverseNear, n, px, py)
	} else {
		from := o.at((px-1)>>1, (py-1)>>1)
		for i := range n/2 + 1 {
			a := from + i
			b, c, d := a+1, a+o.Stride, a+o.Stride+1
			if o.differ(a, b) || o.differ(c, d) || o.differ(a, c) || o.differ(b, d) {
				e.At |= 1 << i
			}
		}
	}
	return e, e.At<<(63-n/2) != 0
}

// has reports whether cells around a pixel show different surfaces.
func (e *Edge) has(pixel int) bool { return e.At>>((pixel-e.X+1)/2)&1 != 0 }

// differ reports whether two cells show different surfaces: their open shares of the sky differ, and so do their depths
// or their normals. Cells that show nothing do not count, because their open shares are left from earlier frames.
func (o *Occlusion) differ(a, b int) bool {
	if !(float3.Abs(o.Open[a]-o.Open[b]) > occlude.SkyDiff) {
		return false
	}
	leap := float32(float3.Abs(o.Z[a]-o.Z[b]) * o.inverseNear)
	dot := float32(float32(o.NX[a]*o.NX[b])+float32(o.NY[a]*o.NY[b])) + float32(o.NZ[a]*o.NZ[b])
	return leap < occlude.MaxDistance && (leap > occlude.LeapPart || dot < occlude.BentDot)
}

// OwnSkies appends to dst the skies of points of row r, which is row line of the picture. It examines the pixels of an
// edge. A point gets a sky of its own if the cells around its pixel show different surfaces, one of them the point's,
// and if the open share above that surface differs from the pixel's.
func (s *Shader) OwnSkies(dst []Sky, o *Occlusion, r *Row, line int, e Edge) []Sky {
	i, _ := slices.BinarySearchFunc(r.Places, int32(e.X), func(p visible.Place, x int32) int { return int(p.Pixel() - x) })
	for i > 0 && int(r.Places[i-1].Pixel()) >= e.X {
		i--
	}
	for ; i < len(r.Places) && int(r.Places[i].Pixel()) < e.X+e.N; i++ {
		pixel := int(r.Places[i].Pixel())
		if !e.has(pixel) {
			continue
		}
		x, y := r.position(r.Places[i])
		open, known := o.skyAbove(pixel, line, s.distance(o, r.Triangles[i], x, y), s.scene.pointAt(s.facet(r.Triangles[i]), x, y).normal)
		if known && float3.Abs(open-r.Open[pixel]) > occlude.SkyDiff/4 {
			dst = append(dst, Sky{i, open})
		}
	}
	return dst
}

// skyAbove returns the open share of the sky above a point of pixel (px, py) with distance z and normal n. It is the
// mean over those of the four cells around the pixel that show the point's surface. If none of the four shows the
// surface, it is the mean over those of the sixteen cells around the pixel. If none of these shows the surface either,
// known is false.
func (o *Occlusion) skyAbove(px, py int, z float32, n float3.Vector) (open float32, known bool) {
	per := o.width(z)
	x, y := float32((0.5*(float32(px)+0.5)-o.view.CenterX)*per), float32((o.view.CenterY-0.5*(float32(py)+0.5))*per)
	n = float3.New(n.Dot(float3.Of(o.view.Axes[0])), n.Dot(float3.Of(o.view.Axes[1])), n.Dot(float3.Of(o.view.Axes[2])))
	for wider := range 2 {
		sum, weight := float32(0), float32(0)
		for cy := (py-1)>>1 - wider; cy <= (py-1)>>1+1+wider; cy++ {
			for cx := (px-1)>>1 - wider; cx <= (px-1)>>1+1+wider; cx++ {
				at := o.at(cx, cy)
				if !(o.Z[at] < math.MaxFloat32) {
					continue
				}
				cell := float3.New(o.NX[at], o.NY[at], o.NZ[at])
				qx, qy := o.position(cx, cy, o.Z[at])
				off := float3.New(x-qx, y-qy, o.Z[at]-z).Dot(cell)
				w, alike := 1-float32(float3.Abs(off)*o.cells.PerOff), likeness(off, per, cell.Dot(n))
				if !(w > 0 && alike > 0) {
					continue
				}
				w = float32(float32(w*alike) * float32(cellWeight(px, cx)*cellWeight(py, cy)))
				sum, weight = sum+float32(w*o.Open[at]), weight+w
			}
		}
		if weight > 0 {
			return float32(sum / weight), true
		}
	}
	return 1, false
}

// cellWeight returns the weight of cell c for pixel p, along one axis: 3/4 for the cell that contains the pixel, 1/4
// for the nearer of the two cells beside that cell, and less for others.
func cellWeight(p, c int) float32 {
	// The middle of cell c is 2c + 1 pixels from the start.
	switch d := 2*p + 1 - 2*(2*c+1); d { // distance in half pixels
	case -1, 1:
		return 0.75
	case -3, 3:
		return 0.25
	}
	return 0.0625
}

// distance returns the distance of the plane of triangle t from the eye at (x, y) of the picture, measured like the
// distances of cells.
func (s *Shader) distance(o *Occlusion, t uint32, x, y float32) float32 {
	f := s.facet(t)
	origin, forward := s.scene.Lens.line(x, y)
	along := float32(f.corner.Sub(origin).Dot(f.normal) / forward.Dot(f.normal))
	return o.view.Pivot - origin.Add(forward.Scale(along)).Dot(float3.Of(o.view.Axes[2]))
}

// position returns the position of the point at place p of the row, relative to the picture's centre.
func (r *Row) position(p visible.Place) (x, y float32) {
	x, y = r.X+float32(p.Pixel()), r.Y
	if count := p.Count(); count != int32(r.Grid*r.Grid) {
		sumX, sumY := p.Sums()
		per := 1 / float32(2*int32(r.Grid)*count)
		x, y = x+float32(float32(sumX)*per), y-float32(float32(sumY)*per)
	}
	return x, y
}

// relight lights point number `at` of the row again, alone, with the given open share of the sky. The batch starts with
// point number `from`.
func (s *Shader) relight(r *Row, at, from int, open float32) {
	x, y := r.position(r.Places[at])
	count := r.Places[at].Count()
	s.setPoint(at-from, s.light(s.facet(r.Triangles[at]), x, y, sideOf(count, int32(r.Grid*r.Grid)), open), count)
}

// setPoint sets the colour of point i of the batch to c. The point has the given number of samples.
func (s *Shader) setPoint(i int, c float3.Vector, samples int32) {
	c = c.Scale(float32(samples))
	columns := &s.batch.Columns
	columns[light.Color][i], columns[light.Color+1][i], columns[light.Color+2][i] = c.X, c.Y, c.Z
}

// relightOwnSkies lights those points of a batch again that have a Sky of their own in skies. The batch has n points of
// the row, starting with point number from. relightOwnSkies returns the skies of later points.
func (s *Shader) relightOwnSkies(r *Row, skies []Sky, from, n int) []Sky {
	for len(skies) > 0 && skies[0].Point < from+n {
		s.relight(r, skies[0].Point, from, skies[0].Open)
		skies = skies[1:]
	}
	return skies
}
