package draco

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/meshtest"
)

// packed returns numbers in little-endian order. Integer constants become single bytes.
func packed(numbers ...any) string {
	var b []byte
	for _, n := range numbers {
		switch n := n.(type) {
		case int:
			b = append(b, byte(n))
		case string:
			b = append(b, n...)
		case float64:
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(n)))
		default:
			b, _ = binary.Append(b, binary.LittleEndian, n)
		}
	}
	return string(b)
}

// Parts of buffers that are written by hand.
var (
	head     = packed(Mark, 2, 2, 1, 0, 0, 0)
	walk     = packed(Mark, 2, 2, 1, 1, 0, 0)
	square   = packed(2, 4, 1, 0, 1, 2, 0, 2, 3)                                              // two triangles of four points
	corners4 = packed(1, 1, 0, 9, 3, 0, 7, 0, 0., 0., 0., 1., 0., 0., 1., 1., 0., 0., 1., 0.) // positions of these points
	whole    = head + square + corners4
	one      = packed(0, 9, 3, 0, 7, 0, 0., 0., 0., 1., 0., 0., 1., 1., 0.) // positions of three points
	// certain holds symbols that are all 2. Symbol 2 stands for the difference 1.
	certain = packed(1, 1, 3, 7, 1, 64, 1, 0)
)

