//go:build amd64 && !purego

package cloud

import (
	"math"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/vp/isa"
	"lockstep/vp/isa/race"
)

// snapMagicBits are the bits of the float32 that the loop adds to round coordinates, see snapMagic of package
// geometry.
const snapMagicBits = 0x4b400000

// batch is the largest number of points for one call of the assembly loop. Calls must be short, because they cannot be
// preempted.
const batch = 4096

// Select returns the vector loop of Project for an instruction set. For distant views (below a field of view of about
// a degree), the vector loop calls Project itself.
func Select(level isa.Level) Loop {
	if level == isa.Generic {
		return Project
	}
	return func(f *Frame, b *Block, to *Output, counts *geometry.Counts) {
		if f.View.Distant && !f.View.Orthographic {
			Project(f, b, to, counts)
			return
		}
		project(level, f, b, to, counts)
	}
}

// run calls the assembly loop for the instruction set. Calls through function values would move the arguments to the
// heap.
func (a *cloudArgs) run(level isa.Level) {
	if level == isa.AVX512 {
		cloudAVX512(a)
		return
	}
	cloudAVX2(a)
}

func project(level isa.Level, f *Frame, b *Block, to *Output, counts *geometry.Counts) {
	to.reset()
	n := b.Len()
	if n == 0 {
		return
	}
	to.needRoom(n)
	var a cloudArgs
	a.setFrame(f)
	a.setOutput(to)
	for first := 0; first < n; first += batch {
		end := min(first+batch, n)
		a.x, a.y, a.z = &b.X[first:end][0], &b.Y[first:end][0], &b.Z[first:end][0]
		a.points, a.base = int64(end-first), int32(first)
		a.run(level)
	}
	to.Spans.N, to.Discs.N = int(a.spans), int(a.discs)
	for l := range a.minX {
		to.MinX, to.MaxX = min(to.MinX, a.minX[l]), max(to.MaxX, a.maxX[l])
		to.MinY, to.MaxY = min(to.MinY, a.minY[l]), max(to.MaxY, a.maxY[l])
	}
	counts.Drawn += a.spans + a.discs
	counts.Culled += int64(n) - a.spans - a.discs - a.left
	for _, i := range to.unplaced[:a.left] {
		countUnplaced(b.X[i], b.Y[i], b.Z[i], counts)
	}
	to.race(b, int(a.left))
}

// needRoom panics if n points and a vector after them do not fit.
func (o *Output) needRoom(n int) {
	s, d := o.Spans, o.Discs
	if n > len(s.Start) || n+array.Lanes > cap(s.Start) || n > len(d.X) || n+array.Lanes > cap(d.X) || n > len(o.unplaced) {
		panic("kernel: no room for the points of a block")
	}
}

func (a *cloudArgs) setFrame(f *Frame) {
	v := f.View
	a.pivotX, a.pivotY, a.pivotZ, a.scale, a.near, a.radius = v.Pivot[0], v.Pivot[1], v.Pivot[2], v.Scale, v.Near, f.Radius
	a.rowX0, a.rowX1, a.rowX2, a.rowX3 = v.X[0], v.X[1], v.X[2], v.X[3]
	a.rowY0, a.rowY1, a.rowY2, a.rowY3 = v.Y[0], v.Y[1], v.Y[2], v.Y[3]
	depth := v.W
	if v.Orthographic {
		depth, a.orthographic = v.E, 1
	}
	a.depth0, a.depth1, a.depth2, a.depth3 = depth[0], depth[1], depth[2], depth[3]
	a.snapX, a.snapY = v.CenterX-snapMagicBits, v.CenterY-snapMagicBits
	a.width, a.height, a.rowKeys = v.Width, v.Height, f.RowKeys
}

func (a *cloudArgs) setOutput(to *Output) {
	s, d := to.Spans, to.Discs
	a.start, a.count, a.e, a.de, a.payload = &s.Start[0], &s.Count[0], &s.E[0], &s.DE[0], &s.Payload[0]
	a.discX, a.discY, a.discRadius, a.discSource, a.discE = &d.X[0], &d.Y[0], &d.Radius[0], &d.Source[0], &d.E[0]
	a.aside = &to.unplaced[0]
	for l := range a.minX {
		a.minX[l], a.minY[l] = math.MaxInt32, math.MaxInt32
		a.maxX[l], a.maxY[l] = math.MinInt32, math.MinInt32
	}
}

// race tells the race detector what the loop has read and written.
func (o *Output) race(b *Block, left int) {
	race.Read(b.X)
	race.Read(b.Y)
	race.Read(b.Z)
	s, d := o.Spans, o.Discs
	for _, column := range [][]uint32{s.Start, s.Payload} {
		race.Write(column[:s.N])
	}
	for _, column := range [][]float32{s.E[:s.N], s.DE[:s.N], d.E[:d.N]} {
		race.Write(column)
	}
	for _, column := range [][]int32{s.Count[:s.N], d.X[:d.N], d.Y[:d.N], d.Radius[:d.N], d.Source[:d.N], o.unplaced[:left]} {
		race.Write(column)
	}
}
