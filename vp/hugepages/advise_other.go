//go:build !linux

package hugepages

import "unsafe"

// advise has a use only where the system takes such advice.
func advise(unsafe.Pointer, int) {}
