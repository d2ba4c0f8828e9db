package off

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/meshtest"
	"lockstep/scenes/internal/text"
	"lockstep/scenes/procedural"
)

const square = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n"

// packed returns numbers as they are in a binary file.
func packed(numbers ...any) string {
	var b bytes.Buffer
	for _, n := range numbers {
		if err := binary.Write(&b, binary.BigEndian, n); err != nil {
			panic(err)
		}
	}
	return b.String()
}

// binarySquare returns a square of two triangles, the second of which is red.
func binarySquare() string {
	return "OFF BINARY\n" + packed([]int32{4, 2, 0}, []float32{0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0},
		[]int32{3, 0, 1, 2, 0}, []int32{3, 0, 2, 3, 4}, []float32{1, 0, 0, 1})
}

func cases() []meshtest.Case {
	whole := "OFF\n4 2 0\n" + square + "3 0 1 2\n3 0 2 3\n"
	bin := binarySquare()
	return []meshtest.Case{
		{Name: "whole", File: whole, Triangles: 2},
		{Name: "CRLF", File: strings.ReplaceAll(whole, "\n", "\r\n"), Triangles: 2},
		{Name: "CR", File: strings.ReplaceAll(whole, "\n", "\r"), Triangles: 2},
		{Name: "comments and blank lines", File: "# made by hand\n\n" + strings.ReplaceAll(whole, "\n", " # comment\n \n"), Triangles: 2},
		{Name: "numbers in the first line", File: strings.Replace(whole, "OFF\n", "OFF ", 1), Triangles: 2},
		{Name: "numbers right behind the word, as in ModelNet", File: strings.Replace(whole, "OFF\n", "OFF", 1), Triangles: 2},
		{Name: "a number a line", File: strings.Replace(whole, "4 2 0", "4\n2\n", 1), Triangles: 2},
		{Name: "no number of edges", File: strings.Replace(whole, "4 2 0", "4 2", 1), Triangles: 2},
		{Name: "no final line end", File: strings.TrimRight(whole, "\n"), Triangles: 2},
		{Name: "quadrilateral", File: "OFF\n4 1 0\n" + square + "4 0 1 2 3\n", Triangles: 2},
		{Name: "index into a table of colours", File: "OFF\n4 1 0\n" + square + "4 0 1 2 3 7\n", Triangles: 2},
		{Name: "binary", File: bin, Triangles: 2},
		{Name: "index too large", File: "OFF\n4 2 0\n" + square + "3 0 1 4\n3 0 2 3\n", Triangles: 1, Warning: "line 7: face left out: vertex 4 of 4"},
		{Name: "index negative", File: "OFF\n4 2 0\n" + square + "3 0 1 -1\n3 0 2 3\n", Triangles: 1, Warning: "line 7: face left out: vertex -1"},
		{Name: "two corners", File: "OFF\n4 2 0\n" + square + "2 0 1\n3 0 2 3\n", Triangles: 1, Warning: "face of 2 corners"},
		{Name: "too few numbers", File: "OFF\n4 2 0\n" + square + "3 0 1\n3 0 2 3\n", Triangles: 1, Warning: `line 7: face 0 left out: "" where a number`},
		{Name: "negative count", File: "OFF\n4 2 0\n" + square + "-3 0 1 2\n3 0 2 3\n", Triangles: 1, Warning: "face 0 left out"},
		{Name: "not a number", File: "OFF\n4 2 0\n" + square + "3 0 1 x\n3 0 2 3\n", Triangles: 1, Warning: `face 0 left out: "x"`},
		{Name: "damaged vertex", File: "OFF\n5 1 0\n" + square + "0 one 0\n3 0 1 2\n", Triangles: 1, Warning: `line 7: vertex 4 left out: "one"`},
		{Name: "NaN", File: "OFF\n3 1 0\n0 0 0\n1 0 0\nnan 1 0\n3 0 1 2\n", Triangles: 1, Bad: 1, Warning: "the triangle has a NaN"},
		{Name: "cut in the faces", File: "OFF\n4 3 0\n" + square + "3 0 1 2\n3 0 2 3\n", Triangles: 2, Warning: "the file ends within face 2 of 3"},
		{Name: "cut in the vertices", File: "OFF\n4000000000 3 0\n" + square, Damage: "the file ends within vertex 4 of 4000000000"},
		{Name: "more", File: whole + "3 0 1 2\n", Triangles: 2, Warning: "line 9: what follows the last face"},
		{Name: "no faces", File: "OFF\n4 0 0\n" + square, Triangles: 32},
		{Name: "nothing", File: "OFF\n0 0 0\n"},
		{Name: "no numbers", File: "OFF\n", Damage: "the file ends before the number of vertices"},
		{Name: "negative number", File: "OFF\n-4 2 0\n", Damage: "number of vertices"},
		{Name: "number of faces", File: "OFF\n4 many 0\n", Damage: `number of faces "many"`},
		{Name: "all faces damaged", File: "OFF\n4 1 0\n" + square + "3 0 1 9\n", Damage: "line 7: face left out"},
		{Name: "binary, cut in the faces", File: bin[:len(bin)-3], Triangles: 1, Warning: "the file ends within face 1 of 2"},
		{Name: "binary, cut in the vertices", File: bin[:40], Triangles: 8, Warning: "the file ends within vertex 1 of 4"},
		{Name: "binary, cut in the numbers", File: bin[:15], Damage: "the file ends within number 1 of 3"},
		{Name: "binary, cut in the first line", File: "OFF BINARY", Damage: "ends behind the word BINARY"},
		{Name: "binary, negative number", File: "OFF BINARY\n" + packed([]int32{-1, 2, 0}), Damage: "a number of -1"},
		{Name: "cut, without a line end", File: "OFF\n4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2", Triangles: 1, Warning: "line 8: the file ends within face 1 of 2"},
		{Name: "binary, more", File: bin + "\x00", Triangles: 2, Warning: "what follows the last face"},
	}
}

