//go:build !amd64 || purego

package flowshop

import "lockstep/vp/isa"

// boundFor returns the plain Go loop: this build has no other.
func boundFor(isa.Level) bounder { return bound }
