//go:build amd64 && !purego

package geometry

import (
	"math"

	"lockstep/render/internal/kernel/array"
	"lockstep/scenes"
	"lockstep/vp/isa"
	"lockstep/vp/isa/race"
)

// geometryBatch is the largest number of triangles for one call of the assembly loop, which cannot be preempted. A
// call takes less than 20 microseconds if the triangles come from memory.
const geometryBatch = 4096

// Select returns the vector loop of Project for an instruction set. For distant views (below a field of view of about
// a degree), the vector loop calls Project itself. Such views are rare, and vector loops for them took a third of the
// assembly.
func Select(level isa.Level) Loop {
	if level == isa.Generic {
		return Project
	}
	return func(v *View, b *scenes.Block, out *array.Polygons, toClip []int32, counts *Counts) []int32 {
		if v.Distant && !v.Orthographic {
			return Project(v, b, out, toClip, counts)
		}
		return project(level, v, b, out, toClip, counts)
	}
}

// run calls the assembly loop for the instruction set. Calls through function values would move the arguments to the
// heap.
func (a *geometryArgs) run(level isa.Level) {
	if level == isa.AVX512 {
		geometryAVX512(a)
		return
	}
	geometryAVX2(a)
}

func project(level isa.Level, v *View, b *scenes.Block, out *array.Polygons, toClip []int32, counts *Counts) []int32 {
	triangles := b.Len()
	toClip = toClip[:triangles]
	if triangles > 0 {
		out.NeedRoom(triangles)
		var a geometryArgs
		a.setView(v)
		a.setOutput(out, toClip)
		a.setDeferred(out.Deferred, triangles)
		for first := 0; first < triangles; first += geometryBatch {
			a.setBlock(b, first, min(triangles, first+geometryBatch))
			a.run(level)
		}
		raceGeometry(b, out, toClip, &a)
		if out.Deferred.Set() {
			out.Deferred.Boxes.N = int(a.boxes)
		}
		drawn := a.n - int64(out.N) + a.boxed
		counts.Drawn += drawn
		counts.Culled += int64(triangles) - drawn - a.aside
		out.N = int(a.n)
		a.extendBounds(out)
		toClip = toClip[:a.aside]
	}
	return toClip
}

func (a *geometryArgs) setView(v *View) {
	a.pivotX, a.pivotY, a.pivotZ, a.scale, a.near = v.Pivot[0], v.Pivot[1], v.Pivot[2], v.Scale, v.Near
	a.rowX0, a.rowX1, a.rowX2, a.rowX3 = v.X[0], v.X[1], v.X[2], v.X[3]
	a.rowY0, a.rowY1, a.rowY2, a.rowY3 = v.Y[0], v.Y[1], v.Y[2], v.Y[3]
	depth := v.W
	if v.Orthographic {
		depth, a.orthographic = v.E, 1
	}
	a.depth0, a.depth1, a.depth2, a.depth3 = depth[0], depth[1], depth[2], depth[3]
	a.eyeX, a.eyeY, a.eyeZ = v.Eye[0], v.Eye[1], v.Eye[2]
	a.snapX, a.snapY = v.CenterX-snapMagicBits, v.CenterY-snapMagicBits
	a.width, a.height = v.Width, v.Height
	a.front, a.back = -1, -1
	if v.CullFront {
		a.front = 0
	}
	if v.CullBack {
		a.back = 0
	}
}

func (a *geometryArgs) setOutput(out *array.Polygons, toClip []int32) {
	a.n = int64(out.N)
	a.outX0, a.outY0, a.outE0 = &out.X[0][0], &out.Y[0][0], &out.E[0][0]
	a.outX1, a.outY1, a.outE1 = &out.X[1][0], &out.Y[1][0], &out.E[1][0]
	a.outX2, a.outY2, a.outE2 = &out.X[2][0], &out.Y[2][0], &out.E[2][0]
	a.first, a.rows, a.source, a.light = &out.First[0], &out.Rows[0], &out.Source[0], &out.Payload[0]
	a.slow = &toClip[0]
	for l := range a.minX {
		a.minX[l], a.minY[l] = math.MaxInt32, math.MaxInt32
		a.maxX[l], a.maxY[l] = math.MinInt32, math.MinInt32
		a.maxRows[l] = 0
	}
}

// setDeferred sets the arguments for deferred back faces if `to` defers any. It panics if the boxes of the given
// number of triangles do not fit into `to`.
func (a *geometryArgs) setDeferred(to *array.Deferred, triangles int) {
	if !to.Set() {
		return
	}
	b := to.Boxes
	if most := b.N + triangles*int(to.MaxRows); most > len(b.Start) || most+array.Lanes > cap(b.Start) {
		panic("kernel: no room for the boxes of a block")
	}
	a.boxStart, a.boxCount, a.boxBound, a.boxPlace, a.boxNumber = &b.Start[0], &b.Count[0], &b.E[0], &b.DE[0], &b.Payload[0]
	a.boxes, a.number, a.stride, a.tileRows = int64(b.N), int32(to.First), to.Stride, to.MaxRows
}

// setBlock sets the arguments for triangles lo to hi (exclusive) of b.
func (a *geometryArgs) setBlock(b *scenes.Block, lo, hi int) {
	at := func(c []float32) *float32 { return &c[lo:hi][0] }
	a.x0, a.y0, a.z0 = at(b.X[0]), at(b.Y[0]), at(b.Z[0])
	a.x1, a.y1, a.z1 = at(b.X[1]), at(b.Y[1]), at(b.Z[1])
	a.x2, a.y2, a.z2 = at(b.X[2]), at(b.Y[2]), at(b.Z[2])
	a.triangles, a.base = int64(hi-lo), int32(lo)
}

// extendBounds extends the bounds of out by the bounds that the lanes of the loop have found.
func (a *geometryArgs) extendBounds(out *array.Polygons) {
	for l := range a.minX {
		out.MinX, out.MaxX = min(out.MinX, a.minX[l]), max(out.MaxX, a.maxX[l])
		out.MinY, out.MaxY = min(out.MinY, a.minY[l]), max(out.MaxY, a.maxY[l])
		out.MaxRows = max(out.MaxRows, a.maxRows[l])
	}
}

// raceGeometry tells the race detector what the loop has read and written.
func raceGeometry(b *scenes.Block, out *array.Polygons, toClip []int32, a *geometryArgs) {
	for k := range 3 {
		race.Read(b.X[k])
		race.Read(b.Y[k])
		race.Read(b.Z[k])
		race.Write(out.X[k][out.N:a.n])
		race.Write(out.Y[k][out.N:a.n])
		race.Write(out.E[k][out.N:a.n])
	}
	race.Write(out.First[out.N:a.n])
	race.Write(out.Rows[out.N:a.n])
	race.Write(out.Source[out.N:a.n])
	race.Write(out.Payload[out.N:a.n])
	race.Write(toClip[:a.aside])
	if out.Deferred.Set() {
		b := out.Deferred.Boxes
		race.Write(b.Start[b.N:a.boxes])
		race.Write(b.Count[b.N:a.boxes])
		race.Write(b.E[b.N:a.boxes])
		race.Write(b.DE[b.N:a.boxes])
		race.Write(b.Payload[b.N:a.boxes])
	}
}
