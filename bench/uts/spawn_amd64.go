//go:build amd64 && !purego

package uts

import "lockstep/vp/isa"

// kernelFor returns the fastest kernel of an instruction set. With exact the
// tree's cells say all that its laws say.
func kernelFor(level isa.Level, exact bool) kernel {
	switch {
	case level >= isa.AVX512 && exact:
		return visitWide
	case level >= isa.AVX2 && exact && isa.SHA():
		return visitWithSHA
	case level >= isa.AVX2:
		return visitByLanes
	}
	return visit
}

// visitByLanes is the twin of visit for AVX2.
func visitByLanes(t *Tree, b *batch, stack []parent, top, n int) (found, children int) {
	if n == 0 {
		return 0, 0
	}
	expandAVX2(&b.message[0][0], &stack[0].state[0], &b.runs[0].parent, int64(len(b.runs)))
	spawnAVX2(&b.children[0].state[0], &b.message[0][0], int64(n+7)/8)
	return b.keep(t, stack[top:top+n])
}

// visitWithSHA is the twin of visit for SHA instructions. The tree's cells must
// be exact.
func visitWithSHA(t *Tree, b *batch, stack []parent, top, n int) (found, children int) {
	if n == 0 {
		return 0, 0
	}
	records, numbers := &b.records[0][0][0], &numbers()[0][0][0]
	prepareSHA(records, &stack[0].state[0], &b.runs[0].parent, int64(len(b.runs)))
	kept, sum := visitSHA(&stack[top : top+n][0].state[0], &b.entries[0], records, numbers, &t.cells[0].threshold, int64(n))
	return int(kept), int(sum)
}

// visitWide is the twin of visit for AVX-512. The tree's cells must be exact.
func visitWide(t *Tree, b *batch, stack []parent, top, n int) (found, children int) {
	if n == 0 {
		return 0, 0
	}
	message := &b.message[0][0]
	expandAVX512(message, &stack[0].state[0], &b.runs[0].parent, int64(len(b.runs)))
	kept, sum := visitAVX512(&stack[top : top+n+spare][0].state[0], message, &t.cells[0].threshold, int64(n))
	return int(kept), int(sum)
}
