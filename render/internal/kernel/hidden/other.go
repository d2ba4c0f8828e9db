//go:build !amd64 || purego

package hidden

import "lockstep/vp/isa"

func selectLoops(isa.Level) *Loops {
	return &Loops{Cells: Cells, Minima: minima, Visible: (*Table).Visible, Take: (*Taking).Take}
}
