package surface

import (
	"math"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/light"
)

// Occlusion finds how much of the sky is hidden by what the picture itself shows
// around a point: the scalable ambient obscurance of McGuire, Mara and Luebke (High
// Performance Graphics 2012), on a grid of one cell for 2 x 2 pixels. The places that
// are looked at are turned from cell to cell by a pattern that repeats every 4 x 4
// cells, and an average over as many cells, which stops where depths jump, leaves no
// trace of it. Nothing is random.
//
// Its methods work on rows, in stages: Cell, Look, Across and Down, and these two again.
// All rows of a stage must be done before the next. Rows may be done in any order, at once.
type Occlusion struct {
	Width, Height int // cells

	// By cell: distance along the view, +Inf where there is nothing; normal in camera
	// space, x to the right, y up, z towards the eye.
	z, nx, ny, nz []float32
	open, across  []float32
	seen          [][2]int32 // by row: the first cell that shows something, and the one after the last

	view         OcclusionView
	offsets      [patterns][taps][2]float32
	haveOffsets  bool
	inverse6     float32 // strength / (taps * radius^6)
	radius2      float32
	bias, centre float32
	low, perHigh float32 // see lookFrom
}

// An OcclusionView is what Occlusion knows of a camera. Distances are those of the
// scene, in any unit.
type OcclusionView struct {
	Radius float32 // how far away what hides may be
	// A cell is PerCell units wide at distance 1 in perspective, at every distance without.
	PerCell      float32
	Orthographic bool
	// CenterX and CenterY are the picture's centre in cells.
	CenterX, CenterY float32
	// Axes are right, up and to the eye, in the axes of the mesh.
	Axes [3][3]float32
}

const (
	patterns = 16 // 4 x 4 cells
	taps     = 12 // places that a cell looks at
	turns    = 5  // of the spiral on which they lie
	// shallow is the sine of the angle above the tangent plane below which nothing hides: the
	// faces of a coarse surface that is drawn smooth stand this much out of each other.
	shallow  = 0.2
	strength = 1.1 / (1 - shallow)
	lowPart  = 0.5 // of the radius: the height above a point that counts as it is
	highPart = 5   // how much higher nothing counts
	// farthestTap bounds the radius in cells: beyond, near parts would look at places that
	// lie too far from each other to mean anything.
	farthestTap = 160
	// tooNear is the radius in cells below which nothing is hidden that a picture could
	// show.
	tooNear = 1
)

// Begin prepares for a picture of a size in pixels.
func (o *Occlusion) Begin(width, height int, v OcclusionView) {
	o.Width, o.Height = (width+1)/2, (height+1)/2
	for _, column := range []*[]float32{&o.z, &o.nx, &o.ny, &o.nz, &o.open, &o.across} {
		if n := o.Width * o.Height; cap(*column) < n {
			*column = make([]float32, n)
		} else {
			*column = (*column)[:n]
		}
	}
	if cap(o.seen) < o.Height {
		o.seen = make([][2]int32, o.Height)
	}
	o.seen = o.seen[:o.Height]
	o.view = v
	o.radius2 = float32(v.Radius * v.Radius)
	o.inverse6 = strength * 5 / (taps * float32(float32(o.radius2*o.radius2)*o.radius2))
	o.bias = float32(0.02 * v.Radius)
	o.low, o.perHigh = float32(lowPart*v.Radius), 1/float32(highPart*v.Radius)
	o.centre = float32(float32(0.0002) * o.radius2)
	if !o.haveOffsets {
		o.spirals()
	}
}

// spirals sets the places of every pattern, in units of the radius.
func (o *Occlusion) spirals() {
	o.haveOffsets = true
	for p := range patterns {
		// Neighbours get angles and radii that are far apart, and together all of them.
		first := float64(p*7%patterns) / patterns * 2 * math.Pi
		within := (float64(p*11%patterns) + 0.5) / patterns
		for i := range taps {
			r := (float64(i) + within) / taps
			sin, cos := math.Sincos(first + float64(i)*turns/taps*2*math.Pi)
			o.offsets[p][i] = [2]float32{float32(r * cos), float32(r * sin)}
		}
	}
}

