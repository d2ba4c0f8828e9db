//go:build amd64 && !purego

package uts

import "lockstep/vp/isa"

// kernels are all that this processor can run.
func kernels() map[string]kernel {
	all := map[string]kernel{"go": spawn}
	if isa.Detect() >= isa.AVX2 {
		all["avx2"] = spawnByLanes
		if isa.SHA() {
			all["sha"] = kernelFor(isa.AVX2)
		}
	}
	return all
}
