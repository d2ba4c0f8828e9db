package isa

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

func TestNamesRoundTrip(t *testing.T) {
	for name, want := range map[string]Level{"generic": Generic, "avx2": AVX2, "AVX2": AVX2, "avx512": AVX512, "Avx512": AVX512} {
		got, err := Parse(name)
		if err != nil || got != want {
			t.Errorf("Parse(%q) = %v, %v", name, got, err)
		}
		if got.String() != strings.ToLower(name) {
			t.Errorf("Parse(%q).String() = %q", name, got)
		}
	}
	for _, name := range []string{"", "auto", "sse2", "avx512f", " avx2", "isa.Level(3)"} {
		if level, err := Parse(name); err == nil {
			t.Errorf("Parse(%q) = %v, want an error", name, level)
		}
	}
	if got := Level(3).String(); got != "isa.Level(3)" {
		t.Errorf("Level(3) prints as %q", got)
	}
}

func TestLanes(t *testing.T) {
	if Generic.Lanes() != 1 || AVX2.Lanes() != 8 || AVX512.Lanes() != 16 {
		t.Errorf("lanes: %d, %d, %d", Generic.Lanes(), AVX2.Lanes(), AVX512.Lanes())
	}
}

func TestAvailable(t *testing.T) {
	levels := Available()
	if len(levels) != int(Detect())+1 {
		t.Fatalf("Available() = %v, Detect() = %v", levels, Detect())
	}
	for i, level := range levels {
		if level != Level(i) {
			t.Fatalf("Available() = %v", levels)
		}
	}
}

func TestSelect(t *testing.T) {
	t.Setenv(Env, "")
	for _, request := range []string{"", "auto", "AUTO"} {
		if got, err := Select(request); err != nil || got != Detect() {
			t.Errorf("Select(%q) = %v, %v; want %v", request, got, err, Detect())
		}
	}
	for level := Generic; level <= AVX512; level++ {
		got, err := Select(level.String())
		switch {
		case level <= Detect() && (err != nil || got != level):
			t.Errorf("Select(%v) = %v, %v", level, got, err)
		case level > Detect() && err == nil:
			t.Errorf("Select(%v) = %v though the best is %v", level, got, Detect())
		}
	}
	if _, err := Select("mmx"); err == nil || !strings.Contains(err.Error(), `"mmx"`) {
		t.Errorf("Select(mmx): error %v does not name the request", err)
	}
}

func TestEnvironmentOverridesAuto(t *testing.T) {
	t.Setenv(Env, "generic")
	if got, err := Select("auto"); err != nil || got != Generic {
		t.Errorf("%s=generic: auto is %v, %v", Env, got, err)
	}
	t.Setenv(Env, "auto")
	if got, err := Select("auto"); err != nil || got != Detect() {
		t.Errorf("%s=auto: auto is %v, %v", Env, got, err)
	}
	t.Setenv(Env, "pentium")
	if _, err := Select("auto"); err == nil || !strings.Contains(err.Error(), Env) {
		t.Errorf("%s=pentium: error %v does not name the variable", Env, err)
	}
	// An explicit request overrides the environment variable.
	if got, err := Select("generic"); err != nil || got != Generic {
		t.Errorf("%s=pentium: generic is %v, %v", Env, got, err)
	}
}

func ExampleSelect() {
	level, err := Select("generic")
	fmt.Println(level, level.Lanes(), err)
	// Output: generic 1 <nil>
}

// Stored costs belong to a processor, so its description must be the same in every call.
func TestProcessor(t *testing.T) {
	got := Processor()
	if !strings.HasPrefix(got, runtime.GOARCH+", ") || strings.ContainsAny(got, "\n\r\t") {
		t.Errorf("%q", got)
	}
	if again := Processor(); again != got {
		t.Errorf("%q, then %q", got, again)
	}
}
