//go:build amd64 && !purego

package light

import (
	"unsafe"

	"lockstep/vp/isa"
	"lockstep/vp/isa/race"
)

func selectLoops(level isa.Level) *Loops {
	switch level {
	case isa.AVX512:
		return &Loops{gather(gatherAVX512), lit(lightAVX512), normals(normalsAVX512)}
	case isa.AVX2:
		return &Loops{gather(gatherAVX2), lit(lightAVX2), normals(normalsAVX2)}
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
		race.Write(b.Columns[Step:])
	}
}

func normals(loop func(*lightArgs)) func(*View, *Batch) {
	return func(v *View, b *Batch) {
		a := arguments(v, b)
		loop(&a)
		race.Write(b.Columns[Normal:Step])
	}
}

func gather(loop func(*lightArgs)) func([]Facet, *Batch) {
	return func(facets []Facet, b *Batch) {
		last := uint32(0)
		for _, from := range b.From {
			last = max(last, from)
		}
		if uint64(last)+uint64(unsafe.Sizeof(Facet{})) > uint64(len(facets))*uint64(unsafe.Sizeof(Facet{})) {
			panic("light: a point without a facet")
		}
		a := lightArgs{columns: &b.Columns[0][0], points: int64(b.N), facets: &facets[0][0], from: &b.From[0]}
		loop(&a)
		race.Read(facets)
		race.Write(b.Columns[Corner:Color])
	}
}
