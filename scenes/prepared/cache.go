package prepared

import "sync/atomic"

// A cache keeps chunks that were read, as far as its limit allows. Which it keeps changes nothing but the time. A chunk is kept
// until another needs its room and it was not asked for since the last look at it.
type cache struct {
	limit  int64        // bytes; 0: nothing is kept
	used   atomic.Int64 // bytes
	hand   atomic.Int64 // the chunk that is looked at next
	chunks []atomic.Pointer[entry]
}

type entry struct {
	words []uint32
	asked atomic.Bool
}

// get returns a chunk that is kept, or nil.
func (c *cache) get(number int64) []uint32 {
	e := c.chunks[number].Load()
	if e == nil {
		return nil
	}
	if !e.asked.Load() {
		e.asked.Store(true)
	}
	return e.words
}

// looks is how many chunks are looked at to make room for one. More would have chunks that are all asked for in turn push out
// each other before they are asked for again.
const looks = 2

// room returns memory for a chunk of n words to be kept, or nil.
func (c *cache) room(n int) []uint32 {
	bytes := int64(4 * n)
	if c.limit < bytes {
		return nil
	}
	for i := 0; ; i++ {
		if c.used.Add(bytes) <= c.limit {
			return make([]uint32, n)
		}
		if c.used.Add(-bytes); i == looks {
			return nil
		}
		at := c.hand.Add(1) % int64(len(c.chunks))
		if e := c.chunks[at].Load(); e != nil && !e.asked.Swap(false) && c.chunks[at].CompareAndSwap(e, nil) {
			c.release(len(e.words))
		}
	}
}

// release gives room back.
func (c *cache) release(n int) { c.used.Add(int64(-4 * n)) }

// put keeps a chunk that was read into room.
func (c *cache) put(number int64, words []uint32) {
	if !c.chunks[number].CompareAndSwap(nil, &entry{words: words}) {
		c.release(len(words))
	}
}
