package obj

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/meshtest"
)

func redFolder(t *testing.T) fstest.MapFS {
	t.Helper()
	dots := meshtest.PNG(t, 2, 2, 0xff0000, 0x00ff00, 0x0000ff, 0xffffff)
	return fstest.MapFS{
		"red.mtl":      {Data: []byte("newmtl red\nKd 1 0 0\n")},
		"My Mat.mtl":   {Data: []byte("newmtl blue\nKd 0 0 1\n")},
		"sub/Red.mtl":  {Data: []byte("newmtl red\nKd 1 0 0\nmap_Kd dots.png\n")},
		"sub/dots.png": {Data: dots},
		"dots.png":     {Data: dots},
		"my dots.png":  {Data: dots},
		"wide.mtl":     {Data: []byte("\xff\xfen\x00e\x00w\x00m\x00t\x00l\x00 \x00r\x00e\x00d\x00\n\x00K\x00d\x00 \x001\x00 \x000\x00 \x000\x00\n\x00")},
	}
}

// TestLibraryNames reads names of files of materials in the forms that programs and people use.
func TestLibraryNames(t *testing.T) {
	for line, want := range map[string]struct {
		red, blue bool
		warnings  int
	}{
		"red.mtl":                         {red: true},
		"red.mtl # by hand":               {red: true},
		`"red.mtl"`:                       {red: true},
		`"red.mtl" # by hand`:             {red: true},
		"RED.MTL":                         {red: true},
		`.\red.mtl`:                       {red: true},
		`C:\Users\me\red.mtl`:             {red: true},
		"/home/me/red.mtl":                {red: true},
		`C:\My Files\My Mat.mtl # x`:      {blue: true},
		"wide.mtl":                        {red: true},
		"My Mat.mtl":                      {blue: true},
		"my mat.mtl # x":                  {blue: true},
		`red.mtl "My Mat.mtl"`:            {red: true, blue: true},
		`"My Mat.mtl" "red.mtl" # x y`:    {red: true, blue: true},
		`red.mtl "" "my mat.mtl"`:         {red: true, blue: true},
		`"My Mat.mtl`:                     {blue: true},
		"red.mtl missing.mtl":             {red: true, warnings: 1},
		"missing.mtl red.mtl gone.mtl":    {red: true, warnings: 2},
		"missing.mtl # red.mtl":           {warnings: 1},
		"http://example.org/missing.mtl":  {warnings: 1},
		"# red.mtl":                       {warnings: 1},
		"missing.mtl\nmtllib missing.mtl": {warnings: 1},
	} {
		file := "mtllib " + line + "\n" + square + "usemtl red\nf 1 2 3\nusemtl blue\nf 1 3 4\n"
		m, rep, err := format.Read(context.Background(), strings.NewReader(file), scenes.ReadOptions{Beside: redFolder(t)}, Format)
		if err != nil {
			t.Fatal(err)
		}
		red, blue := slices.Contains(m.Colors, 0xff0000), slices.Contains(m.Colors, 0x0000ff)
		warnings := 0
		for _, w := range rep.Warnings {
			if strings.Contains(w, ": materials ") {
				warnings++
			}
		}
		if red != want.red || blue != want.blue || warnings != want.warnings {
			t.Errorf("%s: red %v, blue %v, %q", line, red, blue, rep.Warnings)
		}
	}
}

// TestMissedMaterials expects one warning for each name that no file defines, and no such warning if the file is
// missing.
func TestMissedMaterials(t *testing.T) {
	uses := square + "usemtl one\nf 1 2 3\nusemtl two\nf 1 2 3\nusemtl one\nf 1 2 3\nusemtl Red # the last\nf 1 2 3\n"
	for head, want := range map[string][]string{
		"mtllib red.mtl\n":  {`line 6: material "one" is in no file of materials`, `line 8: material "two" is in no file of materials`},
		"mtllib gone.mtl\n": {`line 1: materials "gone.mtl": file does not exist`},
		"# nothing\n":       {`line 6: material "one": no file of materials is named before it`},
	} {
		_, rep, err := format.Read(context.Background(), strings.NewReader(head+uses), scenes.ReadOptions{Beside: redFolder(t)}, Format)
		if err != nil {
			t.Fatal(err)
		}
		got := rep.Warnings
		for i := range got {
			got[i] = strings.TrimPrefix(got[i], "input: ")
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q", head, got)
		}
		_, _, err = format.Read(context.Background(), strings.NewReader(head+uses), scenes.ReadOptions{Beside: redFolder(t), Strict: true}, Format)
		if err == nil || err.Error() != "input: "+want[0] {
			t.Errorf("%q, strict: %v", head, err)
		}
	}
}

