//go:build amd64 && !purego

package kernel

import "lockstep/vp/isa"

// vectorize replaces the loops that have a twin in the instruction set.
func vectorize(loops *Loops, level isa.Level) {
	loops.Level = level
	switch level {
	case isa.AVX512:
		loops.Geometry = geometryTwin(isa.AVX512)
		loops.Shade = shadeTwin(isa.AVX512)
		loops.Merge, loops.Resolve, loops.Fill = mergeAVX512, resolveAVX512, fillAVX512
		loops.ScanConvert = scanWith(scanConvertAVX512)
		loops.ZBuffer = zbufferWith(zbufferAVX512)
	case isa.AVX2:
		loops.Geometry = geometryTwin(isa.AVX2)
		loops.Shade = shadeTwin(isa.AVX2)
		loops.Merge, loops.Resolve, loops.Fill = mergeAVX2, resolveAVX2, fillAVX2
		loops.ScanConvert = scanWith(scanConvertAVX2)
		loops.ZBuffer = zbufferWith(zbufferAVX2)
	}
}
