//go:build unix

package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"lockstep/cluster/film"
	"lockstep/internal/cli"
)

// A film whose server does not start does not read its mesh to the end, which here never comes.
func TestFilmOfLockedFolder(t *testing.T) {
	dir := t.TempDir()
	held := filepath.Join(dir, "out", film.Folder)
	if err := os.MkdirAll(held, 0o777); err != nil {
		t.Fatal(err)
	}
	unlock, err := lockFolder(held, "lock")
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	slow := filepath.Join(dir, "slow.stl")
	if err := syscall.Mkfifo(slow, 0o644); err != nil {
		t.Skip(err)
	}
	writer, err := os.OpenFile(slow, os.O_RDWR, 0) // opening it to read does not wait
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	ended := make(chan bool)
	defer close(ended)
	go func() { // a mesh without an end
		triangle := []byte("facet\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n")
		writer.WriteString("solid s\n")
		for {
			select {
			case <-ended:
				return
			case <-time.After(time.Millisecond):
			}
			if _, err := writer.Write(triangle); err != nil {
				return
			}
		}
	}()
	r := run(t, dir, "", "film", "slow.stl", "--turntable", "--frames", "3", "-o", "out")
	if r.Code != int(cli.Output) || r.Stderr != "renderfarm: out: another command draws a film here\n" {
		t.Errorf("code %d: %q", r.Code, r.Stderr)
	}
}
