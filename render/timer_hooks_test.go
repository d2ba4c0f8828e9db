package render

// MeterSpans lets a renderer give the number of spans that each unit emits, in place of the time that it takes.
func MeterSpans(r *Renderer) {
	r.engine.timer.Meter = func(worker int) float64 { return float64(r.engine.rasters[worker].Emitted) }
}
