package stl

import (
	"bytes"
	"context"
	"flag"
	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/procedural"
	"os"
	"testing"

	"github.com/hschendel/stl"
)

var (
	long   = flag.Bool("long", false, "run tests that take minutes or gigabytes")
	update = flag.Bool("update", false, "write the meshes of the repository's testdata again")
)

// writeSTL returns src as a binary STL file.
func writeSTL(tb testing.TB, src scenes.Source) []byte {
	tb.Helper()
	var file bytes.Buffer
	if err := Write(&file, src, WriteOptions{}); err != nil {
		tb.Fatal(err)
	}
	return file.Bytes()
}

func scene(tb testing.TB, arg string) *procedural.Scene {
	tb.Helper()
	s, err := procedural.Parse(arg)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func generate(tb testing.TB, arg string) *scenes.Mesh {
	tb.Helper()
	m, err := scenes.Load(context.Background(), scene(tb, arg), scenes.ReadOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// oracleSolid returns m as a solid of hschendel/stl, an independent implementation.
func oracleSolid(m *scenes.Mesh) *stl.Solid {
	s := &stl.Solid{Name: "oracle"}
	for t := range m.Len() {
		c := m.Triangle(t)
		s.Triangles = append(s.Triangles, stl.Triangle{Vertices: [3]stl.Vec3{c[0], c[1], c[2]}})
	}
	s.RecalculateNormals()
	return s
}

func oracleFile(tb testing.TB, s *stl.Solid, ascii bool) []byte {
	tb.Helper()
	s.IsAscii = ascii
	var file bytes.Buffer
	if err := s.WriteAll(&file); err != nil {
		tb.Fatal(err)
	}
	return file.Bytes()
}

// TestTestdata checks that the meshes in the testdata of the repository equal the scenes bit for bit. With the flag
// -update it writes them.
func TestTestdata(t *testing.T) {
	for path, arg := range map[string]string{
		"../../testdata/knot.stl": "scene:knot?triangles=6000&colors=0",
		"../../testdata/cube.stl": "scene:cube",
	} {
		want := writeSTL(t, scene(t, arg))
		if *update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not %s: run with -update and look at it", path, arg)
		}
	}
}

// readFile reads a file that must be STL.
func readFile(ctx context.Context, path string, opts scenes.ReadOptions) (*scenes.Mesh, *scenes.Report, error) {
	return format.ReadFile(ctx, path, opts, Format)
}
