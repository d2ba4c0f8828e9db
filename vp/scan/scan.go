package scan

import (
	"cmp"
	"fmt"

	"lockstep/vp/machine"
)

// Integer is any integer type. Sums of integers wrap around, so they are associative and a parallel sum equals the
// sequential one in every bit. Floating-point types are not included: sums of floating-point numbers depend on where
// the sequence is divided, and so on the number of workers.
type Integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

// Plus is the exclusive +-scan: it writes to dst[i] the sum of src[:i]. It returns the sum of src.
func Plus[T Integer](m *machine.Machine, dst, src []T) T {
	checkLength("Plus", len(dst), len(src))
	if sequential(m, len(src)) {
		return plusSweep(dst, src, 0)
	}
	return twoPass(m, len(src), 0,
		func(lo, hi int) T { return sum(src[lo:hi]) },
		func(a, b T) T { return a + b },
		func(lo, hi int, before T) T { return plusSweep(dst[lo:hi], src[lo:hi], before) })
}

// PlusReduce returns the sum of src.
func PlusReduce[T Integer](m *machine.Machine, src []T) T {
	if sequential(m, len(src)) {
		return sum(src)
	}
	return reduce(m, len(src), 0,
		func(a, b T) T { return a + b },
		func(lo, hi int) T { return sum(src[lo:hi]) })
}

// MaxReduce returns the maximum of `least` and all elements of src. If one of them is NaN, the result is NaN.
func MaxReduce[T cmp.Ordered](m *machine.Machine, src []T, least T) T {
	if sequential(m, len(src)) {
		return largest(src, least)
	}
	// Every part includes `least`. Including it several times does not change the maximum.
	return reduce(m, len(src), least,
		func(a, b T) T { return max(a, b) },
		func(lo, hi int) T { return largest(src[lo:hi], least) })
}

func plusSweep[T Integer](dst, src []T, before T) T {
	for i, v := range src {
		dst[i] = before
		before += v
	}
	return before
}

func sum[T Integer](src []T) (sum T) {
	for _, v := range src {
		sum += v
	}
	return sum
}

// largest returns the maximum of `least` and all elements of src. It is associative for floating-point numbers too,
// because the built-in max orders -0 before +0 and keeps NaNs.
func largest[T cmp.Ordered](src []T, least T) T {
	for _, v := range src {
		least = max(least, v)
	}
	return least
}

// Parts divides the indices 0 to n-1 into one part per worker, calls the function do for each part lo to hi-1, and
// returns when all calls have returned.
func Parts(m *machine.Machine, n int, do func(lo, hi int)) {
	if sequential(m, n) {
		do(0, n)
		return
	}
	m.Run(func(worker int) { do(machine.Part(worker, m.Workers(), n)) })
}

func checkLength(name string, dst, src int) {
	if dst != src {
		panic(fmt.Sprintf("scan: %s: dst has %d elements, src has %d", name, dst, src))
	}
}
