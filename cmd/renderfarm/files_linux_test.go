package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// TestFileLimit starts films under a low limit on open files. A film must be drawn, or be refused before it begins. The
// message must state the number of files that the server and the nodes need.
func TestFileLimit(t *testing.T) {
	t.Parallel()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	for _, limit := range []int{16, 20, 24, 32, 40} {
		dir, mesh := clitest.CubeFile(t)
		cmd := command(t, dir)
		args := []string{"film", mesh, "--frames", "2", "-s", "16", "--nodes", "2", "-o", "out"}
		cmd.Args = append([]string{shell, "-c", fmt.Sprintf(`ulimit -n %d && exec "$0" "$@"`, limit), cmd.Path}, args...)
		cmd.Path = shell
		r := tested.Finish(t, cmd)
		switch {
		case r.Code == int(cli.Usage) && limit < 40:
			r.Want(t, cli.Usage, "ulimit -n")
			if _, err := os.Stat(filepath.Join(dir, "out", ".film")); err == nil {
				t.Errorf("%d files: a server was begun", limit)
			}
			if limit == 24 {
				r.Want(t, cli.Usage, "24 are needed for the server and 2 nodes")
			}
		default:
			r.Want(t, cli.Done)
		}
	}
}
