//go:build race

package racetest

import "testing"

// Alone skips a long test that starts no goroutine, or only those that shorter tests start as well: under the race
// detector it would take minutes and could find nothing.
func Alone(t *testing.T) {
	t.Helper()
	t.Skip("starts no goroutine of its own kind")
}
