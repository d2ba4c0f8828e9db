//go:build amd64 && !purego

package flowshop

import "lockstep/vp/isa"

// boundFor returns the fastest version of bound for an instruction set. For AVX-512 that is the one for AVX2.
func boundFor(level isa.Level) boundFunc {
	if level < isa.AVX2 {
		return bound
	}
	return func(n *node, times []row, limits *limits, out *children) {
		boundAVX2(&n.front[0], &times[0][0], int64(len(times)), &limits.prune, &out.bounds[0][0])
	}
}
