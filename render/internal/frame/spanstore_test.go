package frame

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"lockstep/render/internal/framebuffer"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/keep"
	"lockstep/render/internal/kernel/zbuffer"
	"lockstep/render/internal/tile"
	"lockstep/vp/isa"
)

// TestSpanStore adds spans to the targets of several workers. In each tile row, the buffer of Run and the private
// frames together must have the keys that the z-buffer makes of all spans. Tiles without a mark must have no keys.
// Every other frame is cancelled after some of its rows. The next frame, which may have another layout, must not
// contain keys of a cancelled frame.
func TestSpanStore(t *testing.T) {
	for _, level := range isa.Available() {
		loops := keep.Select(level)
		t.Run(level.String(), func(t *testing.T) { rapid.Check(t, func(t *rapid.T) { storeFrames(t, loops) }) })
	}
}

func storeFrames(t *rapid.T, loops *keep.Loops) {
	workers := rapid.IntRange(1, 3).Draw(t, "workers")
	private := make([]*framebuffer.Buffer, workers)
	for i := range private {
		private[i] = new(framebuffer.Buffer)
	}
	var s SpanStore
	running := func() bool { return false }
	for frame := range 4 {
		l := tile.New(rapid.IntRange(1, 200).Draw(t, "width"), rapid.IntRange(1, 60).Draw(t, "height"))
		for _, f := range private {
			f.Clear(running)
			f.Resize(l, workers, 0)
		}
		chunks := rapid.IntRange(2*l.TilesY+2, 4*l.TilesY+4).Draw(t, "chunks")
		s.Begin(SpanStoreFrame{Layout: l, Chunks: chunks, Private: private, Keep: loops, ZBuffer: zbuffer.Merge, Stop: running})
		want := make([]uint64, l.Keys())
		for range rapid.IntRange(1, 12).Draw(t, "arrays") {
			storeSpans(t, s.Target(rapid.IntRange(0, workers-1).Draw(t, "worker")), want, l)
		}
		rows := l.TilesY
		if calledOff := frame%2 == 0; calledOff {
			rows = rapid.IntRange(0, rows).Draw(t, "rows")
		}
		for ty := range rows {
			got := s.Run(ty%workers, ty)
			checkRow(t, want, append([]*framebuffer.Buffer{got}, private...), l, ty)
			if ty < rows-1 || rows == l.TilesY { // after a cancelled frame, its last buffer still has keys
				got.Clear(running)
			}
		}
		s.End(rows < l.TilesY)
	}
}

// storeSpans adds spans to a target, and merges them into keys.
func storeSpans(t *rapid.T, to framebuffer.Target, keys []uint64, l tile.Layout) {
	spans := array.MakeSpans(300)
	random := rapid.Uint32().Draw(t, "seed")
	next := func(below int) int {
		random = random*1664525 + 1013904223
		return int(uint64(random) * uint64(below) >> 32)
	}
	p := array.MakePolygons(300)
	for range next(300) {
		x, y := next(l.TilesX*tile.Width), next(l.TilesY*tile.Height)
		n := 1 + next(min(l.TilesX*tile.Width-x, 40))
		i := spans.N
		spans.Start[i], spans.Count[i] = uint32(y*l.Stride+x), int32(n)
		spans.E[i], spans.DE[i], spans.Payload[i] = float32(next(1000))/1000, float32(next(100)-50)/1e5, uint32(next(1<<30))
		spans.N++
		left, right := array.Vertex{X: int32(x) * array.Sub}, array.Vertex{X: int32(x+n) * array.Sub}
		p.Push(left, right, left, array.Box{X0: int32(x), X1: int32(x + n), Y0: int32(y), Y1: int32(y) + 1}, 0, 0)
	}
	to.Touch(p)
	wantTested, wantRuns := zbuffer.Merge(keys, spans)
	if tested, runs := to.Take(spans, 40); tested != wantTested || runs != wantRuns {
		t.Fatalf("%d samples in %d runs, want %d in %d", tested, runs, wantTested, wantRuns)
	}
}

// checkRow compares the greatest keys of all buffers with the expected keys, in one tile row.
func checkRow(t *rapid.T, want []uint64, buffers []*framebuffer.Buffer, l tile.Layout, ty int) {
	for tx := range l.TilesX {
		for y := ty * tile.Height; y < (ty+1)*tile.Height; y++ {
			var got [tile.Width]uint64
			for _, f := range buffers {
				for i, key := range f.TileKeys(tx, y) {
					if got[i] = max(got[i], key); key != 0 && !f.TouchedRow(ty)[tx] {
						t.Fatalf("row %d has keys in tile %d, which has no mark", y, tx)
					}
				}
			}
			if !slices.Equal(got[:], want[y*l.Stride+tx*tile.Width:][:tile.Width]) {
				t.Fatalf("row %d, tile %d: other keys", y, tx)
			}
		}
	}
}
