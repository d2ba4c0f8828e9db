package uts

import (
	"crypto/sha1"
	"encoding/binary"
)

// batchSize is how many children are hashed in one call, which takes a few microseconds. With larger batches almost all
// open nodes would be in the batch instead of on the depth-first stack.
const batchSize = 64

// spare is how many children the assembly may write beyond the end of its output.
const spare = 15

// batch is the memory in which children are computed. The assembly depends on this layout.
type batch struct {
	children [batchSize + spare]parent // only the states are set; the SHA kernel does not use it
	entries  [batchSize + spare]uint32 // of each child: index of its run in the high and the low bits of its number in the low 16 bits, see numberCount
	runs     []run                     // capacity batchSize
	records  [batchSize]record         // for the SHA kernel: records of the parents of runs
}

func newBatch() *batch { return &batch{runs: make([]run, 0, batchSize)} }

// run is a range of consecutive siblings in a batch. It does not cross a multiple of numberCount.
type run struct {
	parent uint32 // index in the stack
	low    uint32 // number of the first child
	at     uint32 // index of the first child in the batch
	count  uint32
	depth  uint32 // depth of the children
	rule   uint32 // rule of that depth
}

// add appends up to `most` children of v, from v.low on, to the batch, and returns how many it appended. at is the
// number of children that are already in the batch.
func (b *batch) add(parent int, v *parent, at, most, rule uint32) uint32 {
	low := v.low
	count := min(v.high-low, most, numberCount-low%numberCount)
	// The first eight entries are written without a loop. Runs are short, so the processor would not predict the end of
	// a loop over count.
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

// kernel visits the n children of the batch's runs, for one instruction set. It computes their states and writes the
// children that have children themselves to the stack from index top on. This may overwrite the parents of the batch.
// The stack must have room for n+spare. found is the number of nodes written, and children the number of children that
// these have together.
type kernel func(t *Tree, b *batch, stack []parent, top, n int) (found, children int)

// visit is the kernel in plain Go.
func visit(t *Tree, b *batch, stack []parent, top, n int) (found, children int) {
	b.spawn(stack)
	return b.keep(t, stack[top:top+n])
}

// spawn computes the states of the children. A child's state is the SHA-1 hash of its parent's state and its number,
// big endian.
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

// keep writes to inner those children that have children themselves. It writes every child, and the next child
// overwrites it if it is a leaf, because the processor would not predict a branch.
func (b *batch) keep(t *Tree, inner []parent) (found, children int) {
	for i, entry := range b.entries[:len(inner)] {
		r, state := &b.runs[entry>>16], &b.children[i].state
		n := t.children(r.rule, r.depth, state[4]&lastRandom)
		// The state is copied word by word, because the compiler would build a whole parent in another place first.
		to := &inner[found]
		to.state = *state
		to.depth, to.low, to.high = r.depth, 0, uint32(n)
		children += n
		found += int(uint64(-n) >> 63)
	}
	return found, children
}
