package render

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"lockstep/lb"
	"lockstep/render/calibration"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/tile"
	"lockstep/scenes"
)

// Bands are as low as pays: the charge is weighed against what idle workers would save.
func TestBandsGoByCost(t *testing.T) {
	large := func(samples int64) *largePolygons {
		return &largePolygons{index: []int32{0}, samples: samples, rows: 1000, y0: 10, y1: 1010}
	}
	const strip = 32
	cost := calibration.Sharing{Band: 1000, Piece: 10}
	for _, c := range []struct {
		samples int64
		policy  lb.Policy
		cost    calibration.Sharing
		height  int32
	}{
		{100 << 20, lb.CostEffective, cost, strip},
		{100 << 20, lb.Never, cost, 0},
		{100 << 20, lb.CostEffective, calibration.Sharing{Band: 600 * cost.Band, Piece: cost.Piece}, strip},
		{100 << 20, lb.CostEffective, calibration.Sharing{Band: 1200 * cost.Band, Piece: cost.Piece}, 2 * strip},
		{100 << 20, lb.CostEffective, calibration.Sharing{Band: cost.Band, Piece: 100_000 * cost.Piece}, 2 * strip},
		{100 << 20, lb.CostEffective, calibration.Sharing{Band: 6000 * cost.Band, Piece: cost.Piece}, 16 * strip},
		{100 << 20, lb.CostEffective, calibration.Sharing{Band: 7000 * cost.Band, Piece: cost.Piece}, 0},
		{1 << 20, lb.CostEffective, calibration.Sharing{Band: 6000, Piece: 200}, strip},
		{1 << 20, lb.CostEffective, calibration.Sharing{Band: 9000, Piece: 200}, 2 * strip},
		// 32 bands of 16,384 samples each, the least.
		{1<<19 - 1, lb.Always, cost, 2 * strip},
		{1 << 19, lb.Always, calibration.Sharing{Band: 1e9}, strip},
		{1<<15 - 1, lb.Always, cost, 0},
		{1 << 62, lb.CostEffective, cost, strip},
	} {
		if got := large(c.samples).height(c.policy, c.cost, strip); got != c.height {
			t.Errorf("%d samples, %v, %+v: bands of %d rows, want %d", c.samples, c.policy, c.cost, got, c.height)
		}
	}
	// Each polygon is a piece at least: 1,031 of them for 250 samples each are too many.
	many := large(1 << 20)
	many.index = make([]int32, 1000)
	for _, c := range []struct {
		piece  float64
		height int32
	}{{200, strip}, {250, 0}} {
		if got := many.height(lb.CostEffective, calibration.Sharing{Band: 1000, Piece: c.piece}, strip); got != c.height {
			t.Errorf("1000 polygons, %v samples a piece: bands of %d rows, want %d", c.piece, got, c.height)
		}
	}
	if got := new(largePolygons).height(lb.Always, cost, strip); got != 0 {
		t.Errorf("no polygon: bands of %d rows", got)
	}
}

// Large polygons are taken by their samples, and all where they are not the exception.
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
		{20, 1, 1000, 1, 1000 * (8 + 2), 1000}, // as here
		{20, 2000, 32, 0, 0, 0},
		{3, 100, 100, 4, 100*(50+16+2) + 3*10*(2+16+2), 100},
		{4, 100, 100, 1, 100 * (50 + 16 + 2), 100},
	} {
		p := array.MakePolygons(40)
		for range c.small {
			triangle(p, 4, 10)
		}
		triangle(p, c.width, c.rows)
		var l largePolygons
		l.gather(p, 1<<13)
		if len(l.index) != c.index || l.samples != c.samples || int64(l.most) != c.most {
			t.Errorf("%+v: %d polygons, %d samples, %d rows at most", c, len(l.index), l.samples, l.most)
		}
		if c.index > 0 && (l.y0 != 5 || l.y1 != 5+l.most) {
			t.Errorf("%+v: rows %d to %d", c, l.y0, l.y1)
		}
	}
}

