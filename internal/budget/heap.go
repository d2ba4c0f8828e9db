package budget

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// GCWithMesh is the percentage for debug.SetGCPercent while a mesh is in memory. With 25 percent, memory stays below
// two and a half times the size of a growing mesh. Such a low percentage costs little time, because meshes and frames
// contain no pointers and are cheap to collect.
const GCWithMesh = 25

// GCSmallMesh is the percentage for debug.SetGCPercent while a small mesh is read. At 800 percent, the first
// collection runs when the heap has 32 MiB, which is after normals are computed. At 25 percent, the collector took a
// tenth of the time of a command that draws the Stanford bunny.
const GCSmallMesh = 800

// GCDrawing is the percentage for debug.SetGCPercent while one picture of a small mesh is drawn. At 3200 percent, the
// heap does not grow enough for another collection after the mesh is read. This saves 3 % of the processor time for a
// picture of the Stanford bunny.
const GCDrawing = 3200

// headroom is how many bytes of garbage are allowed while a mesh is read. It is large enough that a small mesh causes
// at most one collection.
const headroom = 16 << 20

// A HeapWatch lowers the percentage of the garbage collector as the heap grows. The final size of the heap is not known
// in advance, because a compressed mesh may be thirty times as large as its file.
type HeapWatch struct{ done atomic.Bool }

// A collectionSentinel is an object to which nothing refers. Its finalizer therefore runs after each garbage
// collection.
type collectionSentinel struct{ _ [16]byte }

// WatchHeap starts a HeapWatch. The caller must call Stop.
func WatchHeap() *HeapWatch {
	w := new(HeapWatch)
	runtime.SetFinalizer(new(collectionSentinel), w.afterCollection)
	return w
}

// Stop ends the watch.
func (w *HeapWatch) Stop() { w.done.Store(true) }

// afterCollection runs after a garbage collection.
func (w *HeapWatch) afterCollection(c *collectionSentinel) {
	if w.done.Load() {
		return
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	if live[0].Value.Kind() == metrics.KindUint64 {
		lowerGC(percentFor(int64(live[0].Value.Uint64())))
	}
	runtime.SetFinalizer(c, w.afterCollection)
}

// percentFor returns the percentage for debug.SetGCPercent at which garbage is limited to headroom. The parameter live
// is the number of bytes of the heap in use. The result is at least GCWithMesh and at most GCSmallMesh.
func percentFor(live int64) int {
	return int(max(GCWithMesh, min(100*headroom/max(live, 1), GCSmallMesh)))
}

// lowerGC sets the percentage of the collector unless the present percentage is lower.
func lowerGC(percent int) {
	if old := debug.SetGCPercent(percent); old < percent {
		debug.SetGCPercent(old)
	}
}
