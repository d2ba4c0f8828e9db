package obj

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/indexed"
	"lockstep/scenes/internal/meshtest"
	"lockstep/scenes/procedural"
)

const square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"

func cases() []meshtest.Case {
	return []meshtest.Case{
		{Name: "triangles", File: square + "f 1 2 3\nf 1 3 4\n", Triangles: 2},
		{Name: "CRLF and comments", File: "# made by hand \\\r\n" + strings.ReplaceAll(square, "\n", " # corner\r\n") + "f 1 2 3\r\n", Triangles: 1},
		{Name: "CR", File: strings.ReplaceAll(square+"f 1 2 3\n", "\n", "\r"), Triangles: 1},
		{Name: "comment behind a face", File: square + "f 1 2 3 # a\nf 1 3 4 #b\n", Triangles: 2},
		{Name: "byte-order mark", File: "\xef\xbb\xbf" + square + "f 1 2 3\n", Triangles: 1},
		{Name: "no final line end", File: square + "f 1 2 3", Triangles: 1},
		{Name: "negative numbers", File: square + "f -4 -3 -2 -1\n", Triangles: 2},
		{Name: "corners of all kinds", File: square + "vt 0 0\nvn 0 0 1\nf 1/1 2/1/1 3//1 4/\n", Triangles: 2},
		{Name: "continued lines", File: "v 0 \\\n0 0\nv 1 0\\\r\n 0\nv 1 1 0\nf 1 \\\n2 \\\n 3\n", Triangles: 1},
		{Name: "concave", File: "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nf 1 2 3 4 5 6\n", Triangles: 4},
		{Name: "normal too large", File: square + "vn 0 0 1\nf 1//1 2//1 3//2\n", Triangles: 1, Warning: "line 6: normal 2 of 1, counted from 1, left out"},
		{Name: "texture coordinates too small", File: square + "vt 0 0\nf 1/-2 2 3\n", Triangles: 1, Warning: "line 6: texture coordinates -2 of 1"},
		{Name: "damaged normal", File: square + "vn 0 0\nf 1 2 3\n", Triangles: 1, Warning: "normal 0 left out"},
		{Name: "damaged texture coordinates", File: square + "vt x\nf 1 2 3\n", Triangles: 1, Warning: `texture coordinates 0 left out: "x"`},
		{Name: "what is not drawn", File: square + "vn 0 0 1\nvp 1 2\ns off\nl 1 2\np 3\nlod 3\nf 1 2 3\nsurf 0 1 0 1 1 2 3 4\nend\n", Triangles: 1},
		{Name: "old faces", File: square + "fo 1 2 3\n", Triangles: 1},
		{Name: "weights", File: "v 0 0 0 1\nv 1 0 0 1.0\nv 1 1 0 0.5\nf 1 2 3\n", Triangles: 1},
		{Name: "number zero", File: square + "f 0 1 2\nf 1 2 3\n", Triangles: 1, Warning: "line 5: face left out: vertex 0 of 4, counted from 1"},
		{Name: "number too large", File: square + "f 1 2 5\nf 1 2 3\n", Triangles: 1, Warning: "line 5: face left out: vertex 5 of 4, counted from 1"},
		{Name: "number far too large", File: square + "f 1 2 999999999999999999\nf 1 2 3\n", Triangles: 1, Warning: "face left out: vertex 999999999999999999"},
		{Name: "number of too many digits", File: square + "f 1 2 9999999999999999999999\nf 1 2 3\n", Triangles: 1, Warning: "where a corner should be"},
		{Name: "number too small", File: square + "f 1 2 -5\nf 1 2 3\n", Triangles: 1, Warning: "line 5: face left out: vertex -5 of 4, counted from 1"},
		{Name: "two corners", File: square + "f 1 2\nf 1 2 3\n", Triangles: 1, Warning: "line 5: face of 2 corners left out"},
		{Name: "no corners", File: square + "f\nf 1 2 3\n", Triangles: 1, Warning: "face of 0 corners"},
		{Name: "not a number", File: square + "f 1 2 x\nf 1 2 3\n", Triangles: 1, Warning: `face left out: "x" where a corner should be`},
		{Name: "three slashes", File: square + "f 1 2 3/1/1/1\nf 1 2 3\n", Triangles: 1, Warning: "where a corner should be"},
		{Name: "damaged vertex", File: "v 0 0 0\nv 1 0 0\nv 1 one 0\nv 0 1 0\nf 1 2 4\n", Triangles: 1, Warning: `line 3: vertex 2 left out: "one" where three numbers`},
		{Name: "two coordinates", File: square + "v 1 2\nf 1 2 3\n", Triangles: 1, Warning: `vertex 4 left out: ""`},
		{Name: "NaN", File: "v 0 0 0\nv 1 0 0\nv nan 1 0\nf 1 2 3\n", Triangles: 1, Bad: 1, Warning: "triangle 0: the triangle has a NaN"},
		{Name: "unknown word", File: square + "f 1 2 3\nnonsense\n", Triangles: 1, Warning: `line 6: unexpected "nonsense"`},
		{Name: "unknown word, again and again", File: square + "vw 1\nf 1 2 3\nvw 2\nvw 3\n", Triangles: 1, Warning: `line 5: unexpected "vw", and on 2 more lines`},
		{Name: "unknown word, twice", File: square + "f 1 2 3\na\na\n", Triangles: 1, Warning: `line 6: unexpected "a", and on another line`},
		{Name: "commas", File: "# x\nv 0,0,0\nv 1,0,0\nv 0,1,0\nf 1 2 3\n", Damage: `line 2: vertex 0: "0,0,0" where three numbers should be; spaces part numbers, not commas`},
		{Name: "commas and spaces", File: "v 0, 0, 0\nf 1 1 1\n", Damage: `vertex 0: "0," where three numbers should be; spaces part numbers, not commas`},
		{Name: "decimal commas", File: "v 0,5 1,2 3\nf 1 1 1\n", Damage: `line 1: vertex 0: "0,5" where three numbers should be; numbers take a point, not a comma`},
		{Name: "one comma", File: square + "v 0 0,5 0\nf 1 2 3\n", Triangles: 1, Warning: `line 5: vertex 4 left out: "0,5" where three numbers should be; numbers take`},
		{Name: "commas in a face", File: square + "f 1,2,3\nf 1 2 3\n", Triangles: 1, Warning: `line 5: face left out: ",2,3" where a corner should be; spaces part`},
		{Name: "a comma in a normal", File: square + "vn 0 0,5 1\nf 1 2 3\n", Triangles: 1, Warning: `normal 0 left out: "0,5" where three numbers should be; numbers take`},
		{Name: "a comma in texture coordinates", File: square + "vt 0,5 1\nf 1 2 3\n", Triangles: 1, Warning: `left out: "0,5" where a number should be; numbers take`},
		{Name: "lines and points", File: square + "l 1 2\nl 2 3\np 1 2\n", Triangles: 16},
		{Name: "lines of no material", File: square + "usemtl red\nl 1 2\n", Triangles: 8, Warning: `line 5: material "red": no file of materials is named before it`},
		{Name: "points of no material", File: square + "usemtl red\np 1 2 3 4\n", Triangles: 32, Warning: `line 5: material "red"`},
		{Name: "a damaged face beside lines of no material", File: square + "usemtl red\nl 1 2\nf 1 x\n", Damage: `material "red"`},
		{Name: "lines of points that are not there", File: square + "l 1 2\nl 2 9\nl -1 -2\nl 1 x\n", Damage: "line left out: vertex 9 of 4"},
		{Name: "lines with texture coordinates", File: square + "vt 0 0\nl 1/1 2/1 -1/1\n", Triangles: 16},
		{Name: "zeros behind the text", File: square + "f 1 2 3\n\x00\x00\x00", Triangles: 1},
		{Name: "end of a file of DOS", File: square + "f 1 2 3\n\x1a", Triangles: 1},
		{Name: "material of no file", File: square + "usemtl red\nf 1 2 3\nusemtl red\nusemtl blue\n", Triangles: 1, Warning: `line 5: material "red": no file of materials is named before it`},
		{Name: "words for no material", File: square + "usemtl\nf 1 2 3\nusemtl None\nf 1 2 3\nusemtl (null)\nf 1 2 3\n", Triangles: 3},
		{Name: "ZBrush", File: square + "#MRGB ff010203FF0a0B0cff000000ff112233ff445566\nf 1 2 3\n", Triangles: 1},
		{Name: "ZBrush, damaged", File: "#MRGB ff010203ff0a0g0c\n#MRGB\n#MRGB ff\n" + square + "usemtl a\nf 1 2 3\n", Triangles: 1, Warning: "no file of materials"},
		{Name: "no faces", File: square, Triangles: 32},
		{Name: "all faces damaged", File: square + "f 1 2 9\n", Damage: "line 5: face left out"},
		{Name: "cut in a vertex", File: "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\nv 1 ", Triangles: 1, Warning: "line 5: vertex 3 left out"},
		{Name: "cut behind a part", File: square + "f 1 2 3\no", Triangles: 1},
		{Name: "cut in a face", File: square + "f 1 2 3\nf 1 2", Triangles: 1, Warning: "line 6: face of 2"},
		{Name: "materials outside", File: "mtllib ../../etc/passwd\n" + square + "f 1 2 3\n", Triangles: 1, Warning: "is not in the folder of the mesh"},
	}
}

