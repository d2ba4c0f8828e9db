package kernel

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"lockstep/lb"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/vp/isa/isatest"
)

// sliverGroups returns groups in which one to three polygons are tall and about one pixel wide, so that their rows are
// redistributed. Their corners lie where edges meet the centres of pixels. Some edges are vertical or horizontal, and
// some polygons are to the left or right of the picture.
func sliverGroups(r *rand.Rand, groups int, size int32) *array.Polygons {
	p := array.MakePolygons(groups * array.Lanes)
	v := testView(size, size)
	for p.N < groups*array.Lanes {
		if p.N%array.Lanes > r.IntN(3) {
			x, y := r.Int32N(size)*array.Sub, r.Int32N(size)*array.Sub
			a, b, c := array.Vertex{X: x, Y: y, E: 0.5}, array.Vertex{X: x + array.Sub, Y: y, E: 0.5}, array.Vertex{X: x, Y: y + array.Sub, E: 0.5}
			p.Push(a, b, c, array.Box{X0: x / array.Sub, X1: x/array.Sub + 1, Y0: y / array.Sub, Y1: y/array.Sub + 1}, geometry.Ambient, p.N)
			continue
		}
		grid := []int32{1, 1, 16, array.Half, array.Sub}[r.IntN(5)]
		at := func(n int32) int32 { return (r.Int32N(n+1) + grid/2) / grid * grid }
		height := at(size * array.Sub * 5 / 4)
		lean, width := at(height/4), at([]int32{2, 40, array.Sub, 2 * array.Sub}[r.IntN(4)])
		if r.IntN(4) == 0 {
			lean = 0
		}
		x, y := at((size+8)*array.Sub)-4*array.Sub, at(size*array.Sub/2)-at(size*array.Sub/4)
		middle := []int32{0, height, at(height)}[r.IntN(3)]
		side := int32(float64(lean) * float64(middle) / float64(max(height, 1)))
		if r.IntN(2) == 0 {
			side += width
		} else {
			side -= width
		}
		c := []array.Vertex{{X: x, Y: y}, {X: x + lean, Y: y + height}, {X: x + side, Y: y + middle}}
		if r.IntN(2) == 0 { // lean to the left
			for k := range c {
				c[k].X = 2*x - c[k].X
			}
		}
		for k := range c {
			c[k].E = r.Float32()
		}
		r.Shuffle(3, func(i, j int) { c[i], c[j] = c[j], c[i] })
		if box, ok := v.Visible(c[0], c[1], c[2]); ok {
			p.Push(c[0], c[1], c[2], box, geometry.Ambient, p.N)
			p.Payload[p.N-1] = r.Uint32()
		}
	}
	return p
}

// TestSliversOfTwins scan-converts slivers with every vector loop, with and without redistribution. Some arrays of
// spans become full within a sliver.
func TestSliversOfTwins(t *testing.T) {
	levels := isatest.Levels(t)
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		size := rapid.Int32Range(1, 700).Draw(t, "size")
		p := sliverGroups(r, rapid.IntRange(1, 12).Draw(t, "groups"), size)
		b := rapid.SampledFrom([]balance{{policy: lb.Never}, {policy: lb.Always}, {lb.CostEffective, 3, 2, 4}}).Draw(t, "balance")
		for _, level := range levels {
			if err := compareScans(Select(level).ScanConvert, b, p, size, 4096, rapid.IntRange(array.Lanes, 120).Draw(t, "capacity")); err != nil {
				t.Fatalf("%v, %v, %d pixels: %v", level, b, size, err)
			}
		}
	})
}

// TestSliversThatBarelyCross tests nearly vertical slivers whose edges cross a column of pixel centres by one or two
// subpixels, or miss it. The row in which they cross is then uncertain by one.
func TestSliversThatBarelyCross(t *testing.T) {
	const size = 600
	r := rand.New(rand.NewPCG(41, 42))
	p := array.MakePolygons(7 * 7 * 30 * array.Lanes)
	v := testView(size, size)
	for n := range 7 * 7 * 30 {
		lean, off := int32(n%7)-3, int32(n/7%7)-3
		height := (33+r.Int32N(400))*array.Sub + r.Int32N(array.Sub)
		y := r.Int32N(100 * array.Sub)
		if n%2 == 0 { // the remainder in the first row is a multiple of array.Sub
			y = y&^(array.Sub-1) + (array.Half-1+off*height)&(array.Sub-1)
		}
		a := array.Vertex{X: 40*array.Sub + array.Half + off, Y: y, E: r.Float32()}
		b := array.Vertex{X: a.X + lean, Y: y + height, E: r.Float32()}
		c := array.Vertex{X: a.X + 1 + r.Int32N(array.Sub), Y: y + r.Int32N(height), E: r.Float32()}
		box, ok := v.Visible(a, b, c)
		if !ok {
			continue
		}
		p.Push(a, b, c, box, geometry.Ambient, p.N)
		for p.N%array.Lanes > 0 {
			top := box
			top.Y1 = top.Y0 + 1
			p.Push(a, b, c, top, geometry.Ambient, p.N)
		}
	}
	for _, level := range isatest.Levels(t) {
		if err := compareScans(Select(level).ScanConvert, balance{policy: lb.Never}, p, size, 4096); err != nil {
			t.Errorf("%v: %v", level, err)
		}
	}
}

// TestSliversAtTheGuardBand tests slivers that are as tall as the largest picture. Their products need all bits of a
// float64.
func TestSliversAtTheGuardBand(t *testing.T) {
	const size = 1 << 15
	v := testView(size, size)
	r := rand.New(rand.NewPCG(31, 32))
	p := array.MakePolygons(4 * array.Lanes)
	for p.N < 4*array.Lanes {
		x, lean := r.Int32N(2*array.Guard), r.Int32N(1<<r.IntN(21))
		a := array.Vertex{X: x, Y: r.Int32N(array.Sub), E: r.Float32()}
		b := array.Vertex{X: min(x+lean, 2*array.Guard), Y: 2*array.Guard - r.Int32N(array.Sub), E: r.Float32()}
		y := r.Int32N(2 * array.Guard)
		c := array.Vertex{X: a.X + int32(int64(b.X-a.X)*int64(y)/(2*array.Guard)) + 1 + r.Int32N(200), Y: y, E: r.Float32()}
		if r.IntN(2) == 0 {
			a.X, b.X = b.X, a.X
			c.X = a.X - int32(int64(a.X-b.X)*int64(y)/(2*array.Guard)) - 1 - r.Int32N(200)
		}
		box, ok := v.Visible(a, b, c)
		if !ok {
			continue
		}
		skip := r.Int32N(box.Y1 - box.Y0)
		box.Y0 += skip
		if p.N%array.Lanes > 0 {
			box.Y1 = box.Y0 + 1
		}
		p.Push(a, b, c, box, geometry.Ambient, p.N)
	}
	for _, level := range isatest.Levels(t) {
		for _, policy := range []lb.Policy{lb.Never, lb.Always} {
			if err := compareScans(Select(level).ScanConvert, balance{policy: policy}, p, size, 4096); err != nil {
				t.Errorf("%v, %v: %v", level, policy, err)
			}
		}
		_, s := allSpans(Select(level).ScanConvert, balance{policy: lb.Always}, p, 4096, size)
		if s.Redistributions < 3 {
			t.Errorf("%v: %d redistributions", level, s.Redistributions)
		}
	}
}
