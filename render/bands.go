package render

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"lockstep/render/internal/kernel/array"
)

// A band is the rows of polygons of a block that lie in a range of rows of the picture.
type band struct{ polys *array.Polygons }

// fill copies rows y0 to y1-1 of the polygons with the given indices.
func (b *band) fill(from *array.Polygons, index []int32, y0, y1 int32) {
	p := b.polys
	p.Reset()
	for _, n := range index {
		first, end := max(from.First[n], y0), min(from.First[n]+from.Rows[n], y1)
		if first < end {
			p.PushRows(from, int(n), first, end-first)
			p.MaxRows = max(p.MaxRows, end-first)
		}
	}
	p.MinX, p.MaxX, p.MinY, p.MaxY = from.MinX, from.MaxX, y0, y1
}

// A bandQueue holds bands of blocks. Any worker may draw them, since every worker owns a
// private frame. Workers offer bands while they draw blocks, and take them when they have
// no block left. The queue has ended when it is empty and no worker draws blocks any more.
type bandQueue struct {
	mu      sync.Mutex
	changed sync.Cond
	free    []*band
	waiting []*band
	drawing int // workers that draw blocks
	size    int // polygons of a band

	// version changes with everything that a worker may wait for.
	version atomic.Uint32
	spin    time.Duration
}

const (
	// waitingBands is how many bands may wait, apart from one a worker that is being
	// drawn: those of several blocks, in 200 KiB each.
	waitingBands = 2 * bandsMost

	// bandSpin is how long a worker without work looks for some before it sleeps:
	// longer than waking a sleeper takes, as at the barriers of package machine.
	bandSpin = 200 * time.Microsecond
)

// begin prepares for a frame.
func (q *bandQueue) begin(workers, blockSize int) {
	if q.changed.L == nil {
		q.changed.L = &q.mu
		if workers <= min(runtime.NumCPU(), runtime.GOMAXPROCS(0)) {
			q.spin = bandSpin
		}
	}
	q.free, q.waiting = append(q.free, q.waiting...), q.waiting[:0]
	q.drawing, q.size = workers, blockSize
}

// empty returns a band that is free, nil for none. The first call gets memory for all.
func (q *bandQueue) empty() *band {
	q.mu.Lock()
	defer q.mu.Unlock()
	if cap(q.waiting) == 0 {
		q.waiting = make([]*band, 0, waitingBands)
		for range waitingBands {
			q.free = append(q.free, &band{array.MakeRowRanges(q.size)})
		}
	}
	n := len(q.free)
	if n == 0 {
		return nil
	}
	b := q.free[n-1]
	q.free = q.free[:n-1]
	return b
}

// release gives a band back that was drawn.
func (q *bandQueue) release(b *band) {
	q.mu.Lock()
	q.free = append(q.free, b)
	q.mu.Unlock()
}

// offer lets any worker draw a band.
func (q *bandQueue) offer(b *band) {
	q.mu.Lock()
	q.waiting = append(q.waiting, b)
	q.version.Add(1)
	q.mu.Unlock()
	q.changed.Signal()
}

// blocksDone says that a worker draws no more blocks.
func (q *bandQueue) blocksDone() {
	q.mu.Lock()
	q.drawing--
	q.version.Add(1)
	q.mu.Unlock()
	q.changed.Broadcast()
}

// next returns the waiting band nearest to a row of the picture, nil for none.
func (q *bandQueue) next(row int32) *band {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.nearest(row)
}

// take is next, but waits for a band. It returns nil when the queue has ended.
func (q *bandQueue) take(row int32) *band {
	var deadline time.Time
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		b := q.nearest(row)
		if b != nil || q.drawing == 0 {
			return b
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
}

// nearest is next under the lock.
func (q *bandQueue) nearest(row int32) *band {
	index, nearest := -1, int32(math.MaxInt32)
	for i, b := range q.waiting {
		if d := (b.polys.MinY+b.polys.MaxY)/2 - row; max(d, -d) < nearest {
			index, nearest = i, max(d, -d)
		}
	}
	if index < 0 {
		return nil
	}
	b := q.waiting[index]
	last := len(q.waiting) - 1
	q.waiting[index] = q.waiting[last]
	q.waiting = q.waiting[:last]
	return b
}
