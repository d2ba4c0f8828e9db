package surface

import (
	"math"

	"lockstep/render/internal/float3"
	"lockstep/render/internal/kernel/light"
	"lockstep/render/internal/kernel/occlude"
	"lockstep/render/internal/visible"
)

// A pixel at an edge shows several surfaces. The sky may be open above one surface and hidden above another. With one
// value for all samples, the edge would be as jagged as with one sample a pixel, and a pixel beside the edge would be
// too dark or too light. Therefore the open share of the sky is computed for each surface that a pixel shows, from
// the cells that show this surface. This is done if the cells around the pixel differ in their open shares and also
// in depth or normal.

// An Edge marks the pixels of a row around which cells show different surfaces. Bit i of At is for the four cells
// around the pixels X + 2i - 1 and X + 2i. Bits behind pixel X + N are arbitrary.
type Edge struct {
	X, N int
	At   uint64
}

// Edges looks for edges around n adjacent pixels from (px, py) on; px must be even, and n at most occlude.Pixels. Both
// rows of pixels between two rows of cells have the same edges.
func (o *Occlusion) Edges(n, px, py int) Edge {
	e := Edge{X: px, N: n}
	if o.loops != nil {
		e.At = o.loops.Edges(&o.Grid, o.inverseNear, n, px, py)
	} else {
		from := o.at((px-1)>>1, (py-1)>>1)
		for i := range n/2 + 1 {
			a := from + i
			b, c, d := a+1, a+o.Stride, a+o.Stride+1
			if o.cellsDiffer(a, b) || o.cellsDiffer(c, d) || o.cellsDiffer(a, c) || o.cellsDiffer(b, d) {
				e.At |= 1 << i
			}
		}
	}
	return e
}

// Any reports whether there are edges.
func (e *Edge) Any() bool { return e.At<<(63-e.N/2) != 0 }

// has reports whether cells around a pixel show different surfaces.
func (e *Edge) has(pixel int) bool { return e.At>>((pixel-e.X+1)/2)&1 != 0 }

// cellsDiffer reports whether two cells show different surfaces. Such cells differ in their open shares of the sky, and
// also in their depths or their normals. Cells that show nothing do not count, because their open shares are left
// from earlier frames.
func (o *Occlusion) cellsDiffer(a, b int) bool {
	if !(float3.Abs(o.Open[a]-o.Open[b]) > occlude.SkyDiff) {
		return false
	}
	leap := float32(float3.Abs(o.Z[a]-o.Z[b]) * o.inverseNear)
	dot := float32(float32(o.NX[a]*o.NX[b])+float32(o.NY[a]*o.NY[b])) + float32(o.NZ[a]*o.NZ[b])
	return leap < occlude.MaxDistance && (leap > occlude.LeapPart || dot < occlude.BentDot)
}

// ownSky returns the open share of the sky above a point of the row in the given pixel. z is the distance of the
// point, and n its normal. The share may differ from that of the pixel.
func (r *Row) ownSky(pixel int, z float32, n float3.Vector) float32 {
	open, known := r.Occlusion.skyAbove(pixel, r.Line, z, n)
	if known && float3.Abs(open-r.Open[pixel]) > occlude.SkyDiff/4 {
		return open
	}
	return r.Open[pixel]
}

// atEdge reports whether the pixel lies at an edge. It removes edges that end before the pixel from the list.
func atEdge(edges *[]Edge, pixel int) bool {
	for len(*edges) > 0 {
		e := &(*edges)[0]
		if pixel < e.X+e.N {
			return pixel >= e.X && e.has(pixel)
		}
		*edges = (*edges)[1:]
	}
	return false
}

// findEdgePoints sets s.edgePoints to the indices of places in pixels at an edge. The places are those of a batch. It
// returns the edges at which points of later batches may lie.
func (s *Shader) findEdgePoints(edges []Edge, places []visible.Place) []Edge {
	s.edgePoints = s.edgePoints[:0]
	last := int(places[len(places)-1].Pixel())
	for i := 0; i < len(places) && len(edges) > 0 && edges[0].X <= last; i++ {
		if atEdge(&edges, int(places[i].Pixel())) {
			s.edgePoints = append(s.edgePoints, int32(i))
		}
	}
	return edges
}

