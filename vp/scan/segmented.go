package scan

import (
	"cmp"
	"fmt"

	"lockstep/vp/machine"
)

// Segmented scans start anew at every index i with heads[i]; index 0 is a head
// whatever heads[0] says. heads is as long as src. Machine, dst and src are as
// for the plain scans.

// Copy writes to dst[i] the value of src at the head of i's segment: every
// head's value is copied over its segment.
func Copy[T any](m *machine.Machine, dst, src []T, heads []bool) {
	checkSegments("Copy", len(dst), len(src), len(heads))
	if len(src) == 0 {
		return
	}
	if sequential(m, len(src)) {
		copySweep(dst, src, heads, src[0])
		return
	}
	twoPass(m, len(src), part[T]{value: src[0]},
		func(lo, hi int) part[T] { return lastHead(src[lo:hi], heads[lo:hi]) },
		func(a, b part[T]) part[T] {
			if b.cut {
				return b
			}
			return a
		},
		func(lo, hi int, before part[T]) part[T] {
			copySweep(dst[lo:hi], src[lo:hi], heads[lo:hi], before.value)
			return part[T]{}
		})
}

// lastHead summarises a part for Copy: only its last head is seen beyond it.
func lastHead[T any](src []T, heads []bool) part[T] {
	for i := len(heads) - 1; i >= 0; i-- {
		if heads[i] {
			return part[T]{src[i], true}
		}
	}
	return part[T]{}
}

func copySweep[T any](dst, src []T, heads []bool, value T) {
	for i, v := range src {
		if heads[i] {
			value = v
		}
		dst[i] = value
	}
}

// SegmentedPlus writes to dst[i] the sum of the elements before i in its
// segment, 0 at a head. It returns the sum of the last segment.
func SegmentedPlus[T Integer](m *machine.Machine, dst, src []T, heads []bool) T {
	return segmentedScan(m, dst, src, heads, addition[T]{})
}

// SegmentedPlusInclusive writes to dst[i] the sum of its segment up to and
// with i. It returns the sum of the last segment.
func SegmentedPlusInclusive[T Integer](m *machine.Machine, dst, src []T, heads []bool) T {
	return segmentedScan(m, dst, src, heads, addition[T]{inclusive: true})
}

// SegmentedMax writes to dst[i] the maximum of least and the elements
// before i in its segment. It returns the last segment's maximum.
func SegmentedMax[T cmp.Ordered](m *machine.Machine, dst, src []T, heads []bool, least T) T {
	return segmentedScan(m, dst, src, heads, maximum[T]{least, false})
}

// SegmentedMaxInclusive writes to dst[i] the maximum of least and its
// segment up to and with i. It returns the last segment's maximum.
func SegmentedMaxInclusive[T cmp.Ordered](m *machine.Machine, dst, src []T, heads []bool, least T) T {
	return segmentedScan(m, dst, src, heads, maximum[T]{least, true})
}

// SegmentedMin writes to dst[i] the minimum of most and the elements before
// i in its segment. It returns the last segment's minimum.
func SegmentedMin[T cmp.Ordered](m *machine.Machine, dst, src []T, heads []bool, most T) T {
	return segmentedScan(m, dst, src, heads, minimum[T]{most, false})
}

// SegmentedMinInclusive writes to dst[i] the minimum of most and its
// segment up to and with i. It returns the last segment's minimum.
func SegmentedMinInclusive[T cmp.Ordered](m *machine.Machine, dst, src []T, heads []bool, most T) T {
	return segmentedScan(m, dst, src, heads, minimum[T]{most, true})
}

// part summarises a run of elements: the value since the last head in it, and
// whether it has a head, which cuts off everything before.
type part[T any] struct {
	value T
	cut   bool
}

func segmentedScan[T any, O operator[T]](m *machine.Machine, dst, src []T, heads []bool, op O) T {
	checkSegments("segmented scan", len(dst), len(src), len(heads))
	if sequential(m, len(src)) {
		return segmentedSweep(dst, src, heads, op.zero(), op)
	}
	last := twoPass(m, len(src), part[T]{value: op.zero()},
		func(lo, hi int) part[T] { return lastSegment(src[lo:hi], heads[lo:hi], op) },
		func(a, b part[T]) part[T] {
			if b.cut {
				return b
			}
			return part[T]{op.join(a.value, b.value), a.cut}
		},
		func(lo, hi int, before part[T]) part[T] {
			return part[T]{value: segmentedSweep(dst[lo:hi], src[lo:hi], heads[lo:hi], before.value, op)}
		})
	return last.value
}

// lastSegment summarises a part for segmentedScan.
func lastSegment[T any, O operator[T]](src []T, heads []bool, op O) part[T] {
	start := len(heads) - 1
	for start >= 0 && !heads[start] {
		start--
	}
	return part[T]{op.fold(src[max(start, 0):], op.zero()), start >= 0}
}

// segmentedSweep continues a segment that has come to acc, then sweeps the
// others from op.zero(), one at a time.
func segmentedSweep[T any, O operator[T]](dst, src []T, heads []bool, acc T, op O) T {
	for start := 0; start < len(src); {
		if heads[start] {
			acc = op.zero()
		}
		end := start + 1
		for end < len(heads) && !heads[end] {
			end++
		}
		acc = op.sweep(dst[start:end], src[start:end], acc)
		start = end
	}
	return acc
}

func checkSegments(name string, dst, src, heads int) {
	checkLength(name, dst, src)
	if heads != src {
		panic(fmt.Sprintf("scan: %s: heads has %d elements, src has %d", name, heads, src))
	}
}
