//go:build unix

package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"lockstep/cluster/film"
)

// TestFilmWhoseServerMoves kills a server and occupies its port. The server must start again on another port, and all
// processes of the film must find it.
func TestFilmWhoseServerMoves(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("pkill"); err != nil {
		t.Skip("there is no pkill")
	}
	want, dir := animation(t, "40"), t.TempDir()
	out := filepath.Join(dir, "out")
	var cmd *exec.Cmd
	var errs *strings.Builder
	disturbed(t, out, func() func() bool {
		cmd = command(t, dir, append(append([]string{"film"}, filmFlags("40")...), "-o", out, "--nodes", "2", "--lease", "500ms", "--tries", "20")...)
		errs = new(strings.Builder)
		cmd.Stderr = errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return func() bool {
			port, err := os.ReadFile(filepath.Join(out, film.Folder, portFile))
			if err != nil { // the film has ended
				cmd.Wait()
				return false
			}
			exec.Command("pkill", "-9", "-f", tested.Path(t)+" serve .*"+regexp.QuoteMeta(out)).Run()
			other := takePort(t, strings.TrimSpace(string(port)))
			t.Cleanup(func() { other.Close() })
			if countFrames(out) < 40 {
				return true
			}
			cmd.Wait()
			return false
		}
	})
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	wantSameFrames(t, out, want)
}

// takePort listens on a port as soon as it is free, and closes every connection. It skips the test if the server is
// faster.
func takePort(t *testing.T, port string) net.Listener {
	t.Helper()
	for end := time.Now().Add(childPause); ; time.Sleep(time.Millisecond) {
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", port))
		if err == nil {
			go func() {
				for {
					c, err := l.Accept()
					if err != nil {
						return
					}
					c.Close()
				}
			}()
			return l
		}
		if time.Now().After(end) {
			t.Skip("the port was not free in time")
		}
	}
}
