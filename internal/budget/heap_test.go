package budget

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// TestPercentBesideMesh checks the memory that garbage may occupy. It is the constant headroom, or a quarter of the
// mesh if that is more.
func TestPercentBesideMesh(t *testing.T) {
	for live, want := range map[int64]int{0: GCSmallMesh, 1 << 20: GCSmallMesh, 4 << 20: 400, 8 << 20: 200, 32 << 20: 50, 64 << 20: GCWithMesh, 1 << 40: GCWithMesh} {
		if got := percentFor(live); got != want {
			t.Errorf("%d bytes: %d, want %d", live, got, want)
		}
	}
}

// TestHeapWatch checks that the percentage decreases as the heap grows, never increases, and does not change after
// Stop.
func TestHeapWatch(t *testing.T) {
	before := debug.SetGCPercent(GCSmallMesh)
	defer debug.SetGCPercent(before)
	large := make([]byte, 80<<20)
	wait := func(want int) {
		t.Helper()
		for range 200 {
			runtime.GC()
			time.Sleep(time.Millisecond)
			got := debug.SetGCPercent(GCSmallMesh)
			debug.SetGCPercent(got)
			if got == want {
				return
			}
		}
		t.Errorf("the value never became %d", want)
	}
	w := WatchHeap()
	wait(GCWithMesh)
	debug.SetGCPercent(10)
	for range 3 {
		runtime.GC()
		time.Sleep(5 * time.Millisecond)
	}
	if got := debug.SetGCPercent(GCSmallMesh); got != 10 {
		t.Errorf("%d after it was set to 10", got)
	}
	w.Stop()
	time.Sleep(5 * time.Millisecond)
	debug.SetGCPercent(GCSmallMesh)
	for range 3 {
		runtime.GC()
		time.Sleep(5 * time.Millisecond)
	}
	if got := debug.SetGCPercent(GCSmallMesh); got != GCSmallMesh {
		t.Errorf("%d after the end of the watch", got)
	}
	runtime.KeepAlive(large)
}

// TestLimitHeap checks that the collector gets a limit that keeps the heap within the available memory.
func TestLimitHeap(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	for _, left := range []int64{64 << 20, 1 << 30} {
		debug.SetMemoryLimit(math.MaxInt64)
		(&Account{Memory: left}).LimitHeap()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		if got := debug.SetMemoryLimit(-1); got < left/2 || got > left-left/outsideHeap+int64(m.Sys) {
			t.Errorf("with %d bytes left the limit is %d", left, got)
		}
	}
	debug.SetMemoryLimit(1 << 20)
	(&Account{Memory: 1 << 30}).LimitHeap()
	if got := debug.SetMemoryLimit(-1); got != 1<<20 {
		t.Errorf("a lower limit became %d", got)
	}
	debug.SetMemoryLimit(math.MaxInt64)
	(&Account{}).LimitHeap()
	if got := debug.SetMemoryLimit(-1); got != math.MaxInt64 {
		t.Errorf("without a known limit it is %d", got)
	}
}
