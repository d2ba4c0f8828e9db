package frame

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"lockstep/lb"
	"lockstep/render/calibration"
	"lockstep/render/internal/framebuffer"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/tile"
)

// TestRangesGoByCost checks that row ranges have the least height with which cutting saves time: what idle workers
// would save must exceed the cost of cutting.
func TestRangesGoByCost(t *testing.T) {
	large := func(samples int64) *selection {
		return &selection{index: []int32{0}, samples: samples, rows: 1000, firstRow: 10, endRow: 1010}
	}
	const lowest = 32
	cost := calibration.Sharing{Band: 1000, Piece: 10}
	for _, c := range []struct {
		samples int64
		policy  lb.Policy
		cost    calibration.Sharing
		height  int32
	}{
		{100 << 20, lb.CostEffective, cost, lowest},
		{100 << 20, lb.Never, cost, 0},
		{100 << 20, lb.CostEffective, calibration.Sharing{Band: 600 * cost.Band, Piece: cost.Piece}, lowest},
		{100 << 20, lb.CostEffective, calibration.Sharing{Band: 1200 * cost.Band, Piece: cost.Piece}, 2 * lowest},
		{100 << 20, lb.CostEffective, calibration.Sharing{Band: cost.Band, Piece: 100_000 * cost.Piece}, 2 * lowest},
		{100 << 20, lb.CostEffective, calibration.Sharing{Band: 6000 * cost.Band, Piece: cost.Piece}, 16 * lowest},
		{100 << 20, lb.CostEffective, calibration.Sharing{Band: 7000 * cost.Band, Piece: cost.Piece}, 0},
		{1 << 20, lb.CostEffective, calibration.Sharing{Band: 6000, Piece: 200}, lowest},
		{1 << 20, lb.CostEffective, calibration.Sharing{Band: 9000, Piece: 200}, 2 * lowest},
		// Each of the 32 ranges needs at least 16,384 samples.
		{1<<19 - 1, lb.Always, cost, 2 * lowest},
		{1 << 19, lb.Always, calibration.Sharing{Band: 1e9}, lowest},
		{1<<15 - 1, lb.Always, cost, 0},
		{1 << 62, lb.CostEffective, cost, lowest},
	} {
		if got := large(c.samples).rangeHeight(c.policy, c.cost, lowest); got != c.height {
			t.Errorf("%d samples, %v, %+v: ranges of %d rows, want %d", c.samples, c.policy, c.cost, got, c.height)
		}
	}
	// Each polygon is at least one piece. Cutting off 1,031 pieces costs more than it saves if each piece costs as much
	// as 250 samples.
	many := large(1 << 20)
	many.index = make([]int32, 1000)
	for _, c := range []struct {
		piece  float64
		height int32
	}{{200, lowest}, {250, 0}} {
		if got := many.rangeHeight(lb.CostEffective, calibration.Sharing{Band: 1000, Piece: c.piece}, lowest); got != c.height {
			t.Errorf("1000 polygons, %v samples a piece: ranges of %d rows, want %d", c.piece, got, c.height)
		}
	}
	if got := new(selection).rangeHeight(lb.Always, cost, lowest); got != 0 {
		t.Errorf("no polygon: ranges of %d rows", got)
	}
}