// Clear makes the cells of a row those of the background.
func (o *Occlusion) Clear(y int) {
	inf, z, open := float32(math.Inf(1)), o.z[y*o.Width:(y+1)*o.Width], o.open[y*o.Width:(y+1)*o.Width]
	for x := range z {
		z[x], open[x] = inf, 1
	}
	o.seen[y] = [2]int32{}
}

// Cell sets cell (x, y) to what a point of the picture shows: the triangle of a key, at a
// distance. px and py say where, as for Samples. It is called from left to right, after Clear and before ResolveCells.
func (s *Shader) Cell(o *Occlusion, x, y int, key uint64, distance, px, py float32) {
	at := y*o.Width + x
	if seen := &o.seen[y]; seen[1] == 0 {
		*seen = [2]int32{int32(x), int32(x + 1)}
	} else {
		seen[1] = int32(x + 1)
	}
	o.z[at] = distance
	f := s.facet(array.Payload(key))
	if s.loop == nil || !f.smooth {
		o.turn(at, s.scene.at(f, px, py).normal)
		return
	}
	s.shown = append(s.shown, shown{place: int32(at), slot: int32(s.put(f, px, py, 1))})
	if s.batch.N == light.Capacity {
		s.ResolveCells(o)
	}
}

// ResolveCells ends a row of cells.
func (s *Shader) ResolveCells(o *Occlusion) {
	s.run()
	for _, e := range s.shown {
		o.turn(int(e.place), from(&s.batch, light.Normal, int(e.slot)))
	}
	s.shown = s.shown[:0]
}

// turn sets the normal of a cell, given in the axes of the mesh.
func (o *Occlusion) turn(at int, n vec) {
	o.nx[at], o.ny[at], o.nz[at] = n.dot(of(o.view.Axes[0])), n.dot(of(o.view.Axes[1])), n.dot(of(o.view.Axes[2]))
}

// place returns where a cell lies in camera space, z away from the eye.
func (o *Occlusion) place(x, y int, z float32) (px, py float32) {
	per := o.view.PerCell
	if !o.view.Orthographic {
		per = float32(per * z)
	}
	return float32((float32(x) + 0.5 - o.view.CenterX) * per), float32((o.view.CenterY - 0.5 - float32(y)) * per)
}

// Look finds for every cell of a row how open its sky is, by its own pattern.
func (o *Occlusion) Look(y int) {
	most := float32(o.view.Radius / o.view.PerCell)
	for x := int(o.seen[y][0]); x < int(o.seen[y][1]); x++ {
		at := y*o.Width + x
		z := o.z[at]
		if !(z < math.MaxFloat32) {
			continue
		}
		reach := most
		if !o.view.Orthographic {
			reach = float32(reach / z)
		}
		if reach > tooNear { // else open stays 1, as Clear left it
			o.open[at] = o.lookFrom(x, y, z, min(reach, farthestTap))
		}
	}
}

// lookFrom returns how open the sky is above a cell.
func (o *Occlusion) lookFrom(x, y int, z, reach float32) float32 {
	at, width, height, cells := y*o.Width+x, o.Width, o.Height, o.z
	nx, ny, nz := o.nx[at], o.ny[at], o.nz[at]
	px, py := o.place(x, y, z)
	per, perspective := o.view.PerCell, !o.view.Orthographic
	centerX, centerY := o.view.CenterX, o.view.CenterY
	low, bias, radius2, sum := o.low, o.bias, o.radius2, float32(0)
	for k := range &o.offsets[x&3|y&3<<2] {
		d := &o.offsets[x&3|y&3<<2][k]
		i := x + int(int32(float32(d[0]*reach)+1024.5)) - 1024
		j := y + int(int32(float32(d[1]*reach)+1024.5)) - 1024
		if uint(i) >= uint(width) || uint(j) >= uint(height) {
			continue
		}
		tz := cells[j*width+i]
		if !(tz < math.MaxFloat32) {
			continue
		}
		wide := per
		if perspective {
			wide = float32(per * tz)
		}
		vx, vy := float32((float32(i)+0.5-centerX)*wide)-px, float32((centerY-0.5-float32(j))*wide)-py
		vz, counts := z-tz, float32(1)
		if vz > low {
			// What stands high above hides by its foot, as the rim of a deep hole does; by and by
			// less, as it is more likely to hang in the air.
			counts = 1 - float32((vz-low)*o.perHigh)
			vz = low
		}
		vv := float32(float32(float32(vx*vx)+float32(vy*vy)) + float32(vz*vz))
		f := radius2 - vv
		vn := float32(float32(float32(vx*nx)+float32(vy*ny))+float32(vz*nz)) - bias
		if !(f > 0 && vn > 0 && counts > 0) {
			continue // most, without a root
		}
		if vn -= float32(shallow * sqrt(vv)); vn > 0 {
			sum += float32(float32(float32(f*f)*f) * float32(float32(vn*counts)/(vv+o.centre)))
		}
	}
	return max(1-float32(sum*o.inverse6), 0)
}

