package las

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/meshtest"
)

// A sample is a point that a test writes.
type sample struct {
	at          [3]int32
	intensity   uint16
	class, back uint8
	color       [3]uint16
}

var samples = []sample{
	{[3]int32{0, 0, 0}, 7, 2, 1, [3]uint16{0xff00, 0x8000, 0}},
	{[3]int32{100, 200, 300}, 65535, 9, 3, [3]uint16{0, 0, 0xffff}},
	{[3]int32{-100, 0, 50}, 0, 31, 2, [3]uint16{0x100, 0, 0}},
}

// file returns a file with points of the given format. The header is longer than the specification demands, and each
// point has `extra` more bytes.
func file(kind, minor int, points []sample, extra int) string {
	size := layouts[kind].size + extra
	head := make([]byte, 375+20)
	copy(head, signature)
	head[24], head[25], head[104] = 1, byte(minor), byte(kind)
	binary.LittleEndian.PutUint32(head[96:], uint32(len(head)))
	binary.LittleEndian.PutUint16(head[105:], uint16(size))
	if kind < 6 {
		binary.LittleEndian.PutUint32(head[107:], uint32(len(points)))
	}
	if minor >= 4 {
		binary.LittleEndian.PutUint64(head[247:], uint64(len(points)))
	}
	for axis, v := range []float64{0.01, 0.01, 0.1} {
		binary.LittleEndian.PutUint64(head[131+8*axis:], math.Float64bits(v))
		binary.LittleEndian.PutUint64(head[155+8*axis:], math.Float64bits(float64(1000*axis)))
	}
	var b bytes.Buffer
	b.Write(head)
	for _, p := range points {
		w := make([]byte, size)
		for axis, v := range p.at {
			binary.LittleEndian.PutUint32(w[4*axis:], uint32(v))
		}
		binary.LittleEndian.PutUint16(w[12:], p.intensity)
		w[14] = p.back | 0xf0
		if kind < 6 {
			w[14], w[15] = p.back|0xf8, p.class|0xe0 // set the flags beside return number and class
		} else {
			w[16] = p.class
		}
		if at := layouts[kind].color; at > 0 {
			for c, v := range p.color {
				binary.LittleEndian.PutUint16(w[at+2*c:], v)
			}
		}
		b.Write(w)
	}
	return b.String()
}

// The function with returns a file in which some bytes are replaced.
func with(file string, at int, with string) string { return file[:at] + with + file[at+len(with):] }

var whole = file(3, 2, samples, 0)

var cases = []meshtest.Case{
	{Name: "whole", File: whole, Triangles: 24},
	{Name: "ends early", File: whole[:len(whole)-1], Triangles: 16, Warning: "the file ends within point 2 of 3"},
	{Name: "claims many", File: with(whole, 107, "\xff\xff\xff\x7f"), Triangles: 24, Warning: "the file ends within point 3 of 2147483647"},
	{Name: "no points", File: whole[:395], Damage: "the file ends within point 0 of 3"},
	{Name: "LAZ", File: with(whole, 104, "\x83"), Damage: "compressed (LAZ)"},
	{Name: "an unknown format", File: with(whole, 104, "\x0b"), Damage: "points of the format 11"},
	{Name: "short points", File: with(whole, 105, "\x07\x00"), Damage: "points of the format 3 and 7 bytes"},
	{Name: "long points", File: with(whole, 105, "\x01\x10"), Damage: "points of the format 3 and 4097 bytes"},
	{Name: "version 2", File: with(whole, 24, "\x02"), Damage: "version 2.2 of LAS"},
	{Name: "an offset within the header", File: with(whole, 96, "\x10\x00\x00\x00"), Damage: "points that begin at byte 16"},
	{Name: "an offset behind the end", File: with(whole, 96, "\x00\x00\x10\x00"), Damage: "the file ends within point 0 of 3"},
	{Name: "a scale of zero", File: with(whole, 131, strings.Repeat("\x00", 8)), Damage: "a scale of 0"},
	{Name: "an origin that is no number", File: with(whole, 155, strings.Repeat("\xff", 8)), Damage: "an origin of NaN"},
	{Name: "cut in the header", File: whole[:200], Damage: "the file ends within its header"},
}

