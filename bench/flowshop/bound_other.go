//go:build !amd64 || purego

package flowshop

import "lockstep/vp/isa"

// boundFor returns the plain Go loop, because this build has no other.
func boundFor(isa.Level) boundFunc { return bound }