// Groups are spared what their tallest polygon has more than the tallest that stays.
func TestSpared(t *testing.T) {
	p := array.MakePolygons(40)
	for range 40 {
		p.Push(array.Vertex{}, array.Vertex{}, array.Vertex{}, array.Box{Y1: 3}, 0, 0)
	}
	p.Rows[2], p.Rows[7], p.Rows[15], p.Rows[16], p.Rows[39] = 90, 50, 80, 70, 60
	for _, c := range []struct {
		index []int32
		want  int64
	}{
		{nil, 0}, {[]int32{2}, 10}, {[]int32{7}, 0}, {[]int32{2, 7, 15}, 87}, {[]int32{15, 16, 39}, 67 + 57},
	} {
		if got := p.Spared(c.index); got != c.want {
			t.Errorf("%v: %d iterations spared, want %d", c.index, got, c.want)
		}
	}
}

// TestBandsLeaveNoKey cuts slivers and large triangles into bands, and wants all private
// frames empty afterwards: every tile that a band drew to is marked, and so merged and
// cleared.
func TestBandsLeaveNoKey(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 9))
	mesh := &scenes.Mesh{Block: scenes.MakeBlock(300)}
	for n := range 300 {
		var corners [3][3]float32
		for k := range corners {
			for c := range 3 {
				corners[k][c] = random.Float32()*2 - 1
			}
		}
		if n%2 == 0 { // a sliver
			corners[2] = corners[1]
			corners[2][0] += 0.002
		}
		mesh.Set(n, corners)
	}
	cam := inFront(mesh.Bounds(), false, 1.5)
	var want Picture
	counted, never := map[Balance]Stats{}, int64(0)
	for _, workers := range []int{1, 2, 3} {
		for _, c := range []struct {
			balance Balance
			most    int
		}{{BalanceNever, 0}, {BalanceCost, 0}, {BalanceAlways, 0}, {BalanceAlways, 1}, {BalanceAlways, 300}} {
			balance := c.balance
			r, err := New(Options{Width: 900, Height: 600, Workers: workers, Balance: balance, BlockSize: 64})
			if err != nil {
				t.Fatal(err)
			}
			for i := range r.engine.workers {
				r.engine.workers[i].kept.most = c.most
			}
			var pic Picture
			stats, err := r.Frame(t.Context(), mesh, cam, &pic)
			if err != nil || (stats.Balance.Shared == 0) != (balance == BalanceNever) {
				t.Fatalf("%v, %d polygons shared", err, stats.Balance.Shared)
			}
			if loop := stats.Loops[0]; balance == BalanceNever {
				never = loop.Iterations
			} else if loop.IterationsUnbalanced != never {
				t.Errorf("%d workers, %v: %d iterations without balancing, want %d", workers, balance, loop.IterationsUnbalanced, never)
			}
			stats.Seconds, stats.Balance.Seconds = Seconds{}, 0
			if first, ok := counted[balance]; ok && stats != first {
				t.Errorf("%d workers, %v, %d pieces kept: %+v\nbefore %+v", workers, balance, c.most, stats, first)
			}
			counted[balance] = stats
			shares := 0
			for i := range r.engine.workers {
				shares += len(r.engine.workers[i].kept.shares)
			}
			none := balance == BalanceNever || workers == 1 && c.most == 1
			if none && shares > 0 || balance != BalanceNever && c.most == 0 && shares == 0 {
				t.Errorf("%d workers, %v: %d blocks were kept", workers, balance, shares)
			}
			for i := range r.engine.workers {
				keys := slices.Concat(r.engine.workers[i].frame.Keys, r.engine.workers[i].buffer.Keys)
				if slices.ContainsFunc(keys, func(key uint64) bool { return key != 0 }) {
					t.Errorf("%d workers, %v: worker %d kept a key", workers, balance, i)
				}
			}
			if want.Pix == nil {
				want = pic
			} else if string(pic.Pix) != string(want.Pix) {
				t.Errorf("%d workers, %v: another picture", workers, balance)
			}
			r.Close()
		}
	}
}

