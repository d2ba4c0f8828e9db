package ground

import (
	"math"
	"runtime"
	"sync"
)

// slices divides the mesh by height above the ground into slices, starting with the lowest. For each slice:
//   - top is the height of its upper end, as a fraction of the size of the mesh.
//   - blur is the standard deviation of its shadow's blur, as a fraction of the size of the mesh. It is about a third
//     of the height, as under a sky that is bright overhead.
//   - dark is the darkness of its shadow.
//   - gain multiplies a faint shadow after blurring. The full darkness is approached gradually, because a sharp limit
//     would show as a line. Without the gain, a foot thinner than the blur would have hardly any shadow, and the mesh
//     would seem to float.
var slices = [...]struct {
	top, blur, dark float64
	gain            int
}{
	{0.01, 0.008, 0.55, 3},
	{0.03, 0.010, 0.50, 2},
	{0.10, 0.025, 0.45, 1},
	{0.30, 0.065, 0.38, 1},
	{math.Inf(1), 0.14, 0.32, 1},
}

// blur computes the shadow. For each texel of the map, low and high hold the heights of the mesh's lowest and highest
// point above the texel. size is the size of the mesh.
func (g *Ground) blur(low, high []float32, size float64) {
	texel := 1 / (g.camera.Magnification * float64(g.texels))
	light := make([]float32, g.texels*g.texels)
	for i := range light {
		light[i] = 1
	}
	m := blurMap{n: g.texels, texels: make([]float32, len(light)), spare: make([]float32, len(light))}
	bottom := float32(math.Inf(-1))
	for _, s := range slices {
		top := float32(s.top * size)
		within := area{m.n, m.n, 0, 0}
		for i := range m.texels {
			m.texels[i] = 0
			if high[i] > bottom {
				m.texels[i] = partOfSlice(low[i], top) * partAbove(high[i], bottom)
			}
			if m.texels[i] > 0 {
				within.add(i%m.n, i/m.n)
			}
		}
		bottom = top
		if within.right == 0 {
			continue
		}
		within = m.gauss(within, float64(s.blur*size)/texel)
		for y := within.top; y < within.bottom; y++ {
			lit := light[y*m.n+within.left : y*m.n+within.right]
			for i, part := range m.texels[y*m.n+within.left : y*m.n+within.right] {
				past := float32(1)
				for range s.gain {
					past *= 1 - part
				}
				lit[i] *= 1 - float32(float32(s.dark)*(1-past))
			}
		}
	}
	g.shadow = light
	for i, l := range light {
		g.shadow[i] = 1 - l
	}
}

// partOfSlice returns the fraction, 0 to 1, with which a texel belongs to the slice that ends at the height `top`.
// `low` is the height of the mesh's lowest point above the texel. The result is 1 if `low` is at most half of `top`. It
// is 0 if `low` is at least 1.5 times `top`. A sharp limit would show as a ring in the shadow of a ball, because the
// lowest points of a ball pass through all heights.
func partOfSlice(low, top float32) float32 {
	if low >= float32(1.5*top) {
		return 0
	}
	return smoothStep(1.5 - low/top)
}

// partAbove returns the fraction, 0 to 1, with which a texel belongs to a slice that begins at the height `bottom`.
// `high` is the height of the mesh's highest point above the texel. The result is 0 if `high` is at most `bottom`, and
// 1 if it is at least 1.5 times `bottom`. With a sharp limit, the shadow of a plate whose top lies exactly at this
// height would depend on the last bits of depths.
func partAbove(high, bottom float32) float32 {
	if bottom < 0 { // the first slice has no lower end
		return 1
	}
	return smoothStep(2 * (high/bottom - 1))
}

// smoothStep is 0 up to t = 0, 1 from t = 1 on, and between them a smooth curve.
func smoothStep(t float32) float32 {
	t = max(0, min(1, t))
	return float32(t*t) * (3 - float32(2*t))
}

