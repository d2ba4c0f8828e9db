//go:build !linux

package kernel

import "testing"

// A fence protects memory only on Linux.
type fence struct{}

func newFence(testing.TB, int) *fence { return new(fence) }

func atFence[T any](_ *fence, n int) []T { return make([]T, n) }
