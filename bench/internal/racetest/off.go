//go:build !race

package racetest

import "testing"

// Alone marks a long test that starts no goroutine.
func Alone(*testing.T) {}
