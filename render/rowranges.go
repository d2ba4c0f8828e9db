package render

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"lockstep/render/internal/kernel/array"
)

// A rangeQueue holds row ranges of large polygons. Any worker may draw them, since every
// worker owns a private frame. Workers add ranges while they draw blocks, and take them
// when they have no block left. The queue has ended when it is empty and no worker draws
// blocks any more.
type rangeQueue struct {
	mu      sync.Mutex
	changed sync.Cond
	ranges  *array.Polygons
	drawing int // workers that draw blocks

	// version changes with everything that a waiter may wait for.
	version atomic.Uint32
	spin    time.Duration
}

const (
	// waitingRanges is how many row ranges may wait. A worker that finds no room draws
	// its range itself.
	waitingRanges = 1024

	// rangeSpin is how long a worker without work looks for some before it sleeps:
	// longer than waking a sleeper takes, as at the barriers of package machine.
	rangeSpin = 200 * time.Microsecond
)

// begin prepares for a frame.
func (q *rangeQueue) begin(workers int) {
	if q.ranges == nil {
		q.changed.L = &q.mu
		q.ranges = array.MakeRowRanges(waitingRanges)
		if workers <= min(runtime.NumCPU(), runtime.GOMAXPROCS(0)) {
			q.spin = rangeSpin
		}
	}
	q.ranges.Reset()
	q.drawing = workers
}

// add offers rows of polygon n of p and reports whether there was room.
func (q *rangeQueue) add(p *array.Polygons, n int, first, rows int32) bool {
	q.mu.Lock()
	ok := q.ranges.Room() > 0
	if ok {
		q.ranges.PushRows(p, n, first, rows)
		q.version.Add(1)
	}
	q.mu.Unlock()
	if ok {
		q.changed.Signal()
	}
	return ok
}

// blocksDone says that a worker draws no more blocks.
func (q *rangeQueue) blocksDone() {
	q.mu.Lock()
	q.drawing--
	q.version.Add(1)
	q.mu.Unlock()
	q.changed.Broadcast()
}

// take moves the range nearest to a row of the picture into an empty array. It waits for
// one, and reports false when the queue has ended.
func (q *rangeQueue) take(into *array.Polygons, row int32) bool {
	var deadline time.Time
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.ranges.N == 0 {
		if q.drawing == 0 {
			return false
		}
		if deadline.IsZero() {
			deadline = time.Now().Add(q.spin)
		}
		if version := q.version.Load(); time.Now().Before(deadline) {
			q.mu.Unlock()
			for q.version.Load() == version && time.Now().Before(deadline) {
			}
			q.mu.Lock()
			continue
		}
		q.changed.Wait()
	}
	q.ranges.MoveRows(into, q.nearest(row))
	return true
}

// nearest returns the index of the range nearest to a row.
func (q *rangeQueue) nearest(row int32) (index int) {
	nearest := int32(math.MaxInt32)
	for n, first := range q.ranges.First[:q.ranges.N] {
		if d := first + q.ranges.Rows[n]/2 - row; max(d, -d) < nearest {
			index, nearest = n, max(d, -d)
		}
	}
	return index
}
