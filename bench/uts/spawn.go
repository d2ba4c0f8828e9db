package uts

import (
	"crypto/sha1"
	"encoding/binary"
)

// batchSize is how many children are hashed in one call: eight vectors, about 3
// microseconds. Fewer leave lanes empty at the end of a batch, more leave nothing
// for a depth-first stack to hold.
const batchSize = 64

// batch is children whose states are wanted, word by word: message[0] to
// message[4] are the parents' states, message[5] is the child's number, state is
// the result. The assembly knows this layout, and may write seven too many.
type batch struct {
	message [6][batchSize + 7 + 1]uint32
	state   [5][batchSize + 7 + 1]uint32
}

// run is consecutive siblings of a batch.
type run struct {
	parent uint32 // in the stack
	low    uint32 // number of the first child
	at     uint32 // in the batch
	count  uint32
}

// kernel is the hot loops for one instruction set.
type kernel struct {
	expand func(b *batch, stack []parent, runs []run)
	spawn  func(b *batch, n int)
}

// expand writes the messages of the children of runs.
func expand(b *batch, stack []parent, runs []run) {
	for _, r := range runs {
		for i := range r.count {
			for w, v := range stack[r.parent].state {
				b.message[w][r.at+i] = v
			}
			b.message[5][r.at+i] = r.low + i
		}
	}
}

// spawn finds the states of the first n children of a batch. A child's state is
// the SHA-1 hash of its parent's state and its number, big endian.
func spawn(b *batch, n int) {
	for i := range n {
		var text [24]byte
		for w := range b.message {
			binary.BigEndian.PutUint32(text[4*w:], b.message[w][i])
		}
		hash := sha1.Sum(text[:])
		for w := range b.state {
			b.state[w][i] = binary.BigEndian.Uint32(hash[4*w:])
		}
	}
}
