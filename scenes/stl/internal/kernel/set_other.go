//go:build !amd64 || purego

package kernel

import "lockstep/vp/isa"

// vectorize does nothing, because this build has no functions in assembly.
func vectorize(*Set, isa.Level) {}
