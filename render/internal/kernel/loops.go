package kernel

import (
	"lockstep/render/internal/kernel/cloud"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/render/internal/kernel/hidden"
	"lockstep/render/internal/kernel/keep"
	"lockstep/render/internal/kernel/light"
	"lockstep/render/internal/kernel/occlude"
	"lockstep/render/internal/kernel/pixel"
	"lockstep/render/internal/kernel/scanline"
	"lockstep/render/internal/kernel/shade"
	"lockstep/render/internal/kernel/show"
	"lockstep/render/internal/kernel/texel"
	"lockstep/render/internal/kernel/zbuffer"
	"lockstep/vp/isa"
)

// Loops holds the hot loops for one instruction set. Each loop gives exactly the same bits as its specification in
// plain Go, which the loop's package names.
type Loops struct {
	Level       isa.Level
	Geometry    geometry.Loop
	Points      cloud.Loop
	Shade       shade.Loop
	ScanConvert scanline.Loop
	ZBuffer     zbuffer.Loop
	Light       *light.Loops   // nil for instruction sets without vectors
	Texel       *texel.Loops   // nil for instruction sets without vectors
	Occlude     *occlude.Loops // nil for instruction sets without vectors
	Show        *show.Loops    // nil for instruction sets without vectors
	Keep        *keep.Loops
	Hidden      *hidden.Loops
	pixel.Loops
}

// Select returns the loops for an instruction set. The processor must have this instruction set.
func Select(level isa.Level) *Loops {
	return &Loops{
		Level: level, Geometry: geometry.Select(level), Points: cloud.Select(level), Shade: shade.Select(level), ScanConvert: scanline.Select(level),
		ZBuffer: zbuffer.Select(level), Light: light.Select(level), Texel: texel.Select(level), Occlude: occlude.Select(level), Show: show.Select(level), Keep: keep.Select(level),
		Hidden: hidden.Select(level), Loops: pixel.Select(level),
	}
}