func TestMalformed(t *testing.T) { meshtest.Check(t, Format, cases()) }

// TestMutants reads the files of TestMalformed after changes of their structure.
func TestMutants(t *testing.T) { meshtest.MutantsOf(t, Format, meshtest.Files(cases())...) }

func FuzzRead(f *testing.F) {
	for _, c := range cases() {
		f.Add([]byte(c.File), 1+len(c.File)/3)
	}
	f.Fuzz(func(t *testing.T, file []byte, piece int) {
		meshtest.Fuzz(t, Format, file, piece)
		meshtest.CompareReaders(t, fileFormat{chunk: 1 + piece&127}, fileFormat{sequential: true}, file)
	})
}

// FuzzMaterials reads arbitrary files of materials.
func FuzzMaterials(f *testing.F) {
	picture := meshtest.PNG(f, 2, 2, 0xff0000, 0x00ff00, 0x0000ff, 0xffffff)
	f.Add([]byte("newmtl \"B c\" # x\nmap_Kd -s 2 1e300 -o nan 1 -clamp on -mm 0 1 -odd \"a.png\" # y\n"))
	f.Add([]byte("\xff\xfen\x00e\x00w\x00m\x00t\x00l\x00 \x00a\x00\n\x00"))
	f.Add([]byte("newmtl a\nKd 1 0.5 0\n# comment\nnewmtl b c\nKd spectral x\nmap_Kd a.png\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		_, _, err := format.Read(t.Context(), strings.NewReader("mtllib a.mtl\n"+square+"vt 0 1\nusemtl a\nf 1/1 2/1 3/1\nusemtl b c\nf 1/1 2/1 3/1\n"),
			scenes.ReadOptions{Beside: fstest.MapFS{"a.mtl": {Data: file}, "a.png": {Data: picture}}}, Format)
		if err != nil {
			t.Fatal(err)
		}
		m := newMaterials()
		if err := m.parse(bytes.NewReader(file), "."); err != nil {
			t.Fatal(err)
		}
		for name, mat := range m.byName {
			if mat.color > 0xffffff && mat.color != indexed.NoColor || len(name)+len(mat.diffuse.name)+len(mat.mask.name) > len(file) {
				t.Fatalf("%q is %+v", name, mat)
			}
		}
	})
}

