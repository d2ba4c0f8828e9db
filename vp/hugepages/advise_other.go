//go:build !linux

package hugepages

import "unsafe"

// advise does nothing, because these systems have no such call.
func advise(unsafe.Pointer, int) {}
