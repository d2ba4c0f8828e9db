//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package atomicfile

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestSweep checks that temporary files without a lock are removed. Files of running processes, other files, and the
// target of a link must stay.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for i := range 3 * orphanBatch / 2 {
		put(t, at(fmt.Sprintf(".render-%016x.tmp", i)), "orphan")
	}
	for _, name := range []string{".render-a.tmp.png", "render-b.tmp", ".render-c", "precious"} {
		put(t, at(name), "other")
	}
	for _, err := range []error{
		os.Mkdir(at(".render-folder.tmp"), 0o755),
		os.Symlink("precious", at(".render-link.tmp")),
		syscall.Mkfifo(at(".render-pipe.tmp"), 0o644),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	var living, s Set
	held := create(t, &living, at("held"), "held")
	if err := create(t, &s, at("o"), "new").Commit(); err != nil {
		t.Fatal(err)
	}
	if err := held.Commit(); err != nil {
		t.Error(err)
	}
	wantEntries(t, dir, ".render-a.tmp.png", ".render-c", ".render-folder.tmp", ".render-link.tmp", ".render-pipe.tmp", "held", "o", "precious", "render-b.tmp")
}

// TestSweptBeforeLock checks that a file that was removed as an orphan before it was locked is created again.
func TestSweptBeforeLock(t *testing.T) {
	name := filepath.Join(t.TempDir(), ".render-0.tmp")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if !leadsTo(name, f) {
		t.Error("a file that is there")
	}
	removeOrphan(name)
	if !lock(f) || leadsTo(name, f) {
		t.Error("a file that was swept")
	}
	sweeper, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer sweeper.Close()
	again, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if !lock(sweeper) || lock(again) {
		t.Error("two have the lock of one file")
	}
	if leadsTo(name, f) {
		t.Error("another file of the same name")
	}
}

// TestKeepLock checks that a file that was closed but not yet renamed is not removed as an orphan.
func TestKeepLock(t *testing.T) {
	name := filepath.Join(t.TempDir(), ".render-0.tmp")
	f, err := os.Create(name)
	if err != nil || !lock(f) {
		t.Fatal(err)
	}
	release := keepLock(f)
	f.Close()
	removeOrphan(name)
	if _, err := os.Stat(name); err != nil {
		t.Error(err)
	}
	release()
	removeOrphan(name)
	if _, err := os.Stat(name); err == nil {
		t.Error("an orphan stays")
	}
}
