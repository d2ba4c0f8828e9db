package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkRecords reads a block of 4096 records, which is 205 KB, from the second-level cache.
func BenchmarkRecords(b *testing.B) {
	const n = 4096
	r := rand.New(rand.NewPCG(1, 1))
	for _, colors := range []int{0, 1} {
		raw := randomRecords(r, n, 0, colors)
		want := Summarize(raw)
		for _, set := range sets() {
			b.Run(fmt.Sprintf("op=summarize/colors=%d/impl=%v", colors, set.Level), func(b *testing.B) {
				var got Summary
				for b.Loop() {
					got = set.Summarize(raw)
				}
				report(b, n)
				if err := sameSummary(got, want); err != nil {
					b.Fatal(err)
				}
			})
		}
	}
	raw := randomRecords(r, n, 0, 0)
	for _, set := range sets() {
		b.Run(fmt.Sprintf("op=decode/impl=%v", set.Level), func(b *testing.B) {
			c, _ := guardedColumns(n, 0)
			for b.Loop() {
				set.Decode(c, raw)
			}
			report(b, n)
			if err := compareDecoded(set, raw, 0); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// report reports the time per record and the rate at which records are read.
func report(b *testing.B, records int) {
	ns := float64(b.Elapsed().Nanoseconds()) / float64(b.N) / float64(records)
	b.ReportMetric(ns, "ns/record")
	b.ReportMetric(RecordSize/ns, "GB/s")
}
