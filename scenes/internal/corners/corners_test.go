package corners_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/assembly"
	"lockstep/scenes/internal/corners"
	"lockstep/scenes/internal/meshtest"
)

// A reader is a format whose files are read by a function.
type reader func(in *format.Input) (*scenes.Mesh, *scenes.Report, error)

func (reader) Names() []string                            { return []string{"x"} }
func (reader) Detect(_ []byte, _ int64) format.Likelihood { return format.Certain }
func (r reader) Read(in *format.Input) (*scenes.Mesh, *scenes.Report, error) {
	return r(in)
}

// build returns the mesh of the polygons that the function fill adds.
func build(t *testing.T, lists corners.Lists, fill func(b *corners.Builder) error) *scenes.Mesh {
	t.Helper()
	m, _, err := format.Read(context.Background(), strings.NewReader("x"), scenes.ReadOptions{}, reader(func(in *format.Input) (*scenes.Mesh, *scenes.Report, error) {
		held := int64(0)
		b, err := corners.New(in, lists, &held)
		if err == nil {
			err = fill(b)
		}
		if err != nil {
			return nil, nil, err
		}
		one := assembly.Instance{Shapes: b.Shapes(func(int32) int32 { return -1 }, nil), Transform: scenes.Identity()}
		return assembly.Build(in, &assembly.Scene{Instances: []assembly.Instance{one}, Warn: in.Warnings()}, "test")
	}))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func at(places ...int32) (all []corners.Corner) {
	for _, p := range places {
		all = append(all, corners.Corner{Position: p, Normal: corners.None, Color: corners.None, TexCoord: corners.None})
	}
	return all
}

// area returns the area of all triangles. Triangles that face down count as negative.
func area(m *scenes.Mesh) (sum float64) {
	for i := range m.Len() {
		c := m.Triangle(i)
		sum += float64((c[1][0]-c[0][0])*(c[2][1]-c[0][1])-(c[2][0]-c[0][0])*(c[1][1]-c[0][1])) / 2
	}
	return sum
}

// squares holds the corners of a square of width 4 and of two squares of width 1 inside it. The two small squares have
// opposite orientations.
var squares = [][3]float64{
	{0, 0, 0}, {4, 0, 0}, {4, 4, 0}, {0, 4, 0},
	{0.5, 0.5, 0}, {1.5, 0.5, 0}, {1.5, 1.5, 0}, {0.5, 1.5, 0},
	{2.5, 2.5, 0}, {2.5, 3.5, 0}, {3.5, 3.5, 0}, {3.5, 2.5, 0},
}

// TestHoles checks that holes are cut out, whatever their orientation is.
func TestHoles(t *testing.T) {
	for n, want := range []float64{16, 15, 14} {
		m := build(t, corners.Lists{Positions: squares}, func(b *corners.Builder) error {
			whole, err := b.AddWithHoles(b.Slot(0), at(0, 1, 2, 3), [][]corners.Corner{at(4, 5, 6, 7), at(8, 9, 10, 11)}[:n])
			if !whole {
				t.Error("a hole was filled")
			}
			return err
		})
		if got := area(m); math.Abs(got-want) > 1e-6 || m.Len() != 2+6*n {
			t.Errorf("%d holes: area %v, want %v; %d triangles", n, got, want, m.Len())
		}
	}
}

// TestVertices checks that equal corners share a vertex, and that missing entries are counted.
func TestVertices(t *testing.T) {
	lists := corners.Lists{Positions: squares, Normals: [][3]float64{{0, 0, 2}, {2, 0, 0}}, TexCoords: [][2]float64{{0.25, 0.5}}, Colors: []scenes.RGBA{scenes.Opaque(0xff0000)}}
	m := build(t, lists, func(b *corners.Builder) error {
		one := at(0, 1, 2, 3)
		for i := range one {
			one[i].Normal, one[i].TexCoord, one[i].Color = 0, 0, 0
		}
		other := at(0, 2, 3)
		other[0].Normal, other[1].Normal, other[2].Normal = 1, 99, 0
		for _, p := range [][]corners.Corner{one, one, other, at(0, 1), at(0, 1, 99)} {
			if err := b.Add(b.Slot(0), p); err != nil {
				return err
			}
		}
		if b.Dropped != 2 || b.Invalid != 1 || b.Len() != 5 {
			t.Errorf("%d dropped, %d strange, %d triangles", b.Dropped, b.Invalid, b.Len())
		}
		return nil
	})
	a := m.Attributes
	if a.Vertices != 7 || a.Normals.At(0, 0) != [3]float32{0, 0, 1} || a.Normals.At(0, 4) != [3]float32{1, 0, 0} || a.TexCoords.At(2, 1) != [2]float32{0.25, 0.5} {
		t.Errorf("%d vertices, normals %v, coordinates %v", a.Vertices, a.Normals.Values, a.TexCoords.Values)
	}
	if c := a.Colors.At(0, 0); c != scenes.Opaque(0xff0000) || a.Colors.At(0, 4) != scenes.Opaque(0xffffff) {
		t.Errorf("colours %v", a.Colors.Values)
	}
}

// TestScratch checks that builders which use one Scratch after the other are as if each had its own, and that the memory
// for their positions is counted once.
func TestScratch(t *testing.T) {
	in := meshtest.Input(context.Background(), scenes.ReadOptions{})
	var scratch corners.Scratch
	held := int64(0)
	long := corners.Lists{Positions: append(slices.Clone(squares), make([][3]float64, 1000)...)}
	for i, lists := range []corners.Lists{{Positions: squares[:4]}, long, {Positions: squares}, long} {
		own := int64(0)
		b, err := scratch.New(in, lists, &held)
		c, err2 := corners.New(in, lists, &own)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		for _, one := range []*corners.Builder{b, c} {
			if err := errors.Join(one.Add(one.Slot(0), at(0, 1, 2)), one.Add(0, at(0, 2, 3))); err != nil {
				t.Fatal(err)
			}
		}
		b.Release()
		none := func(int32) int32 { return -1 }
		got, want := b.Shapes(none, nil)[0], c.Shapes(none, nil)[0]
		var all, same [2][3]uint32
		got.Corners(0, 2, all[:])
		want.Corners(0, 2, same[:])
		if got.N != 2 || got.Points.N != 4 || all != same {
			t.Errorf("builder %d: %d triangles %v of %d points, want %v of 4", i, got.N, all, got.Points.N, same)
		}
	}
	if few := int64(4*len(long.Positions) + 4*1000); held > few {
		t.Errorf("%d bytes held, want at most %d", held, few)
	}
}

// TestScratchGrows checks that a Scratch counts only the memory that it holds for the longest list.
func TestScratchGrows(t *testing.T) {
	in := meshtest.Input(context.Background(), scenes.ReadOptions{})
	var scratch corners.Scratch
	held := int64(0)
	for n := range 101 {
		b, err := scratch.New(in, corners.Lists{Positions: make([][3]float64, n)}, &held)
		if err != nil {
			t.Fatal(err)
		}
		b.Release()
	}
	if held != 400 {
		t.Errorf("%d bytes held for 100 positions, want 400", held)
	}
}
