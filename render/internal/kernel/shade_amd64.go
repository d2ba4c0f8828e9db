//go:build amd64 && !purego

package kernel

import (
	"math"

	"lockstep/vp/isa"
)

// shadeBatch is the most polygons that one call into assembly, which cannot be
// preempted, deals with: about 20 microseconds.
const shadeBatch = 8192

// shadeTwin returns the twin of Shade for an instruction set. The polygons'
// columns are worked on in whole vectors, past N.
func shadeTwin(level isa.Level) func(*View, *Shader, *Polygons, []uint32) {
	return func(v *View, s *Shader, p *Polygons, colors []uint32) {
		if p.N == 0 {
			return
		}
		p.needRoom(0)
		a := shadeArgs{table: &s.uniform[0], eyeX: v.Eye[0], eyeY: v.Eye[1], eyeZ: v.Eye[2]}
		for first := 0; first < p.N; first += shadeBatch {
			a.setPolygons(p, first)
			a.run(level, v.Orthographic, colors != nil)
		}
		for k := range p.Q {
			raceRead(p.Q[k][:p.N])
		}
		raceWrite(p.Payload[:p.N])
		if colors != nil {
			s.colorAll(p, colors)
		}
	}
}

// colorAll turns intensities, whose bits are in the payloads, into colours.
func (s *Shader) colorAll(p *Polygons, colors []uint32) {
	source := p.Source[:p.N]
	payload := p.Payload[:p.N]
	for n, intensity := range payload {
		payload[n] = s.FlatColored(math.Float32frombits(intensity), colors[source[n]])
	}
}

func (a *shadeArgs) setPolygons(p *Polygons, first int) {
	q := &p.Q
	a.q0, a.q1, a.q2 = &q[0][first], &q[1][first], &q[2][first]
	a.q3, a.q4, a.q5 = &q[3][first], &q[4][first], &q[5][first]
	a.q6, a.q7, a.q8 = &q[6][first], &q[7][first], &q[8][first]
	a.payload = &p.Payload[first]
	a.polygons = int64(min(shadeBatch, p.N-first))
}

// run calls the loop. The calls are direct so that the arguments stay on the
// stack.
func (a *shadeArgs) run(level isa.Level, orthographic, intensities bool) {
	if level == isa.AVX512 {
		switch {
		case intensities && orthographic:
			intensityOrthographicAVX512(a)
		case intensities:
			intensityPerspectiveAVX512(a)
		case orthographic:
			shadeOrthographicAVX512(a)
		default:
			shadePerspectiveAVX512(a)
		}
		return
	}
	switch {
	case intensities && orthographic:
		intensityOrthographicAVX2(a)
	case intensities:
		intensityPerspectiveAVX2(a)
	case orthographic:
		shadeOrthographicAVX2(a)
	default:
		shadePerspectiveAVX2(a)
	}
}
