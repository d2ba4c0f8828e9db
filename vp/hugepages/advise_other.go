//go:build !linux

package hugepages

import "unsafe"

// advise does nothing here: these systems take no such advice.
func advise(unsafe.Pointer, int) {}
