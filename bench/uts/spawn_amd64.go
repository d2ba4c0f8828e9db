//go:build amd64 && !purego

package uts

import "lockstep/vp/isa"

// spawnFor returns the fastest spawn of an instruction set. AVX-512 has no twin
// of its own.
func spawnFor(level isa.Level) func(*batch, int) {
	if level < isa.AVX2 {
		return spawn
	}
	return func(b *batch, n int) { spawnAVX2(&b.message[0][0], int64(n+7)/8) }
}
