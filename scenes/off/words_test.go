package off

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/indexed"
	"lockstep/scenes/internal/meshtest"
)

// cube has eight vertices and six faces. Some faces start with a corner that might be a count.
var (
	cubeVertices = []string{"0 0 0", "1 0 0", "1 1 0", "0 1 0", "0 0 1.5", "1 0 1.5", "1 1 1.5", "0 1 1.5"}
	cubeFaces    = []string{"4 3 2 1 0", "4 4 5 6 7", "4 0 1 5 4", "4 1 2 6 5", "4 2 3 7 6", "4 3 0 4 7"}
)

func wrappedCases() []meshtest.Case {
	v, f := strings.Join(cubeVertices, "\n")+"\n", strings.Join(cubeFaces, "\n")+"\n"
	head := "OFF\n8 6 0\n"
	wrap := func(s string) string { return strings.ReplaceAll(s, " ", "\n") }
	return []meshtest.Case{
		{Name: "every word on a line", File: "OFF\n8\n6\n12\n" + wrap(v) + wrap(f), Triangles: 12},
		{Name: "every word of faces on a line", File: head + v + wrap(f), Triangles: 12},
		{Name: "all on one line", File: strings.ReplaceAll(head+v+f, "\n", " "), Triangles: 12},
		{Name: "all behind the header", File: "OFF\n8 6 0 " + strings.ReplaceAll(v+f, "\n", " ") + "\n", Triangles: 12},
		{Name: "two vertices a line", File: head + strings.ReplaceAll(v, "0\n1", "0 1") + f, Triangles: 12},
		{Name: "a count a line", File: head + v + strings.ReplaceAll(f, "4 ", "4\n"), Triangles: 12},
		{Name: "corners in two lines", File: head + v + strings.NewReplacer("4 3 2 1 0", "4 3 2\n1 0", "4 1 2 6 5", "4 1 2\n\n# on\n6 5").Replace(f), Triangles: 12},
		{Name: "comments between the corners", File: head + v + strings.Replace(f, "4 3 2 1 0", "4 3 2 # a\n# b\n1 0#c", 1), Triangles: 12},
		{Name: "a line like a face that ends one", File: head + v + strings.Replace(f, "4 3 2 1 0", "7 1 2 4\n3 7 6 5", 1), Triangles: 15},
		{Name: "two faces a line", File: head + v + strings.ReplaceAll(f, "\n4 1", " 4 1"), Triangles: 12},
		{Name: "two triangles a line", File: "OFF\n4 4 0\n" + square + "3 0 1 2 3 0 2 3\n3 1 2 3 3 0 1 3\n", Triangles: 4},
		{Name: "two triangles on the last line", File: "OFF\n4 2 0\n" + square + "3 0 1 2 3 0 2 3\n", Triangles: 2},
		{Name: "two triangles and one", File: "OFF\n4 3 0\n" + square + "3 0 1 2 3 0 2 3\n3 1 2 3\n", Triangles: 3},
		{Name: "a colour like a face", File: "OFF\n4 2 0\n" + square + "3 0 1 2 3 0 2 3\n3 0 2 3\n", Triangles: 2},
		{Name: "colours of two kinds", File: "OFF\n4 2 0\n" + square + "3 0 1 2 3 0 2 3\n3 0 2 3 255 0 0 255\n", Triangles: 2},
		{Name: "wrapped, cut in the faces", File: "OFF\n8\n6\n12\n" + wrap(v) + wrap(strings.TrimSuffix(f, " 7\n")), Triangles: 10, Warning: "the file ends within face 5 of 6"},
		{Name: "a count that is damaged", File: head + v + strings.Replace(f, "4 3 2 1 0", "8 3 2 1 0", 1), Triangles: 10, Warning: `line 11: face 0 left out: "" where`},
		{Name: "a count that is larger than a line can end", File: "OFF\n4 2 0\n" + square + "9 0 1 2\n3 0 2 3\n", Triangles: 1, Warning: `line 7: face 0 left out: ""`},
		{Name: "a count alone before lines like faces", File: "OFF\n8 2 0\n" + v + "8\n3 2 1 0\n4 5 6 7\n3 0 1 9\n", Triangles: 6, Warning: "line 14: face left out: vertex 9"},
		{Name: "a line like a face that is part of one", File: "OFF\n8 2 0\n" + v + "7 2 1 0\n3 5 6 7\n3 0 1 9\n", Triangles: 5, Warning: "line 13: face left out: vertex 9"},
		{Name: "colours that would be faces of other vertices", File: "OFF\n4 2 0\n" + square + "3 0 1 2 3 0 2 9\n3 0 2 3 3 0 2 9\n", Triangles: 2},
		{Name: "colours that would be faces of the vertex behind the last", File: "OFF\n4 2 0\n" + square + "3 0 1 2 3 0 2 4\n3 0 2 3 3 0 2 4\n", Triangles: 2},
		{Name: "more faces than there are", File: "OFF\n4 2 0\n" + square + "3 0 1 2 3 0 2 3 3 1 2 3\n", Triangles: 2, Warning: "line 7: what follows the last face"},
		{Name: "colours of three numbers, wrapped", File: "COFF\n3\n1\n0\n" + wrap("0 0 0 255 0 0 1 0 0 255 0 0 0 1 0 255 0 0 3 0 1 2"), Triangles: 1},
		{Name: "as many lines as rows, some of another length", File: "COFF\n4 1 0\n0 0 0 1 0 0 1\n1 0 0 1 0 0\n1 1 1 0 1 0 0 1 0 1 0 1 0 0 1\n4 0 1\n2 3\n", Triangles: 2},
		{Name: "commas", File: "OFF\n3 1 0\n0,0 0,5 0\n1 0 0\n0 1 0\n3 0 1 2\n", Damage: `line 3: vertex 0: "0,0" where a number should be; numbers take a point, not a comma`},
		{Name: "commas of faces", File: "OFF\n3 2 0\n0 0 0\n1 0 0\n0 1 0\n3 0,1,2\n3 0 1 2\n", Triangles: 1, Warning: `"0,1,2" where a number should be; spaces part`},
		{Name: "a word behind the edges", File: "OFF\n4 2 0 x\n" + square + "3 0 1 2\n3 0 2 3\n", Triangles: 2},
	}
}

