package render

import (
	"math/rand/v2"
	"slices"
	"testing"

	"lockstep/render/internal/kernel/array"
)

// TestLargePolygonsByDefinition compares the large polygons found with those of which the
// samples are counted one by one, thin ones and ones at the limit among them.
func TestLargePolygonsByDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	const width = 600
	found, thin := 0, 0
	for range 200 {
		p := array.MakePolygons(256)
		for p.N < 256 {
			var c [3]array.Vertex
			x, y, wide, high := r.Int32N(500*array.Sub), r.Int32N(300*array.Sub), 1+r.Int32N(2*array.Sub)<<r.IntN(6), 1+r.Int32N(200*array.Sub)
			for k := range c {
				c[k] = array.Vertex{X: x + r.Int32N(wide), Y: y + r.Int32N(high)}
			}
			y0, y1 := array.FirstCenter(min(c[0].Y, c[1].Y, c[2].Y)), array.FirstCenter(max(c[0].Y, c[1].Y, c[2].Y))
			if y0 < y1 {
				p.Push(c[0], c[1], c[2], array.Box{X0: x / array.Sub, X1: (x+wide)/array.Sub + 1, Y0: y0, Y1: y1}, 1, p.N)
			}
		}
		var want []int32
		for n := range p.N {
			if p.Rows[n] > largeRows && polygonSamples(p, n, width) > largeSamples {
				want = append(want, int32(n))
			} else if p.Rows[n] > largeRows {
				thin++
			}
		}
		var l largePolygons
		if l.take(p, width, largeRows, largeSamples); !slices.Equal(l.index, want) {
			t.Fatalf("%d large polygons, want %d", len(l.index), len(want))
		}
		found += len(want)
	}
	if found < 5000 || thin < 5000 {
		t.Errorf("%d large and %d thin ones are too few for this test", found, thin)
	}
}
