//go:build !unix

package main

import "os"

// isClosed reports whether the descriptor of f was closed when the process began,
// which only Unix systems tell.
func isClosed(*os.File) bool { return false }