// TestGatherLarge checks that large polygons are selected by their samples. All polygons must be selected if many of
// them are large.
func TestGatherLarge(t *testing.T) {
	triangle := func(p *array.Polygons, width, rows int32) {
		p.Push(array.Vertex{}, array.Vertex{X: width * array.Sub}, array.Vertex{Y: rows * array.Sub},
			array.Box{X1: width, Y0: 5, Y1: 5 + rows}, 0, 0)
	}
	for _, c := range []struct {
		small         int
		width, rows   int32
		index         int
		samples, most int64
	}{
		{20, 100, 100, 1, 100 * (50 + 16 + 2), 100},
		{20, 1, 100, 0, 0, 0},                  // half of its rows cover a sample
		{20, 1, 1000, 1, 1000 * (8 + 2), 1000}, // half of the rows cover a sample here, too
		{20, 2000, 32, 0, 0, 0},
		{3, 100, 100, 4, 100*(50+16+2) + 3*10*(2+16+2), 100},
		{4, 100, 100, 1, 100 * (50 + 16 + 2), 100},
	} {
		p := array.MakePolygons(40)
		for range c.small {
			triangle(p, 4, 10)
		}
		triangle(p, c.width, c.rows)
		var l selection
		l.selectLarge(p, 1<<13)
		if len(l.index) != c.index || l.samples != c.samples || int64(l.maxRows) != c.most {
			t.Errorf("%+v: %d polygons, %d samples, %d rows at most", c, len(l.index), l.samples, l.maxRows)
		}
		if c.index > 0 && (l.firstRow != 5 || l.endRow != 5+l.maxRows) {
			t.Errorf("%+v: rows %d to %d", c, l.firstRow, l.endRow)
		}
	}
}

// TestKept checks that every row of the stored polygons is in exactly one row range.
func TestKept(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 2))
	var k rangeStore
	for range 3 { // frames; later ones reuse the memory
		k.reset(0)
		var want [][2]int32 // pairs of a payload and a row
		for range 4 {
			p, l := array.MakePolygons(400), selection{firstRow: math.MaxInt32}
			for n := range 400 {
				first := random.Int32N(900)
				p.Push(array.Vertex{}, array.Vertex{}, array.Vertex{}, array.Box{Y0: first, Y1: first + 1 + random.Int32N(200)}, 0, n)
				p.Payload[n] = random.Uint32N(1 << 30)
				if n%3 != 0 {
					continue
				}
				l.index = append(l.index, int32(n))
				l.firstRow, l.endRow = min(l.firstRow, first), max(l.endRow, first+p.Rows[n])
				for row := first; row < first+p.Rows[n]; row++ {
					want = append(want, [2]int32{int32(p.Payload[n]), row})
				}
			}
			k.add(p, &l, 16<<random.IntN(4))
		}
		var got [][2]int32
		of := array.MakeRowRanges(400)
		for i := range k.shares {
			s := &k.shares[i]
			for b := range 1200 / s.height {
				k.copyRange(of, s, b)
				for n := range of.N {
					if of.Rows[n] <= 0 || of.First[n] < b*s.height || of.First[n]+of.Rows[n] > (b+1)*s.height || of.MaxRows < of.Rows[n] {
						t.Fatalf("range %d of height %d has rows %d to %d", b, s.height, of.First[n], of.First[n]+of.Rows[n])
					}
					for row := range of.Rows[n] {
						got = append(got, [2]int32{int32(of.Payload[n]), of.First[n] + row})
					}
				}
			}
		}
		order := func(a, b [2]int32) int { return slices.Compare(a[:], b[:]) }
		slices.SortFunc(got, order)
		slices.SortFunc(want, order)
		if !slices.Equal(got, want) {
			t.Fatalf("%d rows kept, want %d", len(got), len(want))
		}
		polys, pieces := k.polys.N, len(k.pieces)
		p, l := array.MakePolygons(1), selection{index: []int32{0}, endRow: 40}
		p.Push(array.Vertex{}, array.Vertex{}, array.Vertex{}, array.Box{Y1: 40}, 0, 0)
		if k.add(p, &l, 16); len(k.shares) != 5 || len(k.pieces) != pieces+3 {
			t.Fatalf("%d shares, %d pieces", len(k.shares), len(k.pieces))
		}
		if k.dropLast(); len(k.shares) != 4 || k.polys.N != polys || len(k.pieces) != pieces {
			t.Fatalf("%d shares, %d polygons, %d pieces were left", len(k.shares), k.polys.N, len(k.pieces))
		}
	}
}

// TestKeptIsFull checks that a store is full if it has more pieces than its limit.
func TestKeptIsFull(t *testing.T) {
	for _, c := range []struct {
		most, pieces int
		full         bool
	}{{3, 3, false}, {3, 4, true}, {0, defaultMaxPieces, false}, {0, defaultMaxPieces + 1, true}} {
		if k := (rangeStore{maxPieces: c.most, pieces: make([]int32, c.pieces)}); k.isFull() != c.full {
			t.Errorf("%d pieces of %d: full %v", c.pieces, c.most, k.isFull())
		}
	}
}

