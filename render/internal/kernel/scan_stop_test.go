package kernel

import (
	"testing"

	"lockstep/lb"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/scanline"
	"lockstep/vp/isa"
)

// betweenCentres returns polygons that are as tall as a picture but lie between the centres of pixels, so that they
// have no spans.
func betweenCentres(n int, height int32) *array.Polygons {
	p := array.MakePolygons(n)
	for range n {
		x := int32(7*array.Sub + array.Half + 1)
		p.Push(array.Vertex{X: x, Y: 0, E: 0.5}, array.Vertex{X: x, Y: height * array.Sub, E: 0.5}, array.Vertex{X: x + 1, Y: height * array.Sub, E: 0.5}, array.Box{X0: 0, X1: 8, Y0: 0, Y1: height}, 1, 0)
	}
	return p
}

// TestScanStops cancels a long scan that emits nothing. The scan must stop soon, with every instruction set and policy.
func TestScanStops(t *testing.T) {
	const polygons, height = 1024, 8192
	p := betweenCentres(polygons, height)
	for _, level := range isa.Available() {
		for _, policy := range []lb.Policy{lb.Never, lb.CostEffective, lb.Always} {
			asked := 0
			s := scanline.Converter{Policy: policy, Stop: func() bool { asked++; return asked > 3 }}
			s.Start()
			spans := array.MakeSpans(4096)
			if Select(level).ScanConvert(&s, p, spans, 2*height, 2*height) || spans.N > 0 {
				t.Errorf("%v, policy %v: finished, or %d spans", level, policy, spans.N)
			}
			if all := int64(polygons / array.Lanes * height); s.Iterations > all/4 || asked > 6 {
				t.Errorf("%v, policy %v: %d of %d iterations, asked %d times", level, policy, s.Iterations, all, asked)
			}
			s.Stop = nil
			for !Select(level).ScanConvert(&s, p, spans, 2*height, 2*height) {
				t.Fatalf("%v, policy %v: %d spans", level, policy, spans.N)
			}
		}
	}
}
