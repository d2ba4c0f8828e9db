package main

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
	"lockstep/scenes"
	"lockstep/scenes/load"
)

// TestConvert checks that a converted mesh has the same picture, for all formats.
func TestConvert(t *testing.T) {
	dir := meshFiles(t, "a.stl")
	want := pixelsOf(t, dir, "a.stl")
	for _, names := range []string{"b.ply", "c.obj", "d.off", "e.stl"} {
		run(t, dir, "", "convert", "a.stl", names).Want(t, cli.Done)
		if got := pixelsOf(t, dir, names); !bytes.Equal(got, want) {
			t.Errorf("%s: another picture", names)
		}
	}
	run(t, dir, "", "convert", "d.off", "f.stl").Want(t, cli.Done)
	if got := pixelsOf(t, dir, "f.stl"); !bytes.Equal(got, want) {
		t.Error("OFF to STL: another picture")
	}
	for _, names := range []string{"h.ply.gz", "i.stl.zst"} {
		run(t, dir, "", "convert", "a.stl", names).Want(t, cli.Done)
		if got := pixelsOf(t, dir, names); !bytes.Equal(got, want) {
			t.Errorf("%s: another picture", names)
		}
	}
	run(t, dir, "", "h.ply.gz", "-s", "16").Want(t, cli.Done)
	wantCount(t, dir, "h.png", 1)
	// From a pipe into a pipe: --to names the format.
	r := run(t, dir, string(clitest.Read(t, filepath.Join(dir, "c.obj"))), "convert", "-", "-", "--to", "stl-ascii")
	r.Want(t, cli.Done)
	clitest.Write(t, filepath.Join(dir, "g.stl"), r.Stdout)
	if got := pixelsOf(t, dir, "g.stl"); !strings.HasPrefix(r.Stdout, "solid") || !bytes.Equal(got, want) {
		t.Error("through pipes: another picture")
	}
	// In a GLB file the axis y is up. The 3MF file is written by the test.
	run(t, dir, "", "convert", "a.stl", "j.glb").Want(t, cli.Done)
	if got := pixelsUp(t, dir, "j.glb", "y"); !bytes.Equal(got, want) {
		t.Error("GLB: another picture")
	}
	write3MF(t, filepath.Join(dir, "a.stl"), filepath.Join(dir, "k.3mf"))
	if got := pixelsOf(t, dir, "k.3mf"); !bytes.Equal(got, want) {
		t.Error("3MF: another picture")
	}
	run(t, dir, "", "convert", "scene:gear", "gear.glb").Want(t, cli.Done)
	if data := clitest.Read(t, filepath.Join(dir, "gear.glb")); !bytes.HasPrefix(data, []byte("glTF")) {
		t.Errorf("a file that begins with %q", data[:4])
	}
}

// pixelsOf draws a mesh with the up axis z, and returns the file from its pixels on, without the texts before them.
func pixelsOf(t *testing.T, dir, mesh string) []byte {
	t.Helper()
	return pixelsUp(t, dir, mesh, "z")
}

