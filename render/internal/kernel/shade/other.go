//go:build !amd64 || purego

package shade

import "lockstep/vp/isa"

// Select returns Shade, because this build has no twins.
func Select(isa.Level) Loop { return Shade }
