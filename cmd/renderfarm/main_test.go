package main

import (
	"flag"
	"os"
	"os/exec"
	"testing"

	"lockstep/internal/clitest"
	"lockstep/internal/testparallel"
	"lockstep/render/calibration"
)

var long = flag.Bool("long", false, "also run tests that take minutes")

// tested is the program under test.
var tested = clitest.Program{Name: program, Start: start}

func TestMain(m *testing.M) {
	testparallel.Allow(atOnce)
	os.Exit(tested.Main(m, calibration.CacheEnv))
}

// atOnce is the number of tests that may run at once. Most of these tests wait for processes, and a film has four
// processes.
const atOnce = 4

// command returns the command with the given arguments, in folder dir.
func command(t *testing.T, dir string, args ...string) *exec.Cmd {
	return tested.Command(t, dir, args...)
}

// runHere runs the command in folder dir within this process, for command lines that start no other processes.
func runHere(t *testing.T, dir string, args ...string) clitest.Result {
	t.Helper()
	return tested.Run(t, dir, "", args...)
}

// run runs the command in folder dir as a process, because it starts other processes of its own program.
func run(t *testing.T, dir, stdin string, args ...string) clitest.Result {
	t.Helper()
	return tested.RunProcess(t, dir, stdin, args...)
}