// TestEveryWorkerHasRoomForAll checks that after a frame each worker has enough memory for the polygons of all workers.
// In the next frame, any worker may store all polygons.
func TestEveryWorkerHasRoomForAll(t *testing.T) {
	r := &LargePolygons{workers: make([]rangeWorker, 3)}
	for i := range 2 {
		k := &r.workers[i].store
		k.grow(initialPolygons + 100)
		k.polys.N = initialPolygons + 100
		k.pieces = make([]int32, 5000)
		k.push(share{}, 7)
	}
	r.reserve()
	for i := range r.workers {
		k := &r.workers[i].store
		if cap(k.polys.Rows) < 2*(initialPolygons+100) || cap(k.pieces) < 10_000 || cap(k.shares) < 2 || cap(k.ranges) < 16 {
			t.Errorf("worker %d: room for %d polygons, %d pieces, %d shares, %d ranges", i, cap(k.polys.Rows), cap(k.pieces), cap(k.shares), cap(k.ranges))
		}
	}
}

// TestStripRows checks the height of buffers, which is limited by the least number of buffers and by the size of a
// cache.
func TestStripRows(t *testing.T) {
	for _, c := range []struct{ width, height, rows int32 }{
		{1, 1, 16}, {512, 512, 16}, {1920, 1080, 32}, {3840, 2160, 32}, {256, 8192, 256}, {64, 100_000, 512}, {30_000, 30_000, 16},
	} {
		if got := bufferRows(tile.New(int(c.width), int(c.height))); got != c.rows {
			t.Errorf("%dx%d: buffers of %d rows, want %d", c.width, c.height, got, c.rows)
		}
	}
}

// TestStripHeight checks that buffers are as high as the highest ranges of any worker.
func TestStripHeight(t *testing.T) {
	r := &LargePolygons{workers: make([]rangeWorker, 3)}
	if got := r.bufferHeight(); got != 0 {
		t.Errorf("nothing kept: buffers of %d rows", got)
	}
	for i, heights := range [][]int32{{16}, {32, 128, 64}, {32}} {
		for _, h := range heights {
			r.workers[i].store.push(share{height: h}, 1)
		}
	}
	if got := r.bufferHeight(); got != 128 {
		t.Errorf("buffers of %d rows, want 128", got)
	}
}

// TestSharingCostsMoreInTheCache checks that a polygon is not cut if the frame stays in the cache. Eight ranges of 64
// rows save 114 of the polygon's 131 units and cost 78 units. In the cache they would cost four times as much, which
// exceeds the savings with ranges of any height.
func TestSharingCostsMoreInTheCache(t *testing.T) {
	for cached, want := range map[bool][]int{true: nil, false: {8}} {
		var l LargePolygons
		var cuts cutRanges
		l.Begin(LargeFrame{
			Workers: 1, Layout: tile.New(600, 600), Width: 600, BlockSize: 1, FitsCache: cached, Watcher: &cuts, Rasters: []*framebuffer.Raster{new(framebuffer.Raster)},
			Policy: lb.CostEffective, Cost: calibration.Sharing{Band: 2500, Piece: 1},
		})
		p := array.MakePolygons(1)
		p.Push(array.Vertex{}, array.Vertex{X: 500 * array.Sub}, array.Vertex{Y: 500 * array.Sub}, array.Box{X1: 500, Y1: 500}, 0, 0)
		l.Take(0, p)
		if left := p.Rows[0] != 0; !slices.Equal(cuts, want) || left != cached {
			t.Errorf("cached: %v: cut into %v ranges, want %v; rows are left: %v", cached, cuts, want, left)
		}
	}
}

// cutRanges records the number of ranges for each block that was cut.
type cutRanges []int

func (c *cutRanges) Cut(_ int, cut Cut) { *c = append(*c, cut.Ranges) }

func (c *cutRanges) CutDone(int) {}
