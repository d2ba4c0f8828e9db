//go:build race

package kernel

import (
	"runtime"
	"unsafe"
)

// raceRead tells the race detector, which does not see into assembly, that a
// slice is read.
func raceRead[T any](s []T) {
	if len(s) > 0 {
		runtime.RaceReadRange(unsafe.Pointer(&s[0]), len(s)*int(unsafe.Sizeof(s[0])))
	}
}

// raceWrite tells the race detector that a slice is written.
func raceWrite[T any](s []T) {
	if len(s) > 0 {
		runtime.RaceWriteRange(unsafe.Pointer(&s[0]), len(s)*int(unsafe.Sizeof(s[0])))
	}
}
