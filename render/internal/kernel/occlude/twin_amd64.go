//go:build amd64 && !purego

package occlude

import (
	"lockstep/vp/isa"
	"lockstep/vp/isa/race"
)

func selectLoops(level isa.Level) *Loops {
	switch level {
	case isa.AVX512:
		return &Loops{nearest(nearestAVX512), look(lookAVX512), average(averageAVX512), around(aroundAVX512), isOpen(closedAVX512), edges(edgesAVX512)}
	case isa.AVX2:
		return &Loops{nearest(nearestAVX2), look(lookAVX2), average(averageAVX2), around(aroundAVX2), isOpen(closedAVX2), edges(edgesAVX2)}
	}
	return nil
}

// arguments returns the arguments that Look and Average have in common, for cells x to end of row y.
func arguments(v *View, g *Grid, x, end, y int) occludeArgs {
	at := g.First + y*g.Stride + x
	a := occludeArgs{
		z: &g.Z[at], nx: &g.NX[at], ny: &g.NY[at], nz: &g.NZ[at],
		cells: int64(end-x+Lanes-1) / Lanes * Lanes, x: int32(x),
		perCell: v.PerCell, centerX: v.CenterX, row: v.MiddleY - float32(y), perOff: v.PerOff,
	}
	if v.Perspective {
		a.perspective = -1
	}
	return a
}

func look(loop func(*occludeArgs)) Look {
	return func(v *View, g *Grid, o *Offsets, x, end, y int) {
		if x >= end {
			return
		}
		a := arguments(v, g, x, end, y)
		at := g.First + y*g.Stride + x
		a.to, a.grid, a.offsets = &g.Open[at], &g.Z[g.First], &o[0][0][0]
		a.y, a.lastX, a.lastY, a.stride = int32(y)-Shift, uint32(g.Width-1), uint32(g.Height-1), int32(g.Stride)
		a.middleY, a.most, a.radius2, a.bias = v.MiddleY, v.Reach, v.Radius2, v.Bias
		a.centre, a.low, a.perHigh, a.inverse6 = v.Centre, v.Low, v.PerHigh, v.Inverse6
		loop(&a)
		race.Write(g.Open[at:][:a.cells])
		race.Read(g.Z)
	}
}

func average(loop func(*occludeArgs)) Average {
	return func(v *View, g *Grid, down bool, others [3]int, x, end, y int) {
		if x >= end {
			return
		}
		a := arguments(v, g, x, end, y)
		at := g.First + y*g.Stride + x
		from, to, step := g.Open, g.Between, 1
		if down {
			from, to, step = g.Between, g.Open, g.Stride
		}
		a.from, a.to = &from[at], &to[at]
		for k, d := range others {
			a.steps[k], a.rows[k] = int64(4*d*step), a.row
			if down {
				a.rows[k] = v.MiddleY - float32(y+d)
			} else {
				a.shifts[k] = float32(d)
			}
			race.Read(from[at+d*step:][:a.cells])
		}
		loop(&a)
		race.Write(to[at:][:a.cells])
	}
}

func around(loop func(*occludeArgs)) Around {
	return func(g *Grid, perNear float32, distance, open []float32, n, x, y int) {
		a := occludeArgs{perOff: perNear}
		a.steps[0] = int64(4 * g.Stride)
		a.rows[0] = 0.25 + 0.5*float32(y&1)
		a.rows[1] = 1 - a.rows[0]
		const most = 1 << 12 // number of pixels in one call of the assembly loop, which cannot be preempted
		for i := 0; i < n; i += most {
			some := min(n-i, most)
			whole := (some + Lanes - 1) &^ (Lanes - 1)
			upper := g.indexAround(x+i, y)
			a.z, a.to, a.grid, a.from = &distance[i : i+whole][0], &open[i : i+whole][0], &g.Z[upper], &g.Open[upper]
			a.cells = int64(whole)
			loop(&a)
			for row := range 2 {
				race.Read(g.Z[upper+row*g.Stride:][:some/2+2])
				race.Read(g.Open[upper+row*g.Stride:][:some/2+2])
			}
			race.Write(open[i : i+whole])
		}
	}
}

// indexAround returns the index of the upper left one of the four cells around pixel (x, y).
func (g *Grid) indexAround(x, y int) int { return g.First + (y-1)>>1*g.Stride + x/2 - 1 }

func isOpen(loop func(*occludeArgs)) IsOpen {
	return func(g *Grid, n, x, y int) bool {
		upper, whole := g.indexAround(x, y), (n/2+2+Lanes-1)&^(Lanes-1)
		lower := g.Open[upper+g.Stride:][:whole]
		race.Read(g.Open[upper:][:whole])
		race.Read(lower)
		a := occludeArgs{from: &g.Open[upper], cells: int64(whole)}
		a.steps[0] = int64(4 * g.Stride)
		loop(&a)
		return a.cells == 0
	}
}

func edges(loop func(*occludeArgs)) Edges {
	return func(g *Grid, perNear float32, n, x, y int) uint64 {
		upper, whole := g.indexAround(x, y), (n/2+1+Lanes-1)&^(Lanes-1)
		a := occludeArgs{
			z: &g.Z[upper], nx: &g.NX[upper], ny: &g.NY[upper], nz: &g.NZ[upper], from: &g.Open[upper],
			cells: int64(whole), perOff: perNear,
		}
		a.steps[0] = int64(4 * g.Stride)
		loop(&a)
		for _, column := range [][]float32{g.Z, g.NX, g.NY, g.NZ, g.Open} {
			race.Read(column[upper:][:whole+1])
			race.Read(column[upper+g.Stride:][:whole+1])
		}
		return a.edges
	}
}

func nearest(loop func(*occludeArgs)) Nearest {
	return func(upper, lower []uint64, first, below uint32, nearness []float32, triangles, places []uint32) {
		cells := len(upper) / 4 &^ (Lanes - 1)
		if cells == 0 {
			return
		}
		upper, lower = upper[:4*cells], lower[:4*cells]
		nearness, triangles, places = nearness[:cells], triangles[:cells], places[:cells]
		race.Read(upper)
		race.Read(lower)
		race.Write(nearness)
		race.Write(triangles)
		race.Write(places)
		const most = 1 << 12 // number of cells in one call of the assembly loop, which cannot be preempted
		for i := 0; i < cells; i += most {
			a := occludeArgs{
				upper: &upper[4*i], lower: &lower[4*i], cells: int64(min(cells-i, most)),
				x: int32(first) + 2*int32(i), y: int32(below),
				to: &nearness[i], triangles: &triangles[i], places: &places[i],
			}
			loop(&a)
		}
	}
}
