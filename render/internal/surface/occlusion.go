package surface

import (
	"math"

	"lockstep/render/internal/float3"
	"lockstep/render/internal/kernel/occlude"
	"lockstep/vp/hugepages"
)

// Occlusion computes the share of the sky above a point that is hidden by surfaces around the point, as far as the
// picture shows these surfaces. It is the scalable ambient obscurance of McGuire, Mara and Luebke (High Performance
// Graphics 2012), on a grid with one cell for 2 x 2 pixels. For each cell, it examines the depths at some positions
// around the cell (taps). A pattern rotates the taps from cell to cell, and repeats every 4 x 2 cells. Averages over
// neighbouring cells remove every trace of the pattern. They exclude cells at other depths. No random numbers are
// used.
//
// The methods work on rows, in stages: Shader.SetCells, MeasureSky, AverageAcross and AverageDown, then AverageAcross
// and AverageDown again. All rows of a stage must be done before the next stage starts. The rows of a stage may be done
// in any order and concurrently.
type Occlusion struct {
	occlude.Grid
	shownCells [][2]int32 // for each row, the first cell that shows something and the index after the last; unsetRange for a new row

	loops       *occlude.Loops // nil if cells are computed one by one
	view        OcclusionView
	cells       occlude.View
	patterns    [2]occlude.Offsets // taps of the cells in even and in odd rows
	inverseNear float32            // 1 / d: a cell counts for a pixel only if their depths differ by less than d
}

// An OcclusionView describes a camera to Occlusion. All distances must be in the same unit.
type OcclusionView struct {
	Radius float32 // largest distance of a surface that can hide the sky
	// PerCell is the width of a cell at distance 1 in perspective, or its width at any distance in orthographic views.
	PerCell      float32
	Orthographic bool
	// Nearest is the distance of the nearest surface from the eye; used in perspective only.
	Nearest float32
	// CenterX and CenterY are the position of the picture's centre, in cells.
	CenterX, CenterY float32
	// Axes are the directions to the right, up and to the eye, in the axes of the mesh.
	Axes [3][3]float32
	// Pivot is the distance of the lens's Pivot from the eye, along the view.
	Pivot float32
}

const (
	// patternCount is the number of different patterns, one for each of 4 x 2 cells. More patterns make walls uneven.
	// With 4 x 4 cells, greys at the same height of a wall differed by 1.5 times as much (measured over 30 walls).
	patternCount = 8
	spiralTurns  = 3 // number of turns of the spiral on which the taps lie
	strength     = 1.1 / (1 - occlude.Shallow)
	lowPart      = 0.5 // surfaces at most lowPart radii above a point have full weight
	highPart     = 5   // surfaces higher than lowPart + highPart radii above a point have no weight
)

// Begin prepares for a picture of width by height pixels. If loops is nil, cells are computed one by one.
func (o *Occlusion) Begin(width, height int, v OcclusionView, loops *occlude.Loops) {
	o.resize((width+1)/2, (height+1)/2)
	o.view, o.loops = v, loops
	radius2 := float32(v.Radius * v.Radius)
	o.cells = occlude.View{
		Perspective: !v.Orthographic,
		PerCell:     v.PerCell, CenterX: v.CenterX, MiddleY: v.CenterY - 0.5,
		Reach: float32(v.Radius / v.PerCell), Radius2: radius2,
		Bias: float32(0.02 * v.Radius), Centre: float32(0.0002 * radius2),
		Low: float32(lowPart * v.Radius), PerHigh: 1 / float32(highPart*v.Radius),
		Inverse6: strength * 5 / (occlude.Taps * float32(float32(radius2*radius2)*radius2)),
		PerOff:   1 / float32(0.15*v.Radius),
	}
	o.inverseNear = 1 / float32(0.35*v.Radius)
	if o.patterns[0][0] == ([2][occlude.Lanes]float32{}) {
		o.setTaps()
	}
}