// An area is a range of texels, from left to right and from top to bottom (exclusive).
type area struct{ left, top, right, bottom int }

// add extends the area so that it contains texel (x, y).
func (a *area) add(x, y int) {
	a.left, a.right = min(a.left, x), max(a.right, x+1)
	a.top, a.bottom = min(a.top, y), max(a.bottom, y+1)
}

// A blurMap holds a square map of n by n texels, and memory for a second map of the same size.
type blurMap struct {
	n             int
	texels, spare []float32
}

// gauss blurs the map approximately with a Gaussian filter. It uses three box filters in each direction. deviation is
// the standard deviation in texels. Texels outside the area a must be 0. gauss returns the larger area to which the
// blur spreads; texels outside it are still 0. Source: Wells, Efficient Synthesis of Gaussian Filters by Cascaded
// Uniform Filters, 1986.
func (m *blurMap) gauss(a area, deviation float64) area {
	// Three box filters of 2r+1 texels each have a total variance of r (r+1) texels squared.
	r := int(math.Round((math.Sqrt(1+float64(4*deviation*deviation)) - 1) / 2))
	if r < 1 {
		return a
	}
	a = area{max(a.left-3*r, 0), max(a.top-3*r, 0), min(a.right+3*r, m.n), min(a.bottom+3*r, m.n)}
	for range 3 {
		parallelRanges(a.top, a.bottom, func(lo, hi int) {
			for y := lo; y < hi; y++ {
				boxRow(m.texels[y*m.n+a.left:y*m.n+a.right], m.spare[y*m.n+a.left:y*m.n+a.right], r)
			}
		})
		parallelRanges(a.left, a.right, func(lo, hi int) { m.boxColumns(area{lo, a.top, hi, a.bottom}, r) })
	}
	return a
}

// parallelRanges divides the range lo to hi (exclusive) into smaller ranges. It calls do for each of these ranges, on
// all cores. Results must not depend on the division.
func parallelRanges(lo, hi int, do func(lo, hi int)) {
	n := hi - lo
	workers := min(runtime.GOMAXPROCS(0), n)
	var done sync.WaitGroup
	for w := range workers {
		done.Go(func() { do(lo+w*n/workers, lo+(w+1)*n/workers) })
	}
	done.Wait()
}

// boxRow sets each element of `to` to the mean of 2r+1 neighbouring texels of the row `from`. Texels outside the row
// count as 0.
func boxRow(from, to []float32, r int) {
	n, sum, share := len(from), 0.0, 1/float64(2*r+1)
	for _, v := range from[:min(r, n)] {
		sum += float64(v)
	}
	for i := range to {
		if i+r < n {
			sum += float64(from[i+r])
		}
		if i-r-1 >= 0 {
			sum -= float64(from[i-r-1])
		}
		to[i] = float32(max(sum, 0) * share)
	}
}

// boxColumns sets each texel in area a to the mean of 2r+1 neighbouring texels, those in its column of the map `spare`.
// Texels outside the area count as 0. It processes the columns row by row, because the texels of a row are adjacent in
// memory.
func (m *blurMap) boxColumns(a area, r int) {
	row := func(of []float32, y int) []float32 { return of[y*m.n+a.left : y*m.n+a.right] }
	sums, share := make([]float64, a.right-a.left), 1/float64(2*r+1)
	for y := a.top; y < min(a.top+r, a.bottom); y++ {
		for i, v := range row(m.spare, y) {
			sums[i] += float64(v)
		}
	}
	for y := a.top; y < a.bottom; y++ {
		if y+r < a.bottom {
			for i, v := range row(m.spare, y+r) {
				sums[i] += float64(v)
			}
		}
		if y-r-1 >= a.top {
			for i, v := range row(m.spare, y-r-1) {
				sums[i] -= float64(v)
			}
		}
		to := row(m.texels, y)
		for i, sum := range sums {
			to[i] = float32(max(sum, 0) * share)
		}
	}
}
