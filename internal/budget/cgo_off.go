//go:build !cgo

package budget

// linkedWithC reports whether the C library may create threads.
const linkedWithC = false
