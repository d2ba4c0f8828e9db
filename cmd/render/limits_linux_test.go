package main

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// stranger is a user without other processes. The limit on threads counts the threads of all processes of a user. Each
// run of this test has a different user.
var stranger = uint32(1_900_000_000 + os.Getpid())

// withThreads runs the command as a user who may have at most the given number of threads.
func withThreads(t *testing.T, most uint64, args ...string) clitest.Result {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root becomes another user")
	}
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NPROC, &old); err != nil {
		t.Skip(err)
	}
	// The child process inherits the limit. This process runs as root, to whom the limit does not apply.
	if err := unix.Setrlimit(unix.RLIMIT_NPROC, &unix.Rlimit{Cur: most, Max: old.Max}); err != nil {
		t.Skip(err)
	}
	defer unix.Setrlimit(unix.RLIMIT_NPROC, &old)
	cmd := command(t, "/", args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: stranger, Gid: stranger}}
	return finish(t, cmd)
}

// TestThreadLimit checks that the command ends with a message if there are too few threads. Otherwise the Go runtime
// would end it with the stacks of its goroutines. With fewer than six threads, the Go runtime may end the program
// before main.
func TestThreadLimit(t *testing.T) {
	repeat, limits := 1, []uint64{6, 9, 20}
	if *long {
		repeat, limits = 30, []uint64{6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}
	}
	for _, most := range limits {
		for range repeat {
			for _, args := range []string{
				"scene:cube -s 700 -o /dev/null --depth /dev/null --trace /dev/null",
				"animate scene:soup?triangles=2000 --turntable --frames 3 -s 100 --record-loads /dev/null",
				"info scene:cube",
			} {
				r := withThreads(t, most, strings.Fields(args)...)
				switch {
				case r.Code == int(cli.Usage) && most < 14:
					r.Want(t, cli.Usage, "ulimit -u")
				case r.Code != int(cli.Done):
					t.Errorf("%d threads, %s: exit code %d: %s", most, args, r.Code, r.Stderr)
				}
			}
		}
	}
	withThreads(t, 20, "scene:cube", "-s", "16", "-o", "/dev/null", "--workers", "64").Want(t, cli.Usage, "--workers 64", "ulimit -u")
}

func TestFileLimit(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	// With fewer files the Go runtime may end before main.
	step := 4
	if *long {
		step = 1
	}
	for most := 8; most <= 24; most += step {
		r := limited(t, dir, fmt.Sprintf("ulimit -n %d", most), mesh, "-s", "100", "-o", "o.png", "--depth", "d.png", "--trace", "t.jsonl", "--stats", "json")
		switch {
		case r.Code == int(cli.Usage) && most < 20:
			r.Want(t, cli.Usage, "ulimit -n")
			clitest.WantFiles(t, dir)
		case r.Code != int(cli.Done):
			t.Errorf("%d files: exit code %d: %s", most, r.Code, r.Stderr)
		}
		for _, name := range clitest.Files(t, dir) {
			os.Remove(dir + "/" + name)
		}
	}
}
