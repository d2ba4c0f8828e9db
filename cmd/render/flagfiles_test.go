package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
	"lockstep/internal/pictureflags"
)

// TestFilesOfFlags checks flags that name small files, with a device, a file that is too large and unknown keys.
func TestFilesOfFlags(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, filepath.Join(dir, "keys.toml"), strings.Repeat("# comment\n", pictureflags.MaxConfigBytes/10)+"size = [8, 8]\n")
	run(t, dir, "", "--config", "keys.toml", "scene:cube", "-o", "a.png").Want(t, cli.Usage, "keys.toml: is larger than 65536 bytes")
	clitest.Write(t, filepath.Join(dir, "unknown.toml"), "b = 1\na = 1\n[image]\nd = 1\nc = 1\n")
	run(t, dir, "", "--config", "unknown.toml", "scene:cube", "-o", "a.png").Want(t, cli.Usage, "unknown.toml: a: there is no flag of this name")
	for key, says := range map[string]string{"Line_Width": "there is no flag of this name, did you mean line-width?", "configs": "there is no flag of this name (see"} {
		clitest.Write(t, filepath.Join(dir, "near.toml"), key+" = 1\n")
		run(t, dir, "", "--config", "near.toml", "scene:cube", "-o", "a.png").Want(t, cli.Usage, "near.toml: "+key+": "+says)
	}
	if _, err := os.Stat("/dev/zero"); err != nil {
		t.Skip("no device that never ends")
	}
	for code, args := range map[cli.Code][]string{cli.Usage: {"image", "--config"}, cli.Input: {"image", "--camera"}} {
		run(t, dir, "", append(args, "/dev/zero", "scene:cube", "-o", "a.png")...).Want(t, code, "/dev/zero: is not a file")
	}
	run(t, dir, "", "animate", "--keyframes", "/dev/zero", "--frames", "2", "scene:cube", "-o", "film").Want(t, cli.Input, "/dev/zero: is not a file")
}

// TestMarksOfFiles reads files that begin with the byte-order mark of UTF-8.
func TestMarksOfFiles(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, filepath.Join(dir, "a.toml"), "\ufeffsize = [8, 8]\n")
	clitest.Write(t, filepath.Join(dir, "a.json"), "\ufeff"+`{"eye": [9, 9, 9], "target": [0, 0, 0]}`)
	run(t, dir, "", "--config", "a.toml", "--camera", "a.json", "scene:cube", "-o", "a.png").Want(t, 0, "")
	clitest.Write(t, filepath.Join(dir, "keys.json"), "\ufeff"+`[{"frame": 0, "eye": [9, 9, 9]}]`)
	run(t, dir, "", "animate", "--config", "a.toml", "--keyframes", "keys.json", "scene:cube", "-o", "a.gif").Want(t, 0, "")
}
