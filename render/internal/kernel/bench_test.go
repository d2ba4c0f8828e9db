package kernel

import (
	"bytes"
	"math"
	"runtime"
	"testing"
)

// bestPass runs the body of a benchmark and returns the processor time of its fastest pass, in seconds. It uses the
// fastest pass because other programs may use the machine.
func bestPass(b *testing.B, body func()) float64 { return bestTimed(b, func() {}, body) }

// bestTimed is like bestPass, but runs prepare before every pass without timing it.
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

// readBandwidth returns the bandwidth at which one core reads memory that is far larger than the caches, in bytes per
// second. It is the best of a few passes of a vectorized search for a byte that does not occur.
func readBandwidth(b *testing.B) float64 {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	memory := make([]byte, 256<<20)
	for i := 0; i < len(memory); i += 4096 {
		memory[i] = 1 // without a write, the system would map all pages to one page of zeros
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
