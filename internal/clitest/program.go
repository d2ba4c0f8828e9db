package clitest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"lockstep/internal/budget"
	"lockstep/internal/cli"
	"lockstep/internal/testheap"
)

// A Program is a command of the package that is tested.
type Program struct {
	Name  string
	Start func(args []string, files cli.Streams, stop <-chan os.Signal) cli.Code
	// Lines are beginnings of lines on standard error that are no messages, because the user asked for them.
	Lines []string

	folder string
	source string // folder of the package
	build  func() (string, error)
}

// Main runs the tests of a package whose program this is. The costs of the user who runs them are none of their
// business, and counts shall be the same whenever they run: tests of costs name a folder in the variable costs.
func (p *Program) Main(m *testing.M, costs string) int {
	dir, err := os.MkdirTemp("", p.Name+"-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	// Another user runs it in tests of rights.
	if err := errors.Join(os.Chmod(dir, 0o755), os.Setenv(costs, "off")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	p.folder = dir
	if p.source, err = os.Getwd(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	p.build = sync.OnceValues(p.make)
	defer testheap.Prepare()()
	return m.Run()
}

// Env names a program that is tested in the place of the one that is built, such as a released one, or where there is no
// compiler.
const Env = "LOCKSTEP_TEST_PROGRAM"

// make builds the program that tests of whole processes run, and returns its path.
func (p *Program) make() (string, error) {
	if path := os.Getenv(Env); path != "" {
		return filepath.Abs(path)
	}
	path := filepath.Join(p.folder, p.Name)
	// Tables for debuggers are half of the time that linking takes.
	args := []string{"build", "-ldflags", "-s -w", "-o", path}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "-tags" {
				args = append(args, "-tags", s.Value)
			}
		}
	}
	// Static, as it is released: threads of the C library take addresses of their own.
	build := exec.Command("go", append(args, ".")...)
	build.Dir = p.source // a test may have gone elsewhere
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
}

// Path returns the path of the program, which is built for the first who asks.
func (p *Program) Path(t testing.TB) string {
	t.Helper()
	path, err := p.build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// RunLimit is far above what any run here takes, on busy machines too; it turns a hang into a
// failure.
const RunLimit = 5 * time.Minute

// Command returns the program with the given arguments, in folder dir.
func (p *Program) Command(t testing.TB, dir string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), RunLimit)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, p.Path(t), args...)
	cmd.Dir = dir
	return cmd
}

// RunProcess runs it in folder dir as a process, and checks what Run does.
func (p *Program) RunProcess(t testing.TB, dir, stdin string, args ...string) Result {
	t.Helper()
	cmd := p.Command(t, dir, args...)
	cmd.Stdin = strings.NewReader(stdin)
	return p.Finish(t, cmd)
}

// Finish runs a command of the program.
func (p *Program) Finish(t testing.TB, cmd *exec.Cmd) Result {
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
	r := Result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
	p.Check(t, &r, cmd.Args[1:])
	return r
}

// Run runs a command line in this process and checks what holds for every run: no trace of a crash, and messages of
// whole lines that begin alike. The working directory and the goal of the garbage collector are the process's, so no two
// may run at once.
func (p *Program) Run(t testing.TB, dir, stdin string, args ...string) Result {
	t.Helper()
	in := feed(t, stdin)
	defer in.Close()
	return p.RunOn(t, dir, cli.Streams{Stdin: in}, args...)
}

// RunOn is Run with files as standard input and output. What goes to an output that is nil is in the result.
func (p *Program) RunOn(t testing.TB, dir string, files cli.Streams, args ...string) Result {
	t.Helper()
	if dir != "" {
		before, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chdir(dir); err != nil {
			t.Fatal(err)
		}
		defer os.Chdir(before)
	}
	debug.SetGCPercent(budget.GCSmallMesh)
	defer debug.SetGCPercent(testheap.Percent)

	stdout, out := drain(t)
	if files.Stdout == nil {
		files.Stdout = out
	}
	stderr, messages := drain(t)
	files.Stderr = messages
	done := make(chan cli.Code, 1)
	go func() { done <- p.Start(args, files, nil) }()
	var r Result
	select {
	case code := <-done:
		r.Code = int(code)
	case <-time.After(RunLimit):
		t.Fatalf("%q did not end", args)
	}
	r.Stdout, r.Stderr = stdout.text(), stderr.text()
	p.Check(t, &r, args)
	return r
}

// Check fails the test if a run crashed, or failed without a line that says why.
func (p *Program) Check(t testing.TB, r *Result, args []string) {
	t.Helper()
	for _, word := range []string{"panic", "goroutine", "runtime error", ".go:"} {
		if strings.Contains(r.Stderr, word) {
			t.Errorf("%q: standard error has %q:\n%s", args, word, r.Stderr)
		}
	}
	if r.Code == 0 {
		return
	}
	lines := strings.Split(strings.TrimSuffix(r.Stderr, "\n"), "\n")
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, p.Name+": ") || !strings.HasSuffix(r.Stderr, "\n") {
		t.Errorf("%q: exit code %d without a line that says why: %q", args, r.Code, r.Stderr)
	}
	for _, line := range lines[:len(lines)-1] {
		each := r.Code == int(cli.Partial) && strings.HasPrefix(line, p.Name+": ") // of several
		if !strings.HasPrefix(line, p.Name+": warning: ") && !p.asked(line) && !each {
			t.Errorf("%q: more than one line about the failure: %q", args, r.Stderr)
		}
	}
}

// asked reports whether a line is what the user asked for.
func (p *Program) asked(line string) bool {
	for _, begin := range p.Lines {
		if strings.HasPrefix(line, begin) {
			return true
		}
	}
	return false
}
