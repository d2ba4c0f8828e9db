//go:build !amd64 || purego

package shade

import "lockstep/vp/isa"

// Select returns Shade, because this build has no versions of it in assembly.
func Select(isa.Level) Loop { return Shade }
