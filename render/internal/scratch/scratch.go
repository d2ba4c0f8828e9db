// Package scratch has a helper for memory that is reused from frame to frame.
package scratch

// Resize returns a slice of n elements. If s is large enough, the result shares its memory and keeps its elements.
// Otherwise it is new and holds zeros.
func Resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
