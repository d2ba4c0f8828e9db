package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"lockstep/vp/isa"
)

// randomPolygons returns polygons of a picture of size x size pixels, the small
// ones in front, as Geometry leaves them.
func randomPolygons(r *rand.Rand, n int, size, extent int32) *Polygons {
	v := testView(size, size)
	p := MakePolygons(n)
	var large [][3]Vertex
	add := func(t [3]Vertex) bool {
		box, _, ok := v.visible(t[0], t[1], t[2])
		if ok {
			p.push(t[0], t[1], t[2], box, new([3]point), p.N)
			p.Payload[p.N-1] = r.Uint32()
		}
		return ok
	}
	for p.N+len(large) < n {
		var t [3]Vertex
		x, y := r.Int32N(size*Sub), r.Int32N(size*Sub)
		for k := range t {
			t[k] = Vertex{X: x + r.Int32N(extent), Y: y + r.Int32N(extent), E: r.Float32()}
		}
		if r.IntN(4) == 0 { // corners on a common line, and on pixel centres
			t[1].Y = t[0].Y
			t[2].X = t[0].X/Sub*Sub + Half
		}
		if _, small, ok := v.visible(t[0], t[1], t[2]); !small {
			if ok {
				large = append(large, t)
			}
			continue
		}
		add(t)
	}
	p.Small = p.N
	for _, t := range large {
		add(t)
	}
	return p
}

// allSpans runs scan conversion to the end, with an array of spans that is
// emptied when it is full.
func allSpans(scan func(*Scan, *Polygons, *Spans, int32, int32) bool, p *Polygons, capacity int, size int32) (*Spans, Scan) {
	all := new(Spans)
	var s Scan
	s.Start()
	part := MakeSpans(capacity)
	for finished := false; !finished; {
		part.N = 0
		finished = scan(&s, p, part, size, size+3)
		all.Start = append(all.Start, part.Start[:part.N]...)
		all.Count = append(all.Count, part.Count[:part.N]...)
		all.E = append(all.E, part.E[:part.N]...)
		all.DE = append(all.DE, part.DE[:part.N]...)
		all.Payload = append(all.Payload, part.Payload[:part.N]...)
	}
	all.N = len(all.Start)
	return all, s
}

// sameBits reports the first difference between two columns of float32.
func sameBits(a, b []float32) error {
	for i := range a {
		if math.Float32bits(a[i]) != math.Float32bits(b[i]) {
			return fmt.Errorf("entry %d: %x, want %x", i, math.Float32bits(a[i]), math.Float32bits(b[i]))
		}
	}
	return nil
}

// compareSpans reports the first difference between spans.
func compareSpans(got, want *Spans) error {
	if got.N != want.N {
		return fmt.Errorf("%d spans, want %d", got.N, want.N)
	}
	if i := slices.Compare(got.Start, want.Start); i != 0 {
		return fmt.Errorf("starts differ")
	}
	if i := slices.Compare(got.Count, want.Count); i != 0 {
		return fmt.Errorf("counts differ")
	}
	if i := slices.Compare(got.Payload, want.Payload); i != 0 {
		return fmt.Errorf("payloads differ")
	}
	if err := sameBits(got.E, want.E); err != nil {
		return fmt.Errorf("nearness: %w", err)
	}
	if err := sameBits(got.DE, want.DE); err != nil {
		return fmt.Errorf("slope: %w", err)
	}
	return nil
}

// TestScanTwins compares every twin with the specification, span by span.
func TestScanTwins(t *testing.T) {
	for _, level := range isa.Available() {
		t.Run(level.String(), func(t *testing.T) {
			set := For(level)
			r := rand.New(rand.NewPCG(7, 8))
			for n := range 71 {
				for _, extent := range []int32{Sub, 4 * Sub, 20 * Sub, SmallExtent, 4 * SmallExtent} {
					size := 1 + r.Int32N(300)
					p := randomPolygons(r, n, size, extent)
					want, ws := allSpans(twinless(set), p, 4096, size)
					got, gs := allSpans(set.Scan, p, 4096, size)
					if err := compareSpans(got, want); err != nil {
						t.Fatalf("%d polygons of extent %d in %d pixels: %v", n, extent, size, err)
					}
					if gs.Iterations != ws.Iterations || gs.Tasks != ws.Tasks {
						t.Fatalf("%d iterations, %d tasks, want %d, %d", gs.Iterations, gs.Tasks, ws.Iterations, ws.Tasks)
					}
					small, _ := allSpans(set.Scan, p, 40, size)
					if err := compareSpans(small, want); err != nil {
						t.Fatalf("short span array: %v", err)
					}
				}
			}
		})
	}
}

// twinless returns the specification.
func twinless(*Set) func(*Scan, *Polygons, *Spans, int32, int32) bool { return (*Scan).Run }

// BenchmarkScan measures a block of polygons about two rows high.
func BenchmarkScan(b *testing.B) {
	for _, extent := range []int32{Sub, 3 * Sub, 12 * Sub, 60 * Sub} {
		p := randomPolygons(rand.New(rand.NewPCG(9, 10)), 4096, 500, extent)
		spans := MakeSpans(4096)
		want, _ := allSpans((*Scan).Run, p, 4096, 500)
		for _, level := range isa.Available() {
			b.Run(fmt.Sprintf("px=%d/impl=%v", extent/Sub, level), func(b *testing.B) {
				set := For(level)
				n := 0
				for b.Loop() {
					var s Scan
					s.Start()
					n = 0
					for finished := false; !finished; {
						spans.N = 0
						finished = set.Scan(&s, p, spans, 500, 503)
						n += spans.N
					}
				}
				if n != want.N {
					b.Fatalf("%d spans, want %d", n, want.N)
				}
				perCall := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
				b.ReportMetric(perCall/4096, "ns/polygon")
				b.ReportMetric(perCall/float64(n), "ns/span")
			})
		}
	}
}
