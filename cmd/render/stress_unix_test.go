//go:build unix

package main

import (
	"bytes"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// A storm runs the command many times and counts the results.
type storm struct {
	dir      string
	args     []string
	codes    map[int]int
	faults   int // number of runs that printed more than they should
	leftover int // number of runs that left a temporary file
}

// run starts the command once. It calls the function end with the process.
func (s *storm) run(t *testing.T, end func(*exec.Cmd)) {
	t.Helper()
	cmd := exec.Command(program(t), s.args...)
	cmd.Dir = s.dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	end(cmd)
	cmd.Wait()
	s.codes[cmd.ProcessState.ExitCode()]++
	if text := stderr.String(); strings.Count(text, "\n") > 1 || text != "" && !strings.HasPrefix(text, "render: ") {
		s.faults++
		t.Logf("standard error:\n%s", text)
	}
	if s.temporary(t) {
		s.leftover++
	}
}

// temporary reports whether there is a temporary file.
func (s *storm) temporary(t *testing.T) bool {
	return slices.ContainsFunc(clitest.Files(t, s.dir), func(name string) bool { return strings.HasPrefix(filepath.Base(name), ".render-") })
}

// The method want checks that all runs ended as documented.
func (s *storm) want(t *testing.T, runs int, codes ...cli.Code) {
	t.Helper()
	t.Logf("%d runs: exit codes %v, %d with more than a line, %d with a temporary file", runs, s.codes, s.faults, s.leftover)
	for _, code := range codes {
		runs -= s.codes[int(code)]
	}
	if runs != 0 || s.faults > 0 || s.leftover > 0 {
		t.Error("some runs did not end as they should")
	}
}

// listening waits until the process handles signals. Before that, a signal ends the process at once.
func (s *storm) listening(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(clitest.RunLimit / 2); !s.temporary(t); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the work never began")
		}
	}
}

// storms are commands that read, draw or write files for some time.
var storms = map[string][]string{
	"reading":   {"-", "-o", "o.png", "--depth", "d.png"},
	"drawing":   {"scene:soup?triangles=100000&size=1", "-s", "3000", "-o", "o.png", "--trace", "t.jsonl"},
	"writing":   {"scene:sphere?triangles=1000", "-s", "3000", "-o", "o.png", "--depth", "d.png"},
	"animation": {"animate", "scene:bumpy?triangles=5000", "--turntable", "--frames", "100000", "-s", "400", "-o", "turn"},
}

func TestSignalStorm(t *testing.T) {
	if !*long {
		t.Skip("-long not given")
	}
	signals := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}
	for name, args := range storms {
		t.Run(name, func(t *testing.T) {
			for _, c := range []struct {
				name   string
				runs   int
				first  []syscall.Signal
				second []syscall.Signal
			}{
				{"two", 500, signals[:3], signals},
				{"quit", 100, signals[3:], nil},
			} {
				s := storm{dir: t.TempDir(), args: args, codes: map[int]int{}}
				for range c.runs {
					s.run(t, func(cmd *exec.Cmd) {
						s.listening(t)
						time.Sleep(rand.N(50 * time.Millisecond))
						cmd.Process.Signal(c.first[rand.N(len(c.first))])
						if c.second != nil {
							time.Sleep(rand.N(200 * time.Millisecond))
							cmd.Process.Signal(c.second[rand.N(len(c.second))])
						}
					})
				}
				t.Log(c.name)
				s.want(t, c.runs, cli.Interrupted, cli.Done)
			}
		})
	}
}
