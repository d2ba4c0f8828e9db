//go:build amd64 && !purego

package kernel

import "lockstep/vp/isa"

// shadeBatch is the most polygons that one call into assembly, which cannot be
// preempted, deals with: about 10 microseconds.
const shadeBatch = 8192

// shadeTwin returns the twin of Shade for an instruction set. The payloads are
// worked on in whole vectors, past N. Polygons with colours of their own are left to
// the specification: six table entries each.
func shadeTwin(level isa.Level) func(*Shader, *Polygons, []uint32) {
	return func(s *Shader, p *Polygons, colors []uint32) {
		if colors != nil {
			Shade(s, p, colors)
			return
		}
		if p.N == 0 {
			return
		}
		p.needRoom(0)
		for first := 0; first < p.N; first += shadeBatch {
			a := shadeArgs{table: &s.uniform[0], payload: &p.Payload[first], polygons: int64(min(shadeBatch, p.N-first))}
			if level == isa.AVX512 {
				shadeAVX512(&a)
			} else {
				shadeAVX2(&a)
			}
		}
		raceWrite(p.Payload[:p.N])
	}
}