// write3MF writes a mesh as a 3MF package in which triangles share no vertices.
func write3MF(t *testing.T, from, to string) {
	t.Helper()
	m, _, err := load.File(context.Background(), from, scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var vertices, triangles strings.Builder
	for i := range m.Len() {
		for _, p := range m.Triangle(i) {
			fmt.Fprintf(&vertices, `<vertex x="%v" y="%v" z="%v"/>`, p[0], p[1], p[2])
		}
		fmt.Fprintf(&triangles, `<triangle v1="%d" v2="%d" v3="%d"/>`, 3*i, 3*i+1, 3*i+2)
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("3D/3dmodel.model")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(w, `<model xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"><resources><object id="1"><mesh><vertices>%s</vertices><triangles>%s</triangles></mesh></object></resources><build><item objectid="1"/></build></model>`,
		&vertices, &triangles)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, to, b.String())
}

func pixelsUp(t *testing.T, dir, mesh, up string) []byte {
	t.Helper()
	run(t, dir, "", mesh, "-s", "64", "--up", up, "-o", "out.png").Want(t, cli.Done)
	data := clitest.Read(t, filepath.Join(dir, "out.png"))
	return data[bytes.Index(data, []byte("IDAT")):]
}

func TestConvertRefuses(t *testing.T) {
	dir := meshFiles(t, "a.stl")
	clitest.Write(t, filepath.Join(dir, "blank.stl"), "solid\nendsolid\n")
	clitest.Write(t, filepath.Join(dir, "text"), "no mesh")
	whole := clitest.Read(t, filepath.Join(dir, "a.stl"))
	clitest.Write(t, filepath.Join(dir, "cut.stl"), string(whole[:len(whole)-20]))
	if err := os.Mkdir(filepath.Join(dir, "folder.stl"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code cli.Code
		says string
	}{
		{"a.stl", cli.Usage, "out"},
		{"a.stl b", cli.Usage, "expected --to FORMAT"},
		{"a.stl b.png", cli.Usage, "stl-binary, stl-ascii, ply-binary"},
		{"a.stl -", cli.Usage, "expected --to FORMAT"},
		{"a.stl b.stl --to step", cli.Usage, "--to step"},
		{"a.stl a.stl", cli.Usage, "would replace"},
		{"missing.stl b.stl", cli.Input, "missing.stl: no such file"},
		{"text b.stl", cli.Input, "text: "},
		{"cut.stl b.stl --strict", cli.Input, "cut.stl: "},
		{"blank.stl b.stl", cli.Blank, "no triangles"},
		{"scene:nonsense b.stl", cli.Usage, "nonsense"},
		{"a.stl folder.stl", cli.Output, "is a folder"},
		{"a.stl none/b.stl", cli.Output, "none/b.stl"},
	} {
		run(t, dir, "", append([]string{"convert"}, strings.Fields(c.args)...)...).Want(t, c.code, c.says)
	}
	clitest.WantFiles(t, dir, "a.stl", "blank.stl", "cut.stl", "folder.stl", "text")
	run(t, dir, "", "convert", "cut.stl", "b.ply").Want(t, cli.Done, "warning: cut.stl")
}

// TestConvertMaterials checks that the materials and textures of an OBJ file are converted with it, and that the new
// file has the same picture.
func TestConvertMaterials(t *testing.T) {
	dir := t.TempDir()
	var picture bytes.Buffer
	dots := image.NewNRGBA(image.Rect(0, 0, 2, 2))
	for i := range dots.Pix {
		dots.Pix[i] = uint8(40*i) | 0x80
	}
	for i := 3; i < len(dots.Pix); i += 4 {
		dots.Pix[i] = 255
	}
	if err := png.Encode(&picture, dots); err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, filepath.Join(dir, "dots.png"), picture.String())
	clitest.Write(t, filepath.Join(dir, "a.mtl"), "newmtl red\nKd 1 0 0\nnewmtl dots\nKd 1 1 1\nmap_Kd dots.png\n")
	clitest.Write(t, filepath.Join(dir, "a.obj"), "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvt 1 0\nvt 1 1\nusemtl dots\nf 1/1 2/2 3/3\nusemtl red\nf 1 3 4\nusemtl none\nf 1 2 5\n")
	if r := run(t, dir, "", "convert", "a.obj", "b.obj"); r.Code != int(cli.Done) || r.Stderr != "" {
		t.Fatalf("%d: %s", r.Code, r.Stderr)
	}
	clitest.WantFiles(t, dir, "a.mtl", "a.obj", "b-1.png", "b.mtl", "b.obj", "dots.png")
	if !bytes.Equal(pixelsOf(t, dir, "a.obj"), pixelsOf(t, dir, "b.obj")) {
		t.Error("the pictures differ")
	}
	// The converted mesh's file of materials must not replace the mesh that is read.
	clitest.Write(t, filepath.Join(dir, "c.mtl"), "v 0 0 0\nv 1 0 0\nv 1 1 0\nmtllib a.mtl\nusemtl red\nf 1 2 3\n")
	run(t, dir, "", "convert", "c.mtl", "c.obj", "--format", "obj").Want(t, cli.Usage, "would replace")
}

// TestConvertDrops checks that the command lists the data that the new format cannot hold.
func TestConvertDrops(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, filepath.Join(dir, "a.obj"), "v 0 0 0 1 0 0\nv 1 0 0 0 1 0\nv 0 1 0 0 0 1\nvn 0 0 1\nvt 0 0\nf 1/1/1 2/1/1 3/1/1\n")
	r := run(t, dir, "", "convert", "a.obj", "a.stl")
	r.Want(t, cli.Done, "render: warning: a.stl: stl-binary does not hold normals of vertices, colours of vertices, texture coordinates, the up axis: left out")
	if r := run(t, dir, "", "convert", "a.obj", "a.ply"); r.Stderr != "render: warning: a.ply: ply-binary does not hold the up axis: left out\n" {
		t.Errorf("a PLY file holds all but that y is up: %s", r.Stderr)
	}
	if r := run(t, dir, "", "convert", "a.obj", "a.glb"); r.Stderr != "" {
		t.Errorf("a GLB file holds it all: %s", r.Stderr)
	}
}

// TestConvertNothing checks that no file is written if the format can hold none of the triangles.
func TestConvertNothing(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, filepath.Join(dir, "a.stl"), "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 nan\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n")
	for _, name := range []string{"b.3mf", "b.glb"} {
		run(t, dir, "", "convert", "a.stl", name).Want(t, cli.Input, "no triangle of it has finite coordinates")
	}
	run(t, dir, "", "convert", "a.stl", "b.ply").Want(t, cli.Done)
	clitest.WantFiles(t, dir, "a.stl", "b.ply")
}