func TestWrapped(t *testing.T) {
	cases := wrappedCases()
	meshtest.Check(t, Format, cases)
	for _, c := range cases {
		for _, size := range []int{1, 7, 40, 1000} {
			meshtest.CompareReaders(t, fileFormat{chunk: size}, fileFormat{sequential: true}, []byte(c.File))
		}
	}
}

// TestAnyWrap checks that a file whose words are separated by any white space and comments gives the same mesh as the
// file with one row per line.
func TestAnyWrap(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		letters := rapid.SampledFrom([]string{"", "C", "N", "ST", "4", "STCN4", "CN"}).Draw(rt, "layout")
		l, _ := parseLayout(letters + "OFF")
		var rows []string
		for i, v := range cubeVertices {
			if l.weight {
				v += " 1"
			}
			if l.normal {
				v += " 0 0 1"
			}
			if l.color {
				v += fmt.Sprintf(" 0.%d 0.5 1 1", i)
			}
			if l.texture {
				v += fmt.Sprintf(" 0.%d 0", i)
			}
			rows = append(rows, v)
		}
		rows = append(rows, cubeFaces...)
		want := read(t, letters+"OFF\n8 6 12\n"+strings.Join(rows, "\n")+"\n")
		file := letters + "OFF 8 6 12"
		space := rapid.SampledFrom([]string{" ", "\n", "  \t", " # 1 2\n", "\n\n"})
		wide := rapid.IntRange(0, 30).Draw(rt, "words a line")
		for i, word := range strings.Fields(strings.Join(rows, " ")) {
			switch {
			case wide > 20:
				file += space.Draw(rt, "space")
			case i%(wide+1) == 0:
				file += "\n"
			default:
				file += " "
			}
			file += word
		}
		got, _, err := format.Read(context.Background(), strings.NewReader(file), scenes.ReadOptions{Strict: true}, Format)
		if err != nil {
			rt.Fatalf("%v: %s", err, file)
		}
		meshtest.Same(rt, got, want)
	})
}

