//go:build amd64 && !purego

package uts

import "lockstep/vp/isa"

// kernels are all that this processor can run.
func kernels() map[string]kernel {
	all := map[string]kernel{"go": visit}
	if isa.Detect() >= isa.AVX2 {
		all["avx2"] = visitByLanes
		if isa.SHA() {
			all["sha"] = visitWithSHA
		}
	}
	if isa.Detect() >= isa.AVX512 {
		all["avx512"] = visitWide
	}
	return all
}