// TestTextureNames reads names of textures in the forms that programs and people use.
func TestTextureNames(t *testing.T) {
	for line, found := range map[string]bool{
		"dots.png": true, "DOTS.PNG": true, "dots.png # x": true, `"dots.png"`: true, `"my dots.png" # x`: true, "my dots.png": true, "my%20dots.png": true,
		"-s 1 1 1 dots.png": true, "-s 2 my dots.png": true, "-clamp on -bm 1 -t 0 0 0 dots.png": true, "-Type sphere dots.png": true, "-odd 3 4 dots.png": true,
		"-mm 0 1 dots.png": true, "-s 1u dots.png": true, "http://example.org/a/dots.png": true, "https://example.org/none.png": false, "none.png": false, "none.png # dots.png.": false,
		"file:///home/me/dots.png": true, `..\..\dots.png`: true, "sub/DOTS.png": true, "-s 1 1 1": true,
	} {
		folder := redFolder(t)
		folder["a.mtl"] = &fstest.MapFile{Data: []byte("newmtl a\nmap_Kd " + line + "\nnewmtl b\nmap_Kd " + line + "\n")}
		file := "mtllib a.mtl\n" + square + "vt 0 0\nusemtl a\nf 1/1 2/1 3/1\nusemtl b\nf 1/1 2/1 3/1\n"
		m, rep, err := format.Read(context.Background(), strings.NewReader(file), scenes.ReadOptions{Beside: folder}, Format)
		if err != nil {
			t.Fatal(err)
		}
		a, b := m.Attributes.Materials[0].Texture, m.Attributes.Materials[1].Texture
		if none := line == "-s 1 1 1"; found != (len(rep.Warnings) == 0) || (found && !none) != (a != nil) {
			t.Errorf("%s: %v, %q", line, a, rep.Warnings)
		}
		if a != nil && a.Picture != b.Picture {
			t.Errorf("%s: the picture is held twice", line)
		}
		if strings.HasPrefix(line, "https:") && !strings.Contains(rep.Warnings[0], `"https://example.org/none.png": it is an address, and nothing is fetched`) {
			t.Errorf("%s: %q", line, rep.Warnings)
		}
	}
}

// TestTextureMap reads two materials that share texture coordinates. One material scales and moves its texture.
func TestTextureMap(t *testing.T) {
	folder := redFolder(t)
	folder["a.mtl"] = &fstest.MapFile{Data: []byte("newmtl a\nmap_Kd dots.png\nnewmtl b\nmap_Kd -s 2 4 1 -o 0.25 0.5 0 dots.png\nnewmtl c\nmap_Kd -o 0.5 dots.png\n")}
	face := "f 1/1 2/2 3\n"
	file := "mtllib a.mtl\n" + square + "vt 0 0.25\nvt 0.5 1\nusemtl a\n" + face + "usemtl b\n" + face + face + "usemtl c\n" + face + "usemtl b\n" + face
	m, _, err := format.Read(context.Background(), strings.NewReader(file), scenes.ReadOptions{Beside: folder}, Format)
	if err != nil {
		t.Fatal(err)
	}
	uv := &m.Attributes.TexCoords
	b := [2][2]float32{{0.25, 1 - 1.5}, {1.25, 1 - 4.5}}
	want := [][2][2]float32{{{0, 0.75}, {0.5, 0}}, b, b, {{0.5, 0.75}, {1, 0}}, b}
	for i := range want {
		if got := [2][2]float32{uv.At(0, i), uv.At(1, i)}; got != want[i] || uv.Index[2][i] != 0 {
			t.Errorf("triangle %d: %v, want %v; third corner %d", i, got, want[i], uv.Index[2][i])
		}
	}
	if uv.Index[0][1] != uv.Index[0][2] || uv.Values[0] != [2]float32{} {
		t.Errorf("copies %v of %v", uv.Index, uv.Values)
	}
	if fmt.Sprint(m.Colors[1]) == fmt.Sprint(m.Colors[0]) {
		t.Errorf("flat colours %06x are those of other places", m.Colors)
	}
	limit := scenes.ReadOptions{Beside: folder, MaxMemory: 500}
	if _, _, err := format.Read(context.Background(), strings.NewReader(file), limit, Format); err == nil {
		t.Error("the limit was not looked at")
	}
}

