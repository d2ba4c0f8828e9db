//go:build cgo

package main

// #define LOCKSTEP_LIBRARY
// #include "lockstep.h"
import "C"

import (
	"errors"
	"fmt"
	"unsafe"
)

// maxNumbers limits the length of an array, so that its size in bytes cannot overflow.
const maxNumbers = 1 << 48

func tooMany(n, most C.size_t) error {
	if n > most {
		return fmt.Errorf("%d numbers, expected at most %d", uint64(n), uint64(most))
	}
	return nil
}

// numbersAt returns n numbers of the caller's memory, from the address at on, without copying them.
func numbersAt[T any](at unsafe.Pointer, n C.size_t) ([]T, error) {
	if at == nil && n > 0 {
		return nil, errors.New("the array is NULL")
	}
	if err := tooMany(n, maxNumbers); err != nil {
		return nil, err
	}
	return unsafe.Slice((*T)(at), int(n)), nil
}

// writeError returns 0 if err is nil. Otherwise it writes the text of err to message and returns 1. The text is cut so
// that it and a terminating 0 fit into size bytes.
func writeError(err error, message *C.char, size C.size_t) C.int {
	if err == nil {
		return 0
	}
	if message != nil && size > 0 {
		writeString(unsafe.Slice(message, int(min(size, maxMessage))), err.Error())
	}
	return 1
}

// maxMessage is the largest number of bytes that are written to a message, whatever the size of the buffer.
const maxMessage = 1 << 16

// writeString writes text and a terminating 0 into a buffer. It cuts a text that is too long.
func writeString(to []C.char, text string) {
	n := min(len(text), len(to)-1)
	for i := range n {
		to[i] = C.char(text[i])
	}
	to[n] = 0
}

func boolToC(b bool) C.int64_t {
	if b {
		return 1
	}
	return 0
}
