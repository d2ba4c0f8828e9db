package kernel

import (
	"lockstep/scenes"
	"lockstep/vp/isa"
)

// Loops are the hot loops for one instruction set. Each field does what the
// function of the same name does, and ScanConvert what ScanConverter.Run does, to the
// last bit; those are the specification.
type Loops struct {
	Level       isa.Level
	Geometry    func(v *View, b *scenes.Block, out *Polygons, toClip []int32, counts *Counts) []int32
	Shade       func(s *Shader, p *Polygons, colors []uint32)
	ScanConvert func(s *ScanConverter, p *Polygons, out *Spans, width, stride int32) (finished bool)
	ZBuffer     func(frame []uint64, s *Spans) (tested, runs int64)
	Merge       func(dst, src []uint64)
	Resolve     func(pix []byte, keys []uint64, background uint32) (covered int)
	Fill        func(pix []byte, pixel uint32)
}

// Select returns the loops for an instruction set that this processor has.
func Select(level isa.Level) *Loops {
	loops := &Loops{
		Level:       isa.Generic,
		Geometry:    Geometry,
		Shade:       Shade,
		ScanConvert: (*ScanConverter).Run,
		ZBuffer:     ZBuffer,
		Merge:       Merge,
		Resolve:     Resolve,
		Fill:        Fill,
	}
	vectorize(loops, level)
	return loops
}
