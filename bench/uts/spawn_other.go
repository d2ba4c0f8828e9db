//go:build !amd64 || purego

package uts

import "lockstep/vp/isa"

// spawnFor returns the plain Go loop: this build has no other.
func spawnFor(isa.Level) func(*batch, int) { return spawn }
