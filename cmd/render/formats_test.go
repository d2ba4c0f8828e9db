package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// surfaceFiles writes a mesh in many formats and returns the names of the files.
func surfaceFiles(t *testing.T, dir, mesh string) []string {
	t.Helper()
	var names []string
	for _, format := range []string{"stl", "stl-ascii", "ply", "ply-ascii", "obj", "off", "off-binary", "glb"} {
		name := "surface." + format
		run(t, dir, "", "convert", mesh, name, "--to", format, "-q").Want(t, cli.Done)
		names = append(names, name)
	}
	run(t, dir, "", "convert", mesh, "packed.ply.zst", "-q").Want(t, cli.Done)
	clitest.Write(t, filepath.Join(dir, "surface.3mf"), model3MF(t, string(clitest.Read(t, filepath.Join(dir, "surface.stl-ascii")))))
	return append(names, "packed.ply.zst", "surface.3mf")
}

// model3MF returns the triangles of an ASCII STL file as 3MF.
func model3MF(t *testing.T, stl string) string {
	t.Helper()
	var vertices, triangles strings.Builder
	n := 0
	for line := range strings.Lines(stl) {
		words := strings.Fields(line)
		if len(words) != 4 || words[0] != "vertex" {
			continue
		}
		fmt.Fprintf(&vertices, `<vertex x="%s" y="%s" z="%s"/>`, words[1], words[2], words[3])
		if n++; n%3 == 0 {
			fmt.Fprintf(&triangles, `<triangle v1="%d" v2="%d" v3="%d"/>`, n-3, n-2, n-1)
		}
	}
	var b bytes.Buffer
	archive := zip.NewWriter(&b)
	w, err := archive.Create("3D/3dmodel.model")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(w, `<model xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"><resources><object id="1"><mesh><vertices>%s</vertices><triangles>%s</triangles></mesh></object></resources><build><item objectid="1"/></build></model>`,
		&vertices, &triangles)
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestSamePicture checks that a surface has the same picture in all formats, to the last bit. In glTF the axis y is up,
// so the other files are also written from the turned mesh for a comparison with glTF.
func TestSamePicture(t *testing.T) {
	for _, scene := range []string{"scene:gear?triangles=1500", "scene:particles?triangles=1500", "scene:bumpy?triangles=1500"} {
		dir := t.TempDir()
		run(t, dir, "", "convert", scene, "turned.glb", "-q").Want(t, cli.Done)
		for _, c := range []struct{ mesh, up string }{{scene, "z"}, {"turned.glb", "y"}} {
			if c.up == "y" && !*long && !strings.Contains(scene, "particles") {
				continue
			}
			names := surfaceFiles(t, dir, c.mesh)
			for _, look := range [][]string{{"--fast"}, {"--samples=4", "--edges"}} {
				args := append(look, "-s", "96x64", "--up", c.up, "--color=9fb0c3", "-q", "-o")
				run(t, dir, "", append(slices.Clone(args), "want.png", c.mesh)...).Want(t, cli.Done)
				run(t, dir, "", append(append(args, "pictures/"), names...)...).Want(t, cli.Done)
				pictures, err := pictureNames(names, "pictures")
				if err != nil {
					t.Fatal(err)
				}
				want := pictureFile(t, dir, "want.png")
				for i, name := range names {
					if c.up == "z" && strings.HasSuffix(name, ".glb") {
						continue
					}
					if got := pictureFile(t, dir, pictures[i]); !samePixels(got, want) {
						t.Errorf("%s, %s, %v: another picture", c.mesh, name, look)
					}
				}
				if err := os.RemoveAll(filepath.Join(dir, "pictures")); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// TestRepeatedObjects checks that a small file which places a triangle 2^40 times is refused, with the exit code of a
// bad file.
func TestRepeatedObjects(t *testing.T) {
	var model, b bytes.Buffer
	model.WriteString(`<model xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"><resources><object id="1"><mesh><vertices>` +
		`<vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/><vertex x="0" y="1" z="0"/></vertices><triangles><triangle v1="0" v2="1" v3="2"/></triangles></mesh></object>`)
	for i := 2; i < 42; i++ {
		fmt.Fprintf(&model, `<object id="%d"><components><component objectid="%d"/><component objectid="%[2]d"/></components></object>`, i, i-1)
	}
	model.WriteString(`</resources><build><item objectid="41"/></build></model>`)
	archive := zip.NewWriter(&b)
	w, err := archive.Create("3D/3dmodel.model")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(model.Bytes()); err != nil {
		t.Fatal(err)
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	clitest.Write(t, filepath.Join(dir, "a.3mf"), b.String())
	run(t, dir, "", "a.3mf", "-s", "16").Want(t, cli.Input, "a.3mf", "components, the limit is")
}
