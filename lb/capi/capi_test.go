//go:build cgo && unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"lockstep/lb/criterion"
)

// library is the path of the library that TestMain builds. If the library was not built, skip is the reason.
var library, skip string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "capi")
	if err != nil {
		panic(err)
	}
	library = filepath.Join(dir, "liblockstep.so")
	if runtime.GOOS != "linux" {
		skip = "the library is built and tested on Linux alone"
	} else if _, err := exec.LookPath("cc"); err != nil {
		skip = "there is no C compiler"
	} else if out, err := exec.Command("go", "build", "-buildmode=c-shared", "-o", library, ".").CombinedOutput(); err != nil {
		panic(string(out))
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// needs skips the test if the program is not installed or the library was not built.
func needs(t *testing.T, program string) {
	if _, err := exec.LookPath(program); err != nil && skip == "" {
		t.Skipf("NOT TESTED: there is no %s", program)
	}
	if skip != "" {
		t.Skip("NOT TESTED: " + skip)
	}
}

// run runs a program and returns its output.
func run(t *testing.T, program string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+filepath.Dir(library))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", program, err, out)
	}
	return string(out)
}

// compiled compiles a C source file and returns the path of the program.
func compiled(t *testing.T, compiler, source string, flags ...string) string {
	t.Helper()
	needs(t, compiler)
	program := filepath.Join(t.TempDir(), "program")
	run(t, compiler, append(flags, "-Wall", "-Wextra", "-Werror", "-I", ".", "-o", program, source, "-L", filepath.Dir(library), "-llockstep", "-lpthread", "-lm")...)
	return program
}

// TestWhenC runs the C example with four ranks. It must make the same decisions as a controller in Go.
func TestWhenC(t *testing.T) {
	got := run(t, compiled(t, "cc", "examples/when.c"))
	named, err := criterion.Named("guard:3:ours")
	if err != nil {
		t.Fatal(err)
	}
	const iterations = 60
	control := criterion.Controller{Criterion: named(iterations)}
	control.Balanced(3)
	want, drift, total := "", 0.0, 0.0
	for i := range iterations {
		if d := control.Decide(); i > 0 && d.Balance {
			drift, total = 0, total+3
			want += fmt.Sprintf("balance before iteration %d: %s, %.2f > %.2f\n", i, d.What, d.Value, d.Limit)
			control.Balanced(3)
		}
		total += 1 + drift
		if err := control.Observe(1-drift/3, 1-drift/3, 1-drift/3, 1+drift); err != nil {
			t.Fatal(err)
		}
		drift += 0.02
	}
	want += fmt.Sprintf("%.1f in all, 95.4 without balancing\n", total)
	if got != want || strings.Count(want, "\n") < 3 {
		t.Errorf("C:\n%sGo:\n%s", got, want)
	}
}

// TestWhenPython runs the Python example and checks that balancing saves time.
func TestWhenPython(t *testing.T) {
	needs(t, "python3")
	out := run(t, "python3", "examples/when.py", library)
	var balancings, moved int
	var total, alone float64
	if _, err := fmt.Sscanf(out, "%d balancings, %d points moved, %g in all, %g without", &balancings, &moved, &total, &alone); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if balancings < 2 || balancings > 40 || moved < 100 || total > 0.7*alone {
		t.Error(out)
	}
}

// TestMisuse calls every function with invalid arguments.
func TestMisuse(t *testing.T) {
	if out := run(t, compiled(t, "cc", "testdata/misuse.c", "-std=c99", "-pedantic")); out != "done\n" {
		t.Error(out)
	}
}

// TestHeader checks that the header compiles as C++.
func TestHeader(t *testing.T) {
	needs(t, "c++")
	source := filepath.Join(t.TempDir(), "a.cc")
	if err := os.WriteFile(source, []byte("#include \"lockstep.h\"\nint main() { return lockstep_imbalance(nullptr, nullptr, 0, 1) != 1; }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, compiled(t, "c++", source))
}
