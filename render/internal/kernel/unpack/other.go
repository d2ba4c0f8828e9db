//go:build !amd64 || purego

package unpack

import "lockstep/vp/isa"

func selectLoop(isa.Level) Loop { return Unpack }
