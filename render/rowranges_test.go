package render

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"lockstep/render/internal/kernel/array"
	"lockstep/scenes"
)

// TestSpared checks SavedIterations: without its tallest polygon, a group takes as many iterations as the tallest
// remaining polygon has rows.
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
		if got := p.SavedIterations(c.index); got != c.want {
			t.Errorf("%v: %d iterations spared, want %d", c.index, got, c.want)
		}
	}
}

// TestRangesLeaveNoKey cuts slivers and large triangles into row ranges, and checks that all private frames and buffers
// are empty afterwards. Every tile to which a range was drawn must have been marked, merged and cleared.
func TestRangesLeaveNoKey(t *testing.T) {
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
	few := &scenes.Mesh{Block: mesh.Slice(0, 20)}
	var want, wantNext Picture
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
			r.engine.large.MaxPieces = c.most
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
			_, shares := r.engine.large.Shared()
			none := balance == BalanceNever || workers == 1 && c.most == 1
			if none && shares > 0 || balance != BalanceNever && c.most == 0 && shares == 0 {
				t.Errorf("%d workers, %v: %d blocks were kept", workers, balance, shares)
			}
			for i, f := range r.engine.private.Buffers() {
				if slices.ContainsFunc(f.Keys, func(key uint64) bool { return key != 0 }) {
					t.Errorf("%d workers, %v: worker %d kept a key", workers, balance, i)
				}
			}
			if want.Pix == nil {
				want = pic
			} else if string(pic.Pix) != string(want.Pix) {
				t.Errorf("%d workers, %v: another picture", workers, balance)
			}
			var next Picture // this picture would show keys that are left in buffers
			if _, err := r.Frame(t.Context(), few, cam, &next); err != nil {
				t.Fatal(err)
			}
			if wantNext.Pix == nil {
				wantNext = next
			} else if string(next.Pix) != string(wantNext.Pix) {
				t.Errorf("%d workers, %v: another picture of the next frame", workers, balance)
			}
			r.Close()
		}
	}
}

// TestKeptForTheDry checks that a worker with too many pieces still stores its row ranges if another worker has run out
// of blocks.
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
	r.engine.large.MaxPieces = 1
	for dry, want := range []int{0, 1} {
		polys := array.MakePolygons(1)
		polys.Push(array.Vertex{}, array.Vertex{X: 500 * array.Sub}, array.Vertex{Y: 500 * array.Sub}, array.Box{X1: 500, Y1: 500}, 0, 0)
		r.engine.job.schedule = newSchedule(&r.engine.options, &request{})
		r.engine.job.picture, r.engine.job.view.Width = &pic, 600
		r.engine.beginLarge()
		r.engine.large.IdleWorkers.Store(int32(dry))
		r.engine.large.Take(0, polys)
		if _, kept := r.engine.large.Shared(); kept != want || polys.Rows[0] != 0 {
			t.Errorf("%d workers are dry: %d blocks kept, want %d, %d rows left", dry, kept, want, polys.Rows[0])
		}
	}
}

// TestBothWorkersDrawRanges checks that both workers draw row ranges. One worker may draw all row ranges of a frame,
// but after several frames both must have emitted spans.
func TestBothWorkersDrawRanges(t *testing.T) {
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
			drew[i] = drew[i] || r.engine.rasters[i].Emitted > 0
		}
	}
	if !drew[0] || !drew[1] {
		t.Errorf("workers drew ranges: %v", drew)
	}
}

// TestWorkersRunDry counts the workers that have run out of blocks at the end of a frame. Every worker must be counted,
// but only once, although frames follow each other.
func TestWorkersRunDry(t *testing.T) {
	for _, workers := range []int{1, 3} {
		r, err := New(Options{Width: 64, Height: 64, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		mesh := panes(1)
		cam := inFront(mesh.Bounds(), false, 1)
		for range 2 {
			if _, err := r.Frame(t.Context(), mesh, cam, new(Picture)); err != nil {
				t.Fatal(err)
			}
			if dry := r.engine.large.IdleWorkers.Load(); dry != int32(workers) {
				t.Errorf("%d workers: %d have run dry", workers, dry)
			}
		}
	}
}
