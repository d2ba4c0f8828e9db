//go:build linux

package isa

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// needs lists what the kernel calls the features of each level, written down
// apart from the code under test.
var needs = map[Level][]string{
	AVX2:   {"avx", "avx2", "bmi1", "bmi2", "abm", "popcnt"},
	AVX512: {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
}

// The operating system's list of features decides what auto must select. If the processor
// has an instruction set and auto does not select it, the test fails and is not skipped.
func TestAutoSelectsWhatTheProcessorHas(t *testing.T) {
	t.Setenv(Env, "")
	want := Generic
	if runtime.GOARCH == "amd64" && why == "" {
		flags := processorFlags(t)
		for want < AVX512 && includes(flags, needs[want+1]) {
			want++
		}
	}
	got, err := Select("auto")
	if err != nil || got != want {
		t.Errorf("auto selects %v (%v), the processor has %v", got, err, want)
	}
}

func includes(flags, features []string) bool {
	for _, feature := range features {
		if !slices.Contains(flags, feature) {
			return false
		}
	}
	return true
}

func processorFlags(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "flags" {
			return strings.Fields(value)
		}
	}
	t.Fatal("/proc/cpuinfo names no flags")
	return nil
}

// The operating system's list also decides about the SHA instructions.
func TestSHAIsWhatTheProcessorHas(t *testing.T) {
	want := runtime.GOARCH == "amd64" && why == "" && includes(processorFlags(t), []string{"sha_ni", "ssse3", "sse4_1"})
	if got := SHA(); got != want {
		t.Errorf("SHA() = %v, the processor has %v", got, want)
	}
}
