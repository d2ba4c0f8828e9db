package scan

import "cmp"

// operator is one associative operation with its loops. A call through a
// function value costs more than an addition, so the loops are written out for
// each operation and called once for a part or a segment. It is a type parameter
// of the scans: an interface or function values would go to the heap.
type operator[T any] interface {
	zero() T                          // neutral, or a bound that all results include
	join(a, b T) T                    // the operation
	fold(src []T, acc T) T            // acc joined with all of src
	sweep(dst, src []T, acc T) (to T) // the scan that starts with acc
}

type addition[T Integer] struct {
	inclusive bool
}

func (o addition[T]) zero() T               { return 0 }
func (o addition[T]) join(a, b T) T         { return a + b }
func (o addition[T]) fold(src []T, acc T) T { return sum(src, acc) }
func (o addition[T]) sweep(dst, src []T, acc T) T {
	if o.inclusive {
		return plusSweepInclusive(dst, src, acc)
	}
	return plusSweep(dst, src, acc)
}

// The built-in max and min order -0 before +0 and keep NaNs, which makes them
// associative for floating-point numbers as well.

type maximum[T cmp.Ordered] struct {
	least     T
	inclusive bool
}

func (o maximum[T]) zero() T               { return o.least }
func (o maximum[T]) join(a, b T) T         { return max(a, b) }
func (o maximum[T]) fold(src []T, acc T) T { return maxFold(src, acc) }
func (o maximum[T]) sweep(dst, src []T, acc T) T {
	if o.inclusive {
		return maxSweepInclusive(dst, src, acc)
	}
	return maxSweep(dst, src, acc)
}

type minimum[T cmp.Ordered] struct {
	most      T
	inclusive bool
}

func (o minimum[T]) zero() T               { return o.most }
func (o minimum[T]) join(a, b T) T         { return min(a, b) }
func (o minimum[T]) fold(src []T, acc T) T { return minFold(src, acc) }
func (o minimum[T]) sweep(dst, src []T, acc T) T {
	if o.inclusive {
		return minSweepInclusive(dst, src, acc)
	}
	return minSweep(dst, src, acc)
}

func sum[T Integer](src []T, acc T) T {
	for _, v := range src {
		acc += v
	}
	return acc
}

func maxFold[T cmp.Ordered](src []T, acc T) T {
	for _, v := range src {
		acc = max(acc, v)
	}
	return acc
}

func minFold[T cmp.Ordered](src []T, acc T) T {
	for _, v := range src {
		acc = min(acc, v)
	}
	return acc
}

func plusSweep[T Integer](dst, src []T, acc T) T {
	for i, v := range src {
		dst[i] = acc
		acc += v
	}
	return acc
}

func plusSweepInclusive[T Integer](dst, src []T, acc T) T {
	for i, v := range src {
		acc += v
		dst[i] = acc
	}
	return acc
}

func maxSweep[T cmp.Ordered](dst, src []T, acc T) T {
	for i, v := range src {
		dst[i] = acc
		acc = max(acc, v)
	}
	return acc
}

func maxSweepInclusive[T cmp.Ordered](dst, src []T, acc T) T {
	for i, v := range src {
		acc = max(acc, v)
		dst[i] = acc
	}
	return acc
}

func minSweep[T cmp.Ordered](dst, src []T, acc T) T {
	for i, v := range src {
		dst[i] = acc
		acc = min(acc, v)
	}
	return acc
}

func minSweepInclusive[T cmp.Ordered](dst, src []T, acc T) T {
	for i, v := range src {
		acc = min(acc, v)
		dst[i] = acc
	}
	return acc
}
