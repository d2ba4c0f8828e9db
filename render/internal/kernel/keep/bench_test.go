package keep

import (
	"math/rand/v2"
	"testing"

	"lockstep/render/internal/kernel/array"
	"lockstep/vp/isa"
)

// The benchmarks use a frame of 3840 x 2160 samples in tile rows of 16 samples. Its spans are those of adjacent
// polygons that are some 14 samples wide and 10 rows tall, in the order of scan conversion.
const (
	benchStride = 3848
	benchKeys   = 16 * benchStride
	benchRows   = 135
)

func benchSpans(random *rand.Rand, n int) *array.Spans {
	s := array.MakeSpans(n)
	x, y := 400+random.IntN(2000), 300+random.IntN(1500)
	for s.N < n {
		var top, rows, left [array.Lanes]int
		for l := range top {
			top[l], rows[l], left[l] = y+random.IntN(12), 3+random.IntN(14), x
			x += 7
		}
		if x > 3000 {
			x, y = x-2000, y+11
		}
		for row := range 17 {
			for l := range top {
				if row < rows[l] && s.N < n {
					i := s.N
					s.Start[i], s.Count[i] = uint32((top[l]+row)%2160*benchStride+left[l]), int32(1+random.IntN(14))
					s.E[i], s.DE[i], s.Payload[i] = random.Float32(), random.Float32()/1000, random.Uint32()
					s.N++
				}
			}
		}
	}
	return s
}

// BenchmarkKeep stores 4096 spans at a time.
func BenchmarkKeep(b *testing.B) {
	spans := benchSpans(rand.New(rand.NewPCG(1, 1)), 4096)
	for _, level := range isa.Available() {
		b.Run("impl="+level.String(), func(b *testing.B) {
			loops, rows := Select(level), rowsFor(benchRows, benchKeys, 1<<13)
			for range b.N {
				if rows.Room() < spans.N {
					clear(rows.Next)
					rows.Used = 1
				}
				loops.Keep(rows, spans)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(spans.N), "ns/span")
		})
	}
}

// BenchmarkMerge merges the spans of a tile row.
func BenchmarkMerge(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 1))
	rows := rowsFor(1, benchKeys, ChunkSpans)
	spans := benchSpans(random, ChunkSpans)
	for i := range spans.N {
		spans.Start[i] %= benchKeys - 20
	}
	rows.Keep(spans)
	keys, scratch := linesOf(benchKeys), array.MakeSpans(ChunkSpans)
	for _, level := range isa.Available() {
		b.Run("impl="+level.String(), func(b *testing.B) {
			merge := Select(level).Merge
			for range b.N {
				merge(keys, rows.Records[ChunkSpans:], ChunkSpans, scratch)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/ChunkSpans, "ns/span")
		})
	}
}
