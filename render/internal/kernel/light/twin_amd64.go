//go:build amd64 && !purego

package light

import (
	"math"
	"slices"

	_ "lockstep/render/internal/kernel/array" // the assembly reads its tables
	"lockstep/vp/isa"
	"lockstep/vp/isa/race"
)

func selectLoops(level isa.Level) *Loops {
	switch level {
	case isa.AVX512:
		return &Loops{
			seek(seekAVX512), lit(seekAVX512, prepareAVX512, lightAVX512), aim(seekAVX512, prepareAVX512, lightAVX512), shine(lightAVX512), mirror(mirrorAVX512),
			blend(blendAVX512), normals(seekAVX512, prepareAVX512, lightAVX512),
		}
	case isa.AVX2:
		return &Loops{
			seek(seekAVX2), lit(seekAVX2, prepareAVX2, lightAVX2), aim(seekAVX2, prepareAVX2, lightAVX2), shine(lightAVX2), mirror(mirrorAVX2),
			blend(blendAVX2), normals(seekAVX2, prepareAVX2, lightAVX2),
		}
	}
	return nil
}

func seek(loop func(*lightArgs)) func(*Triangles, Points, *Runs) {
	return func(m *Triangles, points Points, to *Runs) {
		n := len(points.Triangles)
		if n > Capacity {
			panic("light: more points than a batch holds")
		}
		if to.points = n; n == 0 {
			return
		}
		race.Read(points.Triangles)
		a := lightArgs{points: int64(n), triangles: &points.Triangles[0], records: &m.Records[0][0]}
		to.setArgs(&a)
		loop(&a)
		to.count = a.runCount
	}
}

// setArgs sets the arguments of a loop for the runs in r.
func (r *Runs) setArgs(a *lightArgs) {
	a.runs, a.runTriangles, a.runCount = &r.runOf[0], &r.triangles[0], r.count
}

// setRunArgs sets the arguments for the runs of the points. It returns true if the runs must still be found, because
// Seek was not called for the points.
func (p Points) setRunArgs(a *lightArgs, b *Batch) bool {
	if p.Runs == nil {
		b.runs.setArgs(a)
		return true
	}
	if p.Runs.points != int(a.points) {
		panic("light: runs of other points")
	}
	p.Runs.setArgs(a)
	return false
}

// setPointArgs sets the arguments of all loops that read points: their triangles and places, the lines of sight of
// pixels, and the lights.
func (a *lightArgs) setPointArgs(m *Triangles, v *View, p *Pixels, points Points, b *Batch) {
	n := len(points.Triangles)
	if race.Enabled && int(slices.Max(points.Triangles)) >= len(m.Records) {
		panic("light: no such triangle") // without this check, the loop would read beyond the records
	}
	race.Read(points.Triangles)
	race.Read(points.Places[:n])
	*a = lightArgs{
		columns: &b.Columns[0][0], notes: &b.notes[0][0], pixels: &b.pixels[1], points: int64(n),
		found:     &b.runValues[0][0],
		triangles: &points.Triangles[0], places: &points.Places[:n][0],
		records: &m.Records[0][0], lastRecord: uint32(len(m.Records) - 1), pivot: m.Pivot, scale: m.Scale,
		origin: v.Origin, originX: v.OriginX, originY: v.OriginY,
		forward: v.Forward, forwardX: v.ForwardX, forwardY: v.ForwardY,
		key: v.Key, fill: v.Fill, rim: v.Rim, up: v.Up,
		right: v.Right, above: v.Above, near: v.Near,
		left: p.Left, top: p.Top, perCount: 2 * p.Grid, parts: &p.offsetScale[0],
	}
}

func lit(seek, prepare, loop func(*lightArgs)) func(*Triangles, *View, *Pixels, Points, []float32, *Batch) {
	return func(m *Triangles, v *View, p *Pixels, points Points, open []float32, b *Batch) {
		if b.N = min(len(points.Triangles), Capacity); b.N > 0 {
			var a lightArgs
			a.setLightArgs(m, v, p, points, open, b)
			if points.setRunArgs(&a, b) {
				seek(&a)
			}
			prepare(&a)
			loop(&a)
			race.Write(b.Columns[Color:])
			b.setOutside()
		}
	}
}

