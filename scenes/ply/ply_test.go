package ply

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/meshtest"
	"lockstep/scenes/procedural"

	"pgregory.net/rapid"
)

// head returns a header of the usual form.
func head(format string, vertices, faces int) string {
	return fmt.Sprintf("ply\nformat %s 1.0\ncomment made by hand\nelement vertex %d\nproperty float x\nproperty float y\nproperty float z\n"+
		"element face %d\nproperty list uchar int vertex_indices\nend_header\n", format, vertices, faces)
}

const square = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n"

// packed returns numbers as they are in a binary file.
func packed(order binary.ByteOrder, numbers ...any) string {
	var b bytes.Buffer
	for _, n := range numbers {
		if err := binary.Write(&b, order, n); err != nil {
			panic(err)
		}
	}
	return b.String()
}

// binarySquare returns a square of two triangles in the given byte order.
func binarySquare(name string, order binary.ByteOrder) string {
	return head(name, 4, 2) + packed(order, []float32{0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0},
		uint8(3), []int32{0, 1, 2}, uint8(3), []int32{0, 2, 3})
}

func cases() []meshtest.Case {
	ascii := func(faces int, body string) string { return head("ascii", 4, faces) + square + body }
	little := binarySquare("binary_little_endian", binary.LittleEndian)
	big := binarySquare("binary_big_endian", binary.BigEndian)
	whole := ascii(2, "3 0 1 2\n3 0 2 3\n")
	replace := func(old, with string) string { return strings.Replace(whole, old, with, 1) }
	return []meshtest.Case{
		{Name: "whole", File: whole, Triangles: 2},
		{Name: "CRLF", File: strings.ReplaceAll(whole, "\n", "\r\n"), Triangles: 2},
		{Name: "header in capitals", File: capitals(whole), Triangles: 2},
		{Name: "CR", File: strings.ReplaceAll(whole, "\n", "\r"), Triangles: 2},
		{Name: "byte-order mark", File: "\xef\xbb\xbf" + whole, Triangles: 2},
		{Name: "little endian", File: little, Triangles: 2},
		{Name: "big endian", File: big, Triangles: 2},
		{Name: "no final line end", File: strings.TrimRight(whole, "\n"), Triangles: 2},
		{Name: "blank lines", File: strings.ReplaceAll(whole, "\n3", "\n\n \n3"), Triangles: 2},
		{Name: "comments between rows", File: strings.NewReplacer("\n3", "\ncomment a 1 2\n\nobj_info b\n# c\n3", "1 1 0\n", "1 1 0\n comment\n").Replace(whole) + "comment behind\n", Triangles: 2},
		{Name: "commas", File: strings.Replace(whole, "0 0 0", "0,0,0", 1), Damage: `vertex 0: x is "0,0,0"; spaces part numbers, not commas`},
		{Name: "a comma in another vertex", File: strings.Replace(ascii(1, "3 0 1 3\n"), "1 1 0", "1 1,5 0", 1), Triangles: 1, Warning: `vertex 2 left out: y is "1,5"; numbers take a point`},
		{Name: "a comma in a face", File: strings.Replace(whole, "3 0 1 2", "3 0 1,2", 1), Triangles: 1, Warning: `face 0 left out: vertex_indices is "1,2"; numbers take a point`},
		{Name: "quadrilateral", File: ascii(1, "4 0 1 2 3\n"), Triangles: 2},
		{Name: "vertex_index", File: replace("vertex_indices", "vertex_index"), Triangles: 2},
		{Name: "another name of corners", File: replace("vertex_indices", "corners"), Triangles: 2, Warning: `header: element "face" has no list vertex_indices: its list "corners" is read as the corners`},
		{Name: "no corners", File: replace("int vertex_indices", "float corners"), Damage: `header: element "face" has no list vertex_indices`},
		{Name: "two lists, none of corners", File: strings.Replace(ascii(1, "3 0 1 2 3 0 1 2\n"), "vertex_indices", "a\nproperty list uchar int b", 1), Damage: `header: element "face" has no list vertex_indices`},
		{Name: "lists of doubles", File: replace("list uchar int", "list float double"), Triangles: 2},
		{Name: "no faces", File: strings.Split(head("ascii", 4, 0), "element face")[0] + "end_header\n" + square, Triangles: 32},
		{Name: "nothing at all", File: head("ascii", 0, 0)},
		{Name: "index too large", File: ascii(2, "3 0 1 2\n3 0 2 4\n"), Triangles: 1, Warning: "line 16: face left out: vertex 4 of 4"},
		{Name: "index negative", File: ascii(2, "3 0 1 -1\n3 0 2 3\n"), Triangles: 1, Warning: "line 15: face left out: vertex -1"},
		{Name: "index with a fraction", File: ascii(2, "3 0 1 1.5\n3 0 2 3\n"), Triangles: 1, Warning: "line 15: face 0 left out: vertex_indices is 1.5"},
		{Name: "two corners", File: ascii(2, "2 0 1\n3 0 2 3\n"), Triangles: 1, Warning: "face of 2 corners"},
		{Name: "negative count", File: ascii(2, "-3 0 1\n3 0 2 3\n"), Triangles: 1, Warning: "face 0 left out: a list of -3 numbers"},
		{Name: "count larger than the line", File: ascii(2, "3 0 1\n3 0 2 3\n"), Triangles: 1, Warning: "line 15: face 0 left out: no vertex_indices"},
		{Name: "not a number", File: ascii(2, "3 0 1 x\n3 0 2 3\n"), Triangles: 1, Warning: `face 0 left out: vertex_indices is "x"`},
		{Name: "all faces damaged", File: ascii(1, "3 0 1 9\n"), Damage: "line 15: face left out"},
		{Name: "NaN", File: head("ascii", 4, 2) + "0 0 0\n1 0 0\n1 1 0\n0 nan 0\n3 0 1 2\n3 0 2 3\n", Triangles: 2, Bad: 1, Warning: "triangle 1: the triangle has a NaN"},
		{Name: "too large", File: head("ascii", 4, 2) + "0 0 0\n1 0 0\n1 1 0\n0 1e300 0\n3 0 1 2\n3 0 2 3\n", Triangles: 2, Bad: 1, Warning: "out of range of single precision"},
		{Name: "cut in the faces", File: ascii(3, "3 0 1 2\n3 0 2 3\n"), Triangles: 2, Warning: "the file ends within face 2 of 3"},
		{Name: "cut in the vertices", File: head("ascii", 9, 2) + square, Damage: "the file ends within vertex 4 of 9"},
		{Name: "binary, cut in the faces", File: little[:len(little)-5], Triangles: 1, Warning: "the file ends within face 1 of 2"},
		{Name: "binary, cut in the vertices", File: little[:len(head("binary_little_endian", 4, 2))+30], Damage: "the file ends within vertex 2 of 4"},
		{Name: "binary, more", File: little + "\x00", Triangles: 2, Warning: "what follows the last element is ignored"},
		{Name: "ASCII, more", File: whole + "more\n", Triangles: 2, Warning: "line 17: what follows"},
		{Name: "claims four billion", File: strings.Replace(whole, "vertex 4", "vertex 4294967295", 1), Damage: "the file ends within vertex"},
		{Name: "texture missing", File: replace("made by hand", "made by hand\ncomment TextureFile ../no such.png"), Triangles: 2, Warning: `header: texture "../no such.png": it is not in the folder`},
		{Name: "texture coordinates missing", File: strings.Replace(ascii(2, "3 0 1 2 2 0 0\n3 0 2 3 6 0 0 1 0 1 1\n"), "end_header", "property list uchar float texcoord\nend_header", 1), Triangles: 2, Warning: "line 16: 2 texture coordinates for 3 corners left out"},
		{Name: "header cut", File: whole[:60], Damage: "without end_header"},
		{Name: "no format", File: replace("format ascii 1.0\n", ""), Damage: "the header has no format"},
		{Name: "unknown format", File: replace("ascii", "EBCDIC"), Damage: `line 2: unknown format "EBCDIC"`},
		{Name: "unknown type", File: replace("float x", "quad x"), Damage: `line 5: unknown type "quad"`},
		{Name: "no z", File: replace("property float z", "property float zz"), Damage: "the vertices have no z"},
		{Name: "more vertices without z", File: replace("end_header", "element vertex 1\nproperty float x\nproperty float y\nend_header"), Damage: "the vertices have no z"},
		{Name: "more vertices without a place, binary", File: strings.Replace(little, "end_header", "element vertex 1\nend_header", 1), Damage: "the vertices have no x"},
		{Name: "no vertices", File: replace("element vertex", "element point"), Damage: "the header has no vertices"},
		{Name: "element without number", File: replace("vertex 4", "vertex"), Damage: "line 4: element without"},
		{Name: "number of elements", File: replace("vertex 4", "vertex -4"), Damage: `number of elements "-4"`},
		{Name: "list without type", File: replace("list uchar int", "list"), Damage: "list without a known type"},
		{Name: "property first", File: replace("element vertex 4\n", ""), Damage: "line 4: property without an element"},
		{Name: "a remark without comment", File: replace("comment", "nonsense"), Triangles: 2, Warning: `line 3: unexpected "nonsense"`},
		{Name: "a remark before the format", File: replace("ply\n", "ply\nnonsense\n"), Damage: `line 2: unexpected "nonsense"`},
		{Name: "nonsense behind an element", File: replace("end_header", "nonsense\nend_header"), Damage: `unexpected "nonsense"`},
	}
}

