//go:build !amd64 || purego

package pixel

import "lockstep/vp/isa"

// Select returns the loops in plain Go, because this build has no vector loops of them.
func Select(isa.Level) Loops { return specification }
