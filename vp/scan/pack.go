package scan

import (
	"fmt"

	"lockstep/vp/machine"
)

// Enumerate writes to dst[i] the number of true flags before i. If flag i is true, this number is the rank of the flag
// among the true flags. Enumerate returns the number of true flags. dst is as long as flags.
func Enumerate[T Integer](m *machine.Machine, dst []T, flags []bool) (count T) {
	checkLength("Enumerate", len(dst), len(flags))
	if sequential(m, len(flags)) {
		return rankSweep(dst, flags, 0)
	}
	return twoPass(m, len(flags), 0,
		func(lo, hi int) T { return T(countTrue(flags[lo:hi])) },
		func(a, b T) T { return a + b },
		func(lo, hi int, rank T) T { return rankSweep(dst[lo:hi], flags[lo:hi], rank) })
}

func rankSweep[T Integer](dst []T, flags []bool, rank T) T {
	for i, flag := range flags {
		dst[i] = rank
		if flag {
			rank++
		}
	}
	return rank
}

// Pack selects the elements of src whose flag is true. It copies them in order to the front of dst and returns that
// part of dst. dst must not overlap src and must have room for the selected elements; the rest of dst stays unchanged.
func Pack[T any](m *machine.Machine, dst, src []T, flags []bool) []T {
	checkLength("Pack: flags", len(flags), len(src))
	if sequential(m, len(src)) {
		return dst[:packSweep(dst, src, flags, 0)]
	}
	total := twoPass(m, len(src), 0,
		func(lo, hi int) int { return countTrue(flags[lo:hi]) },
		func(a, b int) int { return a + b },
		func(lo, hi, rank int) int { return packSweep(dst, src[lo:hi], flags[lo:hi], rank) })
	return dst[:total]
}

// packSweep copies the flagged elements of src to dst[rank:], and returns the next free index of dst.
func packSweep[T any](dst, src []T, flags []bool, rank int) int {
	for i, v := range src {
		if !flags[i] {
			continue
		}
		if rank == len(dst) {
			panic(fmt.Sprintf("scan: Pack: dst has room for %d elements only", rank))
		}
		dst[rank] = v
		rank++
	}
	return rank
}

func countTrue(flags []bool) (count int) {
	for _, flag := range flags {
		if flag {
			count++
		}
	}
	return count
}
