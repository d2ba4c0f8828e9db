//go:build !amd64 || purego

package pixel

import "lockstep/vp/isa"

// Select returns the specifications, because this build has no twins.
func Select(isa.Level) Loops { return specification }
