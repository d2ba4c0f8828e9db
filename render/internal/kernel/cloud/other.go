//go:build !amd64 || purego

package cloud

import "lockstep/vp/isa"

// Select returns Project, because this build has no vector loops of it.
func Select(isa.Level) Loop { return Project }
