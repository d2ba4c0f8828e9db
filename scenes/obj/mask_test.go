package obj

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"
	"testing/fstest"

	"lockstep/scenes"
	"lockstep/scenes/format"
)

// encoded returns a PNG file of the given pixels, two per row.
func encoded(t *testing.T, pixels ...color.NRGBA) *fstest.MapFile {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, 2, len(pixels)/2))
	for i, c := range pixels {
		m.SetNRGBA(i%2, i/2, c)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return &fstest.MapFile{Data: b.Bytes()}
}

func maskFolder(t *testing.T) fstest.MapFS {
	white, black, red, none := color.NRGBA{255, 255, 255, 255}, color.NRGBA{0, 0, 0, 255}, color.NRGBA{255, 0, 0, 255}, color.NRGBA{0, 255, 0, 0}
	grey := color.NRGBA{100, 100, 100, 255}
	return fstest.MapFS{
		"grey.png":  encoded(t, white, black, white, black),
		"alpha.png": encoded(t, white, none, none, black),
		"red.png":   encoded(t, red, red),
		"leaf.png":  encoded(t, red, none, red, none),
		"soft.png":  encoded(t, white, grey, grey, grey),
		"black.png": encoded(t, black, black),
		"edge.png":  encoded(t, white, white, white, black, white, grey),
	}
}

// TestMask checks the alpha that map_d gives to materials.
func TestMask(t *testing.T) {
	red := [4]float32{1, 0, 0, 1}
	for name, c := range map[string]struct {
		lines  string
		mode   scenes.AlphaMode
		alphas []uint8 // alphas of the texture; nil if there is no texture
		color  [4]float32
	}{
		"luminance":              {"Kd 1 0 0\nmap_d grey.png", scenes.AlphaMask, []uint8{255, 0, 255, 0}, red},
		"alpha":                  {"Kd 1 0 0\nmap_D alpha.png", scenes.AlphaMask, []uint8{255, 0, 0, 255}, red},
		"luminance is asked for": {"map_d -imfchan l alpha.png", scenes.AlphaBlend, []uint8{255, 182, 182, 0}, [4]float32{1, 1, 1, 1}},
		"a channel":              {"map_d -imfchan g leaf.png", scenes.AlphaMask, []uint8{0, 255, 0, 255}, [4]float32{1, 1, 1, 1}},
		"the same file":          {"map_Kd leaf.png\nmap_d leaf.png", scenes.AlphaMask, []uint8{255, 0, 255, 0}, [4]float32{1, 1, 1, 1}},
		"the same without alpha": {"map_Kd red.png\nmap_d red.png", scenes.AlphaOpaque, []uint8{255, 255}, [4]float32{1, 1, 1, 1}},
		"larger than colours":    {"map_Kd red.png\nmap_d grey.png", scenes.AlphaMask, []uint8{255, 0, 255, 0}, [4]float32{1, 1, 1, 1}},
		"smaller than colours":   {"map_Kd grey.png\nmap_d -imfchan r red.png", scenes.AlphaMask, []uint8{255, 255, 255, 255}, [4]float32{1, 1, 1, 1}},
		"soft":                   {"map_d soft.png", scenes.AlphaBlend, []uint8{255, 100, 100, 100}, [4]float32{1, 1, 1, 1}},
		"soft at edges":          {"map_d edge.png", scenes.AlphaMask, []uint8{255, 255, 255, 0, 255, 100}, [4]float32{1, 1, 1, 1}},
		"beside d":               {"d 0.5\nmap_d grey.png", scenes.AlphaBlend, []uint8{255, 0, 255, 0}, [4]float32{1, 1, 1, 0.5}},
		"nothing there":          {"map_d black.png", scenes.AlphaOpaque, nil, [4]float32{1, 1, 1, 1}},
		"no map_d":               {"map_Kd leaf.png", scenes.AlphaOpaque, []uint8{255, 0, 255, 0}, [4]float32{1, 1, 1, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			folder := maskFolder(t)
			folder["a.mtl"] = &fstest.MapFile{Data: []byte("newmtl a\n" + c.lines + "\nnewmtl b\n" + c.lines + "\n")}
			file := "mtllib a.mtl\n" + square + "vt 0 0\nusemtl a\nf 1/1 2/1 3/1\nusemtl b\nf 1/1 2/1 3/1\n"
			m := read(t, file, scenes.ReadOptions{Beside: folder})
			a, b := m.Attributes.Materials[0], m.Attributes.Materials[1]
			if a.Alpha != c.mode || a.BaseColor != c.color || a.Alpha == scenes.AlphaMask && a.AlphaCutoff != 0.5 {
				t.Errorf("%+v", a)
			}
			var alphas []uint8
			if a.Texture != nil {
				for i := 3; i < len(a.Texture.Picture.Pix); i += 4 {
					alphas = append(alphas, a.Texture.Picture.Pix[i])
				}
				if a.Texture.Picture != b.Texture.Picture {
					t.Error("the picture is held twice")
				}
			}
			if !bytes.Equal(alphas, c.alphas) {
				t.Errorf("alphas %v, want %v", alphas, c.alphas)
			}
		})
	}
}

