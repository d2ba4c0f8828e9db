// Package isa finds out which vector instruction sets this processor and this build support, and turns a user's choice
// into one of them. Nothing else in the module queries the processor.
package isa

import (
	"fmt"
	"os"
	"strings"
)

// Level is a set of instructions for which kernels are written. A higher level includes the lower levels.
type Level uint8

const (
	// Generic is plain Go, which runs on every processor.
	Generic Level = iota
	// AVX2 stands for 256-bit vectors with AVX, AVX2, BMI1, BMI2, LZCNT and POPCNT. FMA is not part of it, because
	// fused multiply-add changes the last bit of a result.
	AVX2
	// AVX512 stands for 512-bit vectors with all of AVX2, and AVX-512 F, BW, CD, DQ and VL. Every server processor
	// with AVX-512 since Skylake has these. Later extensions such as VBMI2 are not part of it.
	AVX512
)

// Env names the environment variable that decides which level the choice "auto" selects.
const Env = "LOCKSTEP_ISA"

// auto is the user's request for the highest available level.
const auto = "auto"

var names = [...]string{Generic: "generic", AVX2: "avx2", AVX512: "avx512"}

// String returns the name that Parse reads: generic, avx2 or avx512.
func (l Level) String() string {
	if int(l) < len(names) {
		return names[l]
	}
	return fmt.Sprintf("isa.Level(%d)", uint8(l))
}

// Lanes returns how many 32-bit numbers one vector of the level holds, 1 for
// Generic.
func (l Level) Lanes() int {
	switch l {
	case AVX512:
		return 16
	case AVX2:
		return 8
	default:
		return 1
	}
}

// Parse returns the level with the given name, in lower or upper case. It fails for other names, including "auto".
func Parse(name string) (Level, error) {
	for level, known := range names {
		if strings.EqualFold(name, known) {
			return Level(level), nil
		}
	}
	return Generic, fmt.Errorf("unknown instruction set %q: expected generic, avx2 or avx512", name)
}

// Detect returns the highest level that the processor, the operating system and this build support. On architectures
// other than amd64, and with the build tag purego, that is always Generic.
func Detect() Level { return detect() }

// SHA reports whether the processor and this build have the SHA instructions. They belong to no level, because a
// processor of any level may have them or not.
func SHA() bool { return sha() }

// Available returns the levels that this processor and this build support, in ascending order from Generic.
func Available() []Level {
	all := make([]Level, 0, len(names))
	for level := Generic; level <= Detect(); level++ {
		all = append(all, level)
	}
	return all
}

// Select returns the level for a user's request: auto (or an empty string), generic, avx2 or avx512. The request auto
// selects the level that the environment variable LOCKSTEP_ISA names, or the highest level if the variable is not set.
// Select fails if the name is unknown or this processor lacks the level.
func Select(requested string) (Level, error) {
	if requested == "" || strings.EqualFold(requested, auto) {
		env := os.Getenv(Env)
		if env == "" || strings.EqualFold(env, auto) {
			return Detect(), nil
		}
		level, err := choose(env)
		if err != nil {
			return Generic, fmt.Errorf("environment variable %s: %w", Env, err)
		}
		return level, nil
	}
	return choose(requested)
}

func choose(name string) (Level, error) {
	level, err := Parse(name)
	if err != nil {
		return Generic, err
	}
	if best := Detect(); level > best {
		return Generic, fmt.Errorf("instruction set %v is not available here: the best is %v%s", level, best, buildNote)
	}
	return level, nil
}
