package budget

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// GCBeside bounds how much garbage may pile up beside a mesh. Nearly all of the
// heap is the mesh and the frames, which live as long as the process and cost
// the collector nothing to keep, so a low value costs little time and keeps a
// growing input within two and a half times its size.
const GCBeside = 25

// GCSmall is for small meshes, beside which no garbage counts. With 25 the
// collector begins at a megabyte and ran six times for the bunny's picture: a tenth of the
// command's time. With 400 it ran while normals are found; now it begins at 32 MiB.
const GCSmall = 800

// GCDrawing is for the drawing of one picture of a small mesh, when it has been read. What that leaves as
// garbage is less than what it keeps. No collection is 3 % of the processor time of the bunny's picture.
const GCDrawing = 3200

// headroom is the garbage that may pile up while a mesh is read, beyond what GCBeside
// allows: that of small meshes costs one collection at most.
const headroom = 16 << 20

// A HeapWatch makes the garbage collector work harder while the heap grows. How large a
// mesh becomes does not show before it has been read: a packed one may be thirty times
// as large as its file.
type HeapWatch struct{ done atomic.Bool }

// A cycle is garbage at once: its finalizer runs after each collection.
type cycle struct{ _ [16]byte }

// WatchHeap starts a watch, which the caller stops.
func WatchHeap() *HeapWatch {
	w := new(HeapWatch)
	runtime.SetFinalizer(new(cycle), w.collected)
	return w
}

// Stop ends the watch.
func (w *HeapWatch) Stop() { w.done.Store(true) }

// collected is called after a collection.
func (w *HeapWatch) collected(c *cycle) {
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
	return int(max(GCBeside, min(100*headroom/max(live, 1), GCSmall)))
}

// lowerGC sets the collector's value, unless it is lower.
func lowerGC(percent int) {
	if old := debug.SetGCPercent(percent); old < percent {
		debug.SetGCPercent(old)
	}
}
