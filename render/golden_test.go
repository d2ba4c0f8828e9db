package render_test

import (
	"bytes"
	"flag"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/scenes"
)

var update = flag.Bool("update", false, "write the golden pictures instead of comparing with them")

const goldenDir = "../testdata/golden"

// golden is a picture that must never change by a single bit.
type golden struct {
	name   string
	mesh   func(t testing.TB) *scenes.Mesh
	camera camera.Options
	o      render.Options
}

func scene(name string) func(t testing.TB) *scenes.Mesh {
	return func(t testing.TB) *scenes.Mesh { return generated(t, name) }
}

// goldens cover the scenes, the projections, the views and the options that change pictures.
var goldens = []golden{
	{name: "bumpy", mesh: scene("scene:bumpy?triangles=20000"), camera: camera.Options{Azimuth: 30, Elevation: 20}},
	{name: "bumpy-samples4-background", mesh: scene("scene:bumpy?triangles=5000"),
		camera: camera.Options{Azimuth: 200, Elevation: -30}, o: render.Options{Samples: 4, Background: rgb(0x203040)}},
	{name: "torus-orthographic", mesh: scene("scene:torus?triangles=3000"),
		camera: camera.Options{Azimuth: 45, Elevation: 35, Orthographic: true}, o: render.Options{Color: rgb(0xe0a030)}},
	{name: "torus-samples16", mesh: scene("scene:torus?triangles=3000"),
		camera: camera.Options{Azimuth: 45, Elevation: 35}, o: render.Options{Samples: 16, Width: 160, Height: 90}},
	{name: "sphere-backs", mesh: scene("scene:sphere?triangles=500"), o: render.Options{Cull: render.CullFront},
		camera: camera.Options{Azimuth: 10, Elevation: 60}},
	{name: "sphere-top-zoom", mesh: scene("scene:sphere?triangles=2000"), camera: camera.Options{Elevation: 90, Zoom: 3}},
	{name: "soup", mesh: scene("scene:soup?triangles=300&seed=3"), camera: camera.Options{Azimuth: 30, Elevation: 20}},
	{name: "slivers", mesh: scene("scene:slivers?triangles=2000&seed=2"), camera: camera.Options{}},
	{name: "gear-culled", mesh: scene("scene:gear?triangles=5000"), camera: camera.Options{Azimuth: 30, Elevation: 50},
		o: render.Options{Cull: render.CullBack, Color: rgb(0x8090a0)}},
	{name: "knot-wide", mesh: scene("scene:knot?triangles=6000"), camera: camera.Options{Azimuth: -60, Elevation: 10, FieldOfView: 90}},
	{name: "cube-up-y", mesh: scene("scene:cube"), camera: camera.Options{Up: scenes.PlusY, Azimuth: -137, Elevation: -63}},
	{name: "plate-odd", mesh: scene("scene:plate?triangles=800&jitter=0.3&seed=4"), camera: camera.Options{Azimuth: 50, Elevation: 15},
		o: render.Options{Width: 161, Height: 97}},
	{name: "studio-gear-flat", mesh: scene("scene:gear?triangles=5000"), camera: camera.Options{Azimuth: 30, Elevation: 50},
		o: render.Options{Light: render.LightStudio, Background: render.StudioBackground}},
	{name: "studio-gear", mesh: scene("scene:gear?triangles=5000"), camera: camera.Options{Azimuth: 30, Elevation: 50}, o: studio},
	{name: "studio-knot-orthographic", mesh: scene("scene:knot?triangles=6000"), o: transparent(studio),
		camera: camera.Options{Azimuth: 30, Elevation: 30, Orthographic: true}},
	{name: "studio-torus-samples1", mesh: scene("scene:torus?triangles=3000"), camera: camera.Options{Azimuth: 30, Elevation: 30, Zoom: 2},
		o: render.Options{Light: render.LightStudio, Shading: render.ShadingSmooth, Occlusion: true}},
	{name: "studio-perforator-occluded", mesh: scene("scene:perforator"), camera: camera.Options{Azimuth: 20, Elevation: 30},
		o: render.Options{Light: render.LightStudio, Occlusion: true, Samples: 16, Color: rgb(0xe0a030)}},
	{name: "studio-bumpy-clipped", mesh: scene("scene:bumpy?triangles=3000"),
		camera: camera.Options{Azimuth: 30, Elevation: 20, FieldOfView: 100, Zoom: 3}, o: studio},
}

// transparent removes the background from options.
func transparent(o render.Options) render.Options {
	o.Background = nil
	return o
}

// studio has the look of the command.
var studio = render.Options{Width: 320, Height: 180}.Studio()

func TestGolden(t *testing.T) {
	for _, g := range goldens {
		t.Run(g.name, func(t *testing.T) {
			if g.o.Width == 0 {
				g.o.Width, g.o.Height = 320, 180
			}
			mesh := g.mesh(t)
			cam := fitted(t, mesh, g.o, g.camera)
			file := filepath.Join(goldenDir, g.name+".png")
			if *update {
				pic, stats := drawn(t, mesh, cam, g.o)
				if stats.Covered == 0 {
					t.Fatal("nothing is visible")
				}
				writePNG(t, file, pic)
				return
			}
			want := readPNG(t, file)
			for _, g.o.ISA = range levels(t) {
				pic, _ := drawn(t, mesh, cam, g.o)
				if pic.Width != want.Rect.Dx() || pic.Height != want.Rect.Dy() || !bytes.Equal(pic.Pix, want.Pix) {
					t.Errorf("%s: not the picture in %s; if it should have changed, run the test with -update", g.o.ISA, file)
				}
			}
		})
	}
}

func writePNG(t *testing.T, file string, pic *render.Picture) {
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

// readPNG reads a picture with straight alpha.
func readPNG(t *testing.T, file string) *image.NRGBA {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if straight, ok := img.(*image.NRGBA); ok {
		return straight
	}
	straight := image.NewNRGBA(img.Bounds()) // PNG files of opaque pictures have no alpha
	draw.Draw(straight, straight.Rect, img, img.Bounds().Min, draw.Src)
	return straight
}
