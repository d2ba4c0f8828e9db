package kernel

import (
	"lockstep/scenes"
	"lockstep/vp/isa"
)

// A Set is the hot loops for one instruction set. Each field does what the
// function of the same name does, to the last bit; those functions are the
// specification.
type Set struct {
	Level    isa.Level
	Geometry func(v *View, b *scenes.Block, out *Polygons, slow []int32, counts *Counts) []int32
	Shade    func(s *Shader, p *Polygons, colors []uint32)
	Scan     func(s *Scan, p *Polygons, out *Spans, width, stride int32) (finished bool)
	ZBuffer  func(frame []uint64, s *Spans) (tested, runs int64)
	Merge    func(dst, src []uint64)
	Resolve  func(pix []byte, keys []uint64, background uint32) (covered int)
	Fill     func(pix []byte, pixel uint32)
}

// For returns the kernels for an instruction set that this processor has.
func For(level isa.Level) *Set {
	set := &Set{
		Level:    isa.Generic,
		Geometry: Geometry,
		Shade:    Shade,
		Scan:     (*Scan).Run,
		ZBuffer:  ZBuffer,
		Merge:    Merge,
		Resolve:  Resolve,
		Fill:     Fill,
	}
	vectorize(set, level)
	return set
}
