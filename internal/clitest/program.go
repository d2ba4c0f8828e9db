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

// A Program is the command of the package under test.
type Program struct {
	Name  string
	Start func(args []string, files cli.Streams, stop <-chan os.Signal) cli.Code
	// Lines holds the first words of lines that a user asked for. Such lines are output, not messages, although they
	// are on standard error.
	Lines []string

	folder string
	source string // folder of the package
	build  func() (string, error)
}

// Main runs the tests of the package of program p. It sets the environment variable named by costs to off. So tests
// neither read nor change the user's measured costs of balancing, and their counts are always the same. Tests of these
// costs set the variable to a folder.
func (p *Program) Main(m *testing.M, costs string) int {
	dir, err := os.MkdirTemp("", p.Name+"-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	// The folder is made accessible to all, because tests of access rights run the program as another user.
	if err := errors.Join(os.Chmod(dir, 0o755), os.Setenv(costs, "off")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	p.folder = dir
	if p.source, err = os.Getwd(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	p.build = sync.OnceValues(p.compile)
	defer testheap.Prepare()()
	return m.Run()
}

// Env is the name of an environment variable. It may hold the path of a program to test in place of a newly built one.
// That can be a released program, or a program on a machine without a compiler.
const Env = "LOCKSTEP_TEST_PROGRAM"

// compile builds the program for tests that start it as a process, and returns its path.
func (p *Program) compile() (string, error) {
	if path := os.Getenv(Env); path != "" {
		return filepath.Abs(path)
	}
	path := filepath.Join(p.folder, p.Name)
	// Without tables for debuggers, linking takes half the time.
	args := []string{"build", "-ldflags", "-s -w", "-o", path}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "-tags" {
				args = append(args, "-tags", s.Value)
			}
		}
	}
	// The program is linked statically like a released program, because threads of the C library would take additional
	// address space.
	build := exec.Command("go", append(args, ".")...)
	build.Dir = p.source // the test may have changed the working directory
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
}

// Path returns the path of the program. The first call builds the program.
func (p *Program) Path(t testing.TB) string {
	t.Helper()
	path, err := p.build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// RunLimit is the time after which a run counts as hung and fails. It is far longer than any run in tests, even on a
// busy machine.
const RunLimit = 5 * time.Minute

// Command returns a command that runs the program with the given arguments in folder dir.
func (p *Program) Command(t testing.TB, dir string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), RunLimit)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, p.Path(t), args...)
	cmd.Dir = dir
	return cmd
}

// RunProcess runs the program in folder dir as a separate process. It checks the result in the same way as Run.
func (p *Program) RunProcess(t testing.TB, dir, stdin string, args ...string) Result {
	t.Helper()
	cmd := p.Command(t, dir, args...)
	cmd.Stdin = strings.NewReader(stdin)
	return p.Finish(t, cmd)
}

// Finish runs cmd to its end. cmd must be a result of Command. Finish checks the result in the same way as Run.
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

// Run runs a command line in this process and checks the result with Check. Only one Run may be active at a time,
// because it changes the working directory and the garbage collector's percentage of the whole process.
func (p *Program) Run(t testing.TB, dir, stdin string, args ...string) Result {
	t.Helper()
	in := inputPipe(t, stdin)
	defer in.Close()
	return p.RunOn(t, dir, cli.Streams{Stdin: in}, args...)
}

// RunOn is like Run, with the given files as standard input and output. If an output is nil, the result holds the bytes
// that were written to that output.
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

	stdout, out := outputPipe(t)
	if files.Stdout == nil {
		files.Stdout = out
	}
	stderr, messages := outputPipe(t)
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

// Check fails the test if a run crashed, or if it failed without stating the reason in a single line. Warnings and
// lines that the user asked for may precede that line.
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
		each := r.Code == int(cli.Partial) && strings.HasPrefix(line, p.Name+": ") // one line per failed mesh
		if !strings.HasPrefix(line, p.Name+": warning: ") && !p.isRequested(line) && !each {
			t.Errorf("%q: more than one line about the failure: %q", args, r.Stderr)
		}
	}
}

// isRequested reports whether a line begins with one of p.Lines.
func (p *Program) isRequested(line string) bool {
	for _, begin := range p.Lines {
		if strings.HasPrefix(line, begin) {
			return true
		}
	}
	return false
}
