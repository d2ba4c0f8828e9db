//go:build !linux

package hugepages

// Advise has a use only where the system takes such advice.
func Advise[T any]([]T) {}
