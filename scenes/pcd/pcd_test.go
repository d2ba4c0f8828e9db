package pcd

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

// head returns a header of points with a colour and an intensity.
func head(points int, data string) string {
	return fmt.Sprintf("# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS x y z rgb intensity\nSIZE 4 8 4 4 2\nTYPE F F F U I\nCOUNT 1 1 1 1 1\nWIDTH %d\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS %[1]d\nDATA %s\n", points, data)
}

func packed(numbers ...any) string {
	var b bytes.Buffer
	for _, n := range numbers {
		if err := binary.Write(&b, binary.LittleEndian, n); err != nil {
			panic(err)
		}
	}
	return b.String()
}

// inColumns returns the points of inBytes as LZF packs them: with literal bytes, and zeros that repeat earlier zeros.
func inColumns(points int) string {
	columns := packed([]float32{0, 1}, []float64{0, 2}, []float32{0, 3}, []uint32{0xffff8000, 0xff}, []int16{-5, 7})
	lzf := "\x00\x00" + "\x20\x00" + // a zero, repeated three times
		"\x03" + columns[4:8] + "\x00\x00" + "\xa0\x00" + // the number 1, and then eight zeros
		"\x07" + columns[16:24] + "\x00\x00" + "\x20\x00" // the number 2, and then four zeros
	rest := columns[28:]
	lzf += string(byte(len(rest)-1)) + rest
	return head(points, "binary_compressed") + packed(uint32(len(lzf)), uint32(len(columns))) + lzf
}

var (
	inText  = head(2, "ascii") + "0 0 0 16744448 -5\n1 2 3 255 7\n"
	inBytes = head(2, "binary") + packed(float32(0), float64(0), float32(0), uint32(0xffff8000), int16(-5), float32(1), float64(2), float32(3), uint32(0xff), int16(7))
	cases   = []meshtest.Case{
		{Name: "ASCII", File: inText, Triangles: 16},
		{Name: "binary", File: inBytes, Triangles: 16},
		{Name: "no numbers but coordinates", File: "VERSION .7\nFIELDS x y z\nWIDTH 1\nHEIGHT 1\nDATA ascii\n1 2 3\n", Triangles: 8},
		{Name: "NaN", File: strings.Replace(inText, "0 0 0 16", "nan nan nan 16", 1), Triangles: 8},
		{Name: "ends early", File: head(5, "ascii") + "0 0 0 1 1\n", Triangles: 8, Warning: "the file ends within point 1 of 5"},
		{Name: "ends early, binary", File: inBytes[:len(inBytes)-3], Triangles: 8, Warning: "the file ends within point 1 of 2"},
		{Name: "claims many", File: head(1<<30, "binary"), Damage: "the file ends within point 0 of 1073741824"},
		{Name: "a damaged line", File: strings.Replace(inText, "1 2 3", "1 x 3", 1), Triangles: 8, Warning: "line 13: point 1 left out: expected 5 numbers"},
		{Name: "compressed", File: inColumns(2), Triangles: 16},
		{Name: "compressed, fewer than the header says", File: strings.Replace(inColumns(2), "POINTS 2", "POINTS 3", 1), Triangles: 16, Warning: "the file ends within point 2 of 3"},
		{Name: "compressed, more than the header says", File: strings.Replace(inColumns(2), "POINTS 2", "POINTS 1", 1), Triangles: 8},
		{Name: "compressed, cut off", File: inColumns(2)[:len(inColumns(2))-1], Damage: "bytes of points, unpacked 44, in"},
		{Name: "compressed, without a size", File: head(2, "binary_compressed") + "xxxx", Damage: "the file ends before its points"},
		{Name: "compressed, claims", File: head(2, "binary_compressed") + packed(uint32(4), uint32(4000)) + "xxxx", Damage: "4 bytes of points, unpacked 4000, in 4"},
		{Name: "compressed, damaged", File: head(2, "binary_compressed") + packed(uint32(4), uint32(44)) + "\x00a\xff\xff", Damage: "damaged behind byte 1 of 44"},
		{Name: "unknown data", File: head(2, "zip"), Damage: `DATA "zip"`},
		{Name: "no z", File: strings.Replace(inText, "x y z", "x y w", 1), Damage: "the points have no z"},
		{Name: "too few sizes", File: strings.Replace(inText, "SIZE 4 8 4 4 2", "SIZE 4", 1), Damage: "line 4: SIZE has 1 entries for 5 fields"},
		{Name: "a size of three", File: strings.Replace(inText, "SIZE 4 8", "SIZE 4 3", 1), Damage: `SIZE "3"`},
		{Name: "a type", File: strings.Replace(inText, "TYPE F", "TYPE Q", 1), Damage: `TYPE "Q"`},
		{Name: "half floats", File: strings.Replace(inText, "SIZE 4", "SIZE 2", 1), Damage: "floats of 2 bytes"},
		{Name: "a count", File: strings.Replace(inText, "COUNT 1", "COUNT 99999", 1), Damage: `COUNT "99999"`},
		{Name: "a width", File: strings.Replace(inText, "WIDTH 2", "WIDTH -2", 1), Damage: `WIDTH "-2"`},
		{Name: "nonsense", File: strings.Replace(inText, "VIEWPOINT", "NONSENSE", 1), Damage: `line 9: unexpected "NONSENSE"`},
		{Name: "no data", File: inText[:90], Damage: "without DATA"},
	}
)

func TestCases(t *testing.T) { meshtest.Check(t, Format, cases) }

// TestValues checks that all encodings give the same colours and fields.
func TestValues(t *testing.T) {
	asFloat := strings.Replace(strings.Replace(inText, "TYPE F F F U", "TYPE F F F F", 1), "16744448", fmt.Sprint(math.Float32frombits(0xff8000)), 1)
	asFloat = strings.Replace(asFloat, " 255 7", fmt.Sprintf(" %g 7", math.Float32frombits(0xff)), 1)
	for name, file := range map[string]string{"ASCII": inText, "binary": inBytes, "compressed": inColumns(2), "colours in floats": asFloat} {
		m, _, err := format.Read(context.Background(), strings.NewReader(file), scenes.ReadOptions{Strict: true}, Format)
		if err != nil {
			t.Fatal(name, err)
		}
		f := m.Field("intensity")
		if m.Colors[0] != 0xff8000 || m.Colors[8] != 0xff || f == nil || f.Values[m.Attributes.Index[0][0]] != -5 || f.Values[m.Attributes.Index[0][15]] != 7 {
			t.Errorf("%s: %06x, %+v", name, m.Colors, f)
		}
		if at := m.Triangle(8)[0]; math.Abs(float64(at[1])+m.Origin[1]-2) > 0.1 {
			t.Errorf("%s: the second point is at %v", name, at)
		}
	}
}

// TestMutants reads mutated point clouds in text and in binary.
func TestMutants(t *testing.T) { meshtest.MutantsOf(t, Format, inText, inBytes, inColumns(2)) }

func FuzzRead(f *testing.F) {
	for _, c := range cases {
		f.Add([]byte(c.File), 7)
	}
	f.Fuzz(func(t *testing.T, file []byte, piece int) { meshtest.FuzzInstances(t, Format, file, piece) })
}
