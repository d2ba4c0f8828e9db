//go:build !amd64 || purego

package kernel

import "lockstep/vp/isa"

// vectorize leaves the plain Go loops in place: this build has no others.
func vectorize(*Loops, isa.Level) {}
