//go:build !race

package racetest

import "testing"

// Alone marks a long test that starts no goroutine. In this build it does nothing.
func Alone(*testing.T) {}
