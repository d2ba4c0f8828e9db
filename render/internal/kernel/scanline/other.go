//go:build !amd64 || purego

package scanline

import "lockstep/vp/isa"

// Select returns Converter.Run, because this build has no versions of it in assembly.
func Select(isa.Level) Loop { return (*Converter).Run }

// scanArgs and groupState are empty, because only versions in assembly use them.
type (
	scanArgs   struct{}
	groupState struct{}
)
