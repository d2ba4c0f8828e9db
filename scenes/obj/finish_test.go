package obj

import (
	"bytes"
	"image"
	"image/png"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"lockstep/scenes"
	"lockstep/scenes/format"
)

// finishOf returns the finish that lines of a file of materials define.
func finishOf(t *testing.T, lines string, files fstest.MapFS) *scenes.Finish {
	t.Helper()
	f, warnings := finishWith(t, lines, files)
	if len(warnings) > 0 {
		t.Fatalf("%s: %v", lines, warnings)
	}
	return f
}

// finishWith is like finishOf, but also returns the warnings.
func finishWith(t *testing.T, lines string, files fstest.MapFS) (*scenes.Finish, []string) {
	t.Helper()
	all := fstest.MapFS{"m.mtl": {Data: []byte("newmtl m\n" + lines)}}
	for name, file := range files {
		all[name] = file
	}
	const text = "mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl m\nf 1/1 2/2 3/3\n"
	mesh, rep, err := format.Read(t.Context(), bytes.NewReader([]byte(text)), scenes.ReadOptions{Beside: all}, Format)
	if err != nil {
		t.Fatalf("%s: %v", lines, err)
	}
	return mesh.Attributes.Materials[0].Finish, rep.Warnings
}

// TestFinish reads how materials reflect light, from the statements of old and new programs.
func TestFinish(t *testing.T) {
	grey := func(v float32) [3]float32 { return [3]float32{v, v, v} }
	for _, c := range []struct {
		lines               string
		metallic, roughness float32
		specular            [3]float32
		plaster             bool
	}{
		{lines: "Kd 1 0 0\n", plaster: true},
		{lines: "Kd 1 0 0\nNs 50\n", plaster: true},
		{lines: "Ks 0 0 0\nNs 50\n", plaster: true},
		{lines: "Ks 1 1 1\n", plaster: true}, // the exponent 0 is a default that programs do not mean
		{lines: "Ks 1 1 1\nNs 30\nillum 1\n", plaster: true},
		{lines: "Ks 1 1 1\nNs 30\nillum 0\n", plaster: true},
		{lines: "Ks 0.5 0.5 0.5\nNs 30\nillum 2\n", roughness: 0.5, specular: grey(0.04)},
		{lines: "Ks 1 0.5 0\nNs 510\n", roughness: 0.25, specular: [3]float32{0.08, 0.04, 0}},
		{lines: "Pr 0.25\n", roughness: 0.25, specular: grey(0.04)},
		{lines: "Pr 0.25\nKs 0 0 0\n", roughness: 0.25, specular: grey(0)},
		{lines: "Pr 0.25\nPm 1\n", metallic: 1, roughness: 0.25, specular: grey(0.04)},
		{lines: "Pm 7\nPr 9\n", metallic: 1, roughness: 1, specular: grey(0.04)},
		{lines: "Pm -1\nPr x\n", plaster: true},
		{lines: "map_Bump none.png\n", roughness: 0.65, specular: grey(0.04)},
	} {
		f := finishOf(t, c.lines, nil)
		if (f == nil) != c.plaster {
			t.Errorf("%q: finish %v", c.lines, f)
			continue
		}
		if f == nil {
			continue
		}
		if f.Metallic != c.metallic || math.Abs(float64(f.Roughness-c.roughness)) > 1e-6 {
			t.Errorf("%q: metallic %g, roughness %g, want %g and %g", c.lines, f.Metallic, f.Roughness, c.metallic, c.roughness)
		}
		for k := range 3 {
			if math.Abs(float64(f.Specular[k]-c.specular[k])) > 1e-6 {
				t.Errorf("%q: specular %v, want %v", c.lines, f.Specular, c.specular)
			}
		}
	}
}

func pngOf(t *testing.T, p *image.NRGBA) *fstest.MapFile {
	var b bytes.Buffer
	if err := png.Encode(&b, p); err != nil {
		t.Fatal(err)
	}
	return &fstest.MapFile{Data: b.Bytes()}
}