func aim(seek, prepare, loop func(*lightArgs)) func(*Triangles, *View, *Pixels, Points, []float32, *Batch, bool) {
	return func(m *Triangles, v *View, p *Pixels, points Points, open []float32, b *Batch, beside bool) {
		if b.N = min(len(points.Triangles), Capacity); b.N > 0 {
			var a lightArgs
			a.setLightArgs(m, v, p, points, open, b)
			a.task, a.weights, a.sides = taskAim, &b.Weights[0][0][0], &b.Sides[0]
			if beside {
				a.beside = 1
			}
			if points.setRunArgs(&a, b) {
				seek(&a)
			}
			prepare(&a)
			loop(&a)
			race.Write(b.Weights[:])
			b.setOutside()
		}
	}
}

func shine(loop func(*lightArgs)) func(*View, *Batch) {
	return func(v *View, b *Batch) {
		if b.N > 0 {
			loop(&lightArgs{
				columns: &b.Columns[0][0], notes: &b.notes[0][0], points: int64(b.N), task: taskShine,
				key: v.Key, fill: v.Fill, rim: v.Rim, up: v.Up,
			})
			race.Write(b.Columns[Color:])
		}
	}
}

func mirror(loop func(*lightArgs)) func(*View, *Environment, *Batch) {
	return func(v *View, e *Environment, b *Batch) {
		if b.N > 0 {
			loop(&lightArgs{
				columns: &b.Columns[0][0], notes: &b.notes[0][0], points: int64(b.N),
				key: v.Key, fill: v.Fill, rim: v.Rim, up: v.Up,
				finishes: &b.Finishes[0][0], mirrored: &b.Mirrored[0][0], passing: &b.Passing[0], lobes: &e.Lobes[0][0][0], shares: &e.Shares[0][0][0],
			})
			race.Write(b.Mirrored[:])
			race.Write(b.Passing[:])
		}
	}
}

// setLightArgs sets the arguments of the loops that light the points of a batch, including the open share of the sky.
// The batch must not be empty.
func (a *lightArgs) setLightArgs(m *Triangles, v *View, p *Pixels, points Points, open []float32, b *Batch) {
	points.Triangles = points.Triangles[:b.N]
	a.setPointArgs(m, v, p, points, b)
	// Places are sorted, so the last place has the largest pixel number.
	if last := pixelOf(points.Places[b.N-1]); last+SkyMargin >= len(open) {
		panic("light: a pixel without a sky")
	}
	a.sky = &open[0]
}

// pixelOf returns the number of a place's pixel in its row.
func pixelOf(place uint32) int { return int(place & math.MaxUint16) }

// setOutside sets the elements of b.pixels before the first point and after the last point to numbers of no pixel. The
// numbers differ, so no sequence of points of the same pixel continues beyond the batch.
func (b *Batch) setOutside() {
	b.pixels[0] = -1
	behind := b.pixels[1+b.N:][:widest]
	for i := range behind {
		behind[i] = math.MinInt32 + int32(i)
	}
}

func blend(loop func(*lightArgs)) func(*Pixels, *Batch, []byte) {
	return func(p *Pixels, b *Batch, pix []byte) {
		if b.N == 0 {
			return
		}
		if last := b.pixels[b.N]; int(last) >= len(pix)/4 {
			panic("light: a pixel beyond the row")
		}
		all := p.Grid * p.Grid
		a := lightArgs{
			columns: &b.Columns[0][0], pixels: &b.pixels[1], points: int64(b.N),
			samples: float32(all), perSamples: 1 / float32(all), halfSamples: float32(all / 2), background: p.Background,
			words: &b.words[0][0], encode: &p.Encode[0], pix: &pix[0],
		}
		if p.Opaque {
			a.opaque = -1
		}
		loop(&a)
		race.Write(pix)
	}
}

func normals(seek, prepare, loop func(*lightArgs)) func(*Triangles, *View, *Pixels, Points, *Batch, *[3][]float32) {
	return func(m *Triangles, v *View, p *Pixels, points Points, b *Batch, to *[3][]float32) {
		n := len(points.Triangles)
		if n == 0 {
			return
		}
		if n > Capacity {
			panic("light: more points than a batch holds")
		}
		var a lightArgs
		a.setPointArgs(m, v, p, points, b)
		whole := (n + widest - 1) &^ (widest - 1)
		a.task = taskNormals
		a.normalX, a.normalY, a.normalZ = &to[0][:whole][0], &to[1][:whole][0], &to[2][:whole][0]
		if points.setRunArgs(&a, b) {
			seek(&a)
		}
		prepare(&a)
		loop(&a)
		for axis := range to {
			race.Write(to[axis][:whole])
		}
	}
}
