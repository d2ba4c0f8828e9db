//go:build !amd64 || purego

package light

import "lockstep/vp/isa"

func selectLoop(isa.Level) Loop { return nil }
