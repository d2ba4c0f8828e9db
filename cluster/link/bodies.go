package link

import "sync"

// bodies is memory of messages that were taken, for later ones. Without it four nodes allocated 16 MB
// for every frame of 1920x1080: the collector, and pages that were touched for the first time, were
// what made some frames take twice as long as others.
type bodies struct {
	mu   sync.Mutex
	free [][]byte
}

// Bounds of the memory that is kept.
const (
	leastBody  = 64 << 10 // smaller ones are not worth it
	mostBodies = 32       // of frames that are on their way, two of each of a dozen nodes
)

// get returns n bytes of any contents, the smallest that are kept, or nil if there are none.
func (b *bodies) get(n int) []byte {
	if n < leastBody {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	best := -1
	for i, f := range b.free {
		if cap(f) >= n && (best < 0 || cap(f) < cap(b.free[best])) {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	body, last := b.free[best], len(b.free)-1
	b.free[best] = b.free[last]
	b.free[last] = nil
	b.free = b.free[:last]
	return body[:n]
}

// put keeps memory that is no longer used.
func (b *bodies) put(body []byte) {
	if cap(body) < leastBody {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.free) < mostBodies {
		b.free = append(b.free, body)
	}
}

// Recycle gives back the body of a message that came from l: a later one may use its memory.
func (l *Links) Recycle(body []byte) { l.bodies.put(body) }