// resize sets the size of the grid. It does not touch new memory. The workers touch new memory when they set the
// rows, so that they share the page faults.
func (o *Occlusion) resize(width, height int) {
	if width == o.Width && height == o.Height && o.Z != nil {
		return
	}
	g := &o.Grid
	g.Width, g.Height, g.Stride = width, height, width+2*occlude.Margin
	g.First = occlude.RowMargin*g.Stride + occlude.Margin
	n := (height+2*occlude.RowMargin)*g.Stride + occlude.Margin
	columns := [...]*[]float32{&g.Z, &g.NX, &g.NY, &g.NZ, &g.Open, &g.Between}
	if cap(g.Z) < n {
		// All columns share one allocation, so that most of the memory lies in whole huge pages.
		all := hugepages.Make[float32](len(columns) * n)
		for i, column := range columns {
			*column = all[i*n : (i+1)*n : (i+1)*n]
		}
	} else {
		for _, column := range columns {
			*column = (*column)[:n]
			clear(*column)
		}
	}
	if cap(o.shownCells) < height {
		o.shownCells = make([][2]int32, height)
	}
	o.shownCells = o.shownCells[:height]
	for row := range o.shownCells {
		o.shownCells[row] = unsetRange
	}
}

// unsetRange is the element of shownCells for a row that has not been set yet.
var unsetRange = [2]int32{-1, -1}

// at returns the index of cell (x, y) in the grid's slices.
func (o *Occlusion) at(x, y int) int { return o.First + y*o.Stride + x }

// setTaps computes the taps of every pattern, which lie on a spiral.
func (o *Occlusion) setTaps() {
	for p := range patternCount {
		// Angles and radii of neighbouring cells are far apart. All patterns together cover every angle and radius.
		first := float64(p*3%patternCount) / patternCount * 2 * math.Pi
		within := (float64(p*7%patternCount) + 0.5) / patternCount
		for i := range occlude.Taps {
			r := (float64(i) + within) / occlude.Taps
			sin, cos := math.Sincos(first + float64(i)*spiralTurns/occlude.Taps*2*math.Pi)
			for lane := p & 3; lane < occlude.Lanes; lane += 4 {
				o.patterns[p>>2][i][0][lane], o.patterns[p>>2][i][1][lane] = float32(r*cos), float32(r*sin)
			}
		}
	}
}

// position returns the position of cell (x, y) at depth z, in the axes of the view.
func (o *Occlusion) position(x, y int, z float32) (px, py float32) {
	per := o.width(z)
	return float32((float32(x) + 0.5 - o.view.CenterX) * per), float32((o.view.CenterY - 0.5 - float32(y)) * per)
}

// width returns the width of a cell at depth z.
func (o *Occlusion) width(z float32) float32 {
	if o.view.Orthographic {
		return o.view.PerCell
	}
	return float32(o.view.PerCell * z)
}

// shownRange returns the range of cells of row y that may show something. The start of the range is extended to a whole
// vector.
func (o *Occlusion) shownRange(y int) (first, end int) {
	return int(o.shownCells[y][0]) &^ (occlude.Lanes - 1), int(o.shownCells[y][1])
}

// MeasureSky computes the open share of the sky above each cell of row y, with the pattern of the cell.
func (o *Occlusion) MeasureSky(y int) {
	first, end := o.shownRange(y)
	if o.loops != nil {
		o.loops.Look(&o.cells, &o.Grid, &o.patterns[y&1], first, end, y)
		return
	}
	for x := first; x < end; x++ {
		at := o.at(x, y)
		z := o.Z[at]
		if !(z < math.MaxFloat32) {
			continue
		}
		reach := o.cells.Reach
		if !o.view.Orthographic {
			reach = float32(reach / z)
		}
		o.Open[at] = 1
		if reach > occlude.MinReach {
			o.Open[at] = o.lookFrom(x, y, z, min(reach, occlude.FarthestTap))
		}
	}
}