func TestMalformed(t *testing.T) { meshtest.Check(t, Format, cases()) }

// TestAttributes reads all properties that vertices and faces may have.
func TestAttributes(t *testing.T) {
	file := "ply\nformat ascii 1.0\ncomment TextureFile a  b.png\ncomment TextureFile c.png\n" +
		"element vertex 4\nproperty float x\nproperty float y\nproperty float z\nproperty float nx\nproperty float ny\nproperty float nz\n" +
		"property float s\nproperty float t\nproperty uchar red\nproperty uchar green\nproperty uchar blue\nproperty uchar alpha\nproperty double Heat\n" +
		"element face 2\nproperty list uchar int vertex_indices\nproperty short part\nproperty int texnumber\nend_header\n" +
		"0 0 0 0 0 1 0 0 255 0 0 255 1.5\n1 0 0 0 3 0 1 0 255 0 0 255 nan\n1 1 0 0 0 0 1 1 0 255 0 255 2\n0 1 0 1 0 0 0 1 0 0 255 0 3\n" +
		"4 0 1 2 3 7 1\n3 0 1 2 8 0\n"
	folder := fstest.MapFS{"a b.png": {Data: meshtest.PNG(t, 1, 1, 0xff0000)}, "c.png": {Data: meshtest.PNG(t, 1, 1, 0x0000ff)}}
	m, _, err := format.Read(context.Background(), strings.NewReader(file), scenes.ReadOptions{Strict: true, Beside: folder}, Format)
	if err != nil {
		t.Fatal(err)
	}
	meshtest.Attributes(t, m)
	a := m.Attributes
	if n := a.Normals; n.At(0, 0) != [3]float32{0, 0, 1} || n.At(1, 0) != [3]float32{0, 1, 0} || n.At(2, 0) != [3]float32{} {
		t.Errorf("normals %v", n)
	}
	if uv := a.TexCoords; uv.At(0, 0) != [2]float32{0, 1} || uv.At(1, 1) != [2]float32{1, 0} {
		t.Errorf("texture coordinates %v", uv)
	}
	if c := a.Colors; c.At(0, 0) != (scenes.RGBA{255, 0, 0, 255}) || c.At(2, 1) != scenes.Opaque(0x0000ff) {
		t.Errorf("colours %v", c)
	}
	if fmt.Sprint(a.MaterialOf) != "[1 1 0]" || a.Materials[0].Texture == nil || a.Materials[1].Name != "c.png" {
		t.Errorf("materials %v of %+v", a.MaterialOf, a.Materials)
	}
	for i, want := range []string{"heat false [1.5 NaN 2 3]", "part true [7 7 8]"} {
		if f := a.Fields[i]; fmt.Sprint(f.Name, " ", f.OfTriangles, " ", f.Values) != want {
			t.Errorf("field %+v, want %s", f, want)
		}
	}
}

