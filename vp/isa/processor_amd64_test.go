//go:build !purego

package isa

import (
	"testing"

	"golang.org/x/sys/cpu"
)

// The processor is asked a second time, by code that shares nothing with the code under test. The list of
// features in /proc/cpuinfo is not used: kernels leave out some that programs can use, and some machines
// hide others.
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

// The second opinion does not know the SHA instructions, only the two sets that their kernels need besides.
func TestSHANeedsOtherSets(t *testing.T) {
	if SHA() && !(cpu.X86.HasSSSE3 && cpu.X86.HasSSE41) {
		t.Error("SHA() without SSSE3 or SSE4.1")
	}
}
