//go:build amd64 && !purego

package isa

import "github.com/klauspost/cpuid/v2"

const buildNote = ""

// detect returns the highest level whose features cpuid reports. cpuid reports a feature only if the operating system
// saves its registers.
func detect() Level {
	if !cpuid.CPU.Supports(cpuid.AVX, cpuid.AVX2, cpuid.BMI1, cpuid.BMI2, cpuid.LZCNT, cpuid.POPCNT) {
		return Generic
	}
	if !cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX512CD, cpuid.AVX512DQ, cpuid.AVX512VL) {
		return AVX2
	}
	return AVX512
}

func sha() bool { return cpuid.CPU.Supports(cpuid.SHA, cpuid.SSSE3, cpuid.SSE4) }
