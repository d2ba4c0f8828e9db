package uts

import (
	"context"
	"math"
	"runtime"
	"sync"
	"testing"
	"time"

	"lockstep/lb/overlay"
	"lockstep/lb/overlay/local"
)

// BenchmarkLocal compares three kinds of searches of T1L in turn: one search shared by all cores, one search on one
// core, and a separate search on each core. From the least times of all rounds it reports the efficiency: the time of
// one core divided by cores times the time of all cores. It also reports by how many per cent sharing takes longer than
// separate searches of equal parts would.
func BenchmarkLocal(b *testing.B) {
	tree, want := sample(b, "T1L")
	cores := runtime.GOMAXPROCS(0)
	shared := []overlay.Protocol{overlay.BTD, overlay.RWS, overlay.Reach}
	alone, apart, together := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64), make([]time.Duration, len(shared))
	for b.Loop() {
		begin := time.Now()
		tree.Count()
		alone = min(alone, time.Since(begin))
		begin = time.Now()
		var group sync.WaitGroup
		for range cores {
			group.Go(func() { tree.Count() })
		}
		group.Wait()
		apart = min(apart, time.Since(begin))
		for i, p := range shared {
			net := newNet(b, p, cores)
			pools := pools(net, tree)
			begin = time.Now()
			if _, err := local.Run(context.Background(), net, pools, localSlice); err != nil {
				b.Fatal(err)
			}
			took := time.Since(begin)
			if got := total(net, pools); got != want {
				b.Fatalf("%v: %+v, want %+v", p, got, want)
			}
			if together[i] == 0 || took < together[i] {
				together[i] = took
			}
		}
	}
	for i, p := range shared {
		all := float64(together[i]) * float64(cores)
		b.ReportMetric(100*float64(alone)/all, p.String()+"-efficiency-%")
		b.ReportMetric(100*(all/float64(apart)-1), p.String()+"-slower-%")
	}
}
