package scanline

import (
	"lockstep/lb"
	"lockstep/render/internal/kernel/array"
)

// WarmUp redistributes some rows and drops the result. It also writes all memory of the converter and the spans that
// the loop uses. The system then maps this code and memory. Otherwise the first redistribution of a process takes as
// long as a hundred iterations. With that time in the estimated cost, other redistributions would rarely seem to pay.
//
// WarmUp leaves the spans empty. Do not call it while the converter is in the middle of an array.
func (s *Converter) WarmUp(loop Loop, spans *array.Spans) {
	clear(spans.Start)
	clear(spans.Count)
	clear(spans.E)
	clear(spans.DE)
	clear(spans.Payload)
	w, p := Converter{Policy: lb.Always, state: s.state}, UnevenPolygons(1, 2, 64)
	w.Start()
	for finished := false; !finished; {
		spans.N = 0
		finished = loop(&w, p, spans, UnevenSize, UnevenSize)
	}
	s.state, spans.N = w.state, 0
}
