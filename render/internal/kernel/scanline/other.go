//go:build !amd64 || purego

package scanline

import "lockstep/vp/isa"

// Select returns Converter.Run, because this build has no vector twins of it.
func Select(isa.Level) Loop { return (*Converter).Run }

// scanArgs and groupState are empty, because only twins use them.
type (
	scanArgs   struct{}
	groupState struct{}
)