// TestRelief checks that height maps become normal maps, and that normal maps are used as they are, whichever statement
// names them.
func TestRelief(t *testing.T) {
	ramp, bluish := image.NewNRGBA(image.Rect(0, 0, 32, 32)), image.NewNRGBA(image.Rect(0, 0, 32, 32))
	for i := range 32 * 32 {
		v := uint8(i % 32 * 8) // height increases to the right
		copy(ramp.Pix[4*i:], []byte{v, v, v, 255})
		copy(bluish.Pix[4*i:], []byte{140, 120, 250, 255})
	}
	files := fstest.MapFS{"ramp.png": pngOf(t, ramp), "blue.png": pngOf(t, bluish)}
	for lines, want := range map[string][3]uint8{
		"map_Bump blue.png\n":          {140, 120, 250},
		"norm blue.png\n":              {140, 120, 250},
		"bump -bm 1 blue.png\n":        {140, 120, 250},
		"map_Bump ramp.png\n":          {111, 127, 254}, // the slope is 4 * 8 / 255
		"map_Bump -bm 10 ramp.png\n":   {27, 127, 206},
		"bump -bm 1000000 ramp.png\n":  {0, 127, 137}, // the slope is limited by the factor 100
		"bump -bm -1e308 ramp.png\n":   {254, 127, 137},
		"map_Bump -bm 0 ramp.png\n":    {127, 127, 255},
		"norm blue.png\nbump ramp.png": {140, 120, 250},
	} {
		f := finishOf(t, lines, files)
		if f == nil || f.Normals == nil {
			t.Errorf("%q: no relief", lines)
			continue
		}
		if got := f.Normals.Picture.Pix[4*(16*32+16):][:3]; [3]uint8(got) != want {
			t.Errorf("%q: %v, want %v", lines, got, want)
		}
	}
	if f := finishOf(t, "bump -bm -1e308 blue.png\n", files); f == nil || f.NormalScale != -maxSteepness {
		t.Errorf("normals far too steep: %+v", f)
	}
	for _, lines := range []string{"map_Bump -s 2 2 ramp.png\n", "norm -o 1 ramp.png\n", "map_Pr -s 2 2 ramp.png\n"} {
		f, warnings := finishWith(t, "map_Kd blue.png\n"+lines, files)
		if f == nil || f.Normals != nil || f.Surface != nil || len(warnings) != 1 || !strings.Contains(warnings[0], "placed otherwise than its colour") {
			t.Errorf("%s, otherwise than the colour: %+v, warnings %q", lines, f, warnings)
		}
	}
	if f := finishOf(t, "map_Pr ramp.png\n", files); f == nil || f.Surface == nil || f.Roughness != 1 {
		t.Errorf("roughness by a texture: %v", f)
	}
	f := finishOf(t, "Pm 0.5\nmap_Pr ramp.png\n", files)
	if f == nil || f.Surface == nil || f.Metallic != 0.5 || [4]uint8(f.Surface.Picture.Pix[12:]) != [4]uint8{24, 24, 255, 255} {
		t.Errorf("roughness of a metal by a texture: %+v", f)
	}
}

// TestReliefsOnce checks that a normal map made from a height map, and the roughness map of a metal, are computed once
// for all materials that share them.
func TestReliefsOnce(t *testing.T) {
	picture := image.NewNRGBA(image.Rect(0, 0, 4, 4))
	files := fstest.MapFS{"a.png": pngOf(t, picture)}
	lines := "map_Bump -bm 2 a.png\nPm 1\nmap_Pr a.png\n"
	files["m.mtl"] = &fstest.MapFile{Data: []byte("newmtl a\n" + lines + "newmtl b\nKd 1 0 0\n" + lines + "newmtl c\nmap_Bump -bm 3 a.png\n")}
	text := "mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\n"
	for _, name := range []string{"a", "b", "c"} {
		text += "usemtl " + name + "\nf 1/1 2/2 3/3\n"
	}
	mesh, _, err := format.Read(t.Context(), strings.NewReader(text), scenes.ReadOptions{Beside: files, Strict: true}, Format)
	if err != nil {
		t.Fatal(err)
	}
	m := mesh.Attributes.Materials
	a, b, c := m[0].Finish, m[1].Finish, m[2].Finish
	if a.Normals.Picture != b.Normals.Picture || a.Surface.Picture != b.Surface.Picture {
		t.Error("materials of the same relief and roughness have pictures of their own")
	}
	if c.Normals.Picture == a.Normals.Picture || a.Surface.Picture == a.Normals.Picture {
		t.Error("another relief, or a roughness, is the same picture")
	}
}
