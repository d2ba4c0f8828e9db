package kernel

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"lockstep/lb"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/render/internal/kernel/scanline"
	"lockstep/vp/isa"
	"lockstep/vp/isa/isatest"
)

// randomPolygons returns n polygons of a picture of size x size pixels, with the given extent in subpixels. If mixed is
// set, most of them are at most 4 pixels large. Polygons that are larger than the picture may start outside it.
func randomPolygons(r *rand.Rand, n int, size, extent int32, mixed bool) *array.Polygons {
	v := testView(size, size)
	p := array.MakePolygons(n)
	for p.N < n {
		var t [3]array.Vertex
		x, y := r.Int32N(size*array.Sub), r.Int32N(size*array.Sub)
		extent := extent
		if mixed && r.IntN(8) > 0 {
			extent = min(extent, 4*array.Sub)
		}
		if extent > size*array.Sub { // without this, hardly any polygon would reach the picture
			x, y = x-r.Int32N(extent), y-r.Int32N(extent)
		}
		for k := range t {
			t[k] = array.Vertex{X: x + r.Int32N(extent), Y: y + r.Int32N(extent), E: r.Float32()}
		}
		if r.IntN(4) == 0 { // two corners at the same height, one at a pixel centre
			t[1].Y = t[0].Y
			t[2].X = t[0].X/array.Sub*array.Sub + array.Half
		}
		if box, ok := v.Visible(t[0], t[1], t[2]); ok {
			p.Push(t[0], t[1], t[2], box, geometry.Ambient, p.N)
			p.Payload[p.N-1] = r.Uint32()
		}
	}
	return p
}

// scanLoop is the type of Loops.ScanConvert.
type scanLoop = func(*scanline.Converter, *array.Polygons, *array.Spans, int32, int32) bool

// A balance is a set of options that determine when a scan converter redistributes.
type balance struct {
	policy            lb.Policy
	cost, full, first int32
}

// The method `of` returns the cost that is passed to the converter.
func (b balance) of() scanline.Cost {
	return scanline.Cost{Polygon: b.cost, Full: b.full, First: b.first}
}

// balances lists the options with which vector loops are tested.
var balances = []balance{
	{lb.Never, 5, 9, 3}, {lb.Always, 5, 9, 3}, {lb.CostEffective, 0, 0, 0}, {lb.CostEffective, 5, 0, 50}, {lb.CostEffective, 40, 11, 7}, {lb.CostEffective, 1000, 0, 0},
}

func (b balance) String() string {
	return fmt.Sprintf("%v %d %d %d", b.policy, b.cost, b.full, b.first)
}

// allSpans runs scan conversion to the end, with an array of spans that is emptied whenever it is full.
func allSpans(scan scanLoop, b balance, p *array.Polygons, capacity int, size int32) (*array.Spans, *scanline.Converter) {
	s := &scanline.Converter{Policy: b.policy, Cost: b.of()}
	s.Start()
	return restOfSpans(scan, s, p, capacity, size), s
}

