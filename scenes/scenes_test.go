package scenes

import (
	"bytes"
	"context"
	"flag"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/hschendel/stl"
)

var (
	long   = flag.Bool("long", false, "run tests that take minutes or gigabytes")
	update = flag.Bool("update", false, "write the meshes of the repository's testdata again")
)

// checkSameMesh compares every coordinate and colour bit for bit.
func checkSameMesh(tb testing.TB, got, want *Mesh) {
	tb.Helper()
	if got.Len() != want.Len() {
		tb.Fatalf("%d triangles, want %d", got.Len(), want.Len())
	}
	for k := range 3 {
		checkSameFloats(tb, "x", got.X[k], want.X[k])
		checkSameFloats(tb, "y", got.Y[k], want.Y[k])
		checkSameFloats(tb, "z", got.Z[k], want.Z[k])
	}
	if got.Origin != want.Origin {
		tb.Fatalf("origin %v, want %v", got.Origin, want.Origin)
	}
	if !slices.Equal(got.Colors, want.Colors) || (got.Colors == nil) != (want.Colors == nil) {
		tb.Fatalf("colours %v, want %v", short(got.Colors), short(want.Colors))
	}
}

func checkSameFloats(tb testing.TB, axis string, got, want []float32) {
	tb.Helper()
	for t := range want {
		if math.Float32bits(got[t]) != math.Float32bits(want[t]) {
			tb.Fatalf("triangle %d: %s = %v, want %v", t, axis, got[t], want[t])
		}
	}
}

func short(c []uint32) []uint32 { return c[:min(len(c), 8)] }

// writeSTL returns src as a binary STL file.
func writeSTL(tb testing.TB, src Source) []byte {
	tb.Helper()
	var file bytes.Buffer
	if err := WriteSTL(&file, src, WriteOptions{}); err != nil {
		tb.Fatal(err)
	}
	return file.Bytes()
}

func scene(tb testing.TB, arg string) *Scene {
	tb.Helper()
	s, err := ParseScene(arg)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func generate(tb testing.TB, arg string) *Mesh {
	tb.Helper()
	m, err := scene(tb, arg).Generate(context.Background())
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// oracleSolid returns m as the solid of an independent implementation.
func oracleSolid(m *Mesh) *stl.Solid {
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

// TestTestdata checks that the meshes in the repository's testdata are what
// the scenes give, bit for bit; with -update it writes them.
func TestTestdata(t *testing.T) {
	for path, arg := range map[string]string{
		"../testdata/knot.stl": "scene:knot?triangles=6000&colors=0",
		"../testdata/cube.stl": "scene:cube",
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
