//go:build amd64 && !purego

package uts

import "lockstep/vp/isa"

// kernelFor returns the fastest loops of an instruction set. AVX-512 has no twins
// of its own.
func kernelFor(level isa.Level) kernel {
	if level < isa.AVX2 {
		return kernel{expand, spawn}
	}
	return kernel{
		expand: func(b *batch, stack []parent, runs []run) {
			if len(runs) > 0 {
				expandAVX2(&b.message[0][0], &stack[0].state[0], &runs[0].parent, int64(len(runs)))
			}
		},
		spawn: func(b *batch, n int) { spawnAVX2(&b.message[0][0], int64(n+7)/8) },
	}
}
