//go:build !amd64 || purego

package texel

import "lockstep/vp/isa"

func selectLoops(isa.Level) *Loops { return nil }
