//go:build !amd64 || purego

package occlude

import "lockstep/vp/isa"

func selectLoops(isa.Level) *Loops { return nil }
