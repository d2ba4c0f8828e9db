package uts

import (
	"crypto/sha1"
	"encoding/binary"
)

// batchSize is how many children are hashed in one call, in a few microseconds. More leave nothing
// for a depth-first stack to hold.
const batchSize = 64

// spare is how many children too many the assembly may write.
const spare = 15

// batch is where children are made. The assembly knows this layout.
type batch struct {
	children [batchSize + spare]parent // of which only the states are set; not by the SHA kernel
	entries  [batchSize + spare]uint32 // of each child: its run, and its number in 16 bits, see numberCount
	runs     []run                     // capacity batchSize
	records  [batchSize]record         // SHA: of the parents of runs
}

func newBatch() *batch { return &batch{runs: make([]run, 0, batchSize)} }

// run is consecutive siblings of a batch. It does not cross a multiple of
// numberCount.
type run struct {
	parent uint32 // in the stack
	low    uint32 // number of the first child
	at     uint32 // in the batch
	count  uint32
	depth  uint32 // of the children
	rule   uint32 // the rule of the depth
}

// add appends up to most children, those of v from v.low on, where at are in the
// batch already, and returns how many.
func (b *batch) add(parent int, v *parent, at, most, rule uint32) uint32 {
	low := v.low
	count := min(v.high-low, most, numberCount-low%numberCount)
	// Runs are short: a loop over count would end mispredicted.
	e := uint32(len(b.runs))<<16 | low%numberCount
	to := (*[8]uint32)(b.entries[at:])
	to[0], to[1], to[2], to[3], to[4], to[5], to[6], to[7] = e, e+1, e+2, e+3, e+4, e+5, e+6, e+7
	for i := uint32(8); i < count; i++ {
		b.entries[at+i] = e + i
	}
	b.runs = b.runs[:len(b.runs)+1]
	r := &b.runs[len(b.runs)-1]
	r.parent, r.low, r.at, r.count = uint32(parent), low, at, count
	r.depth, r.rule = v.depth+1, rule
	return count
}

// kernel visits the children of runs, n in all, for one instruction set: it finds
// their states and writes those that have children to the stack from top on,
// which may be over the parents and has room for spare more than n. It returns how
// many these are, and how many children they have.
type kernel func(t *Tree, b *batch, stack []parent, top, n int) (found, children int)

// visit is the kernel in plain Go.
func visit(t *Tree, b *batch, stack []parent, top, n int) (found, children int) {
	b.spawn(stack)
	return b.keep(t, stack[top:top+n])
}

// spawn finds the states of the children. A child's state is the SHA-1 hash of
// its parent's state and its number, big endian.
func (b *batch) spawn(stack []parent) {
	for _, r := range b.runs {
		var text [24]byte
		for w, v := range stack[r.parent].state {
			binary.BigEndian.PutUint32(text[4*w:], v)
		}
		for i := range r.count {
			binary.BigEndian.PutUint32(text[20:], r.low+i)
			hash := sha1.Sum(text[:])
			for w := range 5 {
				b.children[r.at+i].state[w] = binary.BigEndian.Uint32(hash[4*w:])
			}
		}
	}
}

// keep writes into inner those children that have children themselves. It writes
// every child, and the next one over it if it is a leaf: a branch would be
// mispredicted.
func (b *batch) keep(t *Tree, inner []parent) (found, children int) {
	for i, entry := range b.entries[:len(inner)] {
		r, state := &b.runs[entry>>16], &b.children[i].state
		n := t.children(r.rule, r.depth, state[4]&lastRandom)
		// Word by word: a whole parent would first be made elsewhere.
		to := &inner[found]
		to.state = *state
		to.depth, to.low, to.high = r.depth, 0, uint32(n)
		children += n
		found += int(uint64(-n) >> 63)
	}
	return found, children
}
