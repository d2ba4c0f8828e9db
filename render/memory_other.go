//go:build !linux

package render

// adviseHuge has a use only where the system takes such advice.
func adviseHuge[T any]([]T) {}
