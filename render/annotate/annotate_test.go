package annotate_test

import (
	"bytes"
	"context"
	"flag"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"

	"lockstep/render"
	"lockstep/render/annotate"
	"lockstep/render/camera"
	"lockstep/scenes"
	"lockstep/scenes/load"
	"lockstep/scenes/procedural"
	"lockstep/scenes/section"
)

var update = flag.Bool("update", false, "write the golden pictures instead of comparing with them")

func mesh(t testing.TB, name string) *scenes.Mesh {
	t.Helper()
	s, err := procedural.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	m, err := scenes.Load(context.Background(), s, scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// drawn draws a mesh and then the annotations over it, and returns the picture and the camera.
func drawn(t testing.TB, m *scenes.Mesh, r render.Options, c camera.Options, o annotate.Options) (*render.Picture, render.Camera) {
	t.Helper()
	ctx := context.Background()
	r.Depth = o.NeedsDepth()
	renderer, err := render.New(r)
	if err != nil {
		t.Fatal(err)
	}
	defer renderer.Close()
	cam, err := camera.Fit(m.Bounds(), r.Width, r.Height, c)
	if err != nil {
		t.Fatal(err)
	}
	pic := new(render.Picture)
	if _, err := renderer.Frame(ctx, m, cam, pic); err != nil {
		t.Fatal(err)
	}
	a, err := annotate.New(ctx, m, m.Bounds(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Draw(ctx, pic, &cam); err != nil {
		t.Fatal(err)
	}
	return pic, cam
}

var studio = render.Options{Width: 320, Height: 240}.Studio()

func TestGolden(t *testing.T) {
	wave, _, err := load.File(context.Background(), "../../testdata/wave.ply", scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	field := studio
	field.Field = render.Field{Name: "height"}
	field.Background = nil
	cut, _, err := section.Cut(mesh(t, "scene:gear?triangles=5000"), []section.Plane{{Normal: [3]float64{0, -1, 0}}}, section.Options{Cap: 0xc9885b, Body: 0x9fb0c3})
	if err != nil {
		t.Fatal(err)
	}
	white := render.RGB(0xffffff)
	for _, g := range []struct {
		name   string
		mesh   *scenes.Mesh
		r      render.Options
		camera camera.Options
		o      annotate.Options
	}{
		{"edges", mesh(t, "scene:gear?triangles=5000"), studio, camera.Options{Azimuth: 30, Elevation: 40}, annotate.Options{Edges: true, Axes: true}},
		{"wire", mesh(t, "scene:knot?triangles=2000"), studio, camera.Options{Elevation: 60, Orthographic: true},
			annotate.Options{Wireframe: true, Bounds: true, ScaleBar: true, Unit: "mm", Label: "knot"}},
		{"legend", wave, field, camera.Options{Azimuth: 30, Elevation: 35}, annotate.Options{Legend: &annotate.Legend{Title: "height", Low: -0.3, High: 0.6, None: true}}},
		{"section", cut, studio, camera.Options{Azimuth: 20, Elevation: 30}, annotate.Options{Edges: true, LineWidth: 2, LineColor: &white}},
	} {
		t.Run(g.name, func(t *testing.T) {
			pic, _ := drawn(t, g.mesh, g.r, g.camera, g.o)
			file := "../../testdata/golden/annotate-" + g.name + ".png"
			if *update {
				write(t, file, pic)
			}
			if want := read(t, file); !bytes.Equal(want.Pix, pic.Pix) {
				t.Errorf("not the picture in %s; if it should have changed, run the test with -update", file)
			}
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			if alone, _ := drawn(t, g.mesh, g.r, g.camera, g.o); !bytes.Equal(alone.Pix, pic.Pix) {
				t.Error("another picture on one core")
			}
		})
	}
}

func write(t *testing.T, file string, pic *render.Picture) {
	t.Helper()
	var buf bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&buf, pic.Image()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, buf.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, file string) *image.NRGBA {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	if straight, ok := img.(*image.NRGBA); ok {
		return straight
	}
	straight := image.NewNRGBA(img.Bounds())
	draw.Draw(straight, straight.Rect, img, img.Bounds().Min, draw.Src)
	return straight
}

// dark reports whether a pixel has the dark colour of lines, judged by its red.
func dark(pic *render.Picture, x, y float64) bool {
	return pic.Pix[4*(int(y)*pic.Width+int(x))] < 100
}

// TestCube checks that the nine visible edges of a cube are drawn, and the three hidden edges are not. The diagonals of
// its faces must appear only in the wire frame.
func TestCube(t *testing.T) {
	cube := mesh(t, "scene:cube")
	box := cube.Bounds()
	at := func(i int) (p [3]float64) {
		for axis := range p {
			p[axis] = box.Min[axis]
			if i>>axis&1 != 0 {
				p[axis] = box.Max[axis]
			}
		}
		return p
	}
	o := studio
	o.Color, o.Occlusion = render.RGB(0xffffff), false
	for _, flat := range []bool{true, false} {
		pic, cam := drawn(t, cube, o, camera.Options{Azimuth: 40, Elevation: 30, Orthographic: flat}, annotate.Options{Edges: true, LineWidth: 3})
		// Three edges meet at the corner farthest from the eye.
		hidden := 0
		for i := range 8 {
			if cam.Forward.Dot(at(i)) > cam.Forward.Dot(at(hidden)) {
				hidden = i
			}
		}
		for i := range 8 {
			for axis := range 3 {
				j := i | 1<<axis
				if j == i {
					continue
				}
				p, q := at(i), at(j)
				var middle [3]float64
				for k := range middle {
					middle[k] = 0.6*p[k] + 0.4*q[k]
				}
				x, y, _ := cam.Project(middle, pic.Width, pic.Height)
				if got, want := dark(pic, x, y), i != hidden && j != hidden; got != want {
					t.Errorf("orthographic %v: edge %d-%d: drawn %v", flat, i, j, got)
				}
			}
		}
	}
}

// TestBoundsCoverage checks that a line of a whole number of pixels covers its whole width, and that the rest of a
// transparent picture stays transparent.
func TestBoundsCoverage(t *testing.T) {
	o := studio
	o.Background = nil
	pic, cam := drawn(t, mesh(t, "scene:cube"), o, camera.Options{Orthographic: true, Zoom: 0.5}, annotate.Options{ScaleBar: true, LineWidth: 4})
	bar := 0
	for y := pic.Height * 3 / 4; y < pic.Height; y++ {
		n := 0
		for x := range pic.Width {
			if p := pic.Pix[4*(y*pic.Width+x):]; p[3] == 255 && p[0] < 60 {
				n++
			}
		}
		bar = max(bar, n)
	}
	// The length of the bar must be a round number of units.
	units := float64(bar) / (cam.Magnification * float64(pic.Height))
	power := math.Pow10(int(math.Floor(math.Log10(units) + 0.02)))
	m := units / power
	if math.Abs(m-1) > 0.1 && math.Abs(m-2) > 0.15 && math.Abs(m-5) > 0.3 {
		t.Errorf("a bar of %d pixels is %g units long", bar, units)
	}
	if p := pic.Pix[3]; p != 0 {
		t.Errorf("the corner has alpha %d", p)
	}
}

func TestRefused(t *testing.T) {
	ctx := context.Background()
	m := mesh(t, "scene:cube")
	for name, o := range map[string]annotate.Options{
		"crease": {Crease: 200}, "width": {LineWidth: -1}, "NaN width": {LineWidth: math.NaN()}, "legend": {Legend: &annotate.Legend{Low: 1, High: 1}},
	} {
		if _, err := annotate.New(ctx, m, m.Bounds(), o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := annotate.New(ctx, nil, m.Bounds(), annotate.Options{Edges: true}); err == nil {
		t.Error("edges of no mesh: no error")
	}
	a, err := annotate.New(ctx, m, m.Bounds(), annotate.Options{Edges: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Draw(ctx, &render.Picture{Width: 1, Height: 1, Pix: make([]byte, 4)}, &render.Camera{}); err == nil {
		t.Error("a picture without depths: no error")
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := annotate.New(ended, m, m.Bounds(), annotate.Options{Edges: true}); err == nil {
		t.Error("an ended context: no error")
	}
}

// TestDamaged checks that the edges of damaged meshes are found without a panic.
func TestDamaged(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	m := &scenes.Mesh{Block: scenes.MakeBlock(5)}
	m.Set(0, [3][3]float32{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}})
	m.Set(1, [3][3]float32{{nan, 0, 0}, {1, 0, 0}, {0, 1, 0}})
	m.Set(2, [3][3]float32{{0, 0, 0}, {inf, 0, 0}, {0, 1, 0}})
	m.Set(3, [3][3]float32{{0, 0, 0}, {0, 0, 0}, {0, 1, 0}})
	m.Set(4, [3][3]float32{{0, 0, 0}, {1, 0, 0}, {0, 0, 1}})
	drawn(t, m, studio, camera.Options{Azimuth: 40, Elevation: 30}, annotate.Options{Edges: true, Wireframe: true, Bounds: true})
}

// TestRows draws annotations over bands of a picture. Each band includes the rows around it. Together the bands must
// equal a picture that is drawn over as a whole, bit for bit.
func TestRows(t *testing.T) {
	ctx := context.Background()
	m := mesh(t, "scene:gear?triangles=3000")
	o := annotate.Options{Edges: true, Wireframe: true, Axes: true, Bounds: true, ScaleBar: true, Label: "rows", LineWidth: 2.5, Legend: &annotate.Legend{Title: "height", Low: 1, High: 2, None: true}}
	look := studio
	look.Depth = true
	renderer, err := render.New(look)
	if err != nil {
		t.Fatal(err)
	}
	defer renderer.Close()
	cam, err := camera.Fit(m.Bounds(), look.Width, look.Height, camera.Options{Azimuth: 30, Elevation: 40})
	if err != nil {
		t.Fatal(err)
	}
	a, err := annotate.New(ctx, m, m.Bounds(), o)
	if err != nil {
		t.Fatal(err)
	}
	whole := new(render.Picture)
	if _, err := renderer.Frame(ctx, m, cam, whole); err != nil {
		t.Fatal(err)
	}
	plain := bytes.Clone(whole.Pix)
	if err := a.Draw(ctx, whole, &cam); err != nil {
		t.Fatal(err)
	}
	for _, size := range []image.Point{{look.Width, 1}, {look.Width, 16}, {look.Width, 77}, {50, look.Height}, {61, 53}} {
		got := make([]byte, len(whole.Pix))
		for y := 0; y < look.Height; y += size.Y {
			for x := 0; x < look.Width; x += size.X {
				all := image.Rect(0, 0, look.Width, look.Height)
				own := image.Rectangle{image.Pt(x, y), image.Pt(x, y).Add(size)}.Intersect(all)
				around := own.Inset(-1).Intersect(all)
				part := partOf(plain, whole, around)
				if err := a.DrawPart(ctx, part, &cam, look.Width, look.Height, around.Min); err != nil {
					t.Fatal(err)
				}
				for j := own.Min.Y; j < own.Max.Y; j++ {
					from := (j-around.Min.Y)*part.Width + own.Min.X - around.Min.X
					copy(got[4*(j*look.Width+own.Min.X):], part.Pix[4*from:4*(from+own.Dx())])
				}
			}
		}
		if !bytes.Equal(got, whole.Pix) {
			t.Errorf("in parts of %v another picture", size)
		}
	}
}

// partOf returns a part of a picture with the given pixels.
func partOf(pix []byte, whole *render.Picture, r image.Rectangle) *render.Picture {
	part := &render.Picture{Width: r.Dx(), Height: r.Dy()}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		lo, hi := y*whole.Width+r.Min.X, y*whole.Width+r.Max.X
		part.Pix = append(part.Pix, pix[4*lo:4*hi]...)
		part.Depth = append(part.Depth, whole.Depth[lo:hi]...)
	}
	return part
}

// TestInk checks that lines have the colour with more contrast to a background.
func TestInk(t *testing.T) {
	for _, c := range []struct {
		background color.Color
		want       render.RGB
	}{
		{nil, annotate.InkColor}, {color.White, annotate.InkColor}, {color.NRGBA{0xf3, 0xf4, 0xf6, 255}, annotate.InkColor},
		{color.NRGBA{0x90, 0x90, 0x90, 255}, annotate.InkColor}, {color.NRGBA{}, annotate.InkColor},
		{color.Black, annotate.LightInkColor}, {color.NRGBA{0x10, 0x20, 0x40, 255}, annotate.LightInkColor}, {color.NRGBA{0x60, 0x60, 0x60, 255}, annotate.LightInkColor},
		{color.NRGBA{0, 0, 255, 255}, annotate.LightInkColor}, {color.NRGBA{0, 255, 0, 255}, annotate.InkColor},
	} {
		if got := annotate.Ink(c.background); got != c.want {
			t.Errorf("%v: %06x, want %06x", c.background, got, c.want)
		}
	}
}

// TestLongLabel checks that labels that do not fit are shortened. No ink may reach the right border. Such labels were
// once cut off there without an ellipsis.
func TestLongLabel(t *testing.T) {
	m := mesh(t, "scene:cube")
	ink := func(label string) (last int) {
		pic, _ := drawn(t, m, studio, camera.Options{}, annotate.Options{Label: label})
		for y := range 20 {
			for x := range pic.Width {
				if pic.Pix[4*(y*pic.Width+x)] < 0x80 {
					last = max(last, x)
				}
			}
		}
		return last
	}
	const margin = 11
	if last := ink(strings.Repeat("long ", 40)); last > 320-margin || last < 320-4*margin {
		t.Errorf("a long label ends at %d", last)
	}
	if short, longer := ink("knot"), ink("knots"); short >= longer {
		t.Errorf("labels end at %d and %d", short, longer)
	}
}

// TestNarrowLabel writes labels into pictures that are hardly wider than the labels, such as those of small sheets.
// Labels that fit must be complete, and other labels must be as long as possible.
func TestNarrowLabel(t *testing.T) {
	m := mesh(t, "scene:cube")
	inked := func(label string, width int) (columns, last int) {
		o := studio
		o.Width, o.Height = width, 60
		plain, _ := drawn(t, m, o, camera.Options{}, annotate.Options{})
		pic, _ := drawn(t, m, o, camera.Options{}, annotate.Options{Label: label})
		for x := range width {
			for y := range 20 {
				if at := 4 * (y*width + x); pic.Pix[at] < 0x80 && plain.Pix[at] >= 0x80 {
					columns, last = columns+1, x
					break
				}
			}
		}
		return columns, last
	}
	whole, _ := inked("bottom", 200)
	for _, width := range []int{60, 45, 40, 37} {
		columns, last := inked("bottom", width)
		if columns < whole-2 || last >= width-1 {
			t.Errorf("%d wide: %d columns to %d, want %d", width, columns, last, whole)
		}
	}
	if columns, _ := inked("bottom", 30); columns < whole/3 || columns > 28 {
		t.Errorf("30 wide: %d columns of %d", columns, whole)
	}
}