// TestColorsOfVCG reads the colours of corners that VCG writes although its header promises colours of faces.
func TestColorsOfVCG(t *testing.T) {
	file := strings.Replace(head("ascii", 4, 2), "end_header", "property uchar red\nproperty uchar green\nproperty uchar blue\nproperty uchar alpha\nend_header", 1) + square +
		"3 0 1 2 9 1 0 0 1 0 0 1 1 0\n3 0 1 2 9 8 7 6\n"
	m, _, err := format.Read(context.Background(), strings.NewReader(file), scenes.ReadOptions{Strict: true}, Format)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%06x", m.Colors); got != "[ff5500 090807]" {
		t.Errorf("colours %s", got)
	}
}

// TestCornerTextures reads texture coordinates of the corners of faces.
func TestCornerTextures(t *testing.T) {
	file := strings.Replace(head("ascii", 4, 2), "end_header", "property list uchar float texcoord\nend_header", 1) + square +
		"4 0 1 2 3 8 0 0 .25 0 .5 0 .75 0\n3 0 1 2 0\n"
	m, _, err := format.Read(context.Background(), strings.NewReader(file), scenes.ReadOptions{Strict: true}, Format)
	if err != nil {
		t.Fatal(err)
	}
	meshtest.Attributes(t, m)
	if uv := m.Attributes.TexCoords; uv.At(1, 0) != [2]float32{0.25, 1} || uv.At(2, 1) != [2]float32{0.75, 1} || uv.At(0, 2) != [2]float32{} {
		t.Errorf("texture coordinates %v", uv)
	}
}

