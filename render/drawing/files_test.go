package drawing

import (
	"bytes"
	"compress/zlib"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"lockstep/render"
)

// simple is a drawing whose files are known exactly.
var simple = &Drawing{
	Width: 20, Height: 10,
	Outline: []Line{{{1, 1}, {9, 1}, {9, 9}, {1, 1}}},
	Visible: []Line{{{1, 1}, {9.126, 1}, {9, -0.001}}, {{2, 2}, {3, 3}}},
	Hidden:  []Line{{{4, 4}, {5.5, 4}}},
}

func TestSVG(t *testing.T) {
	paper, background := render.RGB(0xffeedd), render.RGB(0x010203)
	var b bytes.Buffer
	if err := simple.WriteSVG(&b, Style{Ink: 0x1d2126, Paper: &paper, Background: &background, LineWidth: 1.5, DPI: 10, Title: "a<b&\"c\"\x01"}); err != nil {
		t.Fatal(err)
	}
	want := `<svg xmlns="http://www.w3.org/2000/svg" width="2in" height="1in" viewBox="0 0 20 10">
<title>a&lt;b&amp;&#34;c&#34;` + "\ufffd" + `</title>
<rect width="20" height="10" fill="#010203"/>
<path id="surface" fill="#ffeedd" fill-rule="evenodd" d="M1 1L9 1 9 9Z"/>
<path id="hidden" fill="none" stroke="#1d2126" stroke-width="0.75" stroke-linecap="round" stroke-linejoin="round" stroke-dasharray="9 3" d="M4 4L5.5 4"/>
<path id="visible" fill="none" stroke="#1d2126" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" d="M1 1L9.13 1 9 0
M2 2L3 3"/>
</svg>
`
	if got := b.String(); got != want {
		t.Errorf("%s", got)
	}
	d := xml.NewDecoder(&b)
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	b.Reset()
	if err := simple.WriteSVG(&b, Style{}); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); !strings.HasPrefix(got, `<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10" viewBox="0 0 20 10">`+"\n<path id=\"hidden\"") || !strings.Contains(got, `stroke-width="1"`) {
		t.Error(got)
	}
}

// TestPDF checks that each object is at its offset in the cross-reference table, and that the page contains the lines.
func TestPDF(t *testing.T) {
	paper, background := render.RGB(0xff8000), render.RGB(0xffffff)
	var b bytes.Buffer
	if err := simple.WritePDF(&b, Style{Ink: 0x0000ff, Paper: &paper, Background: &background, LineWidth: 1.5, DPI: 36, Title: "é𝄞)"}); err != nil {
		t.Fatal(err)
	}
	file := b.Bytes()
	start := regexp.MustCompile(`startxref\n(\d+)\n%%EOF\n$`).FindSubmatch(file)
	if start == nil {
		t.Fatalf("%q", file)
	}
	table, _ := strconv.Atoi(string(start[1]))
	if !bytes.HasPrefix(file[table:], []byte("xref\n0 6\n0000000000 65535 f \n")) {
		t.Fatalf("%q", file[table:])
	}
	entries := file[table+len("xref\n0 6\n"):]
	for n := 1; n <= 5; n++ {
		entry := entries[20*n : 20*n+20]
		offset, err := strconv.Atoi(string(entry[:10]))
		if err != nil || string(entry[10:]) != " 00000 n \n" || !bytes.HasPrefix(file[offset:], fmt.Appendf(nil, "%d 0 obj\n", n)) {
			t.Errorf("object %d: %q", n, entry)
		}
	}
	for _, part := range []string{"%PDF-1.4\n", "/MediaBox [0 0 40 20]", "/Title <FEFF00E9D834DD1E0029>", "/Root 1 0 R"} {
		if !bytes.Contains(file, []byte(part)) {
			t.Errorf("no %q", part)
		}
	}
	stream := regexp.MustCompile(`(?s)/Length (\d+) /Filter /FlateDecode >>\nstream\n(.*)\nendstream`).FindSubmatch(file)
	if stream == nil || string(stream[1]) != strconv.Itoa(len(stream[2])) {
		t.Fatalf("%q", file)
	}
	z, err := zlib.NewReader(bytes.NewReader(stream[2]))
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	want := `2.000000 0 0 -2.000000 0 20 cm 1 J 1 j
1.0000 1.0000 1.0000 rg 0 0 20 10 re f
1.0000 0.5020 0.0000 rg
1 1 m
9 1 l
9 9 l
h
f*
0.0000 0.0000 1.0000 RG
0.75 w [9 3] 0 d
4 4 m
5.5 4 l
S
1.5 w [] 0 d
1 1 m
9.13 1 l
9 0 l
2 2 m
3 3 l
S
`
	if string(page) != want {
		t.Errorf("%s", page)
	}
}

func TestScale(t *testing.T) {
	for size, want := range map[[2]int]int{{100, 100}: 4, {1024, 1024}: 4, {1024, 1025}: 3, {1920, 1080}: 2, {4096, 4096}: 1, {30000, 20000}: 1} {
		if got := Scale(size[0], size[1]); got != want {
			t.Errorf("%v: %d times, want %d", size, got, want)
		}
	}
}

// TestBadArguments checks the arguments that New refuses.
func TestBadArguments(t *testing.T) {
	mesh := meshOf(boxOf([3]float32{}, [3]float32{1, 1, 1})...)
	good := &render.Picture{Width: 8, Height: 4, Triangles: make([]uint32, 32), Depth: make([]float32, 32)}
	cam := &render.Camera{Magnification: 1, Orthographic: true}
	ctx := t.Context()
	if _, err := New(ctx, mesh, good, cam, 4, 2, Options{}); err != nil {
		t.Fatal(err)
	}
	cut := *good
	cut.Depth = nil
	for name, err := range map[string]error{
		"no mesh":       second(New(ctx, nil, good, cam, 4, 2, Options{})),
		"no picture":    second(New(ctx, mesh, nil, cam, 4, 2, Options{})),
		"no camera":     second(New(ctx, mesh, good, nil, 4, 2, Options{})),
		"no whole size": second(New(ctx, mesh, good, cam, 3, 2, Options{})),
		"other shape":   second(New(ctx, mesh, good, cam, 4, 1, Options{})),
		"no size":       second(New(ctx, mesh, good, cam, 0, 0, Options{})),
		"no depths":     second(New(ctx, mesh, &cut, cam, 4, 2, Options{})),
		"crease":        second(New(ctx, mesh, good, cam, 4, 2, Options{Crease: 181})),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func second(_ *Drawing, err error) error { return err }
