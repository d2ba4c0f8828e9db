package frame

import (
	"math/rand/v2"
	"slices"
	"testing"

	"lockstep/render/internal/kernel/array"
)

// TestLargePolygonsByDefinition compares the large polygons of blocks with the definition. A large polygon has more
// than largeRows rows, and more than largeSamples samples by polygonSamples. If at least one in largeShare of a block's
// polygons is large, all count as large. Some random polygons are thin, at the limit, or across the sides of the
// picture. Some blocks are a few samples wide.
func TestLargePolygonsByDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	const width, polygons = 600, 256
	found, thin, limit, all := 0, 0, 0, 0
	for block := range 300 {
		p := array.MakePolygons(polygons)
		left, widths, low := int32(-100*array.Sub), int32(700*array.Sub), r.IntN(100) // low is in per cent
		if block%3 == 0 {
			left, widths = r.Int32N(595)*array.Sub, (1+r.Int32N(4))*array.Sub
		}
		for p.N < polygons {
			var c [3]array.Vertex
			x, wide := left+r.Int32N(widths), 1+r.Int32N(2*array.Sub)<<r.IntN(9)
			y, high := r.Int32N(300*array.Sub), 1+r.Int32N(200*array.Sub)
			if r.IntN(100) < low {
				high = 1 + r.Int32N(20*array.Sub)
			}
			for k := range c {
				c[k] = array.Vertex{X: x + r.Int32N(wide), Y: y + r.Int32N(high)}
			}
			if block%3 == 0 {
				c[0].X, c[1].X, c[2].X = left, left+widths, left+r.Int32N(widths)
			}
			if block%6 == 0 { // only a few samples of the polygons are not to the left of the picture
				c[0].X, c[1].X, c[2].X = -left, widths, widths
			}
			x0, x1 := array.FirstCenter(min(c[0].X, c[1].X, c[2].X)), array.FirstCenter(max(c[0].X, c[1].X, c[2].X))
			y0, y1 := array.FirstCenter(min(c[0].Y, c[1].Y, c[2].Y)), array.FirstCenter(max(c[0].Y, c[1].Y, c[2].Y))
			if x0, x1 = max(x0, 0), min(x1, width); x0 < x1 && y0 < y1 {
				p.Push(c[0], c[1], c[2], array.Box{X0: x0, X1: x1, Y0: y0, Y1: y1}, 1, p.N)
			}
		}
		var want, every []int32
		for n := range p.N {
			every = append(every, int32(n))
			if p.Rows[n] <= largeRows {
				continue
			}
			samples := polygonSamples(p, n, width)
			if samples > largeSamples {
				want = append(want, int32(n))
			} else {
				thin++
			}
			if max(samples-largeSamples, largeSamples-samples) < largeSamples/32 {
				limit++
			}
		}
		found += len(want)
		if largeShare*len(want) >= p.N {
			want = every
			all++
		}
		var l selection
		if l.selectLarge(p, width); !slices.Equal(l.index, want) {
			t.Fatalf("%d large polygons, want %d", len(l.index), len(want))
		}
		if widest := p.MaxRows * widestRow(p); len(want) > 0 && len(want) < p.N && widest <= largeSamples {
			t.Fatalf("%d large polygons in a block of at most %d samples each", len(want), widest)
		}
	}
	if found < 5000 || thin < 5000 || limit < 500 || all < 50 || all > 250 {
		t.Errorf("%d large, %d thin and %d at the limit, and %d blocks of large ones, are too few for this test", found, thin, limit, all)
	}
}