// lookFrom returns the open share of the sky above cell (x, y) at depth z. The farthest tap is reach cells away.
func (o *Occlusion) lookFrom(x, y int, z, reach float32) float32 {
	const shift = occlude.Shift
	at, width, height, v := o.at(x, y), o.Width, o.Height, &o.cells
	nx, ny, nz := o.NX[at], o.NY[at], o.NZ[at]
	px, py := o.position(x, y, z)
	per, low, sum := o.view.PerCell, v.Low, float32(0)
	pattern := &o.patterns[y&1]
	for k := range pattern {
		i := x + int(int32(float32(pattern[k][0][x&3]*reach)+(shift+0.5))) - shift
		j := y + int(int32(float32(pattern[k][1][x&3]*reach)+(shift+0.5))) - shift
		if uint(i) >= uint(width) || uint(j) >= uint(height) {
			continue
		}
		tz := o.Z[o.at(i, j)]
		if !(tz < math.MaxFloat32) {
			continue
		}
		wide := per
		if v.Perspective {
			wide = float32(per * tz)
		}
		vx, vy := float32((float32(i)+0.5-v.CenterX)*wide)-px, float32((v.MiddleY-float32(j))*wide)-py
		vz, counts := z-tz, float32(1)
		if vz > low {
			// A surface that is more than `low` above the point, such as the rim of a deep hole, is treated as if it
			// were `low` above the point. The higher the surface is, the less it counts, because it is probably not
			// connected to the surface at the point.
			counts = 1 - float32((vz-low)*v.PerHigh)
			vz = low
		}
		vv := float32(float32(float32(vx*vx)+float32(vy*vy)) + float32(vz*vz))
		f := v.Radius2 - vv
		vn := float32(float32(float32(vx*nx)+float32(vy*ny))+float32(vz*nz)) - v.Bias
		if !(f > 0 && vn > 0 && counts > 0) {
			continue // most taps end here, before the square root
		}
		if vn -= float32(occlude.Shallow * float3.Sqrt(vv)); vn > 0 {
			sum += float32(float32(float32(f*f)*f) * float32(float32(vn*counts)/(vv+v.Centre)))
		}
	}
	return max(1-float32(sum*v.Inverse6), occlude.MinOpen)
}

// averageOffsets holds the offsets of the cells that are averaged with a cell, for the first and the second average.
// The four cells of the first average have all the patterns of a row. The two averages together are a mean over 10
// cells with mostly equal weights. A narrower mean would leave noise on walls, because the few taps that matter there
// lie along one edge.
var averageOffsets = [2][3]int{{-1, 1, 2}, {-occlude.RowMargin, -2, 2}}

// AverageAcross averages the cells of row y with other cells in the same row. AverageDown then averages the results of
// different rows. `second` selects the second average.
func (o *Occlusion) AverageAcross(y int, second bool) {
	o.average(y, false, second)
}

// AverageDown averages the results of AverageAcross in row y with those in other rows. For `second`, see AverageAcross.
func (o *Occlusion) AverageDown(y int, second bool) {
	o.average(y, true, second)
}

// average replaces each cell of row y by a weighted mean of the cell and three other cells. The other cells are in the
// same column if `down` is set, otherwise in the same row. The farther another cell lies from the tangent plane of the
// cell, the smaller is its weight. The weight of a cell below the plane also falls with the angle between the normals.
// Without that, the dark walls of a pocket would darken the face around the pocket. A cell above the plane keeps its
// weight: in a corner that opens towards the eye, both sides are equally dark, and averaging over both removes noise.
func (o *Occlusion) average(y int, down, second bool) {
	others := averageOffsets[0]
	if second {
		others = averageOffsets[1]
	}
	first, end := o.shownRange(y)
	if o.loops != nil {
		o.loops.Average(&o.cells, &o.Grid, down, others, first, end, y)
		return
	}
	from, to, step, dx, dy := o.Open, o.Between, 1, 1, 0
	if down {
		from, to, step, dx, dy = o.Between, o.Open, o.Stride, 0, 1
	}
	for x := first; x < end; x++ {
		at := o.at(x, y)
		z := o.Z[at]
		if !(z < math.MaxFloat32) {
			to[at] = from[at]
			continue
		}
		px, py := o.position(x, y, z)
		nx, ny, nz := o.NX[at], o.NY[at], o.NZ[at]
		sum, weight := from[at], float32(1)
		for _, d := range others {
			i := at + d*step
			if !(o.Z[i] < math.MaxFloat32) {
				continue
			}
			qx, qy := o.position(x+d*dx, y+d*dy, o.Z[i])
			off := float32(float32(float32((qx-px)*nx)+float32((qy-py)*ny)) + float32((z-o.Z[i])*nz))
			dot := float32(float32(o.NX[i]*nx)+float32(o.NY[i]*ny)) + float32(o.NZ[i]*nz)
			w, alike := 1-float32(float3.Abs(off)*o.cells.PerOff), likeness(off, o.width(o.Z[i]), dot)
			if w > 0 && alike > 0 {
				w = float32(w * alike)
				sum += float32(w * from[i])
				weight += w
			}
		}
		to[at] = float32(sum / weight)
	}
}

