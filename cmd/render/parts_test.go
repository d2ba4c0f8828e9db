package main

import (
	"path/filepath"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// TestPartFlags checks that parts can be given by number and by name, on the command line and in a configuration.
func TestPartFlags(t *testing.T) {
	dir := t.TempDir()
	square := func(name, z string) string {
		return "g " + name + "\nv 0 0 " + z + "\nv 1 0 " + z + "\nv 0 1 " + z + "\nf -3 -2 -1\n"
	}
	clitest.Write(t, filepath.Join(dir, "a.obj"), square("one;two", "0")+square("back", "-1"))
	clitest.Write(t, filepath.Join(dir, "front.obj"), square("one;two", "0"))
	clitest.Write(t, filepath.Join(dir, "c.toml"), "hide = [\"back\"]\n")
	draw := func(args ...string) string {
		run(t, dir, "", plainly(append(args, "-s", "40", "--up", "y", "-o", "o.png")...)...).Want(t, cli.Done)
		return fmtPixels(t, string(clitest.Read(t, filepath.Join(dir, "o.png"))))
	}
	front := draw("front.obj")
	for _, args := range [][]string{{"--hide", "1"}, {"--hide=back"}, {"--only", "one;two"}, {"--only", "0", "--hide", "back"}, {"--config", "c.toml"}} {
		if draw(append(args, "a.obj")...) != front {
			t.Errorf("%q: another picture than without the part", args)
		}
	}
	if red := draw("--part-color", "one;two=red", "--hide", "1", "a.obj"); red != draw("front.obj", "--color", "red") || red == front {
		t.Error("another picture than of a red part")
	}
	run(t, dir, "", "a.obj", "--hide", "2", "-o", "o.png").Want(t, cli.Usage, `--hide 2: the mesh has the parts 0 "one;two", 1 "back"`)
	run(t, dir, "", "a.obj", "--part-color", "red", "-o", "o.png").Want(t, cli.Usage, "--part-color", "PART=RRGGBB")
	run(t, dir, "", "a.obj", "--only", "0", "--hide", "0", "-o", "o.png").Want(t, cli.Blank, "all of its parts are hidden")
	run(t, dir, "", "scene:cube", "--only", "", "-o", "o.png").Want(t, cli.Usage, "--only")
}
