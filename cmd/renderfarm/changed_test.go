package main

import (
	"os/exec"
	"path/filepath"
	"testing"

	"lockstep/internal/clitest"
)

// TestChangedPictures checks that pictures which are changed or removed while a film is drawn are drawn again.
func TestChangedPictures(t *testing.T) {
	t.Parallel()
	const frames = "60"
	want, dir := animation(t, frames), t.TempDir()
	out := filepath.Join(dir, "out")
	film := append(append([]string{"film"}, filmFlags(frames)...), "-o", "out", "--nodes", "2")
	var cmd *exec.Cmd
	disturbed(t, out, func() func() bool {
		cmd = command(t, dir, film...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return func() bool {
			list, _ := filepath.Glob(filepath.Join(out, "*.png"))
			for _, name := range list[:2] {
				b := clitest.Read(t, name)
				b[len(b)/2] ^= 1
				clitest.Write(t, name, string(b))
			}
			if countFrames(out) < 60 {
				return true
			}
			cmd.Wait()
			return false
		}
	})
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	wantSameFrames(t, out, want)
}
