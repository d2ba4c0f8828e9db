package budget

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// GCWithMesh is the percentage for debug.SetGCPercent while a mesh is in memory. With it, memory stays below two and a
// half times the size of a growing mesh. The low percentage costs little time. Most of the heap is the mesh and the
// frames, which contain no pointers and are cheap to collect.
const GCWithMesh = 25

// GCSmallMesh is the percentage for small meshes. For the picture of the bunny at 25 percent, the collector ran six
// times, first at 1 MB, which took a tenth of the command's time. At 400 percent it still ran while normals were
// computed. At 800 percent it first runs at 32 MiB.
const GCSmallMesh = 800

// GCDrawing is the percentage after reading, while one picture of a small mesh is drawn. It avoids the last collection,
// because drawing leaves less garbage than there is live memory. That saves 3 % of the processor time for the picture
// of the bunny.
const GCDrawing = 3200

// headroom is how many bytes of garbage are allowed while a mesh is read, see percentFor. A small mesh then causes at
// most one collection.
const headroom = 16 << 20

// A HeapWatch lowers the percentage of the garbage collector as the heap grows. The final size of the heap is not known
// in advance, because a compressed mesh may be thirty times as large as its file.
type HeapWatch struct{ done atomic.Bool }

// A collectionSentinel is an object to which nothing refers, so that its finalizer runs after each garbage collection.
type collectionSentinel struct{ _ [16]byte }

// WatchHeap starts a HeapWatch. The caller must call Stop.
func WatchHeap() *HeapWatch {
	w := new(HeapWatch)
	runtime.SetFinalizer(new(collectionSentinel), w.collected)
	return w
}

// Stop ends the watch.
func (w *HeapWatch) Stop() { w.done.Store(true) }

// collected runs after a garbage collection.
func (w *HeapWatch) collected(c *collectionSentinel) {
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

// percentFor returns the percentage for debug.SetGCPercent that allows headroom of garbage. The parameter live is the
// number of bytes of the heap in use. The result is at least GCWithMesh and at most GCSmallMesh.
func percentFor(live int64) int {
	return int(max(GCWithMesh, min(100*headroom/max(live, 1), GCSmallMesh)))
}

// lowerGC sets the percentage of the collector unless the present percentage is lower.
func lowerGC(percent int) {
	if old := debug.SetGCPercent(percent); old < percent {
		debug.SetGCPercent(old)
	}
}