// TestDamagedVertex checks that the vertices after a damaged vertex keep their numbers.
func TestDamagedVertex(t *testing.T) {
	file := head("ascii", 4, 2) + "0 0 0\n1 0 0\n1 one 0\n0 1 0\n3 0 1 2\n3 0 1 3\n"
	m, rep, err := format.Read(context.Background(), strings.NewReader(file), scenes.ReadOptions{}, Format)
	if err != nil || m.Len() != 2 || rep.BadTriangles != 1 || len(rep.Warnings) != 2 || m.Triangle(1) != [3][3]float32{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}} {
		t.Errorf("%v, %+v", err, rep)
	}
}

// TestDamagedCorner damages one corner of a triangle, and checks that the report names the kind of damage.
func TestDamagedCorner(t *testing.T) {
	for face, says := range map[string]string{
		"0 1 2": "", "3 0 1": "a NaN or", "0 3 1": "a NaN or", "0 1 3": "a NaN or", "4 0 1": "out of range", "0 1 4": "out of range", "3 4 0": "a NaN or", "4 3 0": "a NaN or",
	} {
		file := strings.ReplaceAll(head("ascii", 5, 1), "float", "double") + "0 0 0\n1 0 0\n1 1 0\nnan 0 0\n1e300 0 0\n3 " + face + "\n"
		_, rep, err := format.Read(context.Background(), strings.NewReader(file), scenes.ReadOptions{}, Format)
		if err != nil || rep.BadTriangles != len(rep.Warnings) || (says == "") != (len(rep.Warnings) == 0) || says != "" && !strings.Contains(rep.Warnings[0], says) {
			t.Errorf("%s: %v, %+v", face, err, rep)
		}
	}
}

// TestLargePolygon reads a face with more corners than a byte can count.
func TestLargePolygon(t *testing.T) {
	const n = 300
	for name, order := range map[string]binary.ByteOrder{"binary_little_endian": binary.LittleEndian, "binary_big_endian": binary.BigEndian} {
		file, corners := strings.Replace(head(name, n, 1), "list uchar", "list ushort", 1), []int32(nil)
		for i := range n {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / n)
			file += packed(order, []float32{float32(cos), float32(sin), 0})
			corners = append(corners, int32(i))
		}
		m := read(t, file+packed(order, uint16(n), corners))
		if m.Len() != n-2 {
			t.Errorf("%s: %d triangles", name, m.Len())
		}
	}
}

// TestFarAway checks that the origin is subtracted from each coordinate.
func TestFarAway(t *testing.T) {
	file := strings.ReplaceAll(head("ascii", 3, 1), "float", "double") + "1000000000.5 2000000000.25 -3000000000.5\n1000000001.5 2000000000.25 -3000000000.5\n" +
		"1000000001.5 2000000001.75 -3000000001.5\n3 0 1 2\n"
	m := read(t, file)
	want := [3][3]float64{{1000000000.5, 2000000000.25, -3000000000.5}, {1000000001.5, 2000000000.25, -3000000000.5}, {1000000001.5, 2000000001.75, -3000000001.5}}
	for k, p := range m.Triangle(0) {
		for axis := range 3 {
			if got := m.Origin[axis] + float64(p[axis]); got != want[k][axis] || math.Abs(float64(p[axis])) > 1e6 {
				t.Errorf("corner %d, axis %d: %v beyond %v, want %v", k, axis, p[axis], m.Origin[axis], want[k][axis])
			}
		}
	}
}

