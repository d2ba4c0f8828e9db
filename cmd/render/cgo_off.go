//go:build !cgo

package main

// linkedWithC reports whether threads may be those of the C library.
const linkedWithC = false