// setOwnSkies computes, for each point of a batch that lies at an edge, which share of the sky is open above the point
// itself. It must be called after loops.Aim, which computes the normals of the points. The first point of the batch is
// point number `from` of row r.
func (s *Shader) setOwnSkies(r *Row, from int, runs *light.Runs) {
	b := &s.batch
	for _, i := range s.edgePoints {
		place := r.Places[from+int(i)]
		x, y := r.position(place)
		normal, _ := b.Aimed(int(i))
		corner, plane := b.Plane(runs, int(i))
		z := s.scene.Lens.distance(r.Occlusion, float3.Of(corner), float3.Of(plane), x, y)
		b.SetOpen(int(i), r.ownSky(int(place.Pixel()), z, float3.Of(normal)))
	}
}

// skyAbove returns the open share of the sky above a point of pixel (px, py) with distance z and normal n. It is the
// mean over cells that show the point's surface. First it searches the four cells around the pixel for such cells. If
// it finds none, it searches the sixteen cells around the pixel. If it finds none there either, known is false.
func (o *Occlusion) skyAbove(px, py int, z float32, n float3.Vector) (open float32, known bool) {
	per := o.width(z)
	x, y := float32((0.5*(float32(px)+0.5)-o.view.CenterX)*per), float32((o.view.CenterY-0.5*(float32(py)+0.5))*per)
	n = float3.New(n.Dot(float3.Of(o.view.Axes[0])), n.Dot(float3.Of(o.view.Axes[1])), n.Dot(float3.Of(o.view.Axes[2])))
	for wider := range 2 {
		sum, weight := float32(0), float32(0)
		left, top, count := (px-1)>>1-wider, (py-1)>>1-wider, 2+2*wider
		for cy := top; cy < top+count; cy++ {
			at := o.at(left, cy)
			// Slices of the row save the loop a check of each index.
			zs, open := o.Z[at:at+count], o.Open[at:at+count]
			nx, ny, nz := o.NX[at:at+count], o.NY[at:at+count], o.NZ[at:at+count]
			up, wy := o.view.CenterY-0.5-float32(cy), cellWeight(py, cy)
			for i, cz := range zs {
				if !(cz < math.MaxFloat32) {
					continue
				}
				wide, cell := o.width(cz), float3.New(nx[i], ny[i], nz[i])
				qx, qy := float32((float32(left+i)+0.5-o.view.CenterX)*wide), float32(up*wide)
				off := float3.New(x-qx, y-qy, cz-z).Dot(cell)
				w, alike := 1-float32(float3.Abs(off)*o.cells.PerOff), likeness(off, per, cell.Dot(n))
				if !(w > 0 && alike > 0) {
					continue
				}
				w = float32(float32(w*alike) * float32(cellWeight(px, left+i)*wy))
				sum, weight = sum+float32(w*open[i]), weight+w
			}
		}
		if weight > 0 {
			return float32(sum / weight), true
		}
	}
	return 1, false
}

// cellWeight returns the weight of cell c for pixel p, along one axis. It is 3/4 for the cell that contains the
// pixel, and 1/4 for the nearer of the two cells beside that cell. It is less for other cells.
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

// distance returns how far a plane is from the eye, along the line of sight of (x, y) of the picture. The plane
// contains the point `corner` and has the given normal. The distance is measured like those of cells.
func (l *Lens) distance(o *Occlusion, corner, normal float3.Vector, x, y float32) float32 {
	origin, forward := l.lineOfSight(x, y)
	along := float32(corner.Sub(origin).Dot(normal) / forward.Dot(normal))
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

// setPoint sets the colour of point i of the batch to c. The point has the given number of samples.
func (s *Shader) setPoint(i int, c float3.Vector, samples int32) {
	c = c.Scale(float32(samples))
	columns := &s.batch.Columns
	columns[light.Color][i], columns[light.Color+1][i], columns[light.Color+2][i] = c.X, c.Y, c.Z
}
