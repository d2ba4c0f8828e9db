package format_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/scenes/format"
	"lockstep/scenes/load"
)

func TestNamed(t *testing.T) {
	for name, want := range map[string]bool{
		"a.stl": true, "b.OBJ": true, "c.ply.gz": true, "d.off.zst": true, "e.3mf": true, "f.glb.ZIP": true, "g.gltf": true,
		"a.png": false, "b.zip": false, "c.tar.gz": false, "stl": false, "d.stl.txt": false, "": false, ".gz": false,
	} {
		if format.Named(name, load.Formats()...) != want {
			t.Errorf("%q: %v, want %v", name, !want, want)
		}
	}
}

// archive returns a ZIP archive with files of the given names, whose contents do not matter.
func archive(t *testing.T, names ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range names {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		f.Write([]byte("contents"))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func gzipText(t *testing.T, s string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(s))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestRecognise recognises files in a folder by their contents.
func TestRecognise(t *testing.T) {
	const (
		ascii = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n"
		obj   = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
	)
	binary := append(make([]byte, 80), 1, 0, 0, 0)
	binary = append(binary, make([]byte, 50)...)
	for _, c := range []struct {
		name, data string
		want       bool
	}{
		{"STL, text", ascii, true},
		{"STL, binary", string(binary), true},
		{"PLY", "ply\nformat ascii 1.0\n", true},
		{"OFF", "OFF\n3 1 0\n", true},
		{"OBJ", obj, true},
		{"packed OBJ", gzipText(t, obj), true},
		{"glTF", `{"asset":{"version":"2.0"},"accessors":[]}`, true},
		{"archive of a mesh", archive(t, "read.me", "parts/a.STL"), true},
		{"3MF", archive(t, "[Content_Types].xml", "3D/3dmodel.model"), true},
		{"nothing", "", false},
		{"text", "Dear reader,\nv is a letter.\n", false},
		{"materials", "newmtl red\nKd 1 0 0\n", false},
		{"packed text", gzipText(t, "hello hello"), false},
		{"cut gzip", gzipText(t, obj)[:12], false},
		{"tile set", `{"asset":{"version":"1.0"},"root":{}}`, false},
		{"JSON", `{"accessors":[],"buffers":[]}`, false},
		{"document", archive(t, "[Content_Types].xml", "_rels/.rels", "word/document.xml"), false},
		{"archive without its directory", archive(t, "a.stl")[:40], false},
		{"picture", "\x89PNG\r\n\x1a\n" + strings.Repeat("\x00\x01", 200), false},
		{"numbers", strings.Repeat("\x00\x00\x80\x3f", 1000), false},
	} {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, []byte(c.data), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := format.Recognise(context.Background(), path, load.Formats()...); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	if format.Recognise(context.Background(), t.TempDir(), load.Formats()...) {
		t.Error("a folder is a mesh")
	}
}
