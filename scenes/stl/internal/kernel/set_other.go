//go:build !amd64 || purego

package kernel

import "lockstep/vp/isa"

// vectorize does nothing, because there are no twins in this build.
func vectorize(*Set, isa.Level) {}
