//go:build cgo

package budget

// linkedWithC is true if threads may be created by the C library.
const linkedWithC = true
