package simulation

import "sync"

// A tileQueue hands out the tiles of a tiling to workers. A tile is ready once the tiles that it depends on are done.
// The alternative is a barrier after each diagonal of tiles. With a barrier, one of two workers would have no tile at
// the end of every second diagonal.
type tileQueue struct {
	tiling      *tiling
	mutex       sync.Mutex
	freed       sync.Cond
	ready       []int   // tiles that a worker may take, in the order in which they became ready
	pendingDeps []uint8 // by tile: the number of unfinished tiles on which it depends
}

func newTileQueue(t *tiling) *tileQueue {
	q := &tileQueue{tiling: t, ready: []int{0}, pendingDeps: make([]uint8, t.len())}
	q.freed.L = &q.mutex
	for k := range t.len() {
		for _, next := range t.dependents(k) {
			if next >= 0 {
				q.pendingDeps[next]++
			}
		}
	}
	return q
}

// take waits until a tile is ready, and returns it. It must be called at most once for each tile, and only by a caller
// that has finished its earlier tiles. Then some tile is always ready, or another worker will make one ready.
func (q *tileQueue) take() int {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	for len(q.ready) == 0 {
		q.freed.Wait()
	}
	k := q.ready[0]
	q.ready = q.ready[1:]
	return k
}

// done marks tile k as done. Tiles that only had to wait for k become ready.
func (q *tileQueue) done(k int) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	for _, next := range q.tiling.dependents(k) {
		if next < 0 {
			continue
		}
		if q.pendingDeps[next]--; q.pendingDeps[next] == 0 {
			q.ready = append(q.ready, next)
			q.freed.Signal()
		}
	}
}