// TestMaskColors checks that the colours of map_Kd stay below a mask, and that a mask without colours is white.
func TestMaskColors(t *testing.T) {
	folder := maskFolder(t)
	folder["a.mtl"] = &fstest.MapFile{Data: []byte("newmtl a\nmap_Kd red.png\nmap_d grey.png\nnewmtl b\nmap_d -o 0.25 -clamp on grey.png\nnewmtl c\nKd 0 0 0\nmap_d grey.png\n")}
	file := "mtllib a.mtl\n" + square + "vt 0 1\nusemtl a\nf 1/1 2/1 3/1\nusemtl b\nf 1/1 2/1 3/1\nusemtl c\nf 1/1 2/1 3/1\n"
	m := read(t, file, scenes.ReadOptions{Beside: folder})
	if pix := m.Attributes.Materials[0].Texture.Picture.Pix; !bytes.Equal(pix[:8], []byte{255, 0, 0, 255, 255, 0, 0, 0}) {
		t.Error(pix)
	}
	if b := m.Attributes.Materials[1]; b.Texture.WrapU != scenes.Clamp || m.Attributes.TexCoords.At(0, 1) != [2]float32{0.25, 0} {
		t.Errorf("%+v, %v", b, m.Attributes.TexCoords.At(0, 1))
	}
	// The colour of this material is used, because its mask has no colours.
	if c := m.Attributes.Materials[2]; c.BaseColor != [4]float32{0, 0, 0, 1} || c.Alpha != scenes.AlphaMask {
		t.Errorf("%+v", c)
	}
}

// TestAmbientMap checks that map_Ka is used if there is no map_Kd.
func TestAmbientMap(t *testing.T) {
	folder := maskFolder(t)
	folder["a.mtl"] = &fstest.MapFile{Data: []byte("newmtl a\nKa 1 1 1\nmap_Ka red.png\nnewmtl b\nmap_Ka red.png\nmap_Kd leaf.png\n")}
	m := read(t, "mtllib a.mtl\n"+square+"vt 0 0\nusemtl a\nf 1/1 2/1 3/1\nusemtl b\nf 1/1 2/1 3/1\n", scenes.ReadOptions{Beside: folder})
	if a, b := m.Attributes.Materials[0].Texture, m.Attributes.Materials[1].Texture; a == nil || a.Name != "red.png" || b == nil || b.Name != "leaf.png" {
		t.Errorf("%+v, %+v", a, b)
	}
}

// TestGlow reads emissions. It expects one warning if the texture of an emission cannot be placed.
func TestGlow(t *testing.T) {
	for _, c := range []struct {
		lines   string
		light   [3]float32
		texture string
		warns   string
	}{
		{"Ke 0 0 0", [3]float32{}, "", ""},
		{"Ke 0 0.5 1", [3]float32{0, 0.5, 1}, "", ""},
		{"Ke 2", [3]float32{2, 2, 2}, "", ""},
		{"Ke -1 nan 3", [3]float32{0, 0, 3}, "", ""},
		{"map_Ke red.png", [3]float32{1, 1, 1}, "red.png", ""},
		{"Ke 0.5 0.5 0.5\nmap_emissive red.png\nmap_Kd leaf.png", [3]float32{0.5, 0.5, 0.5}, "red.png", ""},
		{"map_Ke -o 0.5 0 red.png\nmap_Kd leaf.png", [3]float32{1, 1, 1}, "red.png", ""},
		{"map_Ke red.png\nmap_Kd -s 0 1 leaf.png", [3]float32{}, "", "(map_Ke) that cannot be placed beside its colour"},
		{"Ke 1 1 1\nmap_Ke none.png", [3]float32{}, "", `texture "none.png"`},
		{"map_Bump red.png\nbump red.png\nmap_Ks red.png\nNs 3", [3]float32{}, "", ""},
	} {
		folder := maskFolder(t)
		folder["a.mtl"] = &fstest.MapFile{Data: []byte("newmtl a\n" + c.lines + "\nnewmtl b\n" + c.lines + "\n")}
		file := "mtllib a.mtl\n" + square + "vt 0 0\nusemtl a\nf 1/1 2/1 3/1\nusemtl b\nf 1/1 2/1 3/1\n"
		m, rep, err := format.Read(t.Context(), strings.NewReader(file), scenes.ReadOptions{Beside: folder}, Format)
		if err != nil || (len(rep.Warnings) > 0) != (c.warns != "") || c.warns != "" && !strings.Contains(rep.Warnings[0], c.warns) {
			t.Errorf("%s: %v, %+v", c.lines, err, rep)
			continue
		}
		texture := ""
		if a := m.Attributes; a != nil && len(a.Materials) > 0 {
			if x := a.Materials[1].Glow; x != nil {
				texture = x.Name
			}
			if a.Materials[1].Emission != c.light || texture != c.texture {
				t.Errorf("%s: %v of %q", c.lines, a.Materials[1].Emission, texture)
			}
		} else if c.light != ([3]float32{}) {
			t.Errorf("%s: no material", c.lines)
		}
	}
}

