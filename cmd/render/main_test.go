package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"lockstep/render/calibration"
)

func TestMain(m *testing.M) { os.Exit(runTests(m)) }

// testGCPercent lets the heap of many small pictures grow: what the runtime gives back after each of
// them has to be faulted in for the next.
const testGCPercent = 800

var long = flag.Bool("long", false, "also run tests that take minutes")

// programFolder is where the program is built, if a test wants it.
var programFolder string

func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "render-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	// Another user runs it in TestReadOnlyFolder.
	if err := os.Chmod(dir, 0o755); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	programFolder = dir
	debug.SetGCPercent(testGCPercent)
	// The costs of the user who runs the tests are none of their business, and counts
	// shall be the same whenever they run. Tests of costs name a folder.
	if err := os.Setenv(calibration.CacheEnv, "off"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// programEnv names a program that is tested in the place of the one that is built, such as a released one, or where
// there is no compiler.
const programEnv = "LOCKSTEP_TEST_PROGRAM"

// buildProgram builds the command that tests of whole processes run, and returns its path.
var buildProgram = sync.OnceValues(func() (string, error) {
	if path := os.Getenv(programEnv); path != "" {
		return filepath.Abs(path)
	}
	path := filepath.Join(programFolder, "render")
	args := []string{"build", "-o", path}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "-tags" {
				args = append(args, "-tags", s.Value)
			}
		}
	}
	// Static, as it is released: threads of the C library take addresses of their own.
	build := exec.Command("go", append(args, ".")...)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

// program returns the path of the command.
func program(t testing.TB) string {
	t.Helper()
	path, err := buildProgram()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// A result is what a run of the command left behind.
type result struct {
	code           int
	stdout, stderr string
}

// plain are the flags of pictures whose pixels follow from the mesh by a line of
// arithmetic: one light at the eye, the box of the mesh in the middle.
var plain = []string{"--light=headlight", "--fit=box", "--shading=flat", "--samples=1"}

// plainly returns arguments behind the flags of plain pictures.
func plainly(args ...string) []string { return append(slices.Clone(plain), args...) }

// runLimit is far above what any run here takes, on busy machines too; it turns a hang into a
// failure.
const runLimit = 5 * time.Minute

// command returns the command with the given arguments, in folder dir.
func command(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), runLimit)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, program(t), args...)
	cmd.Dir = dir
	return cmd
}

// run runs the command in folder dir and checks what holds for every run: no
// trace of a crash, and messages of whole lines that begin alike. It runs in this
// process, which takes a tenth of the time of another one, unless it starts
// processes of its own program.
func run(t *testing.T, dir, stdin string, args ...string) result {
	t.Helper()
	switch name, _ := splitCommand(args); name {
	case "film", "node", "serve":
		return runProgram(t, dir, stdin, args...)
	}
	r := runHere(t, dir, stdin, args)
	r.check(t, args)
	return r
}

// runProgram is run by another process.
func runProgram(t *testing.T, dir, stdin string, args ...string) result {
	t.Helper()
	cmd := command(t, dir, args...)
	cmd.Stdin = strings.NewReader(stdin)
	return finish(t, cmd)
}

// limited is run after a shell's command, which sets limits.
func limited(t *testing.T, dir, limits string, args ...string) result {
	t.Helper()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	cmd := command(t, dir, args...)
	cmd.Args = append([]string{shell, "-c", limits + ` && exec "$0" "$@"`, program(t)}, args...)
	cmd.Path = shell
	return finish(t, cmd)
}

func finish(t *testing.T, cmd *exec.Cmd) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if cmd.Stdout == nil {
		cmd.Stdout = &stdout
	}
	cmd.Stderr = &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%v: %v", cmd.Args, err)
	}
	r := result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
	r.check(t, cmd.Args[1:])
	return r
}

func (r *result) check(t *testing.T, args []string) {
	t.Helper()
	for _, word := range []string{"panic", "goroutine", "runtime error", ".go:"} {
		if strings.Contains(r.stderr, word) {
			t.Errorf("%q: standard error has %q:\n%s", args, word, r.stderr)
		}
	}
	if r.code != 0 {
		lines := strings.Split(strings.TrimSuffix(r.stderr, "\n"), "\n")
		if last := lines[len(lines)-1]; !strings.HasPrefix(last, "render: ") || !strings.HasSuffix(r.stderr, "\n") {
			t.Errorf("%q: exit code %d without a line that says why: %q", args, r.code, r.stderr)
		}
		for _, line := range lines[:len(lines)-1] {
			asked := strings.HasPrefix(line, "{") || strings.HasPrefix(line, "scan: ") || strings.HasPrefix(line, "zbuffer: ")
			each := r.code == int(exitPartial) && strings.HasPrefix(line, "render: ") // of a batch
			if !strings.HasPrefix(line, "render: warning: ") && !asked && !each {
				t.Errorf("%q: more than one line about the failure: %q", args, r.stderr)
			}
		}
	}
}

// want fails the test unless the exit code is code and standard error holds
// every one of the words.
func (r result) want(t *testing.T, code exitCode, words ...string) {
	t.Helper()
	if r.code != int(code) {
		t.Errorf("exit code %d, want %d; standard error: %s", r.code, code, r.stderr)
	}
	for _, w := range words {
		if !strings.Contains(r.stderr, w) {
			t.Errorf("standard error lacks %q: %s", w, r.stderr)
		}
	}
}

// files returns the names in dir, hidden ones too.
func files(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && path != dir {
			rel, _ := filepath.Rel(dir, path)
			names = append(names, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func wantFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	if got := files(t, dir); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("folder holds %q, want %q", got, want)
	}
}

func write(t *testing.T, path, data string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

type triangle [3][3]float32

// stl returns a binary STL file of the triangles.
func stl(triangles []triangle) string {
	data := make([]byte, 80, 84+50*len(triangles))
	copy(data, "a test mesh")
	data = binary.LittleEndian.AppendUint32(data, uint32(len(triangles)))
	for _, tri := range triangles {
		data = append(data, make([]byte, 12)...) // no normal
		for _, corner := range tri {
			for _, c := range corner {
				data = binary.LittleEndian.AppendUint32(data, math.Float32bits(c))
			}
		}
		data = append(data, 0, 0)
	}
	return string(data)
}

// cube returns the twelve triangles of a cube with the given centre and half
// edge.
func cube(center [3]float32, half float32) []triangle {
	var all []triangle
	for axis := range 3 {
		for _, side := range []float32{-half, half} {
			corner := func(u, v float32) (p [3]float32) {
				p[axis] = center[axis] + side
				p[(axis+1)%3] = center[(axis+1)%3] + u*half
				p[(axis+2)%3] = center[(axis+2)%3] + v*half
				return p
			}
			a, b, c, d := corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)
			if side < 0 {
				b, d = d, b
			}
			all = append(all, triangle{a, b, c}, triangle{a, c, d})
		}
	}
	return all
}

// cubeFile writes cube.stl to a fresh folder and returns both.
func cubeFile(t *testing.T) (dir, path string) {
	t.Helper()
	dir = t.TempDir()
	path = filepath.Join(t.TempDir(), "cube.stl")
	write(t, path, stl(cube([3]float32{}, 10)))
	return dir, path
}

func asciiSTL(solids ...string) string {
	var b strings.Builder
	for _, name := range solids {
		fmt.Fprintf(&b, "solid %s\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 0 1\nendloop\nendfacet\nendsolid %s\n", name, name)
	}
	return b.String()
}
