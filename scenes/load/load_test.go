package load_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"lockstep/scenes"
	"lockstep/scenes/internal/meshtest"
	"lockstep/scenes/load"
	"lockstep/scenes/procedural"
	"lockstep/scenes/stl"
)

// TestLoad reads one mesh by every function of the package.
func TestLoad(t *testing.T) {
	ctx := context.Background()
	scene, err := procedural.Parse("scene:knot?triangles=20000&colors=0")
	if err != nil {
		t.Fatal(err)
	}
	want, err := scenes.Load(ctx, scene, scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := stl.Write(&file, want, stl.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "knot.png"), file.Bytes(), 0o600); err != nil { // names do not matter
		t.Fatal(err)
	}
	check := func(door string, m *scenes.Mesh, rep *scenes.Report, err error) {
		t.Helper()
		if err != nil || rep.Format != stl.FormatBinary || rep.Bytes != int64(file.Len()) {
			t.Fatalf("%s: %v, %+v", door, err, rep)
		}
		meshtest.Same(t, m, want)
	}
	m, rep, err := load.File(ctx, filepath.Join(dir, "knot.png"), scenes.ReadOptions{})
	check("File", m, rep, err)
	m, rep, err = load.Reader(ctx, bytes.NewReader(file.Bytes()), scenes.ReadOptions{})
	check("Reader", m, rep, err)
	for name, fsys := range map[string]fs.FS{
		"DirFS":         os.DirFS(dir),
		"MapFS":         fstest.MapFS{"knot.png": {Data: file.Bytes()}},
		"front to back": sequential{os.DirFS(dir)},
	} {
		m, rep, err = load.FS(ctx, fsys, "knot.png", scenes.ReadOptions{})
		check(name, m, rep, err)
		_, _, err = load.FS(ctx, fsys, "none", scenes.ReadOptions{})
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: missing file: %v", name, err)
		}
		if _, _, err = load.FS(ctx, fsys, ".", scenes.ReadOptions{}); err == nil {
			t.Errorf("%s: a folder is read", name)
		}
	}
	s, rep, err := load.Stream(ctx, filepath.Join(dir, "knot.png"), scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	m, err = scenes.Load(ctx, s, scenes.ReadOptions{})
	check("Stream", m, rep, err)
}

// sequential is a file system whose files can only be read front to back.
type sequential struct{ fs.FS }

func (s sequential) Open(name string) (fs.File, error) {
	f, err := s.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return struct{ fs.File }{f}, nil
}

// TestNoStream checks that the error gives the reason if a file cannot be read by blocks.
func TestNoStream(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.stl")
	text := "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, filepath.Dir(path)} {
		if s, _, err := load.Stream(context.Background(), name, scenes.ReadOptions{}); !errors.Is(err, scenes.ErrNotSeekable) || s != nil || !strings.HasPrefix(err.Error(), name+": ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestDetect checks which format is detected from the start of a file, whether or not the size of the file is known.
func TestDetect(t *testing.T) {
	const square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n"
	stlHeader := func(mark string) string {
		return mark + strings.Repeat(" ", 80-len(mark)) + "\x01\x00\x00\x00" + strings.Repeat("\x00", 12) +
			"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x3f\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x3f\x00\x00\x00\x00\x00\x00"
	}
	for file, want := range map[string]string{
		"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n": "stl-ascii",
		stlHeader("any"): "stl-binary",
		// The size proves that this is an STL file, whatever its header says.
		stlHeader("ply\nformat ascii 1.0\n"): "stl-binary",
		stlHeader("OFF\n"):                   "stl-binary",
		stlHeader("solid a facet"):           "stl-binary",
		stlHeader("v 0 0 0\n"):               "stl-binary",
		"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_index\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n": "ply-ascii",
		"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n": "off",
		"# OFF\n" + square:                           "obj",
		"# a comment\no facet\n" + square:            "obj",
		"v 0 0 0\n# ply\n" + square:                  "obj",
		`{"asset":{"version":"2.0"},"nodes":[{"mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":0},"mode":6}]}],
		"accessors":[{"componentType":5126,"count":4,"type":"VEC3"}]}`: "gltf",
		"hello\nworld\n": "",
	} {
		_, rep, err := load.Reader(context.Background(), strings.NewReader(file), scenes.ReadOptions{Strict: true})
		got := ""
		if err == nil {
			got = rep.Format
		} else if want != "" || !errors.Is(err, scenes.ErrUnknownFormat) {
			t.Errorf("%q: %v", file, err)
			continue
		}
		if got != want {
			t.Errorf("%q: %q, want %q", file, got, want)
		}
	}
}