// TestKept wants every row of what was kept in one band, and none in bands of other shares.
func TestKept(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 2))
	var k kept
	for range 3 { // frames, of which later ones find memory
		k.reset()
		var want [][2]int32 // payload and row
		for range 4 {
			p, l := array.MakePolygons(400), largePolygons{y0: math.MaxInt32}
			for n := range 400 {
				first := random.Int32N(900)
				p.Push(array.Vertex{}, array.Vertex{}, array.Vertex{}, array.Box{Y0: first, Y1: first + 1 + random.Int32N(200)}, 0, n)
				p.Payload[n] = random.Uint32N(1 << 30)
				if n%3 != 0 {
					continue
				}
				l.index = append(l.index, int32(n))
				l.y0, l.y1 = min(l.y0, first), max(l.y1, first+p.Rows[n])
				for row := first; row < first+p.Rows[n]; row++ {
					want = append(want, [2]int32{int32(p.Payload[n]), row})
				}
			}
			k.add(p, &l, 16<<random.IntN(4))
		}
		var got [][2]int32
		band := array.MakeRowRanges(400)
		for i := range k.shares {
			s := &k.shares[i]
			for b := range 1200 / s.height {
				k.fill(band, s, b)
				for n := range band.N {
					if band.Rows[n] <= 0 || band.First[n] < b*s.height || band.First[n]+band.Rows[n] > (b+1)*s.height || band.MaxRows < band.Rows[n] {
						t.Fatalf("band %d of height %d has rows %d to %d", b, s.height, band.First[n], band.First[n]+band.Rows[n])
					}
					for row := range band.Rows[n] {
						got = append(got, [2]int32{int32(band.Payload[n]), band.First[n] + row})
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
		p, l := array.MakePolygons(1), largePolygons{index: []int32{0}, y1: 40}
		p.Push(array.Vertex{}, array.Vertex{}, array.Vertex{}, array.Box{Y1: 40}, 0, 0)
		if k.add(p, &l, 16); len(k.shares) != 5 || len(k.pieces) != pieces+3 {
			t.Fatalf("%d shares, %d pieces", len(k.shares), len(k.pieces))
		}
		if k.drop(); len(k.shares) != 4 || k.polys.N != polys || len(k.pieces) != pieces {
			t.Fatalf("%d shares, %d polygons, %d pieces were left", len(k.shares), k.polys.N, len(k.pieces))
		}
	}
}

// A worker has kept enough with one piece more than it may keep.
func TestKeptIsFull(t *testing.T) {
	for _, c := range []struct {
		most, pieces int
		full         bool
	}{{3, 3, false}, {3, 4, true}, {0, keptPieces, false}, {0, keptPieces + 1, true}} {
		if k := (kept{most: c.most, pieces: make([]int32, c.pieces)}); k.full() != c.full {
			t.Errorf("%d pieces of %d: full %v", c.pieces, c.most, k.full())
		}
	}
}

// After a frame each worker has room for what all have kept, whichever keeps it next.
func TestEveryWorkerHasRoomForAll(t *testing.T) {
	r := &engine{workers: make([]worker, 3)}
	for i := range 2 {
		k := &r.workers[i].kept
		k.grow(keptFirst + 100)
		k.polys.N = keptFirst + 100
		k.pieces = make([]int32, 5000)
		k.push(share{}, 7)
	}
	r.reserveKept()
	for i := range r.workers {
		k := &r.workers[i].kept
		if cap(k.polys.Rows) < 2*(keptFirst+100) || cap(k.pieces) < 10_000 || cap(k.shares) < 2 || cap(k.ranges) < 16 {
			t.Errorf("worker %d: room for %d polygons, %d pieces, %d shares, %d bands", i, cap(k.polys.Rows), cap(k.pieces), cap(k.shares), cap(k.ranges))
		}
	}
}

// A worker that has kept enough goes on for one that has run dry.
func TestKeptForTheDry(t *testing.T) {
	r, err := New(Options{Width: 600, Height: 600, Workers: 1, Balance: BalanceAlways})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	mesh := panes(1)
	cam := inFront(mesh.Bounds(), false, 1)
	var pic Picture
	if _, err := r.Frame(t.Context(), mesh, cam, &pic); err != nil {
		t.Fatal(err)
	}
	w := &r.engine.workers[0]
	w.kept.most = 1
	for dry, want := range []int{0, 1} {
		w.kept.reset()
		w.polys.Reset()
		w.polys.Push(array.Vertex{}, array.Vertex{X: 500 * array.Sub}, array.Vertex{Y: 500 * array.Sub}, array.Box{X1: 500, Y1: 500}, 0, 0)
		r.engine.job.schedule = newSchedule(&r.engine.options, &request{})
		r.engine.job.picture, r.engine.job.view.Width = &pic, 600
		r.engine.dry.Store(int32(dry))
		if w.sharePolygons(&r.engine); len(w.kept.shares) != want || w.polys.Rows[0] != 0 {
			t.Errorf("%d workers are dry: %d blocks kept, want %d, %d rows left", dry, len(w.kept.shares), want, w.polys.Rows[0])
		}
	}
}

// Eight bands of 64 rows save 114 units of the 131 of a polygon and cost 78: four times as
// much where the frame stays in the cache, which no height of bands saves.
func TestSharingCostsMoreInTheCache(t *testing.T) {
	for _, c := range []struct{ size, shares int }{{600, 0}, {1200, 1}} {
		r, err := New(Options{Width: c.size, Height: c.size, Workers: 1, BalanceCost: 8})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		mesh := panes(1)
		cam := inFront(mesh.Bounds(), false, 1)
		if _, err := r.Frame(t.Context(), mesh, cam, new(Picture)); err != nil {
			t.Fatal(err)
		}
		w := &r.engine.workers[0]
		w.kept.reset()
		w.polys.Reset()
		w.polys.Push(array.Vertex{}, array.Vertex{X: 500 * array.Sub}, array.Vertex{Y: 500 * array.Sub}, array.Box{X1: 500, Y1: 500}, 0, 0)
		r.engine.job.schedule = newSchedule(&r.engine.options, &request{})
		r.engine.job.view.Width = int32(c.size)
		r.engine.estimate.Sharing = calibration.Sharing{Band: 2500, Piece: 1}
		if w.sharePolygons(&r.engine); len(w.kept.shares) != c.shares || c.shares > 0 && w.kept.shares[0].height != 64 {
			t.Errorf("%d pixels: kept %+v, want %d", c.size, w.kept.shares, c.shares)
		}
	}
}

// The strips are as low as their number or a cache asks for.
func TestStripRows(t *testing.T) {
	for _, c := range []struct{ width, height, rows int32 }{
		{1, 1, 16}, {512, 512, 16}, {1920, 1080, 32}, {3840, 2160, 32}, {256, 8192, 256}, {64, 100_000, 512}, {30_000, 30_000, 16},
	} {
		if got := bufferRows(tile.New(int(c.width), int(c.height))); got != c.rows {
			t.Errorf("%dx%d: strips of %d rows, want %d", c.width, c.height, got, c.rows)
		}
	}
}

// Both workers draw strips, not only the first. Either may be faster in one frame: over
// several frames both have emitted spans.
func TestBothWorkersDrawStrips(t *testing.T) {
	r, err := New(Options{Width: 1200, Height: 1200, Workers: 2, Balance: BalanceAlways})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	mesh := panes(1)
	cam := inFront(mesh.Bounds(), false, 1)
	var drew [2]bool
	var pic Picture
	for start := time.Now(); !(drew[0] && drew[1]) && time.Since(start) < time.Minute; {
		stats, err := r.Frame(t.Context(), mesh, cam, &pic)
		if err != nil || stats.Balance.Shared != int64(mesh.Len()) {
			t.Fatalf("%v, %d of %d polygons shared", err, stats.Balance.Shared, mesh.Len())
		}
		for i := range drew {
			drew[i] = drew[i] || r.engine.workers[i].raster.Emitted > 0
		}
	}
	if !drew[0] || !drew[1] {
		t.Errorf("workers drew strips: %v", drew)
	}
}

// Strips are as high as the highest bands of any worker.
func TestStripHeight(t *testing.T) {
	r := &engine{workers: make([]worker, 3)}
	if got := r.bufferHeight(); got != 0 {
		t.Errorf("nothing kept: strips of %d rows", got)
	}
	for i, heights := range [][]int32{{16}, {32, 128, 64}, {32}} {
		for _, h := range heights {
			r.workers[i].kept.push(share{height: h}, 1)
		}
	}
	if got := r.bufferHeight(); got != 128 {
		t.Errorf("strips of %d rows, want 128", got)
	}
}
