//go:build !amd64 || purego

package uts

import "lockstep/vp/isa"

// kernelFor returns the plain Go kernel, because this build has no other.
func kernelFor(isa.Level, bool) kernel { return visit }
