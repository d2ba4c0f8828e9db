package prepared

import "sync/atomic"

// A cache keeps chunks of the file that were read, up to a limit. It evicts chunks by the clock algorithm: a position
// moves around all chunks, and a chunk is dropped if it was not used since the position was last there.
type cache struct {
	limit  int64        // largest size of the cache in bytes; 0: no cache
	used   atomic.Int64 // size of the cached chunks in bytes
	hand   atomic.Int64 // position of the clock algorithm: the chunk that the method reserve has examined last
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

// maxTries is how many chunks reserve examines to find one that it may evict. With more, chunks that are used in turn
// would evict each other before their next use.
const maxTries = 2

// reserve returns memory for a chunk of n words. The caller must pass it to put or call release. The result is nil if
// the cache is full.
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

// release returns the memory of n words that came from reserve.
func (c *cache) release(n int) { c.used.Add(int64(-4 * n)) }

// The method put adds a chunk to the cache. Its memory must come from reserve.
func (c *cache) put(number int64, words []uint32) {
	if !c.chunks[number].CompareAndSwap(nil, &entry{words: words}) {
		c.release(len(words))
	}
}

// wasRead reports whether a chunk was read before, so that its checksum has been compared. Only a chunk that is read
// again is cached. A single picture reads most chunks once. If all chunks were cached, drawing would take a fifth of
// its time for page faults of the cache.
func (f *File) wasRead(number int64) bool {
	return atomic.LoadUint32(&f.seen[number/32])>>(number%32)&1 != 0
}

// problemOf returns what is wrong with the bytes of a chunk, as a format for the chunk's number and the section's name.
// It returns an empty text if nothing is wrong.
func (f *File) problemOf(bytes []byte, section, chunk int) string {
	switch {
	case checksum(bytes) != f.sums[f.firsts[section]+int64(chunk)]:
		return "the checksum of chunk %d of %s is wrong"
	case section == leavesIndex && !f.cornersExist(bytes, chunk):
		return "a corner in chunk %d of %s has a vertex that its group does not have"
	}
	return ""
}