func TestCases(t *testing.T) { meshtest.Check(t, Format, cases) }

// TestFormats reads the same points in all formats and versions.
func TestFormats(t *testing.T) {
	for kind := range layouts {
		for _, extra := range []int{0, 5} {
			m, rep, err := format.Read(context.Background(), strings.NewReader(file(kind, 4, samples, extra)), scenes.ReadOptions{Strict: true}, Format)
			if err != nil {
				t.Fatal(kind, err)
			}
			if rep.Format != "las-1.4" || m.Len() != 24 {
				t.Errorf("format %d: %s, %d triangles", kind, rep.Format, m.Len())
			}
			for i, p := range samples {
				for name, want := range map[string]float32{"intensity": float32(p.intensity), "classification": float32(p.class), "return": float32(p.back)} {
					if f := m.Field(name); f == nil || f.Values[m.Attributes.Index[0][8*i]] != want {
						t.Errorf("format %d, point %d: %s is not %g", kind, i, name, want)
					}
				}
				if want := uint32(p.color[0]>>8)<<16 | uint32(p.color[1]>>8)<<8 | uint32(p.color[2]>>8); layouts[kind].color > 0 && m.Colors[8*i] != want {
					t.Errorf("format %d, point %d: colour %06x, want %06x", kind, i, m.Colors[8*i], want)
				}
			}
			at := m.Triangle(8)[2] // the corner above the second point
			if x, y := float64(at[0])+m.Origin[0], float64(at[1])+m.Origin[1]; math.Abs(x-1) > 1e-3 || math.Abs(y-1002) > 1e-3 {
				t.Errorf("format %d: the second point is at %g, %g", kind, x, y)
			}
		}
	}
}

// TestColors checks that colours of 8 bits, colours of 16 bits and points without a colour are distinguished.
func TestColors(t *testing.T) {
	for _, c := range []struct {
		colors [2][3]uint16
		want   string
	}{
		{[2][3]uint16{{255, 128, 0}, {1, 2, 3}}, "[ff8000 010203]"},
		{[2][3]uint16{{0xffff, 0x8000, 0}, {255, 2, 3}}, "[ff8000 000000]"},
		{[2][3]uint16{}, "none"},
	} {
		m := meshOf(t, file(2, 2, []sample{{color: c.colors[0]}, {at: [3]int32{9, 9, 9}, color: c.colors[1]}}, 0))
		got := "none"
		if m.Colors != nil {
			got = fmt.Sprintf("[%06x %06x]", m.Colors[0], m.Colors[8])
		}
		if got != c.want {
			t.Errorf("%v: %s, want %s", c.colors, got, c.want)
		}
	}
	// The first points of a scan may have no colour. In these files, the first colour comes after the prefix by which
	// formats are detected.
	for _, c := range []struct {
		color [3]uint16
		want  uint32
	}{{[3]uint16{0xff00, 0x8000, 0}, 0xff8000}, {[3]uint16{0xff, 0x80, 0}, 0xff8000}} {
		points := make([]sample, format.PrefixSize/layouts[2].size+2)
		for i := range points {
			points[i].at = [3]int32{int32(i)}
		}
		last := len(points) - 1
		points[last].color = c.color
		m := meshOf(t, file(2, 2, points, 0))
		if m.Colors == nil || m.Colors[8*last] != c.want {
			t.Errorf("the first colour of a scan, %v, is not read as %06x", c.color, c.want)
		}
	}
}

func meshOf(t *testing.T, file string) *scenes.Mesh {
	t.Helper()
	m, _, err := format.Read(context.Background(), strings.NewReader(file), scenes.ReadOptions{}, Format)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestMutants reads mutated point clouds.
func TestMutants(t *testing.T) {
	meshtest.MutantsOf(t, Format, file(0, 2, samples, 0), file(3, 3, samples, 2), file(7, 4, samples, 0))
}

func FuzzRead(f *testing.F) {
	for _, c := range cases {
		f.Add([]byte(c.File), 7)
	}
	f.Fuzz(func(t *testing.T, file []byte, piece int) { meshtest.FuzzInstances(t, Format, file, piece) })
}
