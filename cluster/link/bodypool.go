package link

import "sync"

// A bodyPool keeps bodies of messages, so that later messages use their memory. Without the pool, four nodes allocate
// 16 MB for every frame of 1920x1080. Garbage collection and page faults then double the time of some frames.
type bodyPool struct {
	mu   sync.Mutex
	free [][]byte
}

// Limits of a bodyPool.
const (
	minPooledBody   = 64 << 10 // in bytes; smaller bodies are cheap to allocate
	maxPooledBodies = 32       // two bodies for each of a dozen nodes, because two frames are drawn at once
)

// get takes a body out of the pool and returns its first n bytes, with arbitrary contents. It takes the smallest body
// that is large enough. It returns nil if the pool has none, or if n is less than minPooledBody.
func (b *bodyPool) get(n int) []byte {
	if n < minPooledBody {
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

// put adds a body that is no longer used.
func (b *bodyPool) put(body []byte) {
	if cap(body) < minPooledBody {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.free) < maxPooledBodies {
		b.free = append(b.free, body)
	}
}

// Recycle returns the body of a message to the pool of l.
func (l *Links) Recycle(body []byte) { l.bodies.put(body) }
