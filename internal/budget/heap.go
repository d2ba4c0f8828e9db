package budget

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// GCWithMesh is the percentage for debug.SetGCPercent while a mesh is in memory. Most of the heap is then the mesh and
// the frames, which contain no pointers and are therefore cheap to collect. So a low percentage takes little time, and
// it limits memory to two and a half times the size of a growing mesh.
const GCWithMesh = 25

// GCSmallMesh is the percentage for small meshes. With 25 percent the collector starts at 1 MB; for the picture of the
// bunny it ran six times, which took a tenth of the command's time. With 400 percent it still ran while normals were
// computed. With 800 percent it starts at 32 MiB.
const GCSmallMesh = 800

// GCDrawing is the percentage while one picture of a small mesh is drawn, after reading. Drawing leaves less garbage
// than there is live memory, so the last collection can be avoided. That saves 3 % of the processor time for the
// picture of the bunny.
const GCDrawing = 3200

// headroom is the garbage in bytes that is allowed while a mesh is read. With it a small mesh causes at most one
// collection. percentFor turns it into a percentage.
const headroom = 16 << 20

// A HeapWatch lowers the percentage of the garbage collector as the heap grows. The size of a mesh is not known before
// it has been read: a packed mesh may be thirty times as large as its file.
type HeapWatch struct{ done atomic.Bool }

// A cycle is an object to which nothing refers, so its finalizer runs after each garbage collection.
type cycle struct{ _ [16]byte }

// WatchHeap starts a HeapWatch. The caller must call Stop.
func WatchHeap() *HeapWatch {
	w := new(HeapWatch)
	runtime.SetFinalizer(new(cycle), w.collected)
	return w
}

// Stop ends the watch.
func (w *HeapWatch) Stop() { w.done.Store(true) }

// collected runs after a garbage collection.
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

// percentFor returns the percentage for debug.SetGCPercent that allows headroom of garbage when live bytes of the heap
// are in use, but at least GCWithMesh and at most GCSmallMesh.
func percentFor(live int64) int {
	return int(max(GCWithMesh, min(100*headroom/max(live, 1), GCSmallMesh)))
}

// lowerGC sets the percentage of the collector unless the present percentage is lower.
func lowerGC(percent int) {
	if old := debug.SetGCPercent(percent); old < percent {
		debug.SetGCPercent(old)
	}
}
