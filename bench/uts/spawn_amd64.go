//go:build amd64 && !purego

package uts

import "lockstep/vp/isa"

// kernelFor returns the fastest kernel of an instruction set.
func kernelFor(level isa.Level) kernel {
	switch {
	case level >= isa.AVX2 && isa.SHA():
		table := &numbers()[0][0][0]
		return func(b *batch, stack []parent, n int) { spawnWithSHA(b, stack, n, table) }
	case level >= isa.AVX2:
		return spawnByLanes
	}
	return spawn
}

// spawnByLanes is the twin of spawn for AVX2.
func spawnByLanes(b *batch, stack []parent, n int) {
	if n > 0 {
		expandAVX2(&b.message[0][0], &stack[0].state[0], &b.runs[0].parent, int64(len(b.runs)))
		spawnAVX2(&b.children[0].state[0], &b.message[0][0], int64(n+7)/8)
	}
}

// spawnWithSHA is the twin of spawn for SHA instructions. The table is numbers'.
func spawnWithSHA(b *batch, stack []parent, n int, table *uint32) {
	if n > 0 {
		prepareSHA(&b.records[0][0][0], &stack[0].state[0], &b.runs[0].parent, int64(len(b.runs)))
		spawnSHA(&b.children[0].state[0], &b.entries[0], &b.records[0][0][0], table, int64(n))
	}
}
