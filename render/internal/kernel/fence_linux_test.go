package kernel

import (
	"syscall"
	"testing"
	"unsafe"
)

// A fence is memory that ends at a page that must not be accessed.
type fence struct{ memory []byte }

// newFence returns a fence for size bytes, which is freed after the test.
func newFence(t testing.TB, size int) *fence {
	page := syscall.Getpagesize()
	whole := (size+page-1)/page*page + page
	m, err := syscall.Mmap(-1, 0, whole, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(m) })
	if err := syscall.Mprotect(m[whole-page:], syscall.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	return &fence{m[: whole-page : whole-page]}
}

// atFence returns a slice of n elements whose end is at the forbidden page.
func atFence[T any](f *fence, n int) []T {
	var element T
	size := n * int(unsafe.Sizeof(element))
	if n == 0 {
		return nil
	}
	start := &f.memory[len(f.memory)-size]
	return unsafe.Slice((*T)(unsafe.Pointer(start)), n)
}
