package simulation

import "sync"

// turns hand out the tiles of a tiling to workers. A tile is handed out once the tiles that it depends on are done. The
// alternative, waves of tiles with a barrier after each wave, would leave one of two workers without a tile at the end
// of every other wave.
type turns struct {
	tiling      *tiling
	mutex       sync.Mutex
	freed       sync.Cond
	ready       []int   // tiles that may be done, in the order in which they became ready
	pendingDeps []uint8 // for each tile, the number of tiles that it depends on and that are not done
}

func newTurns(t *tiling) *turns {
	q := &turns{tiling: t, ready: []int{0}, pendingDeps: make([]uint8, t.len())}
	q.freed.L = &q.mutex
	for k := range t.len() {
		for _, next := range t.next(k) {
			if next >= 0 {
				q.pendingDeps[next]++
			}
		}
	}
	return q
}

// take returns a tile that may be done, and waits until there is one. It must be called at most once for each tile, and
// not by a caller that still has a tile to do. Under these conditions some tile is always ready, or some worker is
// about to make one ready.
func (q *turns) take() int {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	for len(q.ready) == 0 {
		q.freed.Wait()
	}
	k := q.ready[0]
	q.ready = q.ready[1:]
	return k
}

// done marks tile k as done, and makes the tiles ready that only had to wait for k.
func (q *turns) done(k int) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	for _, next := range q.tiling.next(k) {
		if next < 0 {
			continue
		}
		if q.pendingDeps[next]--; q.pendingDeps[next] == 0 {
			q.ready = append(q.ready, next)
			q.freed.Signal()
		}
	}
}
