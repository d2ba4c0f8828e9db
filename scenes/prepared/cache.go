package prepared

import "sync/atomic"

// A cache keeps chunks that were read, up to a limit. It evicts by the clock algorithm: a hand goes around all chunks,
// and drops a chunk if nobody has asked for it since the hand was last there.
type cache struct {
	limit  int64        // largest size of the cache in bytes; 0: keep nothing
	used   atomic.Int64 // size of the cached chunks in bytes
	hand   atomic.Int64 // number of the last chunk that reserve has tried to drop
	chunks []atomic.Pointer[entry]
}

type entry struct {
	words []uint32
	used  atomic.Bool
}

// get returns a chunk, or nil if it is not in the cache.
func (c *cache) get(number int64) []uint32 {
	e := c.chunks[number].Load()
	if e == nil {
		return nil
	}
	if !e.used.Load() {
		e.used.Store(true)
	}
	return e.words
}

// maxTries is the number of chunks that reserve tries to drop. If it were greater, chunks that are asked for in turn
// would evict each other before they are asked for again.
const maxTries = 2

// reserve returns memory for a chunk of n words, which the caller passes to put or release. It returns nil if the cache
// is full.
func (c *cache) reserve(n int) []uint32 {
	bytes := int64(4 * n)
	if c.limit < bytes {
		return nil
	}
	for i := 0; ; i++ {
		if c.used.Add(bytes) <= c.limit {
			return make([]uint32, n)
		}
		if c.used.Add(-bytes); i == maxTries {
			return nil
		}
		at := c.hand.Add(1) % int64(len(c.chunks))
		if e := c.chunks[at].Load(); e != nil && !e.used.Swap(false) && c.chunks[at].CompareAndSwap(e, nil) {
			c.release(len(e.words))
		}
	}
}

// release gives back the memory of n words that reserve has returned.
func (c *cache) release(n int) { c.used.Add(int64(-4 * n)) }

// The method put adds a chunk, whose memory comes from reserve.
func (c *cache) put(number int64, words []uint32) {
	if !c.chunks[number].CompareAndSwap(nil, &entry{words: words}) {
		c.release(len(words))
	}
}
