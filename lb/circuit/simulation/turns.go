package simulation

import "sync"

// turns hand out the tiles of a tiling to workers. A tile is handed out when the tiles that
// it depends on are done. Waves of tiles with a barrier after each leave one of two workers without a
// tile at the end of every other wave.
type turns struct {
	tiling *tiling
	mutex  sync.Mutex
	freed  sync.Cond
	ready  []int   // tiles that may be done, in the order in which they became so
	awaits []uint8 // of each tile: tiles on which it depends and that are not done
}

func newTurns(t *tiling) *turns {
	q := &turns{tiling: t, ready: []int{0}, awaits: make([]uint8, t.len())}
	q.freed.L = &q.mutex
	for k := range t.len() {
		for _, next := range t.next(k) {
			if next >= 0 {
				q.awaits[next]++
			}
		}
	}
	return q
}

// take returns a tile that may be done. It waits for one, and so it must be called at
// most once for each tile, and while none that was taken is left undone by the
// caller: then there always is a tile, or a worker about to free one.
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

// done frees the tiles that wait for this one alone.
func (q *turns) done(k int) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	for _, next := range q.tiling.next(k) {
		if next < 0 {
			continue
		}
		if q.awaits[next]--; q.awaits[next] == 0 {
			q.ready = append(q.ready, next)
			q.freed.Signal()
		}
	}
}
