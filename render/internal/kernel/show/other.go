//go:build !amd64 || purego

package show

import "lockstep/vp/isa"

func selectLoops(isa.Level) *Loops { return nil }
