package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/cloud"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/vp/isa/isatest"
)

// randomPoints returns points around the origin. Of 1000 points, `odd` are not finite or far away.
func randomPoints(r *rand.Rand, n, odd int) *cloud.Block {
	b := &cloud.Block{X: make([]float32, n), Y: make([]float32, n), Z: make([]float32, n)}
	for _, column := range [][]float32{b.X, b.Y, b.Z} {
		for i := range column {
			column[i] = float32(r.NormFloat64() / 2)
		}
	}
	strange := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 1e30, -3e38, 0, 1e-40}
	for i := range n {
		if r.IntN(1000) < odd {
			[][]float32{b.X, b.Y, b.Z}[r.IntN(3)][i] = strange[r.IntN(len(strange))]
		}
	}
	return b
}

// The function all returns the whole contents of an output as text.
func all(o *cloud.Output, c geometry.Counts) string {
	s, d := o.Spans, o.Discs
	bits := func(v []float32) (b []uint32) {
		for _, x := range v {
			b = append(b, math.Float32bits(x))
		}
		return b
	}
	return fmt.Sprint(s.Start[:s.N], s.Count[:s.N], bits(s.E[:s.N]), bits(s.DE[:s.N]), s.Payload[:s.N],
		d.X[:d.N], d.Y[:d.N], d.Radius[:d.N], bits(d.E[:d.N]), d.Source[:d.N], o.MinX, o.MaxX, o.MinY, o.MaxY, c)
}

// TestPointsTwins compares the vector loops with the specification bit for bit, in random views, for points of all
// sizes and any number of points.
func TestPointsTwins(t *testing.T) {
	const most = 300
	want, got := cloud.NewOutput(most, array.MakeSpans(most)), cloud.NewOutput(most, array.MakeSpans(most))
	seen := [4]int{}
	compare := func(t *rapid.T, r *rand.Rand, n, odd int) {
		v, b := randomView(r), randomPoints(r, n, odd)
		v.Unit = float32(math.Exp2(24*r.Float64() - 4))
		f := &cloud.Frame{View: v, Radius: cloud.RadiusOf(v, float32(math.Exp2(-20*r.Float64()))), RowKeys: v.Width + r.Int32N(200)}
		var counts geometry.Counts
		cloud.Project(f, b, want, &counts)
		text := all(want, counts)
		if counts.Drawn+counts.Culled+counts.Dropped != int64(b.Len()) {
			t.Fatalf("%+v of %d points", counts, b.Len())
		}
		seen[0], seen[1], seen[2], seen[3] = seen[0]+want.Spans.N, seen[1]+want.Discs.N, seen[2]+int(counts.Culled), seen[3]+int(counts.Dropped)
		for _, level := range isatest.Levels(t)[1:] {
			var twin geometry.Counts
			cloud.Select(level)(f, b, got, &twin)
			if made := all(got, twin); made != text {
				t.Fatalf("%v: %d points\n%s\nwant\n%s", level, b.Len(), made, text)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		n, odd := rapid.IntRange(0, most).Draw(t, "points"), rapid.SampledFrom([]int{0, 20, 500}).Draw(t, "odd")
		for range 4 {
			compare(t, r, n, odd)
		}
	})
	if slices.Min(seen[:]) < 10 {
		t.Errorf("%v spans, discs, culled and dropped points: too few of a kind", seen)
	}
}
