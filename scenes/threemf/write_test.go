package threemf_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/klauspost/compress/zip"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/threemf"
)

// triangles returns a mesh of n triangles side by side.
func triangles(n int) *scenes.Mesh {
	m := &scenes.Mesh{Block: scenes.MakeBlock(n)}
	for i := range n {
		x := float32(i)
		m.Set(i, [3][3]float32{{x, 0, 0}, {x + 1, 0, 0}, {x, 1, 2}})
	}
	return m
}

// writeBack writes a mesh and reads it again.
func writeBack(t *testing.T, m *scenes.Mesh) (*scenes.Mesh, *scenes.Report) {
	t.Helper()
	var file bytes.Buffer
	if err := threemf.Write(&file, m); err != nil {
		t.Fatal(err)
	}
	got, rep, err := format.Read(context.Background(), &file, scenes.ReadOptions{Strict: true}, threemf.Format)
	if err != nil {
		t.Fatal(err)
	}
	return got, rep
}

// TestWriteUnits checks that units of the format are kept, and that other units are converted to metres.
func TestWriteUnits(t *testing.T) {
	for _, c := range []struct{ unit, want, scale float64 }{
		{1e-6, 1e-6, 1}, {1e-3, 1e-3, 1}, {1e-2, 1e-2, 1}, {0.0254, 0.0254, 1}, {0.3048, 0.3048, 1}, {1, 1, 1}, {0, 1e-3, 1}, {0.5, 1, 0.5}, {1000, 1, 1000},
	} {
		m := triangles(2)
		m.Unit = c.unit
		got, _ := writeBack(t, m)
		want := [3]float32{float32(c.scale), 0, 0}
		if got.Unit != c.want || got.Triangle(1)[0] != want {
			t.Errorf("unit %v: %v, corner %v, want %v and %v", c.unit, got.Unit, got.Triangle(1)[0], c.want, want)
		}
	}
}

// TestWriteTurns checks that every mesh is turned so that its up axis is +z.
func TestWriteTurns(t *testing.T) {
	for _, up := range []scenes.Axis{scenes.PlusX, scenes.PlusY, scenes.PlusZ, scenes.MinusX, scenes.MinusY, scenes.MinusZ} {
		m, want := triangles(3), triangles(3)
		m.Up, m.Unit = up, 0.5
		want.Stand(up, scenes.PlusZ)
		got, _ := writeBack(t, m)
		for i := range 3 {
			c := want.Triangle(i)
			for k := range c {
				for axis := range c[k] {
					c[k][axis] *= 0.5
				}
			}
			if got.Up != scenes.PlusZ || got.Triangle(i) != c {
				t.Errorf("%v: triangle %d is %v, want %v", up, i, got.Triangle(i), c)
			}
		}
	}
	m := triangles(1)
	m.Origin = [3]float64{1e6, -2e6, 0.1}
	got, _ := writeBack(t, m)
	for axis, v := range got.Triangle(0)[1] {
		if at := got.Origin[axis] + float64(v); math.Abs(at-m.Origin[axis]-float64(m.Triangle(0)[1][axis])) > 1e-8 {
			t.Errorf("corner at %v along %d", at, axis)
		}
	}
}

// TestWriteParts checks that each part becomes an object, also if its name must be escaped in XML.
func TestWriteParts(t *testing.T) {
	m := triangles(6)
	m.X[0][4] = float32(math.NaN())
	m.Parts = []scenes.Part{{Name: `a<b & "c">'d'`, First: 1, Count: 2}, {Name: "", First: 3, Count: 1}, {Name: "broken", First: 4, Count: 1}, {Name: "tab\tbell\a", First: 5, Count: 1}}
	got, rep := writeBack(t, m)
	var names []string
	for _, p := range got.Parts {
		names = append(names, fmt.Sprintf("%q %d+%d", p.Name, p.First, p.Count))
	}
	want := `"" 0+1, "a<b & \"c\">'d'" 1+2, "" 3+1, "tab?bell?" 4+1`
	if s := strings.Join(names, ", "); got.Len() != 5 || s != want || rep.BadTriangles != 0 {
		t.Errorf("%d triangles, parts %s, want %s", got.Len(), s, want)
	}
}

// TestWriteColors checks the colours of triangles and of corners.
func TestWriteColors(t *testing.T) {
	m := triangles(3)
	m.Colors = []uint32{0xff8000, 0x0000ff, 0xff8000}
	got, _ := writeBack(t, m)
	if fmt.Sprint(got.Colors) != fmt.Sprint(m.Colors) {
		t.Errorf("colours %06x, want %06x", got.Colors, m.Colors)
	}
	m = triangles(1)
	index := [3][]uint32{{0}, {1}, {2}}
	m.Attributes = &scenes.Attributes{Index: index, Vertices: 3, Colors: scenes.Attribute[scenes.RGBA]{Values: []scenes.RGBA{{1, 2, 3, 255}, {4, 5, 6, 0}, {7, 8, 9, 100}}, Index: index}}
	got, _ = writeBack(t, m)
	for k, want := range []scenes.RGBA{{1, 2, 3, 255}, {4, 5, 6, 1}, {7, 8, 9, 100}} {
		if c := got.Attributes.Colors.At(k, 0); c != want {
			t.Errorf("corner %d: %v, want %v", k, c, want)
		}
	}
}

// TestWriteIsDeterministic checks that writing a mesh twice gives the same bytes, without a time in them.
func TestWriteIsDeterministic(t *testing.T) {
	var files [2]bytes.Buffer
	for i := range files {
		m := triangles(300)
		m.Colors = make([]uint32, 300)
		for t := range m.Colors {
			m.Colors[t] = uint32(t * t)
		}
		if err := threemf.Write(&files[i], m); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0].Bytes(), files[1].Bytes()) {
		t.Error("the same mesh gives other bytes")
	}
	r, err := zip.NewReader(bytes.NewReader(files[0].Bytes()), int64(files[0].Len()))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.File {
		if y := f.Modified.Year(); y > 1980 {
			t.Errorf("%s is of %v", f.Name, f.Modified)
		}
	}
}

// TestWriteShares checks that each object has each of its vertices once.
func TestWriteShares(t *testing.T) {
	m := triangles(4)
	m.Parts = []scenes.Part{{Name: "a", Count: 2}, {Name: "b", First: 2, Count: 2}}
	var file bytes.Buffer
	if err := threemf.Write(&file, m); err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	model, err := r.Open("3D/3dmodel.model")
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if _, err := text.ReadFrom(model); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(text.String(), "<vertex "); n != 10 {
		t.Errorf("%d vertices, want 5 of each part:\n%s", n, &text)
	}
}

// TestWriteNothing writes a mesh without triangles, which may have an empty list of colours.
func TestWriteNothing(t *testing.T) {
	var b bytes.Buffer
	if err := threemf.Write(&b, &scenes.Mesh{Block: scenes.Block{Colors: []uint32{}}}); err != nil {
		t.Fatal(err)
	}
}
