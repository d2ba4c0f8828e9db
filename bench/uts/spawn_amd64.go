//go:build amd64 && !purego

package uts

import "lockstep/vp/isa"

// kernelFor returns the fastest kernel of an instruction set. For all sets but the generic one, this is visitWithSHA if
// the processor has SHA instructions and exact is true. exact says that the tree's tables have no mixed cell (see
// tableCell).
//
// A kernel that computes SHA-1 in vector lanes had 2,784 lines of assembly and was removed. With AVX-512 it visited
// only 1.2 times as many nodes per second.
func kernelFor(level isa.Level, exact bool) kernel {
	if level >= isa.AVX2 && exact && isa.SHA() {
		return visitWithSHA
	}
	return visit
}

// visitWithSHA does the same as visit, with SHA instructions. The tree's tables must have no mixed cells.
func visitWithSHA(t *Tree, b *batch, stack []parent, top, n int) (found, children int) {
	if n == 0 {
		return 0, 0
	}
	records, numbers := &b.records[0][0][0], &numberRecords()[0][0][0]
	prepareSHA(records, &stack[0].state[0], &b.runs[0].parent, int64(len(b.runs)))
	kept, sum := visitSHA(&stack[top : top+n][0].state[0], &b.entries[0], records, numbers, &t.cells[0].threshold, int64(n))
	return int(kept), int(sum)
}
