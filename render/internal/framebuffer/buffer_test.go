package framebuffer

import (
	"math/rand/v2"
	"testing"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/scanline"
	"lockstep/render/internal/tile"
)

// TestReach tests some rows of triangles of all shapes. All samples of these rows must lie within the bounds. The
// bounds may meet at most 5% more columns of tiles than the samples.
func TestReach(t *testing.T) {
	const width, height = 1500, 400
	f := Buffer{Layout: tile.New(width, height)}
	r := rand.New(rand.NewPCG(4, 4))
	spans := array.MakeSpans(2 * array.Lanes)
	within, needed := 0, 0
	for range 3000 {
		p := array.MakePolygons(1)
		var v [3]array.Vertex
		wide := int32(1) << r.IntN(12)
		x := r.Int32N(width+400) - 200
		for k := range v {
			v[k] = array.Vertex{X: (x+r.Int32N(wide))*array.Sub + r.Int32N(array.Sub), Y: r.Int32N(height * array.Sub)}
		}
		first, end := array.FirstCenter(min(v[0].Y, v[1].Y, v[2].Y)), array.FirstCenter(max(v[0].Y, v[1].Y, v[2].Y))
		if first == end || int64(v[1].X-v[0].X)*int64(v[2].Y-v[0].Y) == int64(v[2].X-v[0].X)*int64(v[1].Y-v[0].Y) {
			continue
		}
		top := first + r.Int32N(end-first)
		p.Push(v[0], v[1], v[2], array.Box{X1: width, Y0: top, Y1: top + 1 + r.Int32N(end-top)}, 0, 0)
		x0, x1 := f.Reach(p, 0)
		left, right := width, -1
		for row := top; row < top+p.Rows[0]; row++ {
			spans.N = 0
			if scanline.AppendRow(spans, p, 0, row, width, 1<<20); spans.N > 0 {
				start := int(spans.Start[0] & (1<<20 - 1))
				left, right = min(left, start), max(right, start+int(spans.Count[0])-1)
			}
		}
		if right < 0 {
			continue
		}
		if left < x0/tile.Width*tile.Width || right >= (x1/tile.Width+1)*tile.Width {
			t.Fatalf("%v, rows %d to %d: samples %d to %d, bounds %d to %d", v, top, top+p.Rows[0], left, right, x0, x1)
		}
		within, needed = within+x1/tile.Width-x0/tile.Width+1, needed+right/tile.Width-left/tile.Width+1
	}
	if needed < 3000 || within*100 > needed*105 {
		t.Errorf("%d columns of tiles, %d needed", within, needed)
	}
}
