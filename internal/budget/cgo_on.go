//go:build cgo

package budget

// linkedWithC reports whether threads may be those of the C library.
const linkedWithC = true
