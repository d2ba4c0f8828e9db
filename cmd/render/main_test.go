package main

import (
	"flag"
	"os"
	"os/exec"
	"slices"
	"testing"

	"lockstep/internal/clitest"
	"lockstep/render/calibration"
)

var long = flag.Bool("long", false, "also run tests that take minutes")

// tested is the program under test.
var tested = clitest.Program{Name: "render", Start: start, Lines: []string{"{", "scan: ", "zbuffer: ", "normals: "}}

func TestMain(m *testing.M) { os.Exit(tested.Main(m, calibration.CacheEnv)) }

// plain are flags of pictures whose pixels are easy to calculate: one light at the eye, and the mesh's box in the
// middle.
var plain = []string{"--light=headlight", "--fit=box", "--shading=flat", "--samples=1"}

// plainly returns the flags of plain pictures, followed by arguments.
func plainly(args ...string) []string { return append(slices.Clone(plain), args...) }

// program returns the path of the command.
func program(t testing.TB) string { return tested.Path(t) }

// command returns the command with the given arguments, in folder dir.
func command(t *testing.T, dir string, args ...string) *exec.Cmd {
	return tested.Command(t, dir, args...)
}

func finish(t *testing.T, cmd *exec.Cmd) clitest.Result { return tested.Finish(t, cmd) }

// run runs the command in folder dir, in this process.
func run(t *testing.T, dir, stdin string, args ...string) clitest.Result {
	t.Helper()
	return tested.Run(t, dir, stdin, args...)
}

// runProgram is like run, but in another process.
func runProgram(t *testing.T, dir, stdin string, args ...string) clitest.Result {
	t.Helper()
	return tested.RunProcess(t, dir, stdin, args...)
}

// limited is like runProgram, but runs the command in a shell, after commands that set limits.
func limited(t *testing.T, dir, limits string, args ...string) clitest.Result {
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
