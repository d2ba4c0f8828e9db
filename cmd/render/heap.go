package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// headroom is the garbage that may pile up while a mesh is read, beyond what gcPercent
// allows: that of small meshes costs one collection at most.
const headroom = 16 << 20

// A heapWatch makes the garbage collector work harder while the heap grows. How large a
// mesh becomes does not show before it has been read: a packed one may be thirty times
// as large as its file.
type heapWatch struct{ done atomic.Bool }

// A cycle is garbage at once: its finalizer runs after each collection.
type cycle struct{ _ [16]byte }

func watchHeap() *heapWatch {
	w := new(heapWatch)
	runtime.SetFinalizer(new(cycle), w.collected)
	return w
}

// stop ends the watch.
func (w *heapWatch) stop() { w.done.Store(true) }

// collected is called after a collection.
func (w *heapWatch) collected(c *cycle) {
	if w.done.Load() {
		return
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	if live[0].Value.Kind() == metrics.KindUint64 {
		lowerGC(percentFor(int64(live[0].Value.Uint64())))
	}
	runtime.SetFinalizer(c, w.collected)
}

// percentFor returns the percentage for debug.SetGCPercent when live bytes of the heap are in use.
func percentFor(live int64) int {
	return int(max(gcPercent, min(100*headroom/max(live, 1), gcPercentSmall)))
}

// lowerGC sets the collector's value, unless it is lower.
func lowerGC(percent int) {
	if old := debug.SetGCPercent(percent); old < percent {
		debug.SetGCPercent(old)
	}
}