// TestQuick checks that the binary files of all cases give the same mesh row by row and in bulk.
func TestQuick(t *testing.T) {
	for _, file := range []string{everyType(binary.LittleEndian), everyType(binary.BigEndian), strips} {
		meshtest.CompareReaders(t, Format, fileFormat{sequential: true}, []byte(file))
	}
	rapid.Check(t, func(rt *rapid.T) {
		order := rapid.SampledFrom([]binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian}).Draw(rt, "order")
		name := map[bool]string{true: "binary_little_endian", false: "binary_big_endian"}[order.String() == "LittleEndian"]
		n := rapid.IntRange(3, 20).Draw(rt, "vertices")
		file := []byte(nil)
		for range n {
			for range 3 {
				file = order.AppendUint32(file, math.Float32bits(float32(rapid.IntRange(0, 9).Draw(rt, "coordinate"))))
			}
			file = append(file, 1, 2, 3)
		}
		faces := rapid.IntRange(0, 50).Draw(rt, "faces")
		for range faces {
			corners := rapid.SampledFrom([]int{3, 3, 3, 3, 3, 3, 4, 2, 0}).Draw(rt, "corners")
			file = append(file, byte(corners))
			for range corners {
				file = order.AppendUint32(file, uint32(rapid.IntRange(-1, n+1).Draw(rt, "corner")%(n+1)))
			}
		}
		head := fmt.Sprintf("ply\nformat %s 1.0\nelement vertex %d\nproperty float x\nproperty float y\nproperty float z\nproperty uchar red\nproperty uchar green\n"+
			"property uchar blue\nelement face %d\nproperty list uchar int vertex_indices\nend_header\n", name, n, faces)
		cut := rapid.IntRange(0, len(file)).Draw(rt, "length")
		for _, body := range [][]byte{file, file[:cut]} {
			meshtest.CompareReaders(rt, Format, fileFormat{sequential: true}, append([]byte(head), body...))
		}
	})
}

// TestMutants reads the files of TestMalformed after changes of their structure.
func TestMutants(t *testing.T) { meshtest.MutantsOf(t, Format, meshtest.Files(cases())...) }

func FuzzRead(f *testing.F) {
	for _, c := range cases() {
		f.Add([]byte(c.File), 1+len(c.File)/3)
	}
	f.Add([]byte(everyType(binary.LittleEndian)), 7)
	f.Add([]byte(strips), 7)
	f.Fuzz(func(t *testing.T, file []byte, piece int) {
		meshtest.Fuzz(t, Format, file, piece)
		meshtest.CompareReaders(t, fileFormat{chunk: 1 + piece&127}, fileFormat{sequential: true}, file)
	})
}

func read(t *testing.T, file string) *scenes.Mesh {
	t.Helper()
	m, rep, err := format.Read(context.Background(), strings.NewReader(file), scenes.ReadOptions{Strict: true}, Format)
	if err != nil {
		t.Fatal(err)
	}
	if len(rep.Warnings) > 0 {
		t.Errorf("warnings %q", rep.Warnings)
	}
	return m
}

// everyType returns a triangle at (-1, 2, 3), (4, 5, 6), (7, 8, 9) in a file that uses every type of number once,
// before, between and after the properties that are drawn.
func everyType(order binary.ByteOrder) string {
	name := "binary_little_endian"
	if order == binary.BigEndian {
		name = "binary_big_endian"
	}
	file := "ply\nformat " + name + " 1.0\nelement camera 1\nproperty list ushort double view\nproperty int8 id\n" +
		"element vertex 3\nproperty char x\nproperty uint64 skipped\nproperty ushort y\nproperty double z\nproperty short green\nproperty short blue\nproperty short red\n" +
		"element face 1\nproperty long a\nproperty list uint float b\nproperty list int ushort vertex_indices\nproperty list char ulong c\nend_header\n"
	file += packed(order, uint16(2), 1.5, 2.5, int8(-7))
	for i, p := range [][3]float64{{-1, 2, 3}, {4, 5, 6}, {7, 8, 9}} {
		file += packed(order, int8(p[0]), uint64(math.MaxUint64), uint16(p[1]), p[2], int16(257*i), int16(257*2), int16(257*100))
	}
	return file + packed(order, int64(-1), uint32(1), float32(0.5), int32(3), []uint16{2, 0, 1}, int8(0))
}

