package kernel

import (
	"bytes"
	"math"
	"runtime"
	"testing"
)

// bestPass runs a benchmark's body and returns the processor time of its
// fastest pass, in seconds. The fastest, because the machine may be shared.
func bestPass(b *testing.B, body func()) float64 { return bestTimed(b, func() {}, body) }

// bestTimed is bestPass with a preparation before every pass that is not timed.
func bestTimed(b *testing.B, prepare, body func()) float64 {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	best := math.Inf(1)
	for b.Loop() {
		prepare()
		start := threadTime()
		body()
		best = min(best, (threadTime() - start).Seconds())
	}
	return best
}

// readBandwidth measures one core reading memory far larger than the caches, in
// bytes a second: the best of a few passes of a library's vectorized search for
// what is not there.
func readBandwidth(b *testing.B) float64 {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	memory := make([]byte, 256<<20)
	for i := 0; i < len(memory); i += 4096 {
		memory[i] = 1 // so that every page is its own
	}
	best := 0.0
	for range 6 {
		start := threadTime()
		if bytes.IndexByte(memory, 2) >= 0 {
			b.Fatal("found what is not there")
		}
		best = max(best, float64(len(memory))/(threadTime()-start).Seconds())
	}
	return best
}
