// Package scratch has memory that is used again from frame to frame.
package scratch

// Resize returns a slice of n elements, s itself where it is large enough. What they hold is left as it was.
func Resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
