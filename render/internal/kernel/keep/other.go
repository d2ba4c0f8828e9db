//go:build !amd64 || purego

package keep

import (
	"lockstep/render/internal/kernel/zbuffer"
	"lockstep/vp/isa"
)

func selectLoops(isa.Level) *Loops {
	return &Loops{Keep: (*Rows).Keep, Unpack: Unpack, Merge: unpacked(Unpack, zbuffer.Merge)}
}
