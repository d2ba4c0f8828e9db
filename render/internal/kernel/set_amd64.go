//go:build amd64 && !purego

package kernel

import "lockstep/vp/isa"

// vectorize replaces the loops that have a twin in the instruction set.
func vectorize(set *Set, level isa.Level) {
	set.Level = level
	switch level {
	case isa.AVX512:
		set.Geometry = geometryTwin(isa.AVX512)
		set.Shade = shadeTwin(isa.AVX512)
		set.Merge, set.Resolve, set.Fill = mergeAVX512, resolveAVX512, fillAVX512
		set.Scan = scanWith((*Scan).stepAVX512)
		set.ZBuffer = zbufferWith(zbufferAVX512)
	case isa.AVX2:
		set.Geometry = geometryTwin(isa.AVX2)
		set.Shade = shadeTwin(isa.AVX2)
		set.Merge, set.Resolve, set.Fill = mergeAVX2, resolveAVX2, fillAVX2
		set.Scan = scanWith((*Scan).stepAVX2)
		set.ZBuffer = zbufferWith(zbufferAVX2)
	}
}
