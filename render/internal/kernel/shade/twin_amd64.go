//go:build amd64 && !purego

package shade

import (
	"lockstep/render/internal/kernel/array"
	"lockstep/vp/isa"
	"lockstep/vp/isa/race"
)

// shadeBatch is the largest number of polygons for one call of the assembly loop, which cannot be preempted. That many
// polygons take about 10 microseconds.
const shadeBatch = 8192

// Select returns the version of Shade for an instruction set. Assembly versions write whole vectors of payloads, also
// beyond p.N. Polygons with colours of their own are left to Shade, because each of them needs six table entries.
func Select(level isa.Level) Loop {
	if level == isa.Generic {
		return Shade
	}
	return func(s *Shader, p *array.Polygons, colors []uint32) {
		if colors != nil {
			Shade(s, p, colors)
			return
		}
		if p.N == 0 {
			return
		}
		p.NeedRoom(0)
		for first := 0; first < p.N; first += shadeBatch {
			a := shadeArgs{table: &s.uniform[0], payload: &p.Payload[first], polygons: int64(min(shadeBatch, p.N-first))}
			if level == isa.AVX512 {
				shadeAVX512(&a)
			} else {
				shadeAVX2(&a)
			}
		}
		race.Write(p.Payload[:p.N])
	}
}
