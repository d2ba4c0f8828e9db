//go:build !amd64 || purego

package scanline

import "lockstep/vp/isa"

// Select returns Converter.Run: this build has no twins.
func Select(isa.Level) Loop { return (*Converter).Run }

// scanArgs and groupState have a use only where there are twins.
type (
	scanArgs   struct{}
	groupState struct{}
)
