package hugepages_test

import (
	"testing"
	"unsafe"

	"lockstep/vp/hugepages"
)

// TestMake makes slices about as long as one or several pages. The element sizes include some that do not divide a
// page.
func TestMake(t *testing.T) {
	for _, bytes := range []int{0, 1000, hugepages.Size - 24, hugepages.Size, hugepages.Size + 24, 5*hugepages.Size - 8, 5 * hugepages.Size} {
		checkMake[byte](t, bytes)
		checkMake[uint64](t, bytes/8)
		checkMake[[3]int32](t, bytes/12)
		checkMake[[3]float64](t, bytes/24)
		checkMake[[5000]byte](t, bytes/5000)
	}
}

// checkMake checks that a slice has n elements, all zero, and that they can be written.
func checkMake[T comparable](t *testing.T, n int) {
	t.Helper()
	s := hugepages.Make[T](n)
	if size := uintptr(unsafe.Sizeof(*new(T))); uintptr(n)*size >= hugepages.Size/2 {
		if start := uintptr(unsafe.Pointer(&s[0])) % hugepages.Size; start >= size {
			t.Errorf("%d elements of %T begin %d bytes into a huge page", n, *new(T), start)
		}
	}
	if len(s) != n || cap(s) != n {
		t.Fatalf("%d elements of %T: length %d, capacity %d", n, *new(T), len(s), cap(s))
	}
	var zero T
	for i := range s {
		if s[i] != zero {
			t.Fatalf("element %d of %d is not zero", i, n)
		}
		s[i] = zero
	}
}
