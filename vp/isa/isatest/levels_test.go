package isatest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"lockstep/vp/isa"
)

// TestRequired fails, like every test of vector kernels, if a required instruction set is missing.
func TestRequired(t *testing.T) {
	t.Logf("kernels are tested by %v", Levels(t))
}

// fake is a T that records its failure.
type fake struct{ failure string }

func (*fake) Helper() {}

func (f *fake) Fatalf(format string, args ...any) {
	f.failure = fmt.Sprintf(format, args...)
	panic(f)
}

func levelsOf(t *testing.T, only, required string) (levels []isa.Level, failure string) {
	t.Setenv(isa.Env, only)
	t.Setenv(Env, required)
	f := &fake{}
	defer func() {
		if p := recover(); p != nil && p != f {
			panic(p)
		}
		failure = f.failure
	}()
	return Levels(f), ""
}

func TestLevels(t *testing.T) {
	all := isa.Available()
	if got, failure := levelsOf(t, "", ""); failure != "" || !slices.Equal(got, all) {
		t.Errorf("%v, %q; want %v", got, failure, all)
	}
	for _, level := range all {
		alone := slices.Compact([]isa.Level{isa.Generic, level})
		if got, failure := levelsOf(t, level.String(), level.String()); failure != "" || !slices.Equal(got, alone) {
			t.Errorf("%v alone: %v, %q", level, got, failure)
		}
		if _, failure := levelsOf(t, "", " avx512,"+level.String()); (failure == "") != (isa.Detect() == isa.AVX512) {
			t.Errorf("avx512 and %v demanded: %q", level, failure)
		}
	}
	// LOCKSTEP_ISA selects generic alone, so a required avx2 counts as missing even if the processor has it.
	if _, failure := levelsOf(t, "generic", "avx2"); !strings.Contains(failure, Env) {
		t.Errorf("avx2 demanded, generic alone: %q", failure)
	}
	if _, failure := levelsOf(t, "", "mmx"); !strings.Contains(failure, `"mmx"`) {
		t.Errorf("an unknown set is demanded: %q", failure)
	}
}
