package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"lockstep/internal/clitest"
)

// TestChangedPictures checks that pictures which are changed or removed while a film is drawn are drawn again.
func TestChangedPictures(t *testing.T) {
	const frames = "60"
	want, dir := animation(t, frames), t.TempDir()
	out := filepath.Join(dir, "out")
	film := append(append([]string{"film"}, filmFlags(frames)...), "-o", "out", "--nodes", "2")
	cmd := command(t, dir, film...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	changed := 0
	for end := time.Now().Add(clitest.RunLimit / 2); changed < 2 && time.Now().Before(end); time.Sleep(time.Millisecond) {
		list, _ := filepath.Glob(filepath.Join(out, "*.png"))
		for ; changed < min(2, len(list)); changed++ {
			b, err := os.ReadFile(list[changed])
			if err != nil {
				t.Fatal(err)
			}
			b[len(b)/2] ^= 1
			if err := os.WriteFile(list[changed], b, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if changed < 2 {
		t.Fatal("no picture was changed")
	}
	wantSameFrames(t, out, want)
}
