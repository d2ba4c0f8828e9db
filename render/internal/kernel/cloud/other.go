//go:build !amd64 || purego

package cloud

import "lockstep/vp/isa"

// Select returns Project, because this build has no vector twins of it.
func Select(isa.Level) Loop { return Project }
