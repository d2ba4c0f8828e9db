// Package scratch has a helper for memory that is reused from frame to frame.
package scratch

// Resize returns a slice of n elements. It reuses s if s is large enough, and then leaves the elements as they were.
func Resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
