//go:build !race

package bench

import "testing"

// alone marks a long test that starts no goroutine.
func alone(*testing.T) {}
