// Package scratch has a helper for memory that is reused from frame to frame.
package scratch

// Resize returns a slice of n elements. If s is large enough, it reuses s and does not change the elements.
func Resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
