package scan

import (
	"fmt"

	"lockstep/vp/machine"
)

// Copy copies the value of src at the head of every segment over the whole segment of dst. A segment starts at index 0
// and at every index i for which heads[i] is true. heads is as long as src.
func Copy[T any](m *machine.Machine, dst, src []T, heads []bool) {
	checkLength("Copy", len(dst), len(src))
	if len(heads) != len(src) {
		panic(fmt.Sprintf("scan: Copy: heads has %d elements, src has %d", len(heads), len(src)))
	}
	if len(src) == 0 {
		return
	}
	if sequential(m, len(src)) {
		copySweep(dst, src, heads, src[0])
		return
	}
	twoPass(m, len(src), head[T]{value: src[0]},
		func(lo, hi int) head[T] { return lastHead(src[lo:hi], heads[lo:hi]) },
		func(a, b head[T]) head[T] {
			if b.found {
				return b
			}
			return a
		},
		func(lo, hi int, before head[T]) head[T] {
			copySweep(dst[lo:hi], src[lo:hi], heads[lo:hi], before.value)
			return head[T]{}
		})
}

// A head is the summary of a part of the sequence, for the sweep of later parts. value is the element of src at the
// last head of the part, and found is false if the part has no head.
type head[T any] struct {
	value T
	found bool
}

func lastHead[T any](src []T, heads []bool) head[T] {
	for i := len(heads) - 1; i >= 0; i-- {
		if heads[i] {
			return head[T]{src[i], true}
		}
	}
	return head[T]{}
}

func copySweep[T any](dst, src []T, heads []bool, value T) {
	for i, v := range src {
		if heads[i] {
			value = v
		}
		dst[i] = value
	}
}
