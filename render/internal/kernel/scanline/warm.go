package scanline

import (
	"lockstep/lb"
	"lockstep/render/internal/kernel/array"
)

// WarmUp redistributes some rows for nothing, and writes all memory that the converter and the
// spans have for the loop. Without it the first redistribution of a process finds neither the
// loop's code nor this memory mapped, and takes a hundred iterations: more than any estimate
// that lets others pay. It leaves the spans empty. The converter may not be amid an array.
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