func TestMalformed(t *testing.T) { meshtest.Check(t, Format, cases()) }

// TestMutants reads the files of TestMalformed after changes of their structure.
func TestMutants(t *testing.T) { meshtest.MutantsOf(t, Format, meshtest.Files(cases())...) }

func FuzzRead(f *testing.F) {
	for _, c := range cases() {
		f.Add([]byte(c.File), 1+len(c.File)/3)
	}
	f.Add([]byte("STCN4OFF\n1 1 0\n1 2 3 2 0 0 1 1 0 0 1 0.5 0.5\n3 0 0 0 1 2 3\n"), 5)
	f.Fuzz(func(t *testing.T, file []byte, piece int) {
		meshtest.Fuzz(t, Format, file, piece)
		meshtest.CompareReaders(t, fileFormat{chunk: 1 + piece&127}, fileFormat{sequential: true}, file)
	})
}

func TestDetect(t *testing.T) {
	for file, want := range map[string]format.Likelihood{
		"OFF\n": format.Marked, "# comment\n\nCOFF 3 1 0\n": format.Marked, "STCN4OFF\n": format.Marked, "OFF BINARY\n\x00\x00": format.Marked, "OFF490 518 0\n": format.Marked,
		"nOFF\n3\n": format.No, "OFFICE\n": format.No, "off\n": format.No, "": format.No, "solid OFF\n": format.No, "\x00OFF\n": format.No,
	} {
		if got := Format.Detect([]byte(file), int64(len(file))); got != want {
			t.Errorf("%q: %v, want %v", file, got, want)
		}
	}
}

