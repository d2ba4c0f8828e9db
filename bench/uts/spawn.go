package uts

import (
	"crypto/sha1"
	"encoding/binary"
)

// batchSize is the largest number of children that are hashed in one call, which takes a few microseconds. Only nodes
// on the stack can be given to other peers. With larger batches almost all unvisited nodes would be in the batch.
const batchSize = 64

// overrun is the number of elements that may be written beyond the last child of a batch, or beyond the last output of
// a kernel.
const overrun = 15

// A batch is the memory for hashing children. The assembly depends on this layout.
type batch struct {
	children [batchSize + overrun]parent // only their hash states are set; unused by the SHA kernel
	// entries holds, for each child, the index of its run in the high 16 bits. The low 16 bits hold n%numberCount,
	// where n is the child's number among its siblings.
	entries [batchSize + overrun]uint32
	runs    []run                     // at most batchSize runs
	records [batchSize]scheduleRecord // for the SHA kernel: records of the parents of runs
}

func newBatch() *batch { return &batch{runs: make([]run, 0, batchSize)} }

// A run is a range of consecutive siblings in a batch. Their numbers n among the siblings all have the same
// n/numberCount, rounded down. The assembly depends on this layout.
type run struct {
	parent uint32 // index in the stack
	low    uint32 // number of the first child among its siblings
	at     uint32 // index of the first child in the batch
	count  uint32
	depth  uint32 // depth of the children
	table  uint32 // index in Tree.cells of the table of that depth
}

// add appends a run of children of v, from child v.low on, and returns the length of the run.
//   - parent: index of v in the stack
//   - at: number of children that are already in the batch
//   - most: largest length of the run
//   - table: index of the table of the children's depth
func (b *batch) add(parent int, v *parent, at, most, table uint32) uint32 {
	low := v.low
	count := min(v.high-low, most, numberCount-low%numberCount)
	// The first eight entries are written without a loop. count is mostly small and varies, so the processor would
	// mispredict the end of a loop.
	e := uint32(len(b.runs))<<16 | low%numberCount
	to := (*[8]uint32)(b.entries[at:])
	to[0], to[1], to[2], to[3], to[4], to[5], to[6], to[7] = e, e+1, e+2, e+3, e+4, e+5, e+6, e+7
	for i := uint32(8); i < count; i++ {
		b.entries[at+i] = e + i
	}
	b.runs = b.runs[:len(b.runs)+1]
	r := &b.runs[len(b.runs)-1]
	r.parent, r.low, r.at, r.count = uint32(parent), low, at, count
	r.depth, r.table = v.depth+1, table
	return count
}

// A kernel visits the n children of the batch's runs. It hashes them, and writes those that have children of their own
// to the stack, from index top on. The parents of the batch may be overwritten there. The stack must have capacity for
// n+overrun more nodes. found is the number of nodes written, and children the total number of their children.
type kernel func(t *Tree, b *batch, stack []parent, top, n int) (found, children int)

// visit is the kernel in plain Go.
func visit(t *Tree, b *batch, stack []parent, top, n int) (found, children int) {
	b.hashChildren(stack)
	return b.writeParents(t, stack[top:top+n])
}

// hashChildren computes the states of the children. A child's state is the SHA-1 hash of its parent's state and its
// number, both big endian.
func (b *batch) hashChildren(stack []parent) {
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

// writeParents writes to inner the children that have children of their own. It has no branch that the processor could
// mispredict: it writes every child, and the child after a leaf overwrites the leaf.
func (b *batch) writeParents(t *Tree, inner []parent) (found, children int) {
	for i, entry := range b.entries[:len(inner)] {
		r, state := &b.runs[entry>>16], &b.children[i].state
		n := t.children(r.table, r.depth, state[4]&lastRandom)
		// Fields are set one by one. If a whole struct were assigned, the compiler would build it elsewhere and then
		// copy it.
		to := &inner[found]
		to.state = *state
		to.depth, to.low, to.high = r.depth, 0, uint32(n)
		children += n
		found += int(uint64(-n) >> 63)
	}
	return found, children
}
