package kernel

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"lockstep/render/internal/kernel/pixel"
	"lockstep/vp/isa"
)

// benchFrame is the number of keys of a frame of 1920x1080 pixels. The keys occupy 16.6 MB.
const benchFrame = 1920 * 1080

// benchKeys returns keys of which the given share is covered, in runs of a hundred on average, like the pixels of
// objects.
func benchKeys(n int, share float64) []uint64 {
	r := rand.New(rand.NewPCG(61, 62))
	keys, covered := make([]uint64, n), false
	for i := range keys {
		if r.IntN(100) == 0 {
			covered = r.Float64() < share
		}
		if covered {
			keys[i] = r.Uint64()>>2 | 1<<61
		}
	}
	return keys
}

// frameBench runs a kernel on partly covered frames, in the second-level cache and in memory.
func frameBench(b *testing.B, bytesPerKey int, bench func(b *testing.B, set *Loops, keys []uint64) (seconds float64)) {
	for _, n := range []int{1 << 14, benchFrame} {
		for _, share := range []float64{0, 0.5, 1} {
			keys := benchKeys(n, share)
			for _, level := range isa.Available() {
				b.Run(fmt.Sprintf("keys=%d/covered=%v/impl=%v", n, share, level), func(b *testing.B) {
					perKey := bench(b, Select(level), keys) / float64(n)
					b.ReportMetric(perKey*1e9, "ns/key")
					b.ReportMetric(float64(bytesPerKey)*1e-9/perKey, "GB/s")
				})
			}
		}
	}
}

// BenchmarkMerge merges one frame into another. GB/s counts reading and writing both frames, 32 bytes per key, even if
// a loop does not do all of it.
func BenchmarkMerge(b *testing.B) {
	frameBench(b, 32, func(b *testing.B, set *Loops, keys []uint64) float64 {
		dst, src, want := make([]uint64, len(keys)), make([]uint64, len(keys)), make([]uint64, len(keys))
		pixel.Merge(want, slices.Clone(keys))
		seconds := bestTimed(b, func() { copy(src, keys) }, func() { set.Merge(dst, src) })
		if !slices.Equal(dst, want) {
			b.Fatal("other keys than the specification's")
		}
		return seconds
	})
}

// BenchmarkResolve turns a frame into pixels. GB/s counts reading and writing the keys and writing the pixels, 20 bytes
// per key.
func BenchmarkResolve(b *testing.B) {
	const background = 0xff203040
	frameBench(b, 20, func(b *testing.B, set *Loops, keys []uint64) float64 {
		src := slices.Clone(keys)
		pix, want := make([]byte, 4*len(keys)), make([]byte, 4*len(keys))
		wantCovered, covered := pixel.Resolve(want, slices.Clone(keys), background), 0
		seconds := bestTimed(b, func() { copy(src, keys) }, func() { covered = set.Resolve(pix, src, background) })
		if covered != wantCovered || !slices.Equal(pix, want) {
			b.Fatal("other pixels than the specification's")
		}
		return seconds
	})
}

// BenchmarkFill fills a picture.
func BenchmarkFill(b *testing.B) {
	const color = 0xff203040
	for _, n := range []int{1 << 14, benchFrame} {
		pix, want := make([]byte, 4*n), make([]byte, 4*n)
		pixel.Fill(want, color)
		for _, level := range isa.Available() {
			fill := Select(level).Fill
			b.Run(fmt.Sprintf("pixels=%d/impl=%v", n, level), func(b *testing.B) {
				perPixel := bestPass(b, func() { fill(pix, color) }) / float64(n)
				if !slices.Equal(pix, want) {
					b.Fatal("other pixels than the specification's")
				}
				b.ReportMetric(perPixel*1e9, "ns/pixel")
				b.ReportMetric(4e-9/perPixel, "GB/s")
			})
		}
	}
}