// TestGlowPlacement checks that the texture coordinates of an emission's texture are those that its own options give,
// whatever the placement of the colour.
func TestGlowPlacement(t *testing.T) {
	const own = "map_Ke -s 2 3 -o 0.25 0.5 red.png\n"
	for _, colour := range []string{"", "map_Kd leaf.png", "map_Kd -s 4 0.5 -o 0.125 2 leaf.png", "map_Kd -s 2 3 -o 0.25 0.5 leaf.png", "map_d -s 4 4 leaf.png"} {
		folder := maskFolder(t)
		folder["a.mtl"] = &fstest.MapFile{Data: []byte("newmtl a\n" + own + colour + "\n")}
		m := read(t, "mtllib a.mtl\n"+square+"vt 0.5 0.25\nusemtl a\nf 1/1 2/1 3/1\n", scenes.ReadOptions{Beside: folder})
		glow, uv := m.Attributes.Materials[0].Glow, m.Attributes.TexCoords.At(0, 0)
		if glow == nil {
			t.Fatalf("%s: no texture", colour)
		}
		if glow.Placement != nil {
			uv = glow.Placement.At(uv)
		}
		if want := [2]float32{2*0.5 + 0.25, 1 - (3*0.25 + 0.5)}; uv != want {
			t.Errorf("%s: %v, want %v", colour, uv, want)
		}
	}
}

// TestMaskMissing checks that a material whose mask is missing is drawn without the mask.
func TestMaskMissing(t *testing.T) {
	folder := fstest.MapFS{"a.mtl": {Data: []byte("newmtl a\nmap_d none.png\n")}}
	m, rep, err := format.Read(t.Context(), strings.NewReader("mtllib a.mtl\n"+square+"usemtl a\nf 1 2 3\n"), scenes.ReadOptions{Beside: folder}, Format)
	if err != nil || len(rep.Warnings) != 1 || !strings.Contains(rep.Warnings[0], `texture "none.png"`) || m.Attributes.Materials[0].Alpha != scenes.AlphaOpaque {
		t.Errorf("%v, %+v", err, rep)
	}
}

// TestStrangeWords checks that only a few unknown words are listed, but all their lines are counted.
func TestStrangeWords(t *testing.T) {
	file := square + "f 1 2 3\n" + strings.Repeat("a\nb\nc\nd\ne\ng1\nh\ni\nj\nk\na\n", 3)
	_, rep, err := format.Read(t.Context(), strings.NewReader(file), scenes.ReadOptions{}, Format)
	if err != nil || len(rep.Warnings) != maxUnknownWords+1 {
		t.Fatal(err, rep)
	}
	for i, want := range map[int]string{0: `line 6: unexpected "a", and on 5 more lines`, 2: `line 8: unexpected "c", and on 2 more lines`, 3: `line 9: unexpected "d", and 20 more lines begin with this or other unknown words`} {
		if rep.Warnings[i] != "input: "+want {
			t.Errorf("%q, want %q", rep.Warnings[i], want)
		}
	}
}

// TestMaskLimit checks that the pictures from which masks are made count as memory.
func TestMaskLimit(t *testing.T) {
	large := image.NewNRGBA(image.Rect(0, 0, 512, 512))
	large.SetNRGBA(1, 1, color.NRGBA{255, 255, 255, 255})
	var b bytes.Buffer
	if err := png.Encode(&b, large); err != nil {
		t.Fatal(err)
	}
	folder := fstest.MapFS{"a.mtl": {Data: []byte("newmtl a\nmap_Kd b.png\nmap_d a.png\n")}, "a.png": {Data: b.Bytes()}, "b.png": {Data: b.Bytes()}}
	file := "mtllib a.mtl\n" + square + "usemtl a\nf 1 2 3\n"
	for memory, fits := range map[int64]bool{5 << 19: false, 7 << 19: true} {
		_, _, err := format.Read(t.Context(), strings.NewReader(file), scenes.ReadOptions{Beside: folder, MaxMemory: memory}, Format)
		if (err == nil) != fits {
			t.Errorf("%d bytes: %v", memory, err)
		}
	}
}
