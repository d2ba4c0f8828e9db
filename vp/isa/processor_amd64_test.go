//go:build !purego

package isa

import (
	"testing"

	"golang.org/x/sys/cpu"
)

// TestAutoSelectsWhatTheProcessorHas queries the processor again with an independent package. It does not use the
// list of features in /proc/cpuinfo, because kernels leave out some usable features and some machines hide others.
func TestAutoSelectsWhatTheProcessorHas(t *testing.T) {
	t.Setenv(Env, "")
	x := cpu.X86
	want := Generic
	if x.HasAVX && x.HasAVX2 && x.HasBMI1 && x.HasBMI2 && x.HasLZCNT && x.HasPOPCNT {
		want = AVX2
		if x.HasAVX512F && x.HasAVX512BW && x.HasAVX512CD && x.HasAVX512DQ && x.HasAVX512VL {
			want = AVX512
		}
	}
	got, err := Select("auto")
	if err != nil || got != want {
		t.Errorf("auto selects %v (%v), the processor has %v", got, err, want)
	}
}

// The independent package cannot report the SHA instructions, but it reports the two sets that the SHA kernels need
// as well.
func TestSHANeedsOtherSets(t *testing.T) {
	if SHA() && !(cpu.X86.HasSSSE3 && cpu.X86.HasSSE41) {
		t.Error("SHA() without SSSE3 or SSE4.1")
	}
}