// cases holds files that are written by hand, and the damage that the reader must report.
var cases = []meshtest.Case{
	{Name: "a square", File: whole, Triangles: 2},
	{Name: "differences of indices", File: head + packed(1, 3, 0) + packed(1, 1, 3, 15, 1, 64, 1, 0), Damage: "a gap of 3 behind symbol 0 of 3"},
	{Name: "certain differences of indices", File: head + packed(1, 3, 0) + certain, Damage: "a triangle of the points"},
	{Name: "a newer version", File: "DRACO\x09\x0a" + whole[7:], Damage: "byte 11: Draco's bitstream of version 9.10, which is not read"},
	{Name: "an old version", File: strings.Replace(whole, "DRACO\x02\x02", "DRACO\x01\x00", 1), Damage: "byte 11: Draco's bitstream of version 1.0, which is not read"},
	{Name: "lists of 2.1", File: packed(Mark, 2, 1, 1, 0, 0, 0, uint32(2), uint32(4)) + square[2:] + corners4, Triangles: 2},
	{Name: "symbols of 2.1", File: packed(Mark, 2, 1, 1, 1, 0, 0, 0, 3, 3, 1, 0, 1, 0, 18, uint64(1), 7, uint64(1), 0, 0, 1, 255, 0, 0, 1) + one, Triangles: 1},
	{Name: "symbols of 2.0", File: packed(Mark, 2, 0, 1, 1, 0, 0, 0, 3, 3, 1, 0, 1, 0, 18, uint64(1), 7, uint64(1), 0, 0, 2, 0, 1, 1, 255, 0, 0, 1) + one, Triangles: 1},
	{Name: "symbols of 1.1", File: packed(Mark, 1, 1, 1, 1, 0, 0, 0, uint32(3), uint32(3), uint32(1), 0, uint32(1), uint32(0), uint32(18), uint64(1), 7, uint64(1), 0,
		uint32(0), uint32(1), int32(0), 1, 255, 0, uint32(1)) + strings.Replace(one, "\x07", "\x07\x00", 1), Triangles: 1},
	{Name: "splits of 1.1", File: packed(Mark, 1, 1, 1, 1, 0, 0, 0, uint32(3), uint32(3), uint32(2), 0, uint32(2), uint32(1), uint32(18), uint64(1), 15, uint64(1), 0,
		uint32(1), uint32(1), uint32(0), 0, uint32(0)), Damage: "split 0: symbol 0 after 1, of 2"},
	{Name: "old valences", File: packed(Mark, 2, 1, 1, 1, 0, 0, 2, 3, 3, 1, 0, 1, 0, 20, uint64(1), 7, uint64(1), 0, 0, 1, 0), Damage: "valences of the mode 1"},
	{Name: "another geometry", File: strings.Replace(whole, "\x02\x02\x01\x00", "\x02\x02\x02\x00", 1), Damage: "unknown kind of geometry 2"},
	{Name: "another method", File: strings.Replace(whole, "\x02\x02\x01\x00", "\x02\x02\x01\x02", 1), Damage: "unknown method of encoding 2"},
	{Name: "a cloud", File: packed(Mark, 2, 3, 0, 0, 0, 0, uint32(4)) + corners4, Triangles: 32},
	{Name: "metadata", File: packed(Mark, 2, 2, 1, 0, 0, 128, 1, 7, 1, 1, "k", 2, "vv", 1, 1, "s", 0, 0, 0, 2, 1, "a", 0, 1, 1, "b", 0, 0, 1, "c", 0, 0) + square + corners4, Triangles: 2},
	{Name: "metadata that ends", File: packed(Mark, 2, 2, 1, 0, 0, 128, 0, 9, 1, "k"), Damage: "9 entries of metadata in 2 bytes"},
	{Name: "a point that is not there", File: head + packed(1, 3, 1, 0, 1, 3) + corners4, Damage: "a triangle of the points [0 1 3], of 3"},
	{Name: "more triangles than bytes", File: head + packed(255, 255, 3, 4, 1) + corners4, Damage: "65535 triangles"},
	{Name: "many points", File: head + packed(1, 255, 255, 255, 255, 127, 1), Damage: "1 triangles of 34359738367 points"},
	{Name: "another coding", File: head + packed(2, 4, 2), Damage: "unknown coding 2 of triangles"},
	{Name: "no attributes", File: head + square + packed(0), Damage: "its attributes: none is a position"},
	{Name: "an empty group", File: head + square + packed(1, 0), Damage: "a group without attributes"},
	{Name: "another kind of numbers", File: strings.Replace(whole, "\x00\x09\x03", "\x00\x0c\x03", 1), Damage: "attribute 7 has 3 numbers of the kind 12"},
	{Name: "whole floats", File: strings.Replace(whole, "\x03\x00\x07\x00", "\x03\x00\x07\x01", 1), Damage: "attribute 7 has 3 numbers of the kind 9 in the coding 1"},
	{Name: "ends early", File: whole[:len(whole)-1], Damage: "48 bytes, and 47 are left"},
	{Name: "whole numbers of two bytes", File: head + square + packed(1, 1, 0, 5, 3, 0, 7, 1, -2, 0, 2, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 2, 0, 2, 0, 0, 0, 0, 0, 2, 0, 3, 1), Triangles: 2},
	{Name: "whole numbers of five bytes", File: head + square + packed(1, 1, 0, 5, 3, 0, 7, 1, -2, 0, 5), Damage: "whole numbers of 5 bytes"},
	{Name: "an old prediction", File: head + square + packed(1, 1, 0, 5, 3, 0, 7, 1, 2, 1, 0), Damage: "Draco's old prediction 2 of attribute 7, which is not read"},
	{Name: "an unknown prediction", File: head + square + packed(1, 1, 0, 5, 3, 0, 7, 1, 7, 1, 0), Damage: "unknown prediction 7"},
	{Name: "normals that are none", File: head + square + packed(1, 1, 0, 5, 3, 0, 7, 1, 6, 1, 0), Damage: "attribute 7 is predicted as normals, and is none"},
	{Name: "another transform", File: head + square + packed(1, 1, 0, 5, 3, 0, 7, 1, 0, 3, 0), Damage: "the transform 3 of attribute 7"},
	{Name: "values in no range", File: head + square + packed(1, 1, 0, 5, 3, 0, 7, 1, 0, 1, 0, 1, "123456789012", int32(5), int32(4)), Damage: "values from 5 to 4"},
	{Name: "no symbols", File: walk + packed(0, 3, 1, 0, 0, 0), Damage: "1 triangles of 3 vertices in 0 symbols"},
	{Name: "a triangle added to nothing", File: walk + packed(0, 3, 1, 0, 1, 0, 0, 1, 0, 255, 1, 0), Damage: "a triangle is added to nothing"},
	{Name: "no vertices", File: walk + packed(0, 0, 1, 0, 1, 0, 0, 1, 7, 255, 1, 1), Damage: "a triangle of more than 0 vertices"},
	{Name: "symbols that end", File: walk + packed(0, 9, 9, 0, 9, 0, 0, 1, 255, 255, 1, 1), Damage: "the symbols end too early"},
	{Name: "other symbols", File: walk + packed(1, 3, 1, 0, 1, 0, 0, 1, 7, 255, 1, 0), Damage: "edgebreaker symbols of kind 1"},
	{Name: "one triangle by symbols", File: walk + packed(0, 3, 1, 0, 1, 0, 0, 1, 7, 255, 1, 1, 1, 255, 0, 0, 1) + one, Triangles: 1},
	{Name: "seams that are not there", File: walk + packed(0, 3, 1, 0, 1, 0, 0, 1, 7, 255, 1, 1, 1, 0, 1, 0), Damage: "attributes on the seams 0 of 0"},
}

