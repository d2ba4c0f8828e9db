package main

import (
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

func TestProgressOfCommand(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	for _, c := range []struct {
		args string
		bars bool
	}{
		{"", false}, // not a terminal
		{"--progress never", false},
		{"--progress always", true},
	} {
		args := append(strings.Fields(c.args), "animate", mesh, "--turntable", "--frames", "3", "-s", "16", "-o", "out")
		r := run(t, dir, "", args...)
		r.Want(t, cli.Done)
		if got := strings.Contains(r.Stderr, "drawing"); got != c.bars || !c.bars && r.Stderr != "" {
			t.Errorf("%s: standard error %q", c.args, r.Stderr)
		}
		if r.Stdout != "" {
			t.Errorf("%s: standard output %q", c.args, r.Stdout)
		}
	}
}
