//go:build !amd64 || purego

package light

import "lockstep/vp/isa"

func selectLoops(isa.Level) *Loops { return nil }
