package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Whatever a mesh is converted to and from, the picture stays.
func TestConvert(t *testing.T) {
	dir := meshFiles(t, "a.stl")
	want := pixelsOf(t, dir, "a.stl")
	for _, names := range []string{"b.ply", "c.obj", "d.off", "e.stl"} {
		run(t, dir, "", "convert", "a.stl", names).want(t, exitDone)
		if got := pixelsOf(t, dir, names); !bytes.Equal(got, want) {
			t.Errorf("%s: another picture", names)
		}
	}
	run(t, dir, "", "convert", "d.off", "f.stl").want(t, exitDone)
	if got := pixelsOf(t, dir, "f.stl"); !bytes.Equal(got, want) {
		t.Error("OFF to STL: another picture")
	}
	for _, names := range []string{"h.ply.gz", "i.stl.zst"} {
		run(t, dir, "", "convert", "a.stl", names).want(t, exitDone)
		if got := pixelsOf(t, dir, names); !bytes.Equal(got, want) {
			t.Errorf("%s: another picture", names)
		}
	}
	run(t, dir, "", "h.ply.gz", "-s", "16").want(t, exitDone)
	wantCount(t, dir, "h.png", 1)
	// Through pipes, from a scene, and into a format that the name does not tell.
	r := run(t, dir, string(read(t, filepath.Join(dir, "c.obj"))), "convert", "-", "-", "--to", "stl-ascii")
	r.want(t, exitDone)
	write(t, filepath.Join(dir, "g.stl"), r.stdout)
	if got := pixelsOf(t, dir, "g.stl"); !strings.HasPrefix(r.stdout, "solid") || !bytes.Equal(got, want) {
		t.Error("through pipes: another picture")
	}
	run(t, dir, "", "convert", "scene:gear", "gear.glb").want(t, exitDone)
	if data := read(t, filepath.Join(dir, "gear.glb")); !bytes.HasPrefix(data, []byte("glTF")) {
		t.Errorf("a file that begins with %q", data[:4])
	}
}

// pixelsOf draws a mesh from above, whatever its up axis, and returns the pixels without
// the text.
func pixelsOf(t *testing.T, dir, mesh string) []byte {
	t.Helper()
	run(t, dir, "", mesh, "-s", "64", "--up", "z", "-o", "out.png").want(t, exitDone)
	data := read(t, filepath.Join(dir, "out.png"))
	return data[bytes.Index(data, []byte("IDAT")):]
}

func TestConvertRefuses(t *testing.T) {
	dir := meshFiles(t, "a.stl")
	write(t, filepath.Join(dir, "blank.stl"), "solid\nendsolid\n")
	write(t, filepath.Join(dir, "text"), "no mesh")
	whole := read(t, filepath.Join(dir, "a.stl"))
	write(t, filepath.Join(dir, "cut.stl"), string(whole[:len(whole)-20]))
	if err := os.Mkdir(filepath.Join(dir, "folder.stl"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code exitCode
		says string
	}{
		{"a.stl", exitUsage, "out"},
		{"a.stl b", exitUsage, "want --to FORMAT"},
		{"a.stl b.png", exitUsage, "stl-binary, stl-ascii, ply-binary"},
		{"a.stl -", exitUsage, "want --to FORMAT"},
		{"a.stl b.stl --to step", exitUsage, "--to step"},
		{"a.stl a.stl", exitUsage, "would replace"},
		{"missing.stl b.stl", exitInput, "missing.stl: no such file"},
		{"text b.stl", exitInput, "text: "},
		{"cut.stl b.stl --strict", exitInput, "cut.stl: "},
		{"blank.stl b.stl", exitBlank, "no triangles"},
		{"scene:nonsense b.stl", exitUsage, "nonsense"},
		{"a.stl folder.stl", exitOutput, "is a folder"},
		{"a.stl none/b.stl", exitOutput, "none/b.stl"},
	} {
		run(t, dir, "", append([]string{"convert"}, strings.Fields(c.args)...)...).want(t, c.code, c.says)
	}
	wantFiles(t, dir, "a.stl", "blank.stl", "cut.stl", "folder.stl", "text")
	run(t, dir, "", "convert", "cut.stl", "b.ply").want(t, exitDone, "warning: cut.stl")
}

// What is lost is said.
func TestConvertDrops(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.obj"), "v 0 0 0 1 0 0\nv 1 0 0 0 1 0\nv 0 1 0 0 0 1\nvn 0 0 1\nvt 0 0\nf 1/1/1 2/1/1 3/1/1\n")
	r := run(t, dir, "", "convert", "a.obj", "a.stl")
	r.want(t, exitDone, "render: warning: a.stl: stl-binary does not hold normals of vertices, colours of vertices, texture coordinates: left out")
	if r := run(t, dir, "", "convert", "a.obj", "a.ply"); r.stderr != "" {
		t.Errorf("a PLY file holds it all: %s", r.stderr)
	}
}
