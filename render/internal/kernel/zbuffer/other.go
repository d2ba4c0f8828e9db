//go:build !amd64 || purego

package zbuffer

import "lockstep/vp/isa"

// Select returns Merge, because this build has no vector loops of it.
func Select(isa.Level) Loop { return Merge }
