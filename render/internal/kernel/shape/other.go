//go:build !amd64 || purego

package shape

import "lockstep/vp/isa"

func selectLoop(isa.Level) Loop { return nil }
