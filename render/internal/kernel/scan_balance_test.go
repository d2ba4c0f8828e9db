package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"lockstep/lb"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/render/internal/kernel/scanline"
	"pgregory.net/rapid"
)

// TestBalancedScanLosesNothing compares the spans, as a set, with those of the loop without redistribution. Every task
// must be done once, with the same result.
func TestBalancedScanLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		n := rapid.IntRange(0, 150).Draw(t, "polygons")
		size := rapid.Int32Range(1, 250).Draw(t, "size")
		extent := rapid.SampledFrom([]int32{array.Sub, 9 * array.Sub, 100 * array.Sub, 500 * array.Sub}).Draw(t, "extent")
		p := randomPolygons(r, n, size, extent, rapid.Bool().Draw(t, "mixed"))
		for i := range p.N {
			p.Payload[i] = uint32(i)
		}
		b := balance{lb.CostEffective, rapid.SampledFrom([]int32{0, 1, 5, 100}).Draw(t, "cost"), rapid.Int32Range(0, 40).Draw(t, "full"), rapid.Int32Range(0, 30).Draw(t, "first")}
		want, never := allSpans((*scanline.Converter).Run, balance{policy: lb.Never}, p, 4096, size)
		got, s := allSpans((*scanline.Converter).Run, b, p, rapid.IntRange(array.Lanes, 4096).Draw(t, "capacity"), size)
		if err := sameSet(got, want); err != nil {
			t.Fatal(err)
		}
		if s.Tasks != never.Tasks || s.IterationsUnbalanced != never.Iterations || never.IterationsUnbalanced != never.Iterations {
			t.Fatalf("counts %v, without balancing %v", loopCounts(s), loopCounts(never))
		}
		if s.Iterations*array.Lanes < s.Tasks {
			t.Fatalf("%d tasks in %d iterations", s.Tasks, s.Iterations)
		}
	})
}

// sameSet compares spans in any order. A polygon has at most one span in a row.
func sameSet(got, want *array.Spans) error {
	if got.N != want.N {
		return fmt.Errorf("%d spans, want %d", got.N, want.N)
	}
	type span struct {
		start   uint32
		count   int32
		e, de   uint32
		payload uint32
	}
	at := func(s *array.Spans, i int) span {
		return span{s.Start[i], s.Count[i], math.Float32bits(s.E[i]), math.Float32bits(s.DE[i]), s.Payload[i]}
	}
	left := make(map[span]int)
	for i := range want.N {
		left[at(want, i)]++
	}
	for i := range got.N {
		s := at(got, i)
		if left[s]--; left[s] < 0 {
			return fmt.Errorf("span %+v is one too many", s)
		}
	}
	return nil
}

// TestBalancedScanCounts checks known counts for 16 polygons. One polygon has `rows` rows more than the others, which
// have one row each.
func TestBalancedScanCounts(t *testing.T) {
	group := func(rows int32) *array.Polygons {
		p := array.MakePolygons(array.Lanes)
		for n := range int32(array.Lanes) {
			bottom := int32(array.Sub)
			if n == 5 {
				bottom += rows * array.Sub
			}
			p.Push(array.Vertex{X: 0, Y: 0}, array.Vertex{X: 9 * array.Sub, Y: 0}, array.Vertex{X: 0, Y: bottom},
				array.Box{X0: 0, X1: 9, Y0: 0, Y1: bottom / array.Sub}, geometry.Ambient, int(n))
		}
		return p
	}
	for _, c := range []struct {
		rows int32
		balance
		want [4]int64 // iterations, tasks, redistributions, iterations without redistribution
	}{
		{160, balance{lb.Never, 0, 0, 0}, [4]int64{161, 176, 0, 161}},
		{160, balance{lb.CostEffective, 0, 0, 0}, [4]int64{1 + 10, 176, 1, 161}},
		{160, balance{lb.CostEffective, 80, 0, 0}, [4]int64{1 + 10, 176, 1, 161}},  // 160 iterations become 10
		{160, balance{lb.CostEffective, 0, 238, 0}, [4]int64{1 + 10, 176, 1, 161}}, // the cost is 149, and 150 below
		{160, balance{lb.CostEffective, 0, 239, 0}, [4]int64{161, 176, 0, 161}},
		{160, balance{lb.CostEffective, 79, 0, 1}, [4]int64{1 + 10, 176, 1, 161}},
		{160, balance{lb.CostEffective, 0, 0, 149}, [4]int64{1 + 10, 176, 1, 161}},
		{160, balance{lb.CostEffective, 0, 0, 150}, [4]int64{161, 176, 0, 161}},
		{160, balance{lb.Always, 0, 0, 150}, [4]int64{1 + 10, 176, 1, 161}},
		{160, balance{lb.CostEffective, 81, 0, 0}, [4]int64{161, 176, 0, 161}}, // not examined: two lanes would cost 162
		{1, balance{lb.CostEffective, 0, 0, 0}, [4]int64{2, 17, 0, 2}},         // one row takes one iteration in any case
		{2, balance{lb.CostEffective, 0, 0, 0}, [4]int64{2, 18, 1, 3}},
		{2, balance{lb.CostEffective, 1, 0, 0}, [4]int64{3, 18, 0, 3}},
		{2, balance{lb.Always, 1, 0, 0}, [4]int64{2, 18, 1, 3}},
		{0, balance{lb.CostEffective, 0, 0, 0}, [4]int64{1, 16, 0, 1}},
	} {
		_, s := allSpans((*scanline.Converter).Run, c.balance, group(c.rows), 4096, 300)
		if loopCounts(s) != c.want {
			t.Errorf("%d rows, %v: counts %v, want %v", c.rows, c.balance, loopCounts(s), c.want)
		}
	}
}
