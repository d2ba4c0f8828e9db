//go:build race

package racetest

import "testing"

// Alone skips a long test under the race detector. The test starts no goroutine, or only goroutines that shorter tests
// start as well, so the race detector would take minutes and could find nothing.
func Alone(t *testing.T) {
	t.Helper()
	t.Skip("starts no goroutine of its own kind")
}
