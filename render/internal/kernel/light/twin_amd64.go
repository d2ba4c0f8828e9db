//go:build amd64 && !purego

package light

import (
	"math"
	"slices"
	"unsafe"

	"lockstep/vp/isa"
	"lockstep/vp/isa/race"
)

func selectLoops(level isa.Level) *Loops {
	switch level {
	case isa.AVX512:
		return &Loops{prepare(prepareAVX512), place(placeAVX512), gather(gatherAVX512), lit(lightAVX512), blend(blendAVX512), normals(normalsAVX512)}
	case isa.AVX2:
		return &Loops{prepare(prepareAVX2), place(placeAVX2), gather(gatherAVX2), lit(lightAVX2), blend(blendAVX2), normals(normalsAVX2)}
	}
	return nil
}

// arguments returns what the loops over lines of sight need.
func arguments(v *View, b *Batch) lightArgs {
	return lightArgs{
		columns: &b.Columns[0][0], points: int64(b.N),
		origin: v.Origin, originX: v.OriginX, originY: v.OriginY,
		forward: v.Forward, forwardX: v.ForwardX, forwardY: v.ForwardY,
		key: v.Key, fill: v.Fill, rim: v.Rim, up: v.Up,
		right: v.Right, above: v.Above, near: v.Near,
	}
}

func lit(loop func(*lightArgs)) func(*View, *Batch) {
	return func(v *View, b *Batch) {
		a := arguments(v, b)
		loop(&a)
		race.Write(b.Columns[Color:Normal])
	}
}

func normals(loop func(*lightArgs)) func(*View, *Batch) {
	return func(v *View, b *Batch) {
		a := arguments(v, b)
		loop(&a)
		race.Write(b.Columns[Normal:Step])
	}
}

// within checks that facets begin within a slice.
func within(facets []Facet, from []uint32) {
	if len(from) == 0 {
		return
	}
	if uint64(slices.Max(from))+uint64(unsafe.Sizeof(Facet{})) > uint64(len(facets))*uint64(unsafe.Sizeof(Facet{})) {
		panic("light: a point without a facet")
	}
}

func gather(loop func(*lightArgs)) func([]Facet, *Batch) {
	return func(facets []Facet, b *Batch) {
		if race.Enabled { // a tenth of the time
			within(facets, b.From[:])
		}
		a := lightArgs{columns: &b.Columns[0][0], points: int64(b.N), facets: &facets[0][0], from: &b.From[0]}
		loop(&a)
		race.Read(facets)
		race.Write(b.Columns[Corner:Color])
	}
}

func prepare(loop func(*lightArgs)) func(*Triangles, []Facet, *Need) {
	return func(m *Triangles, facets []Facet, need *Need) {
		if need.N == 0 {
			return
		}
		need.fill()
		triangles, to := need.Triangles[:need.N], need.To[:need.N]
		if int(slices.Max(triangles)) >= len(m.Records) {
			panic("light: no such triangle")
		}
		within(facets, to)
		a := lightArgs{
			points: int64(need.N), facets: &facets[0][0], from: &need.To[0], triangles: &need.Triangles[0],
			records: &m.Records[0][0], pivot: m.Pivot, scale: m.Scale, base: m.Base,
		}
		loop(&a)
		race.Read(triangles)
		race.Write(facets)
	}
}

func place(loop func(*lightArgs)) func(*Pixels, []uint32, []float32, *Batch) {
	return func(p *Pixels, places []uint32, open []float32, b *Batch) {
		b.N = min(len(places), Capacity)
		if b.N == 0 {
			return
		}
		// Places of a row are in order.
		if last := places[b.N-1] & math.MaxUint16; int(last) >= len(open) {
			panic("light: a pixel without a sky")
		}
		a := lightArgs{
			columns: &b.Columns[0][0], points: int64(b.N), places: &places[0], sky: &open[0],
			left: p.Left, top: p.Top, perCount: 2 * p.Grid,
		}
		loop(&a)
		race.Read(places[:b.N])
		race.Write(b.Columns[:Corner])
		race.Write(b.Columns[Weight:])
		b.close()
	}
}

// close gives the points behind the batch pixels that are none, each another.
func (b *Batch) close() {
	pixels := unsafe.Slice(&b.Columns[Pixel][0], Capacity+widest)
	for i := range widest {
		pixels[b.N+i] = math.Float32frombits(1<<31 | uint32(i))
	}
}

func blend(loop func(*lightArgs)) func(*Pixels, *Batch) {
	return func(p *Pixels, b *Batch) {
		all := p.Grid * p.Grid
		a := lightArgs{
			columns: &b.Columns[0][0], points: int64(b.N),
			samples: float32(all), perSamples: 1 / float32(all), halfSamples: float32(all / 2), background: p.Background,
		}
		if p.Opaque {
			a.opaque = -1
		}
		loop(&a)
		race.Write(b.Columns[Step:Weight])
	}
}
