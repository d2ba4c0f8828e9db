package frame

import (
	"testing"
	"unsafe"
)

// TestNearnessMemory checks that the memory of pixels holds the nearness only if its address is a multiple of 4. Some
// processors, and the checks of the race detector, require such addresses for numbers of 32 bits.
func TestNearnessMemory(t *testing.T) {
	const width, height = 5, 4
	memory := make([]uint32, width*height+1) // aligned
	pixels := unsafe.Slice((*byte)(unsafe.Pointer(&memory[0])), 4*len(memory))
	for first := range 4 {
		for i := range pixels {
			pixels[i] = 0xa5
		}
		pic := &Pixels{Width: width, Rows: height, Pix: pixels[first : first+4*width*height]}
		for _, rows := range [][2]int{{0, height}, {1, 3}, {2, 2}, {height, height}} {
			near := pic.nearness(rows[0], rows[1])
			if n := width * (rows[1] - rows[0]); len(near) != n || cap(near) != n {
				t.Fatalf("rows %v from byte %d: %d numbers, room for %d, want %d", rows, first, len(near), cap(near), n)
			}
			if len(near) == 0 {
				continue
			}
			at := unsafe.Pointer(&near[0])
			if uintptr(at)%4 != 0 {
				t.Errorf("rows %v from byte %d: numbers at an odd address", rows, first)
			}
			if lent := at == unsafe.Pointer(&pic.Pix[4*width*rows[0]]); lent != (first == 0) {
				t.Errorf("rows %v from byte %d: the picture's memory is lent: %t", rows, first, lent)
			}
		}
	}
}