func TestCases(t *testing.T) { meshtest.Check(t, Format, append(cases, treeCases...)) }

// TestCertain decodes triangles whose differences are all equal, so that each difference is coded in zero bits.
func TestCertain(t *testing.T) {
	m, err := Decode([]byte(head+packed(2, 7, 0)+certain+packed(1, 1, 0, 2, 1, 0, 7, 0, "abcdefg")), Limits{})
	if err != nil || m.Triangles[0] != [3]uint32{1, 2, 3} || m.Triangles[1] != [3]uint32{4, 5, 6} || string(m.Attributes[0].Data) != "abcdefg" {
		t.Fatal(m, err)
	}
}

// TestDetails reads colours, texture coordinates, normals and other numbers.
func TestDetails(t *testing.T) {
	data, err := os.ReadFile("testdata/torus-0-coarse.drc")
	if err != nil {
		t.Fatal(err)
	}
	m, rep, err := format.Read(context.Background(), strings.NewReader(string(data)), scenes.ReadOptions{Strict: true}, Format)
	if err != nil || m.Len() != 192 || rep.Format != "draco" {
		t.Fatal(rep, err)
	}
	f := m.Field("attribute4")
	if m.Colors == nil || f == nil || !m.Attributes.Normals.Has() || !m.Attributes.TexCoords.Has() {
		t.Fatalf("%v, %+v", f, m.Attributes)
	}
	d, err := Decode(data, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var v [4]float64
	for i, c := range d.Triangles {
		for _, a := range d.Attributes {
			a.Numbers(int(c[0]), v[:])
			at := m.Attributes.Index[0][i]
			switch got := m.Triangle(i)[0]; {
			case a.Type == Position && [3]float32{float32(v[0]), float32(v[1]), float32(v[2])} != got:
				t.Fatalf("triangle %d at %v, want %v", i, got, v)
			case a.Type == Generic && float32(v[0]) != f.Values[at]:
				t.Fatalf("triangle %d has %v, want %v", i, f.Values[at], v)
			case a.Type == TexCoord && [2]float32{float32(v[0]), float32(1 - v[1])} != m.Attributes.TexCoords.At(0, i):
				t.Fatalf("triangle %d has %v, want %v", i, m.Attributes.TexCoords.At(0, i), v)
			}
		}
	}
}

// TestLimits checks that decoding ends if a function of Limits returns an error.
func TestLimits(t *testing.T) {
	data, err := os.ReadFile("testdata/tatters-0-usual.drc")
	if err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stop")
	var held, worked, triangles int64
	count := Limits{
		Hold: func(n, bytes int64) error { triangles, held = n, max(held, bytes); return nil },
		Work: func(units int64) error { worked += units; return nil },
	}
	if _, err := Decode(data, count); err != nil || triangles != 160 || held < 100*triangles || worked < 10*triangles {
		t.Fatalf("%d triangles, %d bytes, %d units, %v", triangles, held, worked, err)
	}
	for most := int64(0); most < held; most += 997 {
		if _, err := Decode(data, Limits{Hold: func(_, bytes int64) error { return over(bytes, most, stop) }}); err != stop {
			t.Fatalf("%d bytes: %v", most, err)
		}
	}
	left := worked - 1
	if _, err := Decode(data, Limits{Work: func(units int64) error { left -= units; return over(-left, 0, stop) }}); err != stop {
		t.Fatal(err)
	}
	// If all differences are equal, a few bytes can hold eight million triangles.
	many := head + packed(128, 128, 128, 4, 3, 0) + certain
	if _, _, err := format.Read(context.Background(), strings.NewReader(many), scenes.ReadOptions{}, Format); !errors.As(err, new(*scenes.LimitError)) {
		t.Error(err)
	}
	if _, err := Decode([]byte(head+packed(128, 128, 128, 128, 1, 3, 0)+certain), Limits{}); err == nil || !strings.Contains(err.Error(), "more work than") {
		t.Error(err)
	}
}

func over(n, most int64, err error) error {
	if n > most {
		return err
	}
	return nil
}

// seeds returns the files of testdata and the files that are written by hand.
func seeds(tb testing.TB) (all []string) {
	for _, c := range append(cases, treeCases...) {
		if c.Triangles > 0 {
			all = append(all, c.File)
		}
	}
	names, err := filepath.Glob("testdata/*.drc")
	if err != nil || len(names) != len(goldens) {
		tb.Fatal(names, err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, string(data))
	}
	for _, file := range oldTrees(tb) {
		all = append(all, file)
	}
	return all
}

// TestCuts truncates every file at each byte. No result may be a mesh.
func TestCuts(t *testing.T) {
	for i, file := range seeds(t) {
		for n := range len(file) {
			if _, err := Decode([]byte(file[:n]), Limits{}); err == nil {
				t.Errorf("file %d is a mesh without its last %d bytes", i, len(file)-n)
			}
		}
	}
}

// mutant returns a file with a few changed bytes. Counts and codes become small numbers.
func mutant(r *rand.Rand, file, other string) string {
	b := []byte(file)
	for range 1 + r.IntN(4) {
		at := r.IntN(len(b))
		if r.IntN(2) == 0 {
			at = r.IntN(min(len(b), 64)) // counts, symbols and descriptions of attributes
		}
		switch r.IntN(7) {
		case 0:
			b[at] ^= 1 << r.IntN(8)
		case 1:
			b[at] += byte(r.IntN(5)) - 2
		case 2:
			b[at] = []byte{0, 1, 2, 3, 4, 5, 6, 7, 127, 128, 255}[r.IntN(11)]
		case 3:
			b[at] = byte(r.IntN(256))
		case 4: // insert a number of several bytes
			b = append(append(b[:at:at], 255, 255, byte(r.IntN(128))), b[at+1:]...)
		case 5: // remove a piece
			b = append(b[:at:at], b[min(len(b), at+1+r.IntN(8)):]...)
		case 6: // insert a piece of another file
			from := r.IntN(len(other))
			b = append(append(b[:at:at], other[from:min(len(other), from+1+r.IntN(32))]...), b[at:]...)
		}
		if len(b) == 0 {
			return file
		}
	}
	return string(b)
}

// TestMutants reads damaged files, 100,000 with the flag -long.
func TestMutants(t *testing.T) {
	n := 300
	if *long {
		n = 100_000
	}
	files := seeds(t)
	meshtest.Mutants(t, Format, n, *mutantsFrom, func(r *rand.Rand) string {
		return mutant(r, files[r.IntN(len(files))], files[r.IntN(len(files))])
	})
}

// FuzzRead reads arbitrary files.
func FuzzRead(f *testing.F) {
	for _, file := range seeds(f) {
		f.Add([]byte(file), 7)
	}
	f.Fuzz(func(t *testing.T, file []byte, piece int) { meshtest.FuzzInstances(t, Format, file, piece) })
}
