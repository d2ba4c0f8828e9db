//go:build !amd64 || purego

package shade

import "lockstep/vp/isa"

// Select returns Shade, because this build has no assembly versions of it.
func Select(isa.Level) Loop { return Shade }
