// Package isatest tells tests which instruction sets to compare with the specification. With an environment variable, a
// test run can require that certain sets are available.
package isatest

import (
	"os"
	"slices"
	"strings"

	"lockstep/vp/isa"
)

// Env names the environment variable that lists the instruction sets that a test run must find, separated by commas:
// LOCKSTEP_REQUIRE_ISA=avx2,avx512. Tests of vector kernels fail if this processor or this build lacks one of them.
const Env = "LOCKSTEP_REQUIRE_ISA"

// T is the part of testing.TB that Levels needs.
type T interface {
	Helper()
	Fatalf(format string, args ...any)
}

// Levels returns the instruction sets of this processor from Generic up. If the environment variable LOCKSTEP_ISA
// names a set, it returns only Generic and that set. It fails the test if a set that Env requires is missing.
func Levels(t T) []isa.Level {
	t.Helper()
	levels := isa.Available()
	if os.Getenv(isa.Env) != "" {
		level, err := isa.Select("auto")
		if err != nil {
			t.Fatalf("%v", err)
		}
		levels = slices.DeleteFunc(levels, func(l isa.Level) bool { return l != isa.Generic && l != level })
	}
	for name := range strings.SplitSeq(os.Getenv(Env), ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		level, err := isa.Parse(name)
		if err != nil {
			t.Fatalf("environment variable %s: %v", Env, err)
		}
		if !slices.Contains(levels, level) {
			t.Fatalf("environment variable %s: %v is not tested here, only %v", Env, level, levels)
		}
	}
	return levels
}