// TestPaint reads the colours of vertices that ZBrush writes into comments, in chunks of any size. These colours must
// replace the colours of materials.
func TestPaint(t *testing.T) {
	file := "mtllib red.mtl\n#MRGB ff010203\n" + square + "usemtl red\n#MRGB 00FFa0B9ff112233\nf 1 2 3\nf 2 3 4\n"
	for _, how := range []fileFormat{{}, {sequential: true}, {chunk: 10}} {
		m, _, err := format.Read(context.Background(), strings.NewReader(file), scenes.ReadOptions{Beside: redFolder(t), Strict: true}, how)
		if err != nil {
			t.Fatal(err)
		}
		want := []scenes.RGBA{{1, 2, 3, 255}, {0xff, 0xa0, 0xb9, 255}, {0x11, 0x22, 0x33, 255}, scenes.Opaque(scenes.DefaultColor)}
		if got := m.Attributes.Colors.Values; !slices.Equal(got, want) || m.Attributes.MaterialOf != nil {
			t.Errorf("%+v: %v, materials %v", how, got, m.Attributes.MaterialOf)
		}
	}
	m := read(t, "v 0 0 0 1 0 0\nv 1 0 0 1 0 0\nv 0 1 0 1 0 0\n#MRGB ff000000ff000000ff000000\nf 1 2 3\n", scenes.ReadOptions{})
	if m.Colors[0] != 0xff0000 {
		t.Errorf("colours of their own %06x", m.Colors)
	}
}

// TestAddressBelow expects a warning that the name of a texture is an address, also if the file of materials is in
// another folder.
func TestAddressBelow(t *testing.T) {
	folder := redFolder(t)
	folder["sub/a.mtl"] = &fstest.MapFile{Data: []byte("newmtl a\nmap_Kd http://example.org/none.png\n")}
	_, rep, err := format.Read(context.Background(), strings.NewReader("mtllib sub/a.mtl\n"+square+"usemtl a\nf 1 2 3\n"), scenes.ReadOptions{Beside: folder}, Format)
	if err != nil || len(rep.Warnings) != 1 || !strings.Contains(rep.Warnings[0], "it is an address") {
		t.Errorf("%v, %+v", err, rep)
	}
}

// TestAlikeNames checks that a material is found by its exact name, or else the first material with a similar name.
func TestAlikeNames(t *testing.T) {
	m := newMaterials()
	first, second := m.define("Red", "."), m.define("RED", ".")
	for name, want := range map[string]*material{"Red": first, "RED": second, "red": first, `"red" # x`: first, "blue": nil} {
		if m.find(name) != want {
			t.Errorf("%s", name)
		}
	}
}