func read(t *testing.T, file string) *scenes.Mesh {
	t.Helper()
	m, _, err := format.Read(context.Background(), strings.NewReader(file), scenes.ReadOptions{Strict: true}, Format)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestLayouts reads one triangle in every layout.
func TestLayouts(t *testing.T) {
	want := [3][3]float32{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}
	for bits := range 16 {
		var word, row string
		l := layout{texture: bits&1 != 0, color: bits&2 != 0, normal: bits&4 != 0, weight: bits&8 != 0}
		binaryFile := []float32{}
		for _, p := range want {
			scale := float32(1)
			if l.weight {
				scale = 2
			}
			row += fmt.Sprint(scale*p[0], scale*p[1], scale*p[2])
			binaryFile = append(binaryFile, scale*p[0], scale*p[1], scale*p[2])
			if l.weight {
				row += " 2"
				binaryFile = append(binaryFile, 2)
			}
			if l.normal {
				row += " 0 0 1"
				binaryFile = append(binaryFile, 0, 0, 1)
			}
			if l.color {
				row += " 255 128 0 255"
				binaryFile = append(binaryFile, 1, 0.5, 0, 1)
			}
			if l.texture {
				row += " 0.5 0.25"
				binaryFile = append(binaryFile, 0.5, 0.25)
			}
			row += "\n"
		}
		for _, part := range []struct {
			has     bool
			letters string
		}{{l.texture, "ST"}, {l.color, "C"}, {l.normal, "N"}, {l.weight, "4"}} {
			if part.has {
				word += part.letters
			}
		}
		word += "OFF"
		for kind, file := range map[string]string{
			"text":   word + "\n3 1 0\n" + row + "3 0 1 2\n",
			"binary": word + " BINARY\n" + packed([]int32{3, 1, 0}, binaryFile, []int32{3, 0, 1, 2, 0}),
		} {
			m := read(t, file)
			if m.Triangle(0) != want || l.color != (m.Colors != nil) || l.color && m.Colors[0] != 0xff8000 {
				t.Errorf("%s, %s: %v, colours %06x", word, kind, m.Triangle(0), m.Colors)
			}
		}
	}
}

func TestColors(t *testing.T) {
	for colors, want := range map[string]uint32{
		"255 0 128": 0xff0080, "17 34 51 68": 0x112233, "1.0 0.5 0": 0xff8000, "0.1 0.2 0.3 1": 0x1a334d, "1 0 0": 0xff0000, "0 0 0": 0, "300 -5 2": 0xff0002,
	} {
		if m := read(t, "OFF\n4 1 0\n"+square+"3 0 1 2 "+colors+"\n"); m.Colors[0] != want {
			t.Errorf("%s: %06x, want %06x", colors, m.Colors[0], want)
		}
	}
	if m := read(t, binarySquare()); m.Colors[0] != scenes.DefaultColor || m.Colors[1] != 0xff0000 {
		t.Errorf("binary: colours %06x", m.Colors)
	}
	for _, none := range []string{"", "7", "1 2"} {
		if m := read(t, "OFF\n4 1 0\n"+square+"3 0 1 2 "+none+"\n"); m.Colors != nil {
			t.Errorf("%q is the colour %06x", none, m.Colors[0])
		}
	}
}

// TestSameSurface writes a scene of several chunks and buffers as text and in binary, and checks that it is read back
// bit for bit.
func TestSameSurface(t *testing.T) {
	s, err := procedural.Parse("scene:bumpy?triangles=150000")
	if err != nil {
		t.Fatal(err)
	}
	want, err := scenes.Load(context.Background(), s, scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var text, bin bytes.Buffer
	fmt.Fprintf(&text, "OFF %d %d 0\n", 3*want.Len(), want.Len())
	bin.WriteString("OFF BINARY\n" + packed([]int32{int32(3 * want.Len()), int32(want.Len()), 0}))
	for i := range want.Len() {
		for _, c := range want.Triangle(i) {
			fmt.Fprintf(&text, "%g %g %g\n", c[0], c[1], c[2])
			bin.WriteString(packed(c))
		}
	}
	for i := range want.Len() {
		fmt.Fprintf(&text, "3 %d %d %d\n", 3*i, 3*i+1, 3*i+2)
		bin.WriteString(packed([]int32{3, int32(3 * i), int32(3*i + 1), int32(3*i + 2), 0}))
	}
	for name, file := range map[string][]byte{"text": text.Bytes(), "binary": bin.Bytes()} {
		got, rep, err := format.Read(context.Background(), &meshtest.Dribble{Data: file, Size: 100_003}, scenes.ReadOptions{Strict: true}, Format)
		if err != nil || rep.Bounds != want.Bounds() {
			t.Fatalf("%s: %v, %+v", name, err, rep)
		}
		meshtest.Same(t, got, want)
	}
}

// TestDetectEarly checks that the first bytes give the same answer as the whole prefix.
func TestDetectEarly(t *testing.T) {
	// The file contains LF, although far behind its start. Therefore only LF ends a line, and the word OFF is part of
	// the comment.
	if got := (fileFormat{}).Detect([]byte("#\rOFF"+strings.Repeat(" ", 300)+"\n3"), -1); got != format.No {
		t.Errorf("a word in a comment: %v", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		if rapid.Bool().Draw(t, "mark") {
			b.WriteString("\ufeff")
		}
		// The filler puts words across the end of the first 256 bytes.
		filler := rapid.SampledFrom([]string{" ", "\r", "\n", "#", "# \r", "x"}).Draw(t, "filler")
		b.WriteString(strings.Repeat(filler, rapid.SampledFrom([]int{0, 1, 252, 253, 254, 255}).Draw(t, "fillers")/len(filler)))
		for range rapid.IntRange(0, 8).Draw(t, "pieces") {
			piece := rapid.SampledFrom([]string{"OFF", "COFF", "OFFSET", "OFF BINARY", "#", "# OFF", " ", "\n", "\r", "\r\n", "\t", "\x00", "3 4 5", "é"}).Draw(t, "piece")
			for range rapid.SampledFrom([]int{1, 1, 1, 1, 2, 100, 250}).Draw(t, "times") {
				b.WriteString(piece)
			}
		}
		prefix := []byte(b.String())
		want := format.No
		if text.IsText(prefix[:min(len(prefix), 3)]) {
			want = likelihoodOf(firstWord(prefix, text.EndOfLine(prefix)))
		}
		before := bytes.Clone(prefix)
		if got := (fileFormat{}).Detect(prefix, -1); got != want {
			t.Fatalf("%q: %v, want %v", prefix, got, want)
		}
		if !bytes.Equal(prefix, before) {
			t.Fatalf("%q has become %q", before, prefix)
		}
	})
}