func TestDetect(t *testing.T) {
	for name, c := range map[string]struct {
		file string
		want format.Likelihood
	}{
		"usual":                       {"# Blender\nmtllib a.mtl\no Cube\n" + square + "f 1 2 3\n", format.Likely},
		"prose":                       {"v\nthe quick brown fox\n", format.No},
		"letters":                     {"v is a letter\nf is one\n", format.No},
		"STL":                         {"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n", format.No},
		"no vertices":                 {"# only\ng a\n", format.No},
		"binary":                      {"\x00\x01v 0 0 0\n", format.No},
		"empty":                       {"", format.No},
		"words of its own":            {square + strings.Repeat("vw 0 0 1.0\n", 40) + "f 1 2 3\n", format.Likely},
		"faces of all kinds":          {"v 0 0 0\n" + strings.Repeat("x\n", 9) + "f 1//1 2/1 3/1/1\n", format.Likely},
		"faces that are none":         {"v 0 0 0\n" + strings.Repeat("x\n", 9) + "f 1 2\nf 1:2 3 4\nf a b c\nf 1 / 3 4\n", format.No},
		"commas":                      {"v 0,0,0\nv 1,0,0\nv 0,1,0\nf 1 2 3\n", format.Likely},
		"semicolons":                  {"v 0;0;0\nv 1;0;0\nv 0;1;0\nf 1 2 3\n", format.Likely},
		"semicolons of prose":         {"v is; for all; a letter\nf 1 2 3\n", format.No},
		"decimal commas":              {"v 0 0,5 0\nf 1 1 1\n", format.Likely},
		"commas of prose":             {"v is, for all, a letter\nf 1 2 3\n", format.No},
		"comments to the end":         {"# a\n# b\n", format.No},
		"unknown words without faces": {"v 0 0 0\n" + strings.Repeat("x\n", 9), format.No},
		"many vertices, whole":        {strings.Repeat("v 0 0 0\nx y\n", 40), format.No},
	} {
		if got := Format.Detect([]byte(c.file), int64(len(c.file))); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	comments := []byte(strings.Repeat("# a comment of some length\n", 10_000))
	if got := Format.Detect(comments[:format.PrefixSize], int64(len(comments))); got != format.Plausible {
		t.Errorf("comments that go on: %v", got)
	}
	for words, want := range map[string]format.Likelihood{"vn 0 0 1\n": format.Plausible, "mtllib a.mtl\n": format.Plausible, "vn 0 0 1\nx y\n": format.No} {
		if got := Format.Detect([]byte(strings.Repeat(words, 10_000))[:format.PrefixSize], -1); got != want {
			t.Errorf("%q again and again, and more: %v, want %v", words, got, want)
		}
	}
	said := []byte("Exported by a program\n" + strings.Repeat("vn 0 0 1\n", 10_000))[:format.PrefixSize]
	if got := Format.Detect(said, -1); got != format.Plausible {
		t.Errorf("a line of words before many normals: %v", got)
	}
	long := []byte(strings.Repeat("v 1.5 2.5 3.5\n", 10_000))[:format.PrefixSize]
	if got := Format.Detect(long, -1); got != format.Likely {
		t.Errorf("a stream that goes on: %v", got)
	}
	for n, want := range map[int]format.Likelihood{manyVertices: format.Likely, manyVertices - 1: format.No} {
		if got := Format.Detect([]byte(strings.Repeat("v 1 2 3\nx y\n", n)), -1); got != want {
			t.Errorf("a stream that goes on behind %d vertices: %v", n, got)
		}
	}
	for n, want := range map[int]format.Likelihood{knownShare + 1: format.Likely, knownShare: format.No} {
		file := strings.Repeat("v 1 2 3\n", n) + "x y\n"
		if got := Format.Detect([]byte(file), int64(len(file))); got != want {
			t.Errorf("%d vertices and another line: %v", n, got)
		}
	}
	mixed := []byte(strings.Repeat("v 1.5 2.5 3.5\nweight 1\n", 10_000))[:format.PrefixSize]
	if got := Format.Detect(mixed, -1); got != format.Likely {
		t.Errorf("a stream whose faces are behind the vertices: %v", got)
	}
}

func read(t *testing.T, file string, opts scenes.ReadOptions) *scenes.Mesh {
	t.Helper()
	opts.Strict = true
	m, _, err := format.Read(context.Background(), strings.NewReader(file), opts, Format)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestParts(t *testing.T) {
	m := read(t, square+"f 1 2 3\no first\ng\nf 1 2 3\nf 1 3 4\ng left side\nf 1 2 3\ng empty\no last\nf 1 2 3 4\n", scenes.ReadOptions{})
	want := []scenes.Part{{Name: "", First: 0, Count: 1}, {Name: "", First: 1, Count: 2}, {Name: "left side", First: 3, Count: 1}, {Name: "last", First: 4, Count: 2}}
	if fmt.Sprint(m.Parts) != fmt.Sprint(want) {
		t.Errorf("parts %+v, want %+v", m.Parts, want)
	}
	if m.Up != scenes.PlusY {
		t.Errorf("up %v", m.Up)
	}
	if m := read(t, square+"f 1 2 3\n", scenes.ReadOptions{}); m.Parts != nil {
		t.Errorf("parts %+v of a file without any", m.Parts)
	}
}

func TestColors(t *testing.T) {
	folder := fstest.MapFS{
		"a.mtl":        {Data: []byte("# colours\nnewmtl red\nKa 0 0 0\nKd 1 0 0\nnewmtl half blue\nKd 0 0 0.5\nmap_Kd -clamp on dots.png\n")},
		"dots.png":     {Data: meshtest.PNG(t, 2, 2, 0xff0000, 0x00ff00, 0x0000ff, 0xffffff)},
		"sub/b c.mtl":  {Data: []byte("newmtl green\r\nKd 0 1 0\r\n")},
		"with both":    {Mode: fs.ModeNamedPipe},
		"one.mtl":      {Data: []byte("newmtl red\nKd 1 0 0")},
		"two.mtl":      {Data: []byte("newmtl green\nKd 0 1 0\n")},
		"unused/c.mtl": {Data: []byte("newmtl red\nKd 0 0 0\n")},
	}
	faces := "f 1 2 3\nusemtl red\nf 1 2 3\nusemtl green\nf 1 2 3 4\nusemtl none\nf 1 2 3\nusemtl half blue\nf 1 2 3\n"
	for name, c := range map[string]struct {
		file string
		want []uint32
	}{
		"one":        {"mtllib a.mtl\n" + square + faces, []uint32{scenes.DefaultColor, 0xff0000, scenes.DefaultColor, scenes.DefaultColor, scenes.DefaultColor, 0x000080}},
		"two":        {"mtllib a.mtl\nmtllib sub\\b c.mtl\n" + square + faces, []uint32{scenes.DefaultColor, 0xff0000, 0x00ff00, 0x00ff00, scenes.DefaultColor, 0x000080}},
		"two a line": {"mtllib one.mtl two.mtl\n" + square + faces, []uint32{scenes.DefaultColor, 0xff0000, 0x00ff00, 0x00ff00, scenes.DefaultColor, scenes.DefaultColor}},
		"vertices":   {"mtllib a.mtl\nusemtl red\nv 0 0 0 1 0 0\nv 1 0 0 0 1 0\nv 0 1 0 1 0 0 1\nf 1 2 3\n", []uint32{0x555555}},
		"none":       {square + "f 1 2 3\n", nil},
	} {
		m, _, err := format.Read(context.Background(), strings.NewReader(c.file), scenes.ReadOptions{Beside: folder}, Format)
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprintf("%06x", m.Colors) != fmt.Sprintf("%06x", c.want) {
			t.Errorf("%s: colours %06x, want %06x", name, m.Colors, c.want)
		}
	}
}

// TestAttributes reads normals, texture coordinates and a texture. Normals and texture coordinates have their own
// indices.
func TestAttributes(t *testing.T) {
	folder := fstest.MapFS{
		"m/a.mtl":     {Data: []byte("newmtl dots\nKd 1 1 1\nd 0.5\nmap_Kd -s 1 1 1 -clamp on C:\\pictures\\my dots.png\nnewmtl plain\nKd 0 0 0\nmap_Kd missing.png\n")},
		"my dots.png": {Data: meshtest.PNG(t, 2, 2, 0xff0000, 0x00ff00, 0x0000ff, 0xffffff)},
	}
	file := "mtllib m/a.mtl\n" + square + "vn 0 0 2\nvn 1 0 0\nvt 0 0.125\nvt 0.25 0.25\nf 1 2 3\nusemtl dots\nf 1/1/2 -1/-1/-2 3/-2\nf 1/1 2/1 3/1\n"
	m := read(t, file, scenes.ReadOptions{Beside: folder})
	a := m.Attributes
	if a.Vertices != 4 || a.Index[2][1] != 2 || a.Index[1][1] != 3 {
		t.Errorf("vertices %d, %v", a.Vertices, a.Index)
	}
	if n := [3][3]float32{a.Normals.At(0, 1), a.Normals.At(1, 1), a.Normals.At(2, 1)}; n != [3][3]float32{{1, 0, 0}, {0, 0, 1}, {}} || a.Normals.At(0, 0) != [3]float32{} {
		t.Errorf("normals %v", n)
	}
	if uv := [3][2]float32{a.TexCoords.At(0, 1), a.TexCoords.At(1, 1), a.TexCoords.At(2, 1)}; uv != [3][2]float32{{0, 0.875}, {0.25, 0.75}, {0, 0.875}} {
		t.Errorf("texture coordinates %v", uv)
	}
	mat := a.Materials[a.MaterialOf[1]]
	if a.MaterialOf[0] != -1 || len(a.Materials) != 1 || mat.Name != "dots" || mat.Alpha != scenes.AlphaBlend || mat.BaseColor != [4]float32{1, 1, 1, 0.5} {
		t.Errorf("materials %v of %+v", a.MaterialOf, a.Materials)
	}
	if x := mat.Texture; x == nil || x.WrapU != scenes.Clamp || x.Picture.Rect.Dx() != 2 || m.Colors[2] != 0x0000ff || m.Colors[0] != scenes.DefaultColor {
		t.Errorf("texture %+v, colours %06x", x, m.Colors)
	}
	if m := read(t, file, scenes.ReadOptions{Beside: folder, Flat: true}); m.Attributes != nil || m.Len() != 3 || m.Colors[2] != 0x0000ff {
		t.Errorf("flat: %+v, %06x", m.Attributes, m.Colors)
	}
}

// TestMaterialWords reads the keywords of materials in any case, and alpha from either keyword.
func TestMaterialWords(t *testing.T) {
	m := newMaterials()
	file := "NEWMTL a\nKD 1 0 0\nTr 0.25\nmap_kd a.png\nnewmtl b\nkd 0 1 0\nd 0.25\nMAP_KD -clamp on B.png\n"
	if err := m.parse(strings.NewReader(file), "."); err != nil {
		t.Fatal(err)
	}
	if a := m.byName["a"]; a == nil || a.color != 0xff0000 || a.alpha != 0.75 || a.diffuse.name != "a.png" {
		t.Errorf("%+v", a)
	}
	if b := m.byName["b"]; b == nil || b.color != 0x00ff00 || b.alpha != 0.25 || b.diffuse.name != "B.png" || b.diffuse.wrap != scenes.Clamp {
		t.Errorf("%+v", b)
	}
}

// TestInvisible checks that a material with alpha 0 is drawn opaque, because programs that write 0 mean opaque.
func TestInvisible(t *testing.T) {
	folder := fstest.MapFS{"a.mtl": {Data: []byte("newmtl a\nKd 1 0 0\nd 0\n")}}
	m := read(t, "mtllib a.mtl\nusemtl a\n"+square+"f 1 2 3\n", scenes.ReadOptions{Beside: folder})
	if a := m.Attributes.Materials[0]; a.Alpha != scenes.AlphaOpaque || a.BaseColor[3] != 1 {
		t.Errorf("%+v", a)
	}
}

// TestManyLibraries checks that the number of files of materials that are opened is limited.
func TestManyLibraries(t *testing.T) {
	folder := fstest.MapFS{}
	var file strings.Builder
	for i := range maxLibraries + 1 {
		name := fmt.Sprint("m", i)
		folder[name+".mtl"] = &fstest.MapFile{Data: []byte("newmtl " + name + "\nKd 1 0 0\n")}
		fmt.Fprintf(&file, "mtllib %s.mtl\n", name)
	}
	fmt.Fprintf(&file, "%susemtl m%d\nf 1 2 3\nusemtl m%d\nf 1 3 4\n", square, maxLibraries-1, maxLibraries)
	m, _, err := format.Read(context.Background(), strings.NewReader(file.String()), scenes.ReadOptions{Beside: folder}, Format)
	if err != nil {
		t.Fatal(err)
	}
	if m.Colors[0] != 0xff0000 || m.Colors[1] != scenes.DefaultColor {
		t.Errorf("colours %06x", m.Colors)
	}
}

// TestFolder checks that materials are looked for only in the folder of the mesh, whatever their names are and wherever
// links lead.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	inside := filepath.Join(dir, "mesh")
	if err := os.Mkdir(inside, 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(name, data string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(dir, "secret.mtl"), "newmtl red\nKd 1 0 0\n")
	write(filepath.Join(inside, "own.mtl"), "newmtl red\nKd 1 0 0\n")
	if err := os.Symlink(filepath.Join(dir, "secret.mtl"), filepath.Join(inside, "link.mtl")); err != nil {
		t.Skip(err)
	}
	path := filepath.Join(inside, "a.obj")
	for name, found := range map[string]bool{
		"own.mtl": true, `.\own.mtl`: true, "../mesh/own.mtl": true, "../secret.mtl": false, "link.mtl": false, filepath.Join(inside, "own.mtl"): true,
		"LINK.MTL": false, "../SECRET.mtl": false, "OWN.mtl": true, "none.mtl": false, ".": false, "": false,
	} {
		write(path, "mtllib "+name+"\n"+square+"usemtl red\nf 1 2 3\n")
		m, rep, err := format.ReadFile(context.Background(), path, scenes.ReadOptions{}, Format)
		if err != nil || m.Len() != 1 {
			t.Fatalf("%q: %v", name, err)
		}
		if got := m.Colors != nil; got != found || found != (len(rep.Warnings) == 0) {
			t.Errorf("%q: colours %v, want %v; warnings %q", name, got, found, rep.Warnings)
		}
	}
}

// TestPipeBeside checks that a pipe is not opened as a file of materials, because this would wait for a writer.
func TestPipeBeside(t *testing.T) {
	folder := fstest.MapFS{"a.mtl": {Mode: fs.ModeNamedPipe}}
	_, rep, err := format.Read(context.Background(), strings.NewReader("mtllib a.mtl\n"+square+"f 1 2 3\n"), scenes.ReadOptions{Beside: folder}, Format)
	if err != nil || len(rep.Warnings) != 1 || !strings.Contains(rep.Warnings[0], "not a regular file") {
		t.Errorf("%+v, %v", rep, err)
	}
}

// written writes a mesh whose triangles share no vertices, and returns the file.
func written(m *scenes.Mesh) []byte {
	var b bytes.Buffer
	for i := range m.Len() {
		for _, c := range m.Triangle(i) {
			fmt.Fprintf(&b, "v %g %g %g\n", c[0], c[1], c[2])
		}
		b.WriteString("f -3 -2 -1\n")
	}
	return b.Bytes()
}

func generate(tb testing.TB, arg string) *scenes.Mesh {
	tb.Helper()
	s, err := procedural.Parse(arg)
	if err != nil {
		tb.Fatal(err)
	}
	m, err := scenes.Load(context.Background(), s, scenes.ReadOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// TestSameSurface writes a scene of several chunks and buffers, and checks that it is read back bit for bit.
func TestSameSurface(t *testing.T) {
	want := generate(t, "scene:bumpy?triangles=150000")
	got, rep, err := format.Read(context.Background(), &meshtest.Dribble{Data: written(want), Size: 100_003}, scenes.ReadOptions{Strict: true}, Format)
	if err != nil || rep.Bounds != want.Bounds() {
		t.Fatalf("%v, %+v", err, rep)
	}
	meshtest.Same(t, got, want)
}

// TestLongLines reads a polygon whose line is longer than the buffer, as one line and continued by backslashes.
func TestLongLines(t *testing.T) {
	var b, joined strings.Builder
	const n = 50_000
	b.WriteString("f")
	for i := range n {
		fmt.Fprintf(&b, " %d/%d/%d", i+1, 1, 1)
		fmt.Fprintf(&joined, "v %d %d 0\n", i, i*i) // the polygon is convex
	}
	vertices := joined.String() + "vt 0 0\nvn 0 0 1\n"
	for name, face := range map[string]string{"one": b.String(), "continued": strings.ReplaceAll(b.String(), " 77", "\\\n 77")} {
		if m := read(t, vertices+face+"\n", scenes.ReadOptions{}); m.Len() != n-2 {
			t.Errorf("%s: %d triangles", name, m.Len())
		}
	}
}

func BenchmarkRead(b *testing.B) {
	m := generate(b, "scene:bumpy?triangles=100k")
	file := written(m)
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		got, _, err := format.Read(context.Background(), bytes.NewReader(file), scenes.ReadOptions{}, Format)
		if err != nil || got.Len() != m.Len() {
			b.Fatal(err)
		}
	}
}
