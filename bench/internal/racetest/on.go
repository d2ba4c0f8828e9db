//go:build race

package racetest

import "testing"

// Alone skips a long test that starts no goroutine, or only those of shorter tests: the race detector would watch
// for minutes and could see nothing.
func Alone(t *testing.T) {
	t.Helper()
	t.Skip("starts no goroutine of its own kind")
}