// Across and Down average the cells of a row with those beside it, along the row and
// across rows. Done a second time they take the cells of the other side, which also
// takes out what is left where only few cells lie on one surface.
func (o *Occlusion) Across(y int, second bool) {
	o.average(y, 1, o.Width, second, o.open, o.across)
}

// Down is the second half of Across.
func (o *Occlusion) Down(y int, second bool) {
	o.average(y, o.Width, o.Height, second, o.across, o.open)
}

// average writes the mean of four cells in a direction, as far as they lie near the
// tangent plane of the one at hand.
func (o *Occlusion) average(y, step, n int, second bool, from, to []float32) {
	per := float32(1 / float32(0.15*o.view.Radius))
	first := -1
	if second {
		first = -2
	}
	for x := int(o.seen[y][0]); x < int(o.seen[y][1]); x++ {
		at := y*o.Width + x
		z := o.z[at]
		if !(z < math.MaxFloat32) {
			continue // nothing looks at those
		}
		place, dx, dy := x, 1, 0
		if step != 1 {
			place, dx, dy = y, 0, 1
		}
		if lo, hi := place+first, place+first+3; lo >= 0 && hi < n {
			i := at + first*step
			if from[at] == 1 && from[i] == 1 && from[i+step] == 1 && from[i+2*step] == 1 && from[i+3*step] == 1 {
				to[at] = 1
				continue
			}
		}
		px, py := o.place(x, y, z)
		nx, ny, nz := o.nx[at], o.ny[at], o.nz[at]
		sum, weight := from[at], float32(1)
		for d := first; d < first+4; d++ {
			i := at + d*step
			if d == 0 || place+d < 0 || place+d >= n || !(o.z[i] < math.MaxFloat32) {
				continue
			}
			qx, qy := o.place(x+d*dx, y+d*dy, o.z[i])
			off := float32(float32(float32((qx-px)*nx)+float32((qy-py)*ny)) + float32((z-o.z[i])*nz))
			if w := 1 - float32(abs(off)*per); w > 0 {
				sum += float32(w * from[i])
				weight += w
			}
		}
		to[at] = float32(sum / weight)
	}
}

// At returns how open the sky is above a pixel at a distance: that of the four cells
// around it, as far as they lie on the same surface.
func (o *Occlusion) At(px, py int, z float32) float32 {
	// Cell x has its middle at 2x + 1 pixels from the left.
	x, y := (px-1)>>1, (py-1)>>1
	if at := y*o.Width + x; x >= 0 && y >= 0 && x+1 < o.Width && y+1 < o.Height {
		if upper, lower := o.open[at:at+2], o.open[at+o.Width:at+o.Width+2]; upper[0] == 1 && upper[1] == 1 && lower[0] == 1 && lower[1] == 1 {
			return 1
		}
	}
	near := float32(0.35 * o.view.Radius)
	sum, weight := float32(0), float32(0)
	wy := 0.25 + float32(0.5*float32(py&1)) // of the upper cells
	for cy := y; cy < y+2; cy, wy = cy+1, 1-wy {
		wx := 0.25 + float32(0.5*float32(px&1)) // of those on the left
		for cx := x; cx < x+2; cx, wx = cx+1, 1-wx {
			if uint(cx) >= uint(o.Width) || uint(cy) >= uint(o.Height) {
				continue
			}
			at := cy*o.Width + cx
			if off := abs(o.z[at] - z); off < near {
				w := float32((1 - float32(off/near)) * float32(wy*wx))
				sum += float32(w * o.open[at])
				weight += w
			}
		}
	}
	if !(weight > 0) {
		return 1
	}
	return float32(sum / weight)
}
