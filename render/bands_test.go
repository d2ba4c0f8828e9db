package render

import (
	"math/rand/v2"
	"slices"
	"testing"

	"lockstep/lb"
	"lockstep/render/calibration"
	"lockstep/render/internal/kernel/array"
	"lockstep/scenes"
)

// Bands are as many as pay: the charge is weighed against what an idle worker would save.
func TestBandsGoByCost(t *testing.T) {
	large := func(samples int64) *largePolygons {
		return &largePolygons{index: []int32{0}, samples: samples, rows: 1000, y0: 0, y1: 1000}
	}
	cost := calibration.Sharing{Band: 1000, Piece: 10}
	for _, c := range []struct {
		samples int64
		policy  lb.Policy
		cost    calibration.Sharing
		bands   int
	}{
		{100 << 20, lb.CostEffective, cost, 32},
		{100 << 20, lb.Never, cost, 1},
		{100 << 20, lb.CostEffective, calibration.Sharing{Band: 60 * cost.Band, Piece: cost.Piece}, 32},
		{100 << 20, lb.CostEffective, calibration.Sharing{Band: 600 * cost.Band, Piece: cost.Piece}, 8},
		{100 << 20, lb.CostEffective, calibration.Sharing{Band: cost.Band, Piece: 40_000 * cost.Piece}, 8},
		{100 << 20, lb.CostEffective, calibration.Sharing{Band: 6000 * cost.Band, Piece: cost.Piece}, 1},
		{1 << 20, lb.CostEffective, calibration.Sharing{Band: 6000, Piece: 200}, 8},
		{2*bandSamples - 1, lb.Always, cost, 1},
		{2 * bandSamples, lb.Always, calibration.Sharing{Band: 1e9}, 2},
		{1 << 62, lb.CostEffective, cost, 32},
	} {
		if got := large(c.samples).bands(c.policy, c.cost); got != c.bands {
			t.Errorf("%d samples, %v, %+v: %d bands, want %d", c.samples, c.policy, c.cost, got, c.bands)
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
	cam, err := Fit(mesh.Bounds(), 1500, 1000, CameraOptions{Zoom: 1.5})
	if err != nil {
		t.Fatal(err)
	}
	var want Picture
	for _, workers := range []int{1, 2, 3} {
		for _, balance := range []Balance{BalanceNever, BalanceCost, BalanceAlways} {
			r, err := New(Options{Width: 1500, Height: 1000, Workers: workers, Balance: balance})
			if err != nil {
				t.Fatal(err)
			}
			var pic Picture
			stats, err := r.Frame(t.Context(), mesh, cam, &pic)
			if err != nil || stats.Balance.Shared == 0 && balance == BalanceAlways {
				t.Fatalf("%v, %d polygons shared", err, stats.Balance.Shared)
			}
			for i := range r.workers {
				if slices.ContainsFunc(r.workers[i].frame.keys, func(key uint64) bool { return key != 0 }) {
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

// Bands that wait are drawn from the row on that the worker is at, and given back.
func TestBandQueue(t *testing.T) {
	var q bandQueue
	q.begin(1, 16)
	for i := range 3 {
		b := q.empty()
		b.polys.MinY, b.polys.MaxY = int32(10*i), int32(10*i+10)
		q.offer(b)
	}
	q.blocksDone()
	for _, want := range []int32{20, 10, 0} {
		if b := q.take(want + 5); b == nil || b.polys.MinY != want {
			t.Fatalf("got %+v, want the band from %d on", b, want)
		} else {
			q.release(b)
		}
	}
	if b := q.take(0); b != nil {
		t.Errorf("the queue has ended, and has %+v", b)
	}
	free := 0
	for q.empty() != nil {
		free++
	}
	if free != waitingBands {
		t.Errorf("%d bands are free, want %d", free, waitingBands)
	}
}
