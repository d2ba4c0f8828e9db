//go:build !race

package racetest

import "testing"

// Alone marks a long test that is skipped under the race detector. Without the detector it does nothing.
func Alone(*testing.T) {}
