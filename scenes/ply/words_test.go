package ply

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/meshtest"

	"pgregory.net/rapid"
)

// TestMalformedWords reads small files whose rows are not lines.
func TestMalformedWords(t *testing.T) {
	file := func(body string) string { return head("ascii", 4, 2) + body }
	meshtest.Check(t, Format, []meshtest.Case{
		{Name: "a number a line", File: file(strings.ReplaceAll(square+"3 0 1 2 3 0 2 3\n", " ", "\n")), Triangles: 2},
		{Name: "one line", File: file(strings.ReplaceAll(square+"3 0 1 2 3 0 2 3", "\n", " ")), Triangles: 2},
		{Name: "faces on one line", File: file(square + "3 0 1 2 3 0 2 3\n"), Triangles: 2},
		{Name: "a face on two lines", File: file(square + "3 0 1 2\n3 0 2\n3\n"), Triangles: 2},
		{Name: "a vertex on two lines", File: file("0 0 0\n1 0\n0\n1 1 0\n0 1 0\n3 0 1 2\n3 0 2 3\n"), Triangles: 2},
		{Name: "CR", File: strings.ReplaceAll(file(square+"3 0 1\n2\n3 0 2 3\n"), "\n", "\r"), Triangles: 2},
		{Name: "comments", File: file("comment a 1\n0 0 0 1 0 0\n# b 2\n1 1 0 0 1 0\nobj_info c\n3 0 1 2 3\n# d\n0 2 3\ncomment e\n"), Triangles: 2},
		// If something is damaged, each line is read as a row, which loses the least.
		{Name: "a short face, and two", File: file(square + "3 0 1\n3 0 2 3\n"), Triangles: 1, Warning: "line 15: face 0 left out: no vertex_indices"},
		{Name: "a short vertex", File: file("0 0 0\n1 0\n1 1 0\n0 1 0\n3 0 2 3\n3 3 2 0\n"), Triangles: 2, Warning: "line 12: vertex 1 left out: no z"},
		{Name: "a vertex that is not there", File: file(square + "3 0 1 2 3 0 2\n4\n"), Triangles: 1, Warning: "face 1 left out: no vertex_indices"},
		{Name: "a face of two corners", File: file(square + "3 0 1 2 2 0 2\n"), Triangles: 1, Warning: "the file ends within face 1"},
		{Name: "more behind", File: file(square + "3 0 1 2 3 0 2\n3 1\n"), Triangles: 1, Warning: "face 1 left out: no vertex_indices"},
	})
}

// TestAnyWrap checks that a file whose numbers are separated by any white space and comments gives the same mesh as the
// file with one row per line.
func TestAnyWrap(t *testing.T) {
	rows := "0 0 0 10 .5\n1 0 0 20 1.5\n1 1 0 30 2.5\n0 1 0 40 3.5\n" +
		"3 0 1 2 7\n4 0 1 2 3 8\n3 0 2 3 9\n" + "8 0 1 2 3 -1 0 2 3\n"
	header := "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nproperty uchar heat\nproperty float s\n" +
		"element face 3\nproperty list uchar int vertex_indices\nproperty int part\nelement tristrips 1\nproperty list int int vertex_indices\nend_header\n"
	read := func(t interface{ Fatalf(string, ...any) }, body string) *scenes.Mesh {
		m, _, err := format.Read(context.Background(), strings.NewReader(header+body), scenes.ReadOptions{Strict: true}, Format)
		if err != nil {
			t.Fatalf("%v: %s", err, body)
		}
		return m
	}
	want := read(t, rows)
	if want.Len() != 7 {
		t.Fatalf("%d triangles", want.Len())
	}
	space := rapid.SampledFrom([]string{" ", "\n", "  \t", "\n# 1 2\n", "\n\n", "\ncomment 3\n", " \r\n"})
	rapid.Check(t, func(rt *rapid.T) {
		body := ""
		wide := rapid.IntRange(1, 40).Draw(rt, "words a line")
		for i, word := range strings.Fields(rows) {
			switch {
			case i == 0:
			case wide > 20:
				body += space.Draw(rt, "space")
			case i%wide == 0:
				body += "\n"
			default:
				body += " "
			}
			body += word
		}
		meshtest.Same(rt, read(rt, body), want)
	})
}

// TestLongWrapped reads files that are longer than the part from which the reader decides to read words instead of
// lines.
func TestLongWrapped(t *testing.T) {
	const n = 6000
	write := func(vertex, face string, vertices int) string {
		var b strings.Builder
		b.WriteString(head("ascii", n, n-2))
		for i := range vertices {
			fmt.Fprintf(&b, vertex, i, i%7, i%300+300)
		}
		for i := range n - 2 {
			fmt.Fprintf(&b, face, i, i+1, i+2)
		}
		return b.String()
	}
	read := func(t *testing.T, file string) (*scenes.Mesh, *scenes.Report) {
		m, rep, err := format.Read(context.Background(), strings.NewReader(file), scenes.ReadOptions{}, Format)
		if err != nil {
			t.Fatal(err)
		}
		meshtest.CompareReaders(t, fileFormat{chunk: 999}, fileFormat{sequential: true}, []byte(file))
		return m, rep
	}
	for name, file := range map[string]string{
		"vertices of lines":  write("%d.25\n%d %d\n", "3 %d %d %d\n", n),
		"a number a line":    write("%d.25\n%d\n%d\n", "3\n%d\n%d\n%d\n", n),
		"all rows of lines":  write("%d.25 %d\n%d\n", "3 %d\n%d %d\n", n),
		"faces on one line":  write("%d.25 %d\n%d\n", "3 %d %d %d ", n),
		"a comment a vertex": write("%d.25 %d\n# here\n%d\n", "3 %d %d %d\n", n),
	} {
		m, rep := read(t, file)
		if got := m.Triangle(n - 3)[2]; m.Len() != n-2 || len(rep.Warnings) > 0 || got != [3]float32{n - 1 + 0.25, (n - 1) % 7, (n-1)%300 + 300} {
			t.Errorf("%s: %d triangles, the last corner at %v, %q", name, m.Len(), got, rep.Warnings)
		}
	}
	// Only the row of a damaged word is lost, and the warning names its line.
	file := strings.Replace(write("%d.25 %d\n%d\n", "3 %d\n%d %d\n", n), "3 5000\n5001 5002", "3 5000\nx 5002", 1)
	m, rep := read(t, file)
	if m.Len() != n-3 || fmt.Sprint(rep.Warnings) != fmt.Sprintf("[input: line %d: face 5000 left out: vertex_indices is \"x\"]", 10+2*n+2*5000+1) {
		t.Errorf("%d triangles, %q", m.Len(), rep.Warnings)
	}
}
