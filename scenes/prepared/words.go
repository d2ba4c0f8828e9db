package prepared

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// little says that memory has the byte order of files.
var little = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// bytesOf returns numbers as the bytes of their memory.
func bytesOf[T uint32 | int32 | float32](words []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 4*len(words))
}

// floats returns words as the numbers that their bits are.
func floats(words []uint32) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(words))), len(words))
}

// turn brings words from the byte order of files to that of memory, or back.
func turn(words []uint32) {
	if little {
		return
	}
	for i, w := range words {
		words[i] = bits.ReverseBytes32(w)
	}
}

// alignedWords returns the memory of bytes as words.
func alignedWords(b []byte) []uint32 {
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(b))) & 3)
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(b[skip:]))), (len(b)-skip)/4)
}