// TestOddNames finds files whose names contain something like a comment or like the argument of an option.
func TestOddNames(t *testing.T) {
	folder := redFolder(t)
	folder["a #1.mtl"] = &fstest.MapFile{Data: []byte("newmtl a\nmap_Kd b #2.png\nnewmtl c\nmap_Kd -mm 0 1 my dots.png\nnewmtl d\nmap_Kd -bm 1 2 dots.png\n")}
	folder["b #2.png"], folder["2 dots.png"] = folder["dots.png"], folder["dots.png"]
	m := func() *scenes.Mesh {
		file := "mtllib a #1.mtl\n" + square + "usemtl a\nf 1 2 3\nusemtl c\nf 1 2 3\nusemtl d\nf 1 2 3\n"
		m, _, err := format.Read(context.Background(), strings.NewReader(file), scenes.ReadOptions{Beside: folder, Strict: true}, Format)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}()
	for i, want := range []string{"b #2.png", "my dots.png", "2 dots.png"} {
		if x := m.Attributes.Materials[i].Texture; x == nil || x.Name != want {
			t.Errorf("%+v, want %s", x, want)
		}
	}
}

// TestCountsLines checks that repeated lines and points are drawn once, in chunks of any size.
func TestCountsLines(t *testing.T) {
	file := square + strings.Repeat("l 1 2\np 1\nl 2 3\nl 2 1\n", 100)
	for _, how := range []fileFormat{{}, {sequential: true}, {chunk: 20}} {
		m, rep, err := format.Read(context.Background(), strings.NewReader(file), scenes.ReadOptions{}, how)
		if err != nil || len(rep.Warnings) != 0 || m.Len() != 16 {
			t.Errorf("%+v: %v, %+v", how, err, rep)
		}
	}
}

// TestPaintLimit checks that the colours in comments count as memory.
func TestPaintLimit(t *testing.T) {
	file := square + "f 1 2 3\n" + strings.Repeat("#MRGB "+strings.Repeat("ff010203", 64)+"\n", 1000)
	_, _, err := format.Read(context.Background(), strings.NewReader(file), scenes.ReadOptions{MaxMemory: 200 << 10}, Format)
	var limit *scenes.LimitError
	if !errors.As(err, &limit) {
		t.Errorf("%v", err)
	}
}

// TestColoursAboveOne checks colours above 1. A colour from 0 to 255 is scaled. A colour slightly above 1 becomes as
// bright as possible. Both cause one warning, and an error of a strict read.
func TestColoursAboveOne(t *testing.T) {
	for kd, c := range map[string]struct {
		want  uint32
		warns bool
	}{
		"1 0.5 0": {0xff8000, false}, "255 128 0": {0xff8000, true}, "2 0 255": {0x0200ff, true}, "1.5 0.5 0": {0xff8000, true}, "300 0 1": {0xff00ff, true},
	} {
		folder := fstest.MapFS{"a.mtl": {Data: []byte("newmtl a\nKd " + kd + "\nnewmtl b\nKd " + kd + "\n")}}
		file := "mtllib a.mtl\n" + square + "usemtl a\nf 1 2 3\nusemtl b\nf 1 2 4\n"
		m, rep, err := format.Read(t.Context(), strings.NewReader(file), scenes.ReadOptions{Beside: folder, Flat: true}, Format)
		if err != nil {
			t.Fatal(err)
		}
		if m.Colors[0] != c.want || m.Colors[1] != c.want || len(rep.Warnings) != map[bool]int{true: 1}[c.warns] {
			t.Errorf("Kd %s: %06x, want %06x; %q", kd, m.Colors, c.want, rep.Warnings)
		}
		_, _, err = format.Read(t.Context(), strings.NewReader(file), scenes.ReadOptions{Beside: folder, Strict: true}, Format)
		if (err != nil) != c.warns {
			t.Errorf("Kd %s, strict: %v", kd, err)
		}
	}
}

// TestLongComments reads a mesh after a comment of any length. A comment without a mesh after it is not a mesh.
func TestLongComments(t *testing.T) {
	comments := strings.Repeat("# a line of a licence\n", 20_000)
	if m, _, err := format.Read(t.Context(), strings.NewReader(comments+square+"f 1 2 3\n"), scenes.ReadOptions{}, Format); err != nil || m.Len() != 1 {
		t.Errorf("%v", err)
	}
	if _, _, err := format.Read(t.Context(), strings.NewReader(comments), scenes.ReadOptions{}, Format); !errors.Is(err, scenes.ErrUnknownFormat) {
		t.Errorf("comments alone: %v", err)
	}
}
