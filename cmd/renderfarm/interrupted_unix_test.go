//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"lockstep/cluster/film"
	"lockstep/internal/cli"
	"lockstep/internal/folderlock"
)

// begun starts a slow film in a process group of its own, and waits for its first pictures.
func begun(t *testing.T, dir string) (cmd *exec.Cmd, stderr func() string) {
	t.Helper()
	cmd = command(t, dir, append(append([]string{"film"}, filmFlags("4000")...), "-o", "out", "--nodes", "2")...)
	said, err := os.Create(filepath.Join(dir, "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	cmd.Stderr = said
	stderr = func() string {
		b, err := os.ReadFile(said.Name())
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // its processes may end late and write into the folder that is being removed
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
		for end := time.Now().Add(time.Second); syscall.Kill(-cmd.Process.Pid, 0) == nil && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
	})
	waitFor(t, func() bool { return countFrames(filepath.Join(dir, "out")) > 3 })
	return cmd, stderr
}

// TestFilmInterruptedAndReplaced checks that Ctrl-C ends every process of a film, with one message. A second command in
// the same folder is refused with one line. A film with other flags replaces the interrupted one, whose pictures have
// the same names.
func TestFilmInterruptedAndReplaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, stderr := begun(t, dir)
	other := append(append([]string{"film"}, filmFlags("12")...), "-o", "out", "--nodes", "2")
	r := run(t, dir, "", other...)
	if r.Code != int(cli.Output) || r.Stderr != "renderfarm: out: another command draws a film here\n" {
		t.Errorf("a second command: code %d: %q", r.Code, r.Stderr)
	}
	if err := syscall.Kill(-first.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	first.Wait()
	if code := first.ProcessState.ExitCode(); code != int(cli.Interrupted) || stderr() != "renderfarm: interrupted\n" {
		t.Errorf("code %d: %q", code, stderr())
	}
	r = run(t, dir, "", other...)
	if r.Code != int(cli.Done) || !strings.Contains(r.Stderr, "out: an earlier film with pictures of the same names is given up: ") || strings.Count(r.Stderr, "\n") != 1 {
		t.Errorf("a film of other flags: code %d: %q", r.Code, r.Stderr)
	}
	want := animation(t, "12")
	for k := range 12 {
		name := fmt.Sprintf("knot_%04d.png", k)
		got, _ := os.ReadFile(filepath.Join(dir, "out", name))
		if right, err := os.ReadFile(filepath.Join(want, name)); err != nil || !bytes.Equal(got, right) {
			t.Errorf("%s differs: %v", name, err)
		}
	}
}

// TestEndsOverAndOver checks that a process which ends repeatedly for the same reason is reported once.
func TestEndsOverAndOver(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	drawing, stderr := begun(t, dir)
	port := filepath.Join(dir, "out", film.Folder, portFile+".new")
	if err := os.MkdirAll(filepath.Join(port, "in the way"), 0o777); err != nil {
		t.Fatal(err)
	}
	pkill := func() {
		out, err := exec.Command("pgrep", "-P", fmt.Sprint(drawing.Process.Pid), "-f", "serve --child").Output()
		if err != nil {
			return
		}
		exec.Command("kill", append([]string{"-9"}, strings.Fields(string(out))...)...).Run()
	}
	if _, err := exec.LookPath("pgrep"); err != nil {
		t.Skip("there is no pgrep")
	}
	pkill()
	waitFor(t, func() bool { return strings.Contains(stderr(), "port.new") })
	if err := exec.Command("sleep", "1.5").Run(); err != nil {
		t.Fatal(err)
	}
	drawing.Process.Signal(syscall.SIGINT)
	drawing.Wait()
	if n := strings.Count(stderr(), "port.new"); n != 1 {
		t.Errorf("said %d times: %s", n, stderr())
	}
}

// TestServerWithoutCommand checks that a server whose command has ended does not wait for the lock of the folder.
func TestServerWithoutCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	unlock, err := folderlock.Lock(dir, "server.lock")
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if r := run(t, dir, "", "serve", "--child", "--dir", dir); r.Code != int(cli.Done) || r.Stderr != "" {
		t.Errorf("code %d: %q", r.Code, r.Stderr)
	}
}
