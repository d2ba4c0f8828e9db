//go:build amd64 && !purego

package kernel

import "lockstep/vp/isa"

// vectorize replaces the loops that have a twin in the instruction set.
func vectorize(set *Set, level isa.Level) {
	set.Level = level
	switch level {
	case isa.AVX512:
		set.Scan = scanWith(scanAVX512)
	case isa.AVX2:
	}
}
