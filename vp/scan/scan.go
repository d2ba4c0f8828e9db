package scan

import (
	"cmp"
	"fmt"

	"lockstep/vp/machine"
)

// Integer is every type of whole numbers. Sums of them wrap around, so they
// are associative and a parallel sum equals the sequential one in every bit.
// Sums of floating-point numbers are not: they depend on where the sequence is
// cut, hence on the number of workers, and this package offers none.
type Integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

// Plus writes to dst[i] the sum of src[:i], the exclusive +-scan, and
// returns the sum of all.
func Plus[T Integer](m *machine.Machine, dst, src []T) T {
	return scan(m, "Plus", dst, src, addition[T]{})
}

// PlusInclusive writes to dst[i] the sum of src[:i+1] and returns the sum
// of all.
func PlusInclusive[T Integer](m *machine.Machine, dst, src []T) T {
	return scan(m, "PlusInclusive", dst, src, addition[T]{inclusive: true})
}

// Max writes to dst[i] the maximum of least and src[:i], the exclusive
// max-scan, and returns the maximum of least and all. A NaN makes every later
// maximum a NaN.
func Max[T cmp.Ordered](m *machine.Machine, dst, src []T, least T) T {
	return scan(m, "Max", dst, src, maximum[T]{least, false})
}

// MaxInclusive writes to dst[i] the maximum of least and src[:i+1] and
// returns the maximum of least and all.
func MaxInclusive[T cmp.Ordered](m *machine.Machine, dst, src []T, least T) T {
	return scan(m, "MaxInclusive", dst, src, maximum[T]{least, true})
}

// Min writes to dst[i] the minimum of most and src[:i], the exclusive
// min-scan, and returns the minimum of most and all. A NaN makes every later
// minimum a NaN.
func Min[T cmp.Ordered](m *machine.Machine, dst, src []T, most T) T {
	return scan(m, "Min", dst, src, minimum[T]{most, false})
}

// MinInclusive writes to dst[i] the minimum of most and src[:i+1] and
// returns the minimum of most and all.
func MinInclusive[T cmp.Ordered](m *machine.Machine, dst, src []T, most T) T {
	return scan(m, "MinInclusive", dst, src, minimum[T]{most, true})
}

// scan is every scan without segments. All parts but the first are folded from
// op.zero(), which the joined result of the parts before includes already: right
// for a sum from 0 and for a maximum or minimum, where a bound may enter twice.
func scan[T any, O operator[T]](m *machine.Machine, name string, dst, src []T, op O) T {
	checkLength(name, len(dst), len(src))
	if sequential(m, len(src)) {
		return op.sweep(dst, src, op.zero())
	}
	return twoPass(m, len(src), op.zero(),
		func(lo, hi int) T { return op.fold(src[lo:hi], op.zero()) },
		func(a, b T) T { return op.join(a, b) },
		func(lo, hi int, acc T) T { return op.sweep(dst[lo:hi], src[lo:hi], acc) })
}

// PlusReduce returns the sum of src.
func PlusReduce[T Integer](m *machine.Machine, src []T) T {
	return reduction(m, src, addition[T]{})
}

// MaxReduce returns the maximum of least and src.
func MaxReduce[T cmp.Ordered](m *machine.Machine, src []T, least T) T {
	return reduction(m, src, maximum[T]{least, false})
}

// MinReduce returns the minimum of most and src.
func MinReduce[T cmp.Ordered](m *machine.Machine, src []T, most T) T {
	return reduction(m, src, minimum[T]{most, false})
}

func reduction[T any, O operator[T]](m *machine.Machine, src []T, op O) T {
	if sequential(m, len(src)) {
		return op.fold(src, op.zero())
	}
	return reduce(m, len(src), op.zero(), func(a, b T) T { return op.join(a, b) },
		func(lo, hi int) T { return op.fold(src[lo:hi], op.zero()) })
}

func checkLength(name string, dst, src int) {
	if dst != src {
		panic(fmt.Sprintf("scan: %s: dst has %d elements, src has %d", name, dst, src))
	}
}
