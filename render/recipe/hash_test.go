package recipe_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"lockstep/render/recipe"
)

// TestHash checks that the hash of a recipe changes with the contents of files and with every field that affects the
// picture, and with nothing else.
func TestHash(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const obj = "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl m\nf 1 2 3\n"
	a := write("a.obj", obj)
	write("a.mtl", "newmtl m\nKd 1 0 0\n")
	hash := func(p recipe.Picture) string {
		t.Helper()
		h, err := p.Hash(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	one := recipe.Picture{Meshes: []recipe.Mesh{{File: a}}}
	first := hash(one)
	moved := one
	moved.Meshes = []recipe.Mesh{{File: write("other/b.obj", obj)}}
	write("other/a.mtl", "newmtl m\nKd 1 0 0\n")
	if hash(moved) != first {
		t.Error("another path is another hash")
	}
	full := one.Full()
	full.Look.Samples = 0 // a single picture may have more samples, see Full
	if hash(full) != first {
		t.Error("defaults that are written out are another hash")
	}
	seen := map[string]string{first: "the recipe itself"}
	different := func(what string, h string) {
		t.Helper()
		if old, ok := seen[h]; ok {
			t.Errorf("%s has the hash of %s", what, old)
		}
		seen[h] = what
	}
	write("a.mtl", "newmtl m\nKd 0 1 0\n")
	different("another material", hash(one))
	write("a.mtl", "newmtl m\nKd 1 0 0\n")
	if hash(one) != first {
		t.Error("the same contents are another hash")
	}
	write("c.obj", strings.Replace(obj, "v 1 0 0", "v 2 0 0", 1))
	different("another vertex", hash(recipe.Picture{Meshes: []recipe.Mesh{{File: filepath.Join(dir, "c.obj")}}}))
	for what, change := range map[string]func(p *recipe.Picture){
		"size":       func(p *recipe.Picture) { p.Size = recipe.Size{Width: 64, Height: 48} },
		"up":         func(p *recipe.Picture) { p.Up = "x" },
		"view":       func(p *recipe.Picture) { p.Camera.View = &recipe.View{Azimuth: 1} },
		"zoom":       func(p *recipe.Picture) { p.Camera.Zoom = 2 },
		"projection": func(p *recipe.Picture) { p.Camera.Projection = "orthographic" },
		"fov":        func(p *recipe.Picture) { p.Camera.Fov = 31 },
		"fit":        func(p *recipe.Picture) { p.Camera.Fit = "box" },
		"eye":        func(p *recipe.Picture) { p.Camera.Eye = &recipe.Point{9, 9, 9} },
		"shading":    func(p *recipe.Picture) { p.Look.Shading = "flat" },
		"light":      func(p *recipe.Picture) { p.Look.Light = "headlight" },
		"color":      func(p *recipe.Picture) { p.Look.Color = "red" },
		"background": func(p *recipe.Picture) { p.Look.Background = "red" },
		"cull":       func(p *recipe.Picture) { p.Look.Cull = "back" },
		"crease":     func(p *recipe.Picture) { p.Look.Crease = 36 },
		"occlusion":  func(p *recipe.Picture) { p.Look.Occlusion = "off" },
		"eye dome":   func(p *recipe.Picture) { p.Look.EyeDome = "off" },
		"material":   func(p *recipe.Picture) { p.Look.Material = "metal" },
		"metallic":   func(p *recipe.Picture) { p.Look.Metallic = new(0.5) },
		"roughness":  func(p *recipe.Picture) { p.Look.Roughness = new(0.0) },
		"samples":    func(p *recipe.Picture) { p.Look.Samples = 16 },
		"field":      func(p *recipe.Picture) { p.Look.Field = "t" },
		"section":    func(p *recipe.Picture) { p.Cuts.Sections = []recipe.Plane{{Normal: [3]float64{0, 0, 1}, Keep: '<'}} },
		"box":        func(p *recipe.Picture) { p.Cuts.Box = recipe.Box{High: [3]float64{1, 1, 1}} },
		"edges":      func(p *recipe.Picture) { p.Lines.Edges = true },
		"wireframe":  func(p *recipe.Picture) { p.Lines.Wireframe = true },
		"ground":     func(p *recipe.Picture) { p.Lines.Ground = new(false) },
		"axes":       func(p *recipe.Picture) { p.Lines.Axes = true },
		"bounds":     func(p *recipe.Picture) { p.Lines.Bounds = true },
		"scale bar":  func(p *recipe.Picture) { p.Lines.ScaleBar = true },
		"label":      func(p *recipe.Picture) { p.Lines.Label = "x" },
		"crop":       func(p *recipe.Picture) { p.Crop = recipe.Rect{Width: 5, Height: 5} },
		"trim":       func(p *recipe.Picture) { p.Trim = true },
		"sheet":      func(p *recipe.Picture) { p.Sheet = 4 },
		"angle":      func(p *recipe.Picture) { p.Sheet, p.FirstAngle = 4, true },
		"dimension":  func(p *recipe.Picture) { p.Lines.Dimensions = []recipe.Dimension{{}} },
		"contours":   func(p *recipe.Picture) { p.Look.Field, p.Lines.Contours = "t", 3 },
		"scale":      func(p *recipe.Picture) { p.Meshes[0].Scale = 2 },
		"rotate":     func(p *recipe.Picture) { p.Meshes[0].Rotate[1] = 2 },
		"move":       func(p *recipe.Picture) { p.Meshes[0].Move[2] = 2 },
		"point size": func(p *recipe.Picture) { p.Look.PointSize.Length = 3 },
		"pixels":     func(p *recipe.Picture) { p.Look.PointSize = recipe.PointSize{Length: 3, Pixels: true} },
		"time":       func(p *recipe.Picture) { p.Time = new(0.5) },
		"clip":       func(p *recipe.Picture) { p.Clip = "2" },
		"two meshes": func(p *recipe.Picture) { p.Meshes = append(p.Meshes, recipe.Mesh{File: "scene:cube"}) },
	} {
		p := one
		p.Meshes = append([]recipe.Mesh(nil), one.Meshes...)
		change(&p)
		different(what, hash(p))
	}
	for what, change := range map[string]func(p *recipe.Picture){
		"a colour map without a field": func(p *recipe.Picture) { p.Look.Colormap = "grey" },
		"a line width without lines":   func(p *recipe.Picture) { p.Lines.Width = 3 },
		"an angle without a sheet":     func(p *recipe.Picture) { p.FirstAngle = true },
		"a title without a legend":     func(p *recipe.Picture) { p.Lines.LegendTitle = "x" },
		"a unit without lengths":       func(p *recipe.Picture) { p.Unit = "mm" },
		"the default by its name":      func(p *recipe.Picture) { p.Look.Background, p.Lines.Ground = "gradient", new(true) },
	} {
		p := one
		change(&p)
		if hash(p) != first {
			t.Errorf("%s: another hash", what)
		}
	}
	turn := recipe.Animation{Picture: one}
	h, err := turn.Hash(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	different("an animation", h)
	turn.Clip = "2"
	if h, err = turn.Hash(t.Context()); err != nil {
		t.Fatal(err)
	}
	different("a clip that is played", h)
	turn.Clip = ""
	turn.More = []recipe.Mesh{{File: filepath.Join(dir, "c.obj")}}
	if h, err = turn.Hash(t.Context()); err != nil {
		t.Fatal(err)
	}
	different("an animation of two meshes", h)
	for _, file := range []string{"-", filepath.Join(dir, "missing.stl"), os.DevNull} {
		if _, err := (recipe.Picture{Meshes: []recipe.Mesh{{File: file}}}).Hash(t.Context()); err == nil {
			t.Errorf("%s has a hash", file)
		}
	}
	if !reflect.DeepEqual(one.Meshes, []recipe.Mesh{{File: a}}) {
		t.Error("Hash changed the recipe")
	}
}