// TestLongWrapped reads files that are longer than the part from which the reader decides to read words instead of
// lines.
func TestLongWrapped(t *testing.T) {
	const n = 6000
	wide := func(words int) string { return strings.Repeat("\x00", words-1) + "\n" }
	for name, c := range map[string]struct{ vertex, between, face string }{
		"lines of eight words": {"%d.25 %d %d", wide(8), "3 %d %d %d "},
		"lines of ten words":   {"%d.25 %d %d", wide(10), "3 %d %d %d\n"},
		"two vertices a line":  {"%d.25 %d %d", " \n", "3 %d %d %d\n"},
		"vertices of lines":    {"%d.25\n%d %d", "\n", "3 %d %d %d\n"},
		"all in one line":      {"%d.25 %d %d", " ", "3 %d %d %d "},
		"faces of lines":       {"%d.25 %d %d", "\n", "3 %d\n%d\n%d\n"},
		"colours behind":       {"%d.25 %d %d 255 0 0", "\n", "3 %d %d %d 1 0 0\n"},
		"normals behind":       {"%d.25 %d %d 0.6 0.8 0", "\n", "3 %d %d %d\n"},
		"faces of many a line": {"%d.25 %d %d", "\n", "3 %d %d %d "},
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			fmt.Fprintf(&b, "OFF\n%d %d 0\n", n, n-2)
			for i := range n {
				fmt.Fprintf(&b, c.vertex, i, i%7, i%300+300)
				if strings.HasPrefix(c.between, "\x00") {
					b.WriteByte(' ')
				} else {
					b.WriteByte(c.between[i%len(c.between)])
				}
			}
			for i := range n - 2 {
				fmt.Fprintf(&b, c.face, i, i+1, i+2)
			}
			m := read(t, wrapAt(b.String(), c.between))
			if got := m.Triangle(n - 3)[2]; m.Len() != n-2 || got != [3]float32{n - 1 + 0.25, (n - 1) % 7, (n-1)%300 + 300} {
				t.Errorf("%d triangles, the last corner at %v", m.Len(), got)
			}
			meshtest.CompareReaders(t, fileFormat{chunk: 999}, fileFormat{sequential: true}, []byte(b.String()))
		})
	}
}

