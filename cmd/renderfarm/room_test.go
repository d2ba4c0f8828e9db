package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestStoreLimit checks the limit of a store. A part of the disk must stay free. Files that are already stored must be
// counted. The user's limit must never be exceeded.
func TestStoreLimit(t *testing.T) {
	const gib = 1 << 30
	for _, c := range []struct{ allowed, kept, free, want int64 }{
		{8 * gib, 0, 100 * gib, 8 * gib},
		{8 * gib, 0, 4 * gib, 4*gib - diskReserve},
		{8 * gib, 3 * gib, 4 * gib, 7*gib - diskReserve},
		{8 * gib, 0, 80 << 20, 70 << 20},
		{8 * gib, 0, 0, minStore},
		{8 * gib, gib, 0, gib},
		{1 << 20, 0, 0, 1 << 20},
	} {
		if got := storeLimit(c.allowed, c.kept, c.free); got != c.want {
			t.Errorf("allowed %d, kept %d, free %d: %d, want %d", c.allowed, c.kept, c.free, got, c.want)
		}
	}
}

// TestBytesIn checks that files in subfolders are counted, and that a missing folder has 0 bytes.
func TestBytesIn(t *testing.T) {
	dir := t.TempDir()
	for name, size := range map[string]int{"a": 100, "b/c": 23, "b/d/e": 5} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := bytesIn(dir); got != 128 {
		t.Errorf("%d bytes", got)
	}
	if got := bytesIn(filepath.Join(dir, "none")); got != 0 {
		t.Errorf("%d bytes of nothing", got)
	}
}
