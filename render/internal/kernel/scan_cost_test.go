package kernel

import (
	"fmt"
	"math"
	"testing"
	"time"

	"lockstep/lb"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/scanline"
	"lockstep/vp/isa"
)

// BenchmarkScanCost measures the cost of a redistribution in iterations. The additional time of a loop with
// redistributions is its time minus the time of its iterations. The cost is this time divided by the number of
// redistributions, and by the time of an iteration without redistributions. Groups have the given number of tall
// polygons with the given number of rows. breakeven is the ratio of the times of both loops. It is above 1 if
// redistributing saves time.
func BenchmarkScanCost(b *testing.B) {
	for _, level := range isa.Available() {
		for _, tall := range []int{1, 2, 4, 8} {
			for _, rows := range []int32{6, 12, 24, 48, 96, 400} {
				b.Run(fmt.Sprintf("impl=%v/tall=%d/rows=%d", level, tall, rows), func(b *testing.B) {
					benchCost(b, Select(level).ScanConvert, scanline.UnevenPolygons(250, tall, rows))
				})
			}
		}
	}
}

func benchCost(b *testing.B, scan scanLoop, p *array.Polygons) {
	spans := array.MakeSpans(4096)
	best := [2]time.Duration{math.MaxInt64, math.MaxInt64}
	loops := [2]scanline.Converter{{Policy: lb.Never}, {Policy: lb.Always}}
	var counts [2][4]int64
	for b.Loop() {
		for i := range loops {
			s := &loops[i]
			s.Clear()
			start := time.Now()
			s.Start()
			for finished := false; !finished; {
				spans.N = 0
				finished = scan(s, p, spans, scanline.UnevenSize, scanline.UnevenSize)
			}
			best[i] = min(best[i], time.Since(start))
			counts[i] = loopCounts(s)
		}
	}
	if counts[0][1] != counts[1][1] || counts[0][0] != counts[1][3] || counts[1][2] == 0 {
		b.Fatalf("counts %v and %v", counts[0], counts[1])
	}
	iteration := best[0].Seconds() / float64(counts[0][0])
	extra := best[1].Seconds() - iteration*float64(counts[1][0])
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(iteration*1e9, "ns/iteration")
	b.ReportMetric(extra/iteration/float64(counts[1][2]), "iterations/redistribution")
	b.ReportMetric(float64(counts[0][0]-counts[1][0])/float64(counts[1][2]), "saved/redistribution")
	b.ReportMetric(best[0].Seconds()/best[1].Seconds(), "breakeven")
}
