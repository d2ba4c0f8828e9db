package scanline

import (
	"lockstep/lb"
	"lockstep/render/internal/kernel/array"
)

// WarmUp redistributes some rows and drops the result, and writes all memory of the converter and the spans that the
// loop uses. Otherwise neither the loop's code nor this memory is mapped at the first redistribution of a process,
// which then takes as long as a hundred iterations. If the estimated cost included that time, other redistributions
// would rarely seem to pay. WarmUp leaves the spans empty. It must not be called while the converter is in the middle
// of an array.
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