func TestEveryType(t *testing.T) {
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		m := read(t, everyType(order))
		want := [3][3]float32{{7, 8, 9}, {-1, 2, 3}, {4, 5, 6}}
		if m.Len() != 1 || m.Triangle(0) != want || m.Colors[0] != 0x640102 {
			t.Errorf("%v: %v, colours %x", order, m.Triangle(0), m.Colors)
		}
	}
}

// strips is a file with two strips that are separated by -1: a square, and a triangle followed by a triangle without
// area.
const strips = "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty float z\n" +
	"element tristrips 1\nproperty list int int vertex_indices\nend_header\n" +
	"0 0 0\n1 0 0\n0 1 0\n1 1 0\n2 0 0\n" + "10 0 1 2 3 -1 1 4 3 3 -1\n"

func TestStrips(t *testing.T) {
	m := read(t, strips)
	want := [][3][3]float32{
		{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
		{{0, 1, 0}, {1, 0, 0}, {1, 1, 0}},
		{{1, 0, 0}, {2, 0, 0}, {1, 1, 0}},
	}
	if m.Len() != len(want) {
		t.Fatalf("%d triangles", m.Len())
	}
	for i, w := range want {
		if got := m.Triangle(i); got != w {
			t.Errorf("triangle %d is %v, want %v", i, got, w)
		}
	}
}

// TestColors checks that a triangle has the colour of its face or else the mean colour of its corners.
func TestColors(t *testing.T) {
	const vertex = "property float x\nproperty float y\nproperty float z\n"
	corners := func(colors ...string) string {
		return "0 0 0 " + colors[0] + "\n1 0 0 " + colors[1] + "\n0 1 0 " + colors[2] + "\n"
	}
	file := func(vertices, faces, body string) string {
		return "ply\nformat ascii 1.0\nelement vertex 3\n" + vertex + vertices + "element face 1\nproperty list uchar int vertex_indices\n" + faces + "end_header\n" + body
	}
	const rgb = "property uchar red\nproperty uchar green\nproperty uchar blue\n"
	for name, c := range map[string]struct {
		file string
		want uint32
	}{
		"vertices": {file(rgb+"property uchar alpha\n", "", corners("30 0 255 9", "60 0 255 9", "90 0 254 9")+"3 0 1 2\n"), 0x3c00ff},
		"faces":    {file(rgb, rgb, corners("1 2 3", "1 2 3", "1 2 3")+"3 0 1 2 17 34 51\n"), 0x112233},
		"floats":   {file("", strings.ReplaceAll(rgb, "uchar", "float"), corners("", "", "")+"3 0 1 2 1 0.5 -3\n"), 0xff8000},
		"diffuse":  {file("", strings.ReplaceAll(rgb, "uchar ", "uchar diffuse_"), corners("", "", "")+"3 0 1 2 1 2 300\n"), 0x0102ff},
	} {
		if m := read(t, c.file); m.Colors[0] != c.want {
			t.Errorf("%s: %06x, want %06x", name, m.Colors[0], c.want)
		}
	}
	if m := read(t, head("ascii", 4, 1)+square+"4 0 1 2 3\n"); m.Colors != nil {
		t.Errorf("colours %x where there are none", m.Colors)
	}
}

// TestSameSurface writes scenes of several chunks and buffers in all encodings, and checks that they are read back bit
// for bit.
func TestSameSurface(t *testing.T) {
	s, err := procedural.Parse("scene:bumpy?triangles=150000")
	if err != nil {
		t.Fatal(err)
	}
	want, err := scenes.Load(context.Background(), s, scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ascii", "binary_little_endian", "binary_big_endian"} {
		got, rep, err := format.Read(context.Background(), &meshtest.Dribble{Data: written(name, want), Size: 100_003}, scenes.ReadOptions{Strict: true}, Format)
		if err != nil || rep.Bounds != want.Bounds() {
			t.Fatalf("%s: %v, %+v", name, err, rep)
		}
		meshtest.Same(t, got, want)
	}
}

// TestLimits reads a file with limits just above and just below the memory that the read needs: 36 bytes per triangle
// for the mesh, 12 for its indices, and 24 per vertex. A refused read must allocate no more than its limit and some
// buffers.
func TestLimits(t *testing.T) {
	testLimits(t, "scene:bumpy?triangles=200000")
	// With nearly three chunks of triangles, only the finished mesh exceeds the limit.
	testLimits(t, "scene:soup?triangles=196000")
}

func testLimits(t *testing.T, scene string) {
	s, err := procedural.Parse(scene)
	if err != nil {
		t.Fatal(err)
	}
	m, err := scenes.Load(context.Background(), s, scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	file := written("binary_little_endian", m)
	n := int64(m.Len())
	need := n * (36 + 12 + 3*24)
	for _, c := range []struct {
		opts scenes.ReadOptions
		fits bool
	}{
		{scenes.ReadOptions{MaxTriangles: n, MaxMemory: need + 4<<20}, true},
		{scenes.ReadOptions{MaxTriangles: n - 1}, false},
		{scenes.ReadOptions{MaxMemory: need - 1}, false},
		{scenes.ReadOptions{MaxMemory: need / 2}, false},
		{scenes.ReadOptions{MaxMemory: 4 << 20}, false},
	} {
		c.opts.Name = "a file"
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err := format.Read(context.Background(), bytes.NewReader(file), c.opts, Format)
		runtime.ReadMemStats(&after)
		var limit *scenes.LimitError
		if c.fits != (err == nil) || !c.fits && (!errors.As(err, &limit) || limit.File != "a file" || limit.Want <= limit.Limit) {
			t.Errorf("%+v: %v", c.opts, err)
		}
		if used := int64(after.TotalAlloc - before.TotalAlloc); !c.fits && c.opts.MaxMemory > 0 && used > c.opts.MaxMemory+8<<20 {
			t.Errorf("%+v: %d bytes allocated", c.opts, used)
		}
	}
}

// written writes a mesh whose triangles share no vertices, and returns the file.
func written(format string, m *scenes.Mesh) []byte {
	var b bytes.Buffer
	b.WriteString(head(format, 3*m.Len(), m.Len()))
	order := binary.ByteOrder(binary.LittleEndian)
	if format == "binary_big_endian" {
		order = binary.BigEndian
	}
	for i := range m.Len() {
		for _, c := range m.Triangle(i) {
			if format == "ascii" {
				fmt.Fprintf(&b, "%g %g %g\n", c[0], c[1], c[2])
				continue
			}
			for _, v := range c {
				b.WriteString(word(order, math.Float32bits(v)))
			}
		}
	}
	for i := range m.Len() {
		if format == "ascii" {
			fmt.Fprintf(&b, "3 %d %d %d\n", 3*i, 3*i+1, 3*i+2)
			continue
		}
		b.WriteByte(3)
		for k := range 3 {
			b.WriteString(word(order, uint32(3*i+k)))
		}
	}
	return b.Bytes()
}

func word(order binary.ByteOrder, v uint32) string {
	var p [4]byte
	order.PutUint32(p[:], v)
	return string(p[:])
}

func BenchmarkRead(b *testing.B) {
	s, err := procedural.Parse("scene:bumpy?triangles=100k")
	if err != nil {
		b.Fatal(err)
	}
	m, err := scenes.Load(context.Background(), s, scenes.ReadOptions{})
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range []string{"ascii", "binary_little_endian", "binary_big_endian"} {
		b.Run("format="+name, func(b *testing.B) {
			file := written(name, m)
			b.SetBytes(int64(len(file)))
			for b.Loop() {
				got, _, err := format.Read(context.Background(), bytes.NewReader(file), scenes.ReadOptions{}, Format)
				if err != nil || got.Len() != m.Len() {
					b.Fatal(err)
				}
			}
		})
	}
}

// capitals returns a file with its header in capitals.
func capitals(file string) string {
	const end = "end_header"
	at := strings.Index(file, end) + len(end)
	return strings.ToUpper(file[:at]) + file[at:]
}
