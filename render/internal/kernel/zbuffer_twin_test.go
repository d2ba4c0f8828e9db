package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/zbuffer"
	"lockstep/vp/isa"
	"lockstep/vp/isa/isatest"
)

// oddFloats holds values for which floating-point code often fails.
var oddFloats = []float32{
	0, float32(math.Copysign(0, -1)), 1e-45, -1e-45, 0x1p-126, -1, 1,
	math.MaxFloat32, -math.MaxFloat32,
	float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()),
}

// randomSpans returns spans of 1 to `most` keys in a frame of `size` keys.
func randomSpans(r *rand.Rand, n, most, size int) *array.Spans {
	s := array.MakeSpans(n)
	s.N = n
	float := func() float32 {
		if r.IntN(20) == 0 {
			return oddFloats[r.IntN(len(oddFloats))]
		}
		return r.Float32()
	}
	for i := range n {
		count := 1 + r.IntN(most)
		s.Start[i], s.Count[i] = uint32(r.IntN(size-count+1)), int32(count)
		s.E[i], s.DE[i], s.Payload[i] = float(), float()/64, r.Uint32()
	}
	return s
}

// TestZBufferTwins compares every vector loop with the specification: spans of 1 to 70 keys at all alignments, in
// frames that already hold keys, with guards on both sides.
func TestZBufferTwins(t *testing.T) {
	const guard = 0x5afe5afe5afe5afe
	for _, level := range isatest.Levels(t) {
		t.Run(level.String(), func(t *testing.T) {
			loop := Select(level).ZBuffer
			r := rand.New(rand.NewPCG(11, 12))
			for round := range 600 {
				size := 71 + r.IntN(200)
				whole := make([]uint64, size+32)
				for i := range whole {
					whole[i] = guard
				}
				offset := round % 16
				frame := whole[offset : offset+size : offset+size]
				for i := range frame {
					frame[i] = r.Uint64() >> (1 + r.IntN(3)) & ^uint64(0) * uint64(r.IntN(2))
				}
				spans := randomSpans(r, r.IntN(71), 1+round%70, size)
				want := slices.Clone(frame)
				wantTested, wantRuns := zbuffer.Merge(want, spans)
				tested, runs := loop(frame, spans)
				if tested != wantTested || runs != wantRuns {
					t.Fatalf("%d tested in %d runs, want %d in %d", tested, runs, wantTested, wantRuns)
				}
				for i := range want {
					if frame[i] != want[i] {
						t.Fatalf("round %d: key %d is %x, want %x", round, i, frame[i], want[i])
					}
				}
				for i, k := range whole {
					if (i < offset || i >= offset+size) && k != guard {
						t.Fatalf("round %d: key %d outside the frame was written", round, i-offset)
					}
				}
			}
		})
	}
}

// TestZBufferTwinsAtTheEdgeOfMemory puts the ends of the frame and of the columns at the end of accessible memory.
// Vector loops must not load numbers after the last span or keys after the frame.
func TestZBufferTwinsAtTheEdgeOfMemory(t *testing.T) {
	const size = 71
	for _, level := range twinLevels(t) {
		t.Run(level.String(), func(t *testing.T) {
			loop := Select(level).ZBuffer
			r := rand.New(rand.NewPCG(15, 16))
			frame := atFence[uint64](newFence(t, 8*size), size)
			var fences [5]*fence
			for i := range fences {
				fences[i] = newFence(t, 4*70)
			}
			for n := range 71 {
				spans := randomSpans(r, n, size, size)
				copied := &array.Spans{
					N: n, Start: atFence[uint32](fences[0], n), Count: atFence[int32](fences[1], n),
					E: atFence[float32](fences[2], n), DE: atFence[float32](fences[3], n),
					Payload: atFence[uint32](fences[4], n),
				}
				copy(copied.Start, spans.Start)
				copy(copied.Count, spans.Count)
				copy(copied.E, spans.E)
				copy(copied.DE, spans.DE)
				copy(copied.Payload, spans.Payload)
				clear(frame)
				want := make([]uint64, size)
				zbuffer.Merge(want, spans)
				loop(frame, copied)
				if err := sameBytes(frame, want); err != nil {
					t.Fatalf("%d spans: %v", n, err)
				}
			}
		})
	}
}

// TestZBufferStaysInFrame lets one span exceed the frame by one key, at any position among other spans.
func TestZBufferStaysInFrame(t *testing.T) {
	for _, level := range isatest.Levels(t) {
		for _, n := range []int{1, 2, 16, 37} {
			for bad := range n {
				t.Run(fmt.Sprintf("%v/%d of %d", level, bad, n), func(t *testing.T) {
					frame := make([]uint64, 100)
					s := array.MakeSpans(n)
					s.N = n
					for i := range n {
						s.Start[i], s.Count[i] = 90, 10
					}
					s.Start[bad]++
					defer func() {
						got, want := fmt.Sprint(recover()), fmt.Sprintf("span %d leaves the frame", bad)
						if level == isa.Generic {
							want = "out of range"
						}
						if !strings.Contains(got, want) {
							t.Errorf("panic %q, want %q", got, want)
						}
					}()
					Select(level).ZBuffer(frame, s)
					t.Error("no panic")
				})
			}
		}
	}
}

// TestZBufferStaysFarInFrame lets a span start so far after the frame that its end, in 32 bits, is negative or inside
// the frame again.
func TestZBufferStaysFarInFrame(t *testing.T) {
	for _, level := range isatest.Levels(t) {
		for _, start := range []uint32{math.MaxInt32, 1 << 31, math.MaxUint32 - 9, math.MaxUint32} {
			t.Run(fmt.Sprintf("%v/%d", level, start), func(t *testing.T) {
				s := array.MakeSpans(1)
				s.N, s.Start[0], s.Count[0] = 1, start, 10
				defer func() {
					if got := fmt.Sprint(recover()); !strings.Contains(got, "out of range") && !strings.Contains(got, "span 0 leaves the frame") {
						t.Errorf("panic %q", got)
					}
				}()
				Select(level).ZBuffer(make([]uint64, 100), s)
				t.Error("no panic")
			})
		}
	}
}

// BenchmarkZBuffer measures adjacent spans of one length, as neighbouring polygons have, and checks the frame.
func BenchmarkZBuffer(b *testing.B) {
	for _, px := range []int{1, 2, 3, 4, 5, 8, 11, 16, 64} {
		r := rand.New(rand.NewPCG(13, 14))
		spans := array.MakeSpans(4096)
		spans.N = 4096
		const size = 1 << 16 // 512 KiB of keys, which fit into the second-level cache
		for i := range spans.N {
			spans.Start[i] = uint32((i/16*2000 + i%16*px) % (size - px))
			spans.Count[i], spans.E[i], spans.DE[i], spans.Payload[i] = int32(px), r.Float32(), 1e-4, r.Uint32()
		}
		want := make([]uint64, size)
		zbuffer.Merge(want, spans)
		for _, level := range isa.Available() {
			b.Run(fmt.Sprintf("px=%d/impl=%v", px, level), func(b *testing.B) {
				loop := Select(level).ZBuffer
				frame := make([]uint64, size)
				for b.Loop() {
					loop(frame, spans)
				}
				if !slices.Equal(frame, want) {
					b.Fatal("wrong frame")
				}
				perCall := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
				b.ReportMetric(perCall/4096, "ns/span")
				b.ReportMetric(perCall/4096/float64(px), "ns/px")
			})
		}
	}
}
