//go:build amd64 && !purego

package uts

import "lockstep/vp/isa"

// kernels returns all kernels that this processor can run.
func kernels() map[string]kernel {
	all := map[string]kernel{"go": visit}
	if isa.Detect() >= isa.AVX2 && isa.SHA() {
		all["sha"] = visitWithSHA
	}
	return all
}
