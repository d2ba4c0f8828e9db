package prepared

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// littleEndian reports whether this machine is little-endian, like the files.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// notNumber is the bit pattern of a NaN. It is also invalid as a packed normal and as the number of a triangle.
const notNumber = 0x7fc00000

// bytesOf returns the memory of 32-bit words as bytes.
func bytesOf[T uint32 | int32 | float32](words []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 4*len(words))
}

// floatsOf returns the memory of 32-bit words as float32.
func floatsOf(words []uint32) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(words))), len(words))
}

// swapBytes swaps the bytes of words if this machine is not little-endian.
func swapBytes(words []uint32) {
	if littleEndian {
		return
	}
	for i, w := range words {
		words[i] = bits.ReverseBytes32(w)
	}
}

// alignedWords returns the part of b that is aligned to 32 bits as words.
func alignedWords(b []byte) []uint32 {
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(b))) & 3)
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(b[skip:]))), (len(b)-skip)/4)
}