// likeness returns a factor of the weight that another cell has in an average. The factor depends on the normals of the
// two cells. `off` is the height of the other cell above the cell's tangent plane, with an error of up to the width of
// a cell. `dot` is the cosine between the normals. If the angle between the normals is 60 degrees or more, the factor
// is not positive.
func likeness(off, width, dot float32) float32 {
	if off > width {
		return 1
	}
	return float32(2*dot) - 1
}

// InterpolateSky sets open[i] to the open share of the sky above pixel (px+i, py), for i below n. distance has the
// distances of these pixels, and px must be even. Both slices need room for one more vector after the n pixels.
// Elements of open from n on are undefined.
func (o *Occlusion) InterpolateSky(distance, open []float32, n, px, py int) {
	if o.loops != nil {
		o.loops.Around(&o.Grid, o.inverseNear, distance, open, n, px, py)
		return
	}
	for i := range n {
		open[i] = o.At(px+i, py, distance[i])
	}
}

// IsOpen reports whether the whole sky is open above the n adjacent pixels from (px, py) on. px must be even. If IsOpen
// returns true, InterpolateSky would set all shares to 1, whatever the distances are. Without loops it always returns
// false.
func (o *Occlusion) IsOpen(n, px, py int) bool {
	return o.loops != nil && o.loops.IsOpen(&o.Grid, n, px, py)
}

// At returns the open share of the sky above a pixel at distance z. It is the weighted mean of the shares of those of
// the four cells around the pixel that lie on the same surface. If no cell lies on the surface, the share is 1.
func (o *Occlusion) At(px, py int, z float32) float32 {
	// The middle of cell x is 2x + 1 pixels from the left.
	x, y := (px-1)>>1, (py-1)>>1
	sum, weight := float32(0), float32(0)
	wy := 0.25 + float32(0.5*float32(py&1)) // weight of the upper cells
	for cy := y; cy < y+2; cy, wy = cy+1, 1-wy {
		wx := 0.25 + float32(0.5*float32(px&1)) // weight of the cells on the left
		for cx := x; cx < x+2; cx, wx = cx+1, 1-wx {
			at := o.at(cx, cy)
			if w := 1 - float32(float3.Abs(o.Z[at]-z)*o.inverseNear); w > 0 {
				w = float32(w * float32(wy*wx))
				sum += float32(w * o.Open[at])
				weight += w
			}
		}
	}
	if weight > 0 {
		return float32(sum / weight)
	}
	return 1
}

// AverageMargin is the number of rows of cells above a row on which the averages of the row depend: 1 row for the first
// call of AverageDown, RowMargin rows for the second call, and 2 rows for the cells around a pixel. Below the row, the
// averages depend on one row fewer.
const AverageMargin = 1 + occlude.RowMargin + 2

// Margin returns the number of rows of cells, above and below a row, that the occlusion of the row depends on.
func (v *OcclusionView) Margin() int {
	reach := v.Radius / v.PerCell
	if !v.Orthographic {
		reach /= v.Nearest
	}
	if !(reach < occlude.FarthestTap) {
		reach = occlude.FarthestTap // largest distance of a tap; the nearest surfaces have it
	}
	return int(math.Ceil(float64(reach))) + 1 + AverageMargin
}
