//go:build race

package racetest

import "testing"

// Alone skips a long test under the race detector, where it would take minutes. It is for tests in which the detector
// can find nothing new: they start no goroutines, or only goroutines that shorter tests start too.
func Alone(t *testing.T) {
	t.Helper()
	t.Skip("starts no goroutine of its own kind")
}
