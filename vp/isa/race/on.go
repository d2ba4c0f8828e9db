//go:build race

// Package race tells the race detector, which does not see into assembly, what a loop in
// assembly reads and writes.
package race

import (
	"runtime"
	"unsafe"
)

// Enabled reports whether the program was built with the race detector.
const Enabled = true

// Read tells the race detector that a slice is read.
func Read[T any](s []T) {
	if len(s) > 0 {
		runtime.RaceReadRange(unsafe.Pointer(&s[0]), len(s)*int(unsafe.Sizeof(s[0])))
	}
}

// Write tells the race detector that a slice is written.
func Write[T any](s []T) {
	if len(s) > 0 {
		runtime.RaceWriteRange(unsafe.Pointer(&s[0]), len(s)*int(unsafe.Sizeof(s[0])))
	}
}
