//go:build !amd64 || purego

package scanline

import "lockstep/vp/isa"

// Select returns Converter.Run, because this build has no twins.
func Select(isa.Level) Loop { return (*Converter).Run }

// scanArgs and groupState are used only by twins.
type (
	scanArgs   struct{}
	groupState struct{}
)
