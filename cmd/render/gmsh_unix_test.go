//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// TestWithGmsh passes models to a program in place of Gmsh, and draws the meshes that the program writes.
func TestWithGmsh(t *testing.T) {
	dir := t.TempDir()
	bin, temporary := filepath.Join(dir, "bin"), filepath.Join(dir, "tmp")
	for _, folder := range []string{bin, temporary} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("TMPDIR", temporary)
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	clitest.Write(t, filepath.Join(dir, "mesh"), "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n1 0 0 0\n2 4 0 0\n3 0 0 4\n$EndNodes\n$Elements\n1\n1 2 2 1 1 1 2 3\n$EndElements\n")
	model := "ISO-10303-21;\nHEADER;\n"
	clitest.Write(t, filepath.Join(dir, "-part"), model)
	clitest.Write(t, filepath.Join(dir, "bad.brep"), "DBRep_DrawableShape\n")
	clitest.Write(t, filepath.Join(dir, "a.stl"), clitest.STL(clitest.Cube([3]float32{}, 1)))
	script := func(text string) {
		clitest.Write(t, filepath.Join(bin, "gmsh"), "#!/bin/sh\n"+text)
		if err := os.Chmod(filepath.Join(bin, "gmsh"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	script("echo \"$@\" > " + dir + "/args\nhead -c 13 \"$9\" > " + dir + "/seen\ncp " + dir + "/mesh \"$8\"\n")
	draw := []string{"--with", "gmsh", "-s", "60x40", "--view", "front"}
	run(t, dir, "", append(draw, "-o", "a.png", "--", "-part")...).Want(t, cli.Done)
	if got := texts(t, clitest.Read(t, filepath.Join(dir, "a.png")))["Source"]; got != "-part" {
		t.Errorf("the source is %q", got)
	}
	if _, n := middle(t, filepath.Join(dir, "a.png")); n < 100 {
		t.Errorf("%d pixels", n)
	}
	if got := string(clitest.Read(t, filepath.Join(dir, "seen"))); got != model[:13] {
		t.Errorf("Gmsh sees %q", got)
	}
	if got := string(clitest.Read(t, filepath.Join(dir, "args"))); !strings.HasPrefix(got, "-2 ") || !strings.HasSuffix(got, "/model.step\n") {
		t.Errorf("arguments %s", got)
	}
	run(t, dir, "", "convert", "--with", "gmsh", "./-part", "b.stl").Want(t, cli.Done)
	run(t, dir, "", append(draw, "-o", "c.png", "a.stl")...).Want(t, cli.Done) // Gmsh is not needed for a mesh
	run(t, dir, "", "./-part").Want(t, cli.Input, "gmsh -2 MODEL -o mesh.msh, which --with gmsh does")

	script("printf 'Error   : \\033[31m** no surfaces **\\033[0m\\nmore\\n'\nexit 1\n")
	run(t, dir, "", append(draw, "bad.brep")...).Want(t, cli.Input, "bad.brep: gmsh: Error   : ** no surfaces")
	script("exit 0\n")
	run(t, dir, "", append(draw, "bad.brep")...).Want(t, cli.Input, "bad.brep: gmsh: it made no mesh")
	t.Setenv("PATH", temporary)
	run(t, dir, "", append(draw, "bad.brep")...).Want(t, cli.Usage, "Gmsh is not installed")
	clitest.WantFiles(t, temporary)
}
