package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// TestServeOnFullDisk checks that a server can start again on a full disk with the space of its reserve file. When
// there is space again, the server must write the reserve file again.
func TestServeOnFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	farm := filepath.Join(dir, "farm")
	if err := os.Mkdir(farm, 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", farm).CombinedOutput(); err != nil {
		t.Skipf("no small disk: %v: %s", err, out)
	}
	t.Cleanup(func() { exec.Command("umount", "-l", farm).Run() })
	serve := func() (stop func()) {
		cmd, out := command(t, dir, "serve", "--dir", "farm", "--store", "1G"), new(outputCollector)
		cmd.Stdout, cmd.Stderr = out, out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() { defer close(ended); cmd.Wait() }()
		waitFor(t, func() bool {
			select {
			case <-ended:
				t.Fatalf("the server ends: %s", out)
			default:
			}
			return strings.Contains(out.String(), joinPrefix)
		})
		if want := "MiB of the 1024 that it may: the disk has room for no more"; !strings.Contains(out.String(), want) {
			t.Errorf("the server says nothing of a small disk: %s", out)
		}
		return func() { cmd.Process.Kill(); <-ended }
	}
	stop := serve()
	if _, err := os.Stat(filepath.Join(farm, reserveFile)); err != nil {
		t.Error(err)
	}
	stop()
	filler := filepath.Join(farm, "filler")
	f, err := os.Create(filler)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(f, zeros{}); err == nil {
		t.Fatal("the disk is not full")
	}
	f.Close()
	for range 2 { // the second start has only the reserve of the first start
		serve()()
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	serve()()
	if info, err := os.Stat(filepath.Join(farm, reserveFile)); err != nil || info.Size() != reserveBytes {
		t.Errorf("%v, %v", info, err)
	}
	run(t, dir, "", "serve", "--dir", "farm", "--add-node", "a").Want(t, cli.Done)
	clitest.Read(t, filepath.Join(farm, nodesFolder, "a.key"))
}
