package format_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"strings"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/meshtest"
)

const (
	rawLine = "0 0 0 1 0 0 0 1 0\n"
	rawBad  = "0 0 0 1 0 0 0 NaN 0\n"
)

// TestRaw checks the rules for readers on the reader of the example: pieces of any size give the same mesh, each damage
// gives a warning, and a strict read returns an error if there is a warning.
func TestRaw(t *testing.T) {
	meshtest.Check(t, raw{}, []meshtest.Case{
		{Name: "whole", File: strings.Repeat(rawLine, 5000), Triangles: 5000},
		{Name: "no end of line", File: rawLine + strings.TrimSpace(rawLine), Triangles: 2},
		{Name: "bad line", File: rawLine + "0 0\n" + rawLine, Triangles: 2, Warning: "line 2: expected nine numbers"},
		{Name: "not finite", File: rawLine + rawBad, Triangles: 2, Bad: 1, Warning: "triangle 1: the triangle has a NaN or infinite coordinate"},
		{Name: "several not finite", File: rawBad + rawLine + rawBad, Triangles: 3, Bad: 2, Warning: "triangle 0: this and 1 more triangles have"},
	})
}

func FuzzRaw(f *testing.F) {
	f.Add([]byte(rawLine+"0 0\n"+rawBad), 3)
	f.Fuzz(func(t *testing.T, file []byte, piece int) { meshtest.Fuzz(t, raw{}, file, piece) })
}

// TestForcedRaw reads texts without triangles as a format that the user has named.
func TestForcedRaw(t *testing.T) {
	var damage *scenes.DamageError
	_, _, err := format.Read(t.Context(), strings.NewReader("no number\nnor here\n"), scenes.ReadOptions{Format: "raw"}, raw{})
	if !errors.As(err, &damage) || err.Error() != "input: line 1: expected nine numbers" {
		t.Error(err)
	}
}

// TestLimits checks that a mesh may have exactly as many triangles, and as much memory, as the options allow.
func TestLimits(t *testing.T) {
	file := []byte(strings.Repeat(rawLine, 10_000))
	for _, c := range []struct {
		opts scenes.ReadOptions
		unit string
	}{
		{scenes.ReadOptions{MaxTriangles: 10_000, MaxMemory: 1 << 20}, ""},
		{scenes.ReadOptions{MaxTriangles: 9_999}, scenes.UnitTriangles},
		{scenes.ReadOptions{MaxMemory: 500_000}, scenes.UnitBytes},
	} {
		m, _, err := format.Read(t.Context(), bytes.NewReader(file), c.opts, raw{})
		var limit *scenes.LimitError
		if c.unit == "" && (err != nil || m.Len() != 10_000) || c.unit != "" && (!errors.As(err, &limit) || limit.Unit != c.unit) {
			t.Errorf("%+v: %v", c.opts, err)
		}
	}
}

// empty is a format whose files have no triangles.
type empty struct{ raw }

func (empty) Read(in *format.Input) (*scenes.Mesh, *scenes.Report, error) {
	return in.NewBuilder().Mesh("empty", in.Warnings())
}

// TestNoTriangles checks that an undamaged mesh without triangles causes a warning, and an error of a strict read.
func TestNoTriangles(t *testing.T) {
	m, rep, err := format.Read(t.Context(), strings.NewReader(rawLine), scenes.ReadOptions{}, empty{})
	if err != nil || m.Len() != 0 || len(rep.Warnings) != 1 || rep.Warnings[0] != "input: its triangles: there are none" || !rep.Bounds.Empty() {
		t.Errorf("%v, %+v", err, rep)
	}
	if _, _, err := format.Read(t.Context(), strings.NewReader(rawLine), scenes.ReadOptions{Strict: true}, empty{}); err == nil {
		t.Error("a strict read takes a mesh without triangles")
	}
}

// TestNamesOfFormats checks that a file name is recognised if its extension is the name of a format, and that a file
// with such a name is read first from an archive.
func TestNamesOfFormats(t *testing.T) {
	if !format.Named("a.RAW", raw{}) || !format.Named("a.raw.gz", raw{}) || format.Named("a.raw") || format.Named("a.stl", raw{}) {
		t.Error("a name is not that of a file")
	}
	var file bytes.Buffer
	w := zip.NewWriter(&file)
	for i, name := range []string{"a.txt", "b.raw"} {
		entry, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		entry.Write([]byte(strings.Repeat(rawLine, i+1)))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	m, rep, err := format.Read(t.Context(), &file, scenes.ReadOptions{}, raw{})
	if err != nil || m.Len() != 2 || len(rep.Warnings) != 0 || rep.Packing != "zip" {
		t.Errorf("%v, %+v", err, rep)
	}
}
