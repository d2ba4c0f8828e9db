package recipe_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/budget"
	"lockstep/render"
	"lockstep/render/footprint"
	"lockstep/render/recipe"
	"lockstep/scenes"
)

// writeCloud writes a cloud of n points on a bowl as a binary PLY file, and returns its name.
func writeCloud(t *testing.T, n int) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "ply\nformat binary_little_endian 1.0\nelement vertex %d\nproperty float x\nproperty float y\nproperty float z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\nend_header\n", n)
	side := int(math.Ceil(math.Sqrt(float64(n))))
	for i := range n {
		x, y := float32(i%side)/float32(side)-0.5, float32(i/side)/float32(side)-0.5
		for _, v := range [3]float32{x, y, x*x + y*y} {
			b.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(v)))
		}
		b.Write([]byte{200, byte(i % side * 255 / side), 60})
	}
	name := filepath.Join(t.TempDir(), "cloud.ply")
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestLargeCloud opens a cloud of as many points as are drawn as octahedra, and a cloud of one point more. The larger
// cloud stays a cloud, unless the recipe or the program needs triangles.
func TestLargeCloud(t *testing.T) {
	large := writeCloud(t, 1001)
	size := recipe.Size{Width: 64, Height: 48}
	for name, c := range map[string]struct {
		change func(p *recipe.Picture, d *recipe.Drawer)
		points bool
	}{
		"default":      {func(*recipe.Picture, *recipe.Drawer) {}, true},
		"a headlight":  {func(p *recipe.Picture, _ *recipe.Drawer) { p.Look.Light = "headlight" }, true},
		"strict":       {func(_ *recipe.Picture, d *recipe.Drawer) { d.Read.Strict = true }, true},
		"little room":  {func(_ *recipe.Picture, d *recipe.Drawer) { d.Read.MaxMemory = 1 << 20 }, true},
		"wires":        {func(p *recipe.Picture, _ *recipe.Drawer) { p.Lines.Wireframe = true }, false},
		"all of it":    {func(_ *recipe.Picture, d *recipe.Drawer) { d.Resident = true }, false},
		"another mesh": {func(p *recipe.Picture, _ *recipe.Drawer) { p.Meshes = append(p.Meshes, p.Meshes[0]) }, false},
	} {
		p, d := recipe.Picture{Meshes: []recipe.Mesh{{File: large}}, Size: size}, recipe.Drawer{}
		d.SetOctahedra(1000)
		c.change(&p, &d)
		in, err := d.Open(t.Context(), p, p.RenderOptions(), p.Streams())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		cloud, kept := in.Source.(*scenes.Points)
		if kept != c.points || kept && (len(cloud.X) != 1001 || in.Held != 16*1001) {
			t.Errorf("%s: a %T that takes %d bytes", name, in.Source, in.Held)
		}
		look, studio := d.Look(p, in, p.RenderOptions()), p.Look.Light != "headlight"
		if kept && look.Occlusion != studio || look.EyeDome != (kept && studio) {
			t.Errorf("%s: another look", name)
		}
		in.Close()
	}
	var d recipe.Drawer
	d.SetOctahedra(1000)
	in, err := d.Open(t.Context(), recipe.Picture{Meshes: []recipe.Mesh{{File: writeCloud(t, 1000)}}, Size: size}, render.Options{}, false)
	if err != nil || in.Mesh() == nil {
		t.Errorf("a thousand points are a %T: %v", in.Source, err)
	}
}

// TestLargeCloudBase draws a large cloud from a base in memory, which has octahedra. BasePNG must write the same file
// as PNG, and InputPNG must draw the octahedra.
func TestLargeCloudBase(t *testing.T) {
	p := recipe.Picture{Meshes: []recipe.Mesh{{File: writeCloud(t, 1001)}}, Size: recipe.Size{Width: 64, Height: 48}}
	var d recipe.Drawer
	d.SetOctahedra(1000)
	base, err := d.ReadBase(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	var want, got bytes.Buffer
	if err := d.PNG(t.Context(), &want, p, recipe.Output{}); err != nil {
		t.Fatal(err)
	}
	if err := d.BasePNG(t.Context(), &got, base, p, recipe.Output{}); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want.Bytes()) {
		t.Error("another file")
	}
	in, err := d.OpenBase(t.Context(), base, p, p.RenderOptions())
	if err != nil {
		t.Fatal(err)
	}
	got.Reset()
	if err := d.InputPNG(t.Context(), &got, in, p); err != nil || in.Mesh() == nil || bytes.Equal(got.Bytes(), want.Bytes()) {
		t.Errorf("InputPNG draws no octahedra: %T, %v", in.Source, err)
	}
}

// TestMemoryOfEyeDome opens a mesh and a cloud with enough memory for their pictures without eye-dome light. Only the
// picture of the cloud needs more memory.
func TestMemoryOfEyeDome(t *testing.T) {
	cloud := writeCloud(t, 1001)
	for file, wants := range map[string]bool{"scene:cube": false, cloud: true} {
		p := recipe.Picture{Meshes: []recipe.Mesh{{File: file}}, Size: recipe.Size{Width: 2000, Height: 1500}}
		p.Fast()
		o := p.RenderOptions()
		if o.Workers = 1; !o.EyeDome {
			t.Fatal("no eye-dome light")
		}
		enough := budget.Sum(budget.DrawingBytes(footprint.OfMesh(o), 1)) + 1<<20
		for more, short := range map[int64]bool{0: wants, footprint.Lit(o): false} {
			d := recipe.Drawer{Memory: &budget.Account{Memory: enough + more}, Workers: 1}
			d.SetOctahedra(1000)
			g, err := d.Start(t.Context(), p, true, nil)
			if (err != nil) != short || short && !strings.Contains(err.Error(), "drawing the cloud needs at least") {
				t.Errorf("%s with %d bytes more: %v", file, more, err)
			}
			if err == nil {
				g.Close()
			}
		}
	}
}