// restOfSpans continues a scan that was started.
func restOfSpans(scan scanLoop, s *scanline.Converter, p *array.Polygons, capacity int, size int32) *array.Spans {
	all := new(array.Spans)
	part := array.MakeSpans(capacity)
	for finished := false; !finished; {
		part.N = 0
		finished = scan(s, p, part, size, size+3)
		all.Start = append(all.Start, part.Start[:part.N]...)
		all.Count = append(all.Count, part.Count[:part.N]...)
		all.E = append(all.E, part.E[:part.N]...)
		all.DE = append(all.DE, part.DE[:part.N]...)
		all.Payload = append(all.Payload, part.Payload[:part.N]...)
	}
	all.N = len(all.Start)
	return all
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
func compareSpans(got, want *array.Spans) error {
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

// compareScans runs a vector loop and the specification with span arrays of several capacities. With the policy Never,
// the spans must be in the same order. If rows are redistributed, vector loops may emit the spans of a polygon in any
// order.
func compareScans(twin scanLoop, b balance, p *array.Polygons, size int32, capacities ...int) error {
	want, ws := allSpans((*scanline.Converter).Run, b, p, 4096, size)
	for _, capacity := range capacities {
		got, gs := allSpans(twin, b, p, capacity, size)
		same := sameAsSets
		if b.policy == lb.Never {
			same = compareSpans
		}
		if err := same(got, want); err != nil {
			return fmt.Errorf("%d spans at a time: %w", capacity, err)
		}
		if gs.Counts != ws.Counts {
			return fmt.Errorf("%d spans at a time: counts %+v, want %+v", capacity, gs.Counts, ws.Counts)
		}
	}
	return nil
}

// sameAsSets is like sameSet, but compares sums of hashes, because the sets have millions of spans.
func sameAsSets(got, want *array.Spans) error {
	if got.N == want.N && spanSum(got) == spanSum(want) {
		return nil
	}
	if err := sameSet(got, want); err != nil {
		return err
	}
	return fmt.Errorf("the sums of the same spans differ")
}

// spanSum returns the sum of the hashes of the spans.
func spanSum(s *array.Spans) (sum uint64) {
	for i := range s.N {
		h := uint64(s.Start[i])<<32 | uint64(uint32(s.Count[i]))
		for _, next := range [...]uint64{uint64(math.Float32bits(s.E[i]))<<32 | uint64(math.Float32bits(s.DE[i])), uint64(s.Payload[i])} {
			hi, lo := bits.Mul64(h^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
			h = hi ^ lo ^ next
		}
		hi, lo := bits.Mul64(h^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
		sum += hi ^ lo
	}
	return sum
}

func loopCounts(s *scanline.Converter) [4]int64 {
	return [4]int64{s.Iterations, s.Tasks, s.Redistributions, s.IterationsUnbalanced}
}

// TestScanTwins compares every vector loop with the specification, span by span.
func TestScanTwins(t *testing.T) {
	for _, level := range isatest.Levels(t) {
		t.Run(level.String(), func(t *testing.T) {
			twin := Select(level).ScanConvert
			r := rand.New(rand.NewPCG(7, 8))
			for n := 0; n < 71; n += 1 + n/16 {
				for _, extent := range []int32{array.Sub, 4 * array.Sub, 20 * array.Sub, geometry.SmallExtent, 4 * geometry.SmallExtent} {
					size := 1 + r.Int32N(300)
					p := randomPolygons(r, n, size, extent, n%2 == 0)
					for k, b := range balances {
						if err := compareScans(twin, b, p, size, 4096, 40, 16+(n+k)%50); err != nil {
							t.Fatalf("%d polygons of extent %d in %d pixels, %v: %v", n, extent, size, b, err)
						}
					}
				}
			}
		})
	}
}

// TestScanTwinsAtTheGuardBand tests polygons whose corners are anywhere in the guard band of the largest picture, among
// small polygons.
func TestScanTwinsAtTheGuardBand(t *testing.T) {
	const size = 1 << 15
	v := testView(size, size)
	at := []int32{0, 1, array.Half, array.Sub, 2*array.Guard - 1, 2 * array.Guard, array.Guard, geometry.SmallExtent - 1, geometry.SmallExtent}
	r := rand.New(rand.NewPCG(11, 12))
	p := array.MakePolygons(200)
	for p.N < 200 {
		var c [3]array.Vertex
		for k := range c {
			c[k] = array.Vertex{X: r.Int32N(2*array.Guard + 1), Y: r.Int32N(2*array.Guard + 1), E: r.Float32()}
			if r.IntN(2) == 0 {
				c[k].X = at[r.IntN(len(at))]
			}
			if r.IntN(2) == 0 {
				c[k].Y = at[r.IntN(len(at))]
			}
		}
		if box, ok := v.Visible(c[0], c[1], c[2]); ok {
			p.Push(c[0], c[1], c[2], box, geometry.Ambient, p.N)
		}
	}
	for n := range 200 { // draw a sixteenth of the rows, because the spans of all rows would take gigabytes
		skip := r.Int32N(p.Rows[n])
		p.First[n] += skip
		p.Rows[n] = min(p.Rows[n]-skip, 1+r.Int32N(2000))
	}
	for _, level := range isatest.Levels(t) {
		for _, b := range balances {
			if err := compareScans(Select(level).ScanConvert, b, p, size, 4096); err != nil {
				t.Errorf("%v, %v: %v", level, b, err)
			}
		}
	}
}

// TestScanTwinsAtAllScales tests polygons of every extent up to that of the guard band. Only some of their rows are
// drawn. The quotients of edges have all magnitudes.
func TestScanTwinsAtAllScales(t *testing.T) {
	const size, most = 1 << 15, 1 << 23
	v := testView(size, size)
	r := rand.New(rand.NewPCG(21, 22))
	p := array.MakePolygons(64 * array.Lanes)
	for extent := int32(array.Sub); extent <= most; extent *= 2 {
		for p.Reset(); p.Room() > array.Lanes; {
			x, y := r.Int32N(most-extent+1), r.Int32N(most-extent+1)
			var c [3]array.Vertex
			for k := range c {
				wide, high := extent>>r.IntN(8), extent>>r.IntN(8)
				c[k] = array.Vertex{X: x + r.Int32N(wide+1), Y: y + r.Int32N(high+1), E: r.Float32()}
			}
			if box, ok := v.Visible(c[0], c[1], c[2]); ok {
				skip := r.Int32N(box.Y1 - box.Y0)
				box.Y0 += skip
				box.Y1 = min(box.Y1, box.Y0+1+r.Int32N(30))
				p.Push(c[0], c[1], c[2], box, geometry.Ambient, p.N)
			}
		}
		for _, level := range isatest.Levels(t) {
			for _, b := range balances[:2] {
				if err := compareScans(Select(level).ScanConvert, b, p, size, 4096); err != nil {
					t.Errorf("%v, extent %d, %v: %v", level, extent, b, err)
				}
			}
		}
	}
}

// TestScanTwinsOverflow redistributes more often than one call of the assembly loop may, and has lanes without rows.
func TestScanTwinsOverflow(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	p := randomPolygons(r, 6000, 700, 700*array.Sub, true)
	for n := range p.N {
		if r.IntN(5) == 0 || n/array.Lanes == 7 {
			p.Rows[n] = 0
		}
	}
	for _, level := range isatest.Levels(t) {
		for _, b := range balances {
			if err := compareScans(Select(level).ScanConvert, b, p, 700, 4096, 77); err != nil {
				t.Errorf("%v, %v: %v", level, b, err)
			}
			_, s := allSpans(Select(level).ScanConvert, b, p, 4096, 700)
			if b.policy == lb.Always && s.Redistributions < 200 {
				t.Errorf("%d redistributions are too few for this test", s.Redistributions)
			}
		}
	}
}

// BenchmarkScan measures a block of polygons that are about two rows tall.
func BenchmarkScan(b *testing.B) {
	for _, extent := range []int32{array.Sub, 3 * array.Sub, 12 * array.Sub, 60 * array.Sub, 400 * array.Sub} {
		p := randomPolygons(rand.New(rand.NewPCG(9, 10)), 4096, 500, extent, false)
		for _, level := range isa.Available() {
			b.Run(fmt.Sprintf("px=%d/impl=%v", extent/array.Sub, level), func(b *testing.B) {
				benchScan(b, Select(level).ScanConvert, p, 500)
			})
		}
	}
}

// benchScan reports nanoseconds per polygon and per span.
func benchScan(b *testing.B, scan scanLoop, p *array.Polygons, size int32) {
	spans := array.MakeSpans(4096)
	want, _ := allSpans((*scanline.Converter).Run, balance{policy: lb.Never}, p, 4096, size)
	s := scanline.Converter{Policy: lb.Never}
	n := 0
	for b.Loop() {
		s.Start()
		n = 0
		for finished := false; !finished; {
			spans.N = 0
			finished = scan(&s, p, spans, size, size+3)
			n += spans.N
		}
	}
	if n != want.N {
		b.Fatalf("%d spans, want %d", n, want.N)
	}
	perCall := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
	b.ReportMetric(perCall/float64(p.N), "ns/polygon")
	b.ReportMetric(perCall/float64(n), "ns/span")
}
