package surface

import (
	"math"
	"slices"

	"lockstep/render/internal/float3"
	"lockstep/render/internal/kernel/light"
	"lockstep/render/internal/visible"
)

// A pixel at an edge shows several surfaces, and the sky may be open above one and hidden above another. With one value
// for all samples the edge would be as jagged as with one sample a pixel. So the sky is computed for each surface of
// the pixel, but only if the depths of the cells around it leap: if they differ by more than leapPart / inverseNear
// (see Occlusion). If they differ less, the surfaces share most of their sky.
const leapPart = 0.25

// A Sky is how open the sky is above one point of a row. It replaces the value for the point's pixel.
type Sky struct {
	Point int // index of the point in the row
	Open  float32
}

// Leaps reports whether the depths of neighbouring cells leap around any of n adjacent pixels from (px, py) on. px must
// be even.
func (o *Occlusion) Leaps(n, px, py int) bool {
	from, cells := o.at((px-1)>>1, (py-1)>>1), n/2+2
	upper, lower := o.Z[from:from+cells], o.Z[from+o.Stride:][:cells]
	far := float32(leapPart / o.inverseNear)
	left, leftBelow := upper[0], lower[0]
	for i, a := range upper {
		// A difference from a cell that shows nothing is infinite, or NaN.
		b := lower[i]
		for _, d := range [3]float32{float3.Abs(a - b), float3.Abs(a - left), float3.Abs(b - leftBelow)} {
			if d > far && d < math.MaxFloat32 {
				return true
			}
		}
		left, leftBelow = a, b
	}
	return false
}

// OwnSkies appends skies for points of row r, which is row line of the picture. It looks at pixels from x to end
// (exclusive) that show several triangles and around which depths leap. A point gets a sky if a cell around its pixel
// shows its surface, and if that sky differs from the pixel's.
func (s *Shader) OwnSkies(to []Sky, o *Occlusion, r *Row, line, x, end int) []Sky {
	i, _ := slices.BinarySearchFunc(r.Places, int32(x), func(p visible.Place, x int32) int { return int(p.Pixel() - x) })
	for i > 0 && int(r.Places[i-1].Pixel()) >= x {
		i--
	}
	for i < len(r.Places) {
		pixel, last := int(r.Places[i].Pixel()), i
		if pixel >= end {
			break
		}
		for i++; i < len(r.Places) && int(r.Places[i].Pixel()) == pixel; i++ {
		}
		if i-last == 1 || !o.surfacesDiffer(pixel, line) {
			continue
		}
		for k := last; k < i; k++ {
			x, y := r.position(r.Places[k])
			if open, known := o.openAbove(pixel, line, s.distance(o, r.Triangles[k], x, y)); known && open != r.Open[pixel] {
				to = append(to, Sky{k, open})
			}
		}
	}
	return to
}

// maxSkyDiff is how much the skies of two surfaces may differ and still count as equal: a step or two of 8-bit sRGB.
const maxSkyDiff = 0.03

// surfacesDiffer reports whether the four cells around a pixel have depths that leap and skies that differ. Cells that
// show nothing do not count, because their skies are left from earlier frames.
func (o *Occlusion) surfacesDiffer(px, py int) bool {
	at := o.at((px-1)>>1, (py-1)>>1)
	low, high := float32(math.MaxFloat32), float32(-math.MaxFloat32)
	closed, open := low, high
	for _, i := range [4]int{at, at + 1, at + o.Stride, at + o.Stride + 1} {
		if z := o.Z[i]; z < math.MaxFloat32 {
			low, high = min(low, z), max(high, z)
			closed, open = min(closed, o.Open[i]), max(open, o.Open[i])
		}
	}
	return float32((high-low)*o.inverseNear) > leapPart && open-closed > maxSkyDiff
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

// relight lights point number at of the row again, by itself. The batch starts with point number from.
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

// relightOwnSkies lights those points of a batch again that have skies in own. The batch has n points of the row, from
// number from on. relightOwnSkies returns the skies of later points.
func (s *Shader) relightOwnSkies(r *Row, own []Sky, from, n int) []Sky {
	for len(own) > 0 && own[0].Point < from+n {
		s.relight(r, own[0].Point, from, own[0].Open)
		own = own[1:]
	}
	return own
}
