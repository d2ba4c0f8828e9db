//go:build !amd64 || purego

package uts

import "lockstep/vp/isa"

// kernelFor returns the plain Go loops: this build has no others.
func kernelFor(isa.Level) kernel { return kernel{expand, spawn} }