// wrapAt returns a file whose words after the header are separated by spaces and line ends. The bytes of pattern choose
// the separators in turn: 0 stands for a space, and other bytes for a line end. If pattern does not start with 0, the
// file is returned unchanged.
func wrapAt(file, pattern string) string {
	if pattern[0] != 0 {
		return file
	}
	head, rows := file[:strings.Index(file, " 0\n")+3], strings.Fields(file[strings.Index(file, " 0\n")+3:])
	var b strings.Builder
	b.WriteString(head)
	for i, word := range rows {
		b.WriteString(word)
		if pattern[i%len(pattern)] == 0 {
			b.WriteByte(' ')
		} else {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// TestBehindTheCounts checks that one word after the counts of the header is skipped, and that two words start a
// vertex.
func TestBehindTheCounts(t *testing.T) {
	row := strings.Repeat("1.5 2.5 3.5\n", 6000)
	if m := read(t, "OFF\n6002 1 0 7\n0 0 0\n1 0 0\n"+row+"3 0 1 2\n"); m.Triangle(0)[1] != [3]float32{1, 0, 0} {
		t.Error(m.Triangle(0))
	}
	if m := read(t, "OFF\n6002 1 0 0 0 0\n1 0 0\n"+row+"3 0 1 2\n"); m.Triangle(0)[1] != [3]float32{1, 0, 0} {
		t.Error(m.Triangle(0))
	}
}

// TestDamagedWords checks that the line of a word that is not a number is left out.
func TestDamagedWords(t *testing.T) {
	rows := strings.Repeat("1.5\n2.5 3.5\n", 3000)
	file := "OFF\n6003 3 0\n0\n0 0\n" + rows + "1\nx 5\n" + rows + "4\n5 6\n3 0 1\n6002\n3 x 2 3\n3 0 1\n2\n"
	m, rep, err := format.Read(context.Background(), strings.NewReader(file), scenes.ReadOptions{}, Format)
	if err != nil || m.Len() != 2 || m.Triangle(0)[2] != [3]float32{4, 5, 6} || len(rep.Warnings) != 2 {
		t.Fatal(err, rep)
	}
	for i, want := range []string{`line 6005: vertex 3001 left out: "x"`, `line 12011: face 1 left out: "x"`} {
		if !strings.Contains(rep.Warnings[i], want) {
			t.Errorf("%q, want %q", rep.Warnings[i], want)
		}
	}
}

// TestShadedWords reads colours of faces in a file with two vertices per line.
func TestShadedWords(t *testing.T) {
	m := read(t, "OFF\n4 2 0\n0 0 0 1 0 0\n1 1 0 0 1 0\n3 0 1 2 255 0 0 # x\n3 0 2 3 0 0 255\n")
	if len(m.Colors) != 2 || m.Colors[0] != 0xff0000 || m.Colors[1] != 0x0000ff {
		t.Errorf("%06x", m.Colors)
	}
}

// TestNoLineWithoutEnd checks that a file is not kept in memory because its last face may continue.
func TestNoLineWithoutEnd(t *testing.T) {
	file := "OFF\n4 2 0\n" + square + "3 0 1\n" + strings.Repeat("# "+strings.Repeat("x", 997)+"\n", 3000) + "3 0 2 3\n"
	m, rep, err := format.Read(context.Background(), strings.NewReader(file), scenes.ReadOptions{}, Format)
	if err != nil || m.Len() != 1 || len(rep.Warnings) != 1 || !strings.Contains(rep.Warnings[0], "line 7: face 0 left out") {
		t.Error(err, rep)
	}
}

// TestOddFaces reads damaged and unusual faces among others by words.
func TestOddFaces(t *testing.T) {
	const vertices = "0\n0 0\n1\n0 0\n0\n1 0\n"
	rows := strings.Repeat("1.5\n2.5 3.5\n", 3000)
	for name, c := range map[string]struct {
		face, warning string
	}{
		"comment behind a corner":   {"3 0 1 2#c", ""},
		"comment behind the count":  {"3#c\n0 1 2", ""},
		"broken corner":             {"3 0 1.5 2", `face 1 left out: "1.5"`},
		"fewer corners than none":   {"-1 0 1 2", `face 1 left out: "-1"`},
		"broken count":              {"3.5 0 1 2", `face 1 left out: "3.5"`},
		"vertex behind the last":    {"3 0 1 3003", "face left out: vertex 3003 of 3003"},
		"one corner more than most": {fmt.Sprint(indexed.MaxCorners+1) + strings.Repeat(" 0 1 2", (indexed.MaxCorners+1)/3) + strings.Repeat(" 0", (indexed.MaxCorners+1)%3), fmt.Sprintf("face of %d corners left out", indexed.MaxCorners+1)},
	} {
		file := "OFF\n3003 3 0\n" + vertices + rows + "3 2\n1 0\n" + c.face + "\n3 0\n2 1\n"
		m, rep, err := format.Read(context.Background(), strings.NewReader(file), scenes.ReadOptions{}, Format)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want, warnings := 3, 0
		if c.warning != "" {
			want, warnings = 2, 1
		}
		if m.Len() != want || len(rep.Warnings) != warnings || !strings.Contains(strings.Join(rep.Warnings, "\n"), c.warning) {
			t.Errorf("%s: %d triangles, %.300q", name, m.Len(), rep.Warnings)
		}
	}
}

// TestPointOfColor checks that the components of a colour are from 0 to 1 if any of them, even the first, has a decimal
// point.
func TestPointOfColor(t *testing.T) {
	for _, color := range []string{"1.0 0 0", "1 0.0 0", "1 0 0.0", "255 0 0"} {
		m := read(t, "COFF\n3 1 0\n"+strings.ReplaceAll("0 0 0 C 1 1 0 0 C 1 0 1 0 C 1 3 0 1 2", "C", color)+"\n")
		if len(m.Colors) != 1 || m.Colors[0] != 0xff0000 {
			t.Errorf("%s: %06x", color, m.Colors)
		}
	}
}

// TestRaggedWords reads two kinds of long texts. A text with several vertices per line, one of which continues on the
// next line, is read by words. A text whose lines have columns of colours and normals is read by lines, even if a line
// is cut off.
func TestRaggedWords(t *testing.T) {
	for _, face := range []string{"3 0 1 2\n3 3 4 5\n3 6 7 8\n", "3 0 1 2 3 3 4 5 3 6 7 8\n"} {
		for _, vertices := range []string{
			"0 0 0 1 0 0 0 1 0\n0 0\n1 1 0 1 0 1 1\n0 1 1 1 1 1 1 1 0\n", "0 0 0 1 0 0 0 1 0\n0 0 1 1 0 1\n0 1\n1 0 1 1 1 1 1 1 1 0\n",
		} {
			m := read(t, "OFF\n9 12000 0\n"+vertices+strings.Repeat(face, 4000))
			if m.Len() != 12000 || m.Triangle(1) != [3][3]float32{{0, 0, 1}, {1, 0, 1}, {0, 1, 1}} {
				t.Errorf("%d triangles, %v: %s%s", m.Len(), m.Triangle(1), vertices, face)
			}
		}
	}
	var b strings.Builder
	for i := range 30 {
		fmt.Fprintf(&b, "%d.5 1 %d 0.6 0.8 0 255 0 3 1\n", i, i%3)
	}
	text := "OFF\n31 4000 0\n" + b.String() + "1 2\n" + strings.Repeat("3 0 1 2\n", 4000)
	m, rep, err := format.Read(context.Background(), strings.NewReader(text), scenes.ReadOptions{}, Format)
	if err != nil || m.Len() != 4000 || m.Triangle(0)[1] != [3]float32{1.5, 1, 1} || len(rep.Warnings) != 1 {
		t.Error(err, rep)
	}
}

// TestRaggedEdges reads a long text that must be read by words, because its lines have several vertices. Its first
// faces have one corner or two.
func TestRaggedEdges(t *testing.T) {
	for _, face := range []string{"2 0 1\n", "1 0\n", "2 7 8\n1 3\n"} {
		for _, vertices := range []string{
			"0 0 0 1 0 0 0 1 0\n0 0\n1 1 0 1 0 1 1\n0 1 1 1 1 1 1 1 0\n", "0 0 0 1 0 0 0 1 0\n0 0 1 1 0 1\n0 1\n1 0 1 1 1 1 1 1 1 0\n",
		} {
			faces := strings.Repeat(face, 9) + strings.Repeat("3 0 1 2\n3 3 4 5\n3 6 7 8\n", 4000)
			text := fmt.Sprintf("OFF\n9 %d 0\n", strings.Count(faces, "\n")) + vertices + faces
			m, _, err := format.Read(context.Background(), strings.NewReader(text), scenes.ReadOptions{}, Format)
			if err != nil || m.Len() != 12000 || m.Triangle(1) != [3][3]float32{{0, 0, 1}, {1, 0, 1}, {0, 1, 1}} {
				t.Errorf("%q, %q: %v", vertices, face, err)
			}
		}
	}
}

// TestMayBeFace checks that faces, even with one corner or two, are distinguished from vertices.
func TestMayBeFace(t *testing.T) {
	for _, c := range []struct {
		kind, line string
		want       bool
	}{
		{"", "3 0 1 2", true}, {"", "3 0 1 9", false}, {"", "3 0 1", false}, {"", "3 0 1 2 0.5 0.5 0.5 x", true}, {"", "0", false}, {"", "-1 0", false},
		{"", "2 0 1", true}, {"", "2 0 0", false}, {"", "2 0 9", false}, {"", "2 0 1.5", false}, {"", "2 0", false}, {"", "2 0 1 7", true}, {"", "2 0 1 7 7", false},
		{"", "2 0 1 1 0 0.5", true}, {"", "2 0 1 255 0 0 255", true}, {"", "2 0 1 255 0 0 x", false}, {"", "2 0 1 1 0 0 1 1", false},
		{"", "1 0", true}, {"", "1 9", false}, {"", "1 0 0", false}, {"", "1 0 5 5", false}, {"", "1 0 1 0 0", true}, {"", "1 0 1 0 0 1", true},
		{"N", "1 0 1 0 0 1", false}, {"N", "1 0 0", false}, {"N", "1 0 1 0 0", true}, {"C", "2 0 1 1 0 0 1", false}, {"C", "2 0 1 1 0 0", false}, {"C", "2 0 1", true},
	} {
		r := newReader(indexed.NewPart(false))
		r.counts[0], r.color, r.normal = 9, c.kind == "C", c.kind == "N"
		if got := r.mayBeFace(bytes.Fields([]byte(c.line))); got != c.want {
			t.Errorf("%sOFF: %q: %t", c.kind, c.line, got)
		}
	}
}

// TestLinesAddUp reads a long text that must be read by lines, because some vertices have colours. Damaged lines make
// this hard to detect: the lines before the last vertex hold 99 numbers, as 33 vertices without colours would.
func TestLinesAddUp(t *testing.T) {
	var b strings.Builder
	numbers, last := 0, 0
	for i := range 33 {
		switch { // 3 or 7 numbers per line, until 99 numbers are complete before the last line
		case numbers == 93 || numbers == 94 || numbers == 95 || numbers == 97:
			b.WriteString([]string{93: "1 2 3 0 0 1", 94: "1 2 3 0 1", 95: "1 2 3 9", 97: "1 2"}[numbers] + "\n")
			numbers, last = 99, i
		case i < 3:
			b.WriteString("1 2\n")
			numbers += 2
		case i%2 == 0:
			fmt.Fprintf(&b, "%d.5 1 %d\n", i, i%3)
			numbers += 3
		default:
			fmt.Fprintf(&b, "%d.5 1 %d 0.5 0.5 0.5 1\n", i, i%3)
			numbers += 7
		}
	}
	if last == 0 || last > 30 {
		t.Fatalf("the numbers are not complete early: line %d", last)
	}
	text := "OFF\n33 8000 0\n" + b.String() + strings.Repeat("3 30 31 32\n", 8000)
	m, rep, err := format.Read(context.Background(), strings.NewReader(text), scenes.ReadOptions{}, Format)
	if err != nil || m.Len() != 8000 || m.Triangle(0)[1] != [3]float32{31.5, 1, 1} {
		t.Error(err, rep, m.Len())
	}
}
