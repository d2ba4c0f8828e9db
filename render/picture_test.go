package render_test

import (
	"flag"
	"fmt"
	"image/color"
	"math"
	"path/filepath"
	"testing"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/scenes"
	"lockstep/scenes/load"
)

var meshFiles = flag.String("meshes", "", "pattern of mesh files to compare with the reference as well")

// A refCase is a picture that both the renderer and the reference draw.
type refCase struct {
	name   string
	mesh   *scenes.Mesh
	camera camera.Options
	o      render.Options
}

// A difference counts the pixels in which a picture differs from the reference.
type difference struct {
	covered  int     // number of pixels that the reference covers
	coverage int     // number of pixels that only one of the two covers
	color    int     // number of pixels covered by both in which a channel differs by more than 1 of 255
	depth    int     // number of pixels covered by both whose depths differ by more than depthTolerance
	worst    float64 // largest difference of depth where colours agree, as a fraction of the mesh's depth
}

// depthTolerance is the largest difference of two equal depths, as a fraction of the depth of the whole mesh.
const depthTolerance = 1e-4

func gridOf(samples int) int {
	return map[int]int{0: 1, 1: 1, 4: 2, 16: 4}[samples]
}

// compare draws a case with the renderer and with the reference.
func compare(t *testing.T, c refCase) difference {
	t.Helper()
	cam := fitted(t, c.mesh, c.o, c.camera)
	view := refFit(groupCache(t, c.mesh), c.o.Width, c.o.Height, c.camera)
	return compareViews(t, c, cam, view)
}

func compareViews(t *testing.T, c refCase, cam render.Camera, view refView) difference {
	t.Helper()
	c.o.Depth = true
	pic, stats := drawn(t, c.mesh, cam, c.o)
	grid := gridOf(c.o.Samples)
	ref := newRefPicture(c.o.Width*grid, c.o.Height*grid)
	view.draw(c.mesh, ref, c.o.Cull, c.o.Color)
	pix, depth := ref.pixels(grid, c.o.Background)
	eyeToZero := 0.0
	if view.ortho { // the reference chooses its own eye
		eyeToZero = vec(cam.Eye).sub(view.eye).dot(view.forward)
	}
	var d difference
	var gotCovered int64
	for i := range depth {
		got, want := pic.Pix[4*i:4*i+4], pix[4*i:4*i+4]
		gotHit, wantHit := !math.IsInf(float64(pic.Depth[i]), 1), !math.IsInf(depth[i], 1)
		if gotHit {
			gotCovered++
		}
		if wantHit {
			d.covered++
		}
		if gotHit != wantHit {
			d.coverage++
			continue
		}
		if !near8(got, want) {
			d.color++
			continue
		}
		if wantHit {
			off := math.Abs(float64(pic.Depth[i])-(depth[i]-eyeToZero)) / (cam.Far - cam.Near)
			d.worst = max(d.worst, off)
			if !(off <= depthTolerance) {
				d.depth++
			}
		}
	}
	if gotCovered != stats.Covered {
		t.Errorf("%s: Stats.Covered is %d, the picture has %d pixels", c.name, stats.Covered, gotCovered)
	}
	return d
}

// near8 reports whether two pixels differ by at most 1 in every channel.
func near8(a, b []byte) bool {
	for c := range 4 {
		if d := int(a[c]) - int(b[c]); d < -1 || d > 1 {
			return false
		}
	}
	return true
}

// check fails the test if the picture differs too much from the reference: coverage may differ in at most 1 pixel of
// 10,000 (or in a single one), and the other values in at most 1 of 100.
func (d difference) check(t *testing.T, name string) {
	t.Helper()
	t.Logf("%-60s covered %6d  coverage %d  color %d  depth %d (worst %.1e)", name, d.covered, d.coverage, d.color, d.depth, d.worst)
	if most := max(1, d.covered/10000); d.coverage > most {
		t.Errorf("%s: coverage differs on %d of %d pixels, want at most %d", name, d.coverage, d.covered, most)
	}
	if most := d.covered / 100; d.color > most {
		t.Errorf("%s: colour differs on %d of %d pixels, want at most %d", name, d.color, d.covered, most)
	}
	if most := d.covered / 100; d.depth > most {
		t.Errorf("%s: depth differs on %d of %d pixels, want at most %d", name, d.depth, d.covered, most)
	}
}

// sumCovered fails the test if the compared pictures cover too few pixels.
func sumCovered(t *testing.T, total, atLeast int) {
	t.Helper()
	t.Logf("%d covered pixels compared", total)
	if total < atLeast {
		t.Errorf("only %d covered pixels compared, want at least %d", total, atLeast)
	}
}

// views are directions in which cameras often fail: the default, sides, poles, and directions from below.
var views = [][2]float64{{30, 20}, {0, 90}, {-137, -63}, {0, 0}, {45, 35.264389682754654}, {90, 0}, {180, 0}, {0, -90}}

var axes = []scenes.Axis{scenes.PlusZ, scenes.PlusY, scenes.PlusX, scenes.MinusX, scenes.MinusY, scenes.MinusZ}

// sizes are odd, tall and ordinary sizes of pictures.
var sizes = [][2]int{{321, 199}, {127, 255}, {256, 144}, {97, 97}}

// referenceMeshes returns the meshes of the comparisons.
func referenceMeshes() map[string]*scenes.Mesh {
	return map[string]*scenes.Mesh{
		"bumpy":   bumpy(70, 35),
		"torus":   torus(60, 30, 1, 0.4),
		"soup":    soup(1500, 0.08, 1),
		"big":     soup(60, 1, 2),
		"slivers": slivers(400, 3),
		"box":     boxMesh(vec{-3, 0.5, 1}, vec{2, 1.5, 7}),
	}
}

func TestPictureMatchesReference(t *testing.T) {
	n := 0
	for name, mesh := range referenceMeshes() {
		t.Run(name, func(t *testing.T) {
			covered := 0
			for _, view := range some(views) {
				for _, ortho := range []bool{false, true} {
					for i, zoom := range []float64{1, 4, 0.2} {
						size := sizes[n%len(sizes)]
						n++
						if !*long && (n/3+i)%3 != 0 {
							continue // each case has one of three zooms
						}
						covered += compareCase(t, name, mesh, camera.Options{
							Up: axes[n%len(axes)], Azimuth: view[0], Elevation: view[1], Orthographic: ortho, Zoom: zoom,
						}, render.Options{Width: size[0], Height: size[1]})
					}
				}
			}
			sumCovered(t, covered, 30000)
		})
	}
}

func compareCase(t *testing.T, name string, mesh *scenes.Mesh, from camera.Options, o render.Options) (covered int) {
	t.Helper()
	projection := "perspective"
	if from.Orthographic {
		projection = "orthographic"
	}
	name = fmt.Sprintf("%s %g,%g up %v zoom %g %s %dx%d/%d", name, from.Azimuth, from.Elevation, from.Up, from.Zoom,
		projection, o.Width, o.Height, o.Samples)
	d := compare(t, refCase{name, mesh, from, o})
	d.check(t, name)
	return d.covered
}

func TestSamplesMatchReference(t *testing.T) {
	for _, samples := range []int{4, 16} {
		for _, background := range []color.Color{nil, rgb(0x204060)} {
			for name, mesh := range referenceMeshes() {
				compareCase(t, name, mesh, camera.Options{Azimuth: 30, Elevation: 20, Zoom: 1.5},
					render.Options{Width: 131, Height: 77, Samples: samples, Background: background})
			}
		}
	}
}

// rgb converts a colour to the interface color.Color, which shortens tests.
func rgb(c render.RGB) color.Color { return c }

func TestCullingAndColorsMatchReference(t *testing.T) {
	for _, cull := range []render.Cull{render.CullNone, render.CullBack, render.CullFront} {
		for _, color := range []color.Color{nil, rgb(0xcccccc), rgb(0x3060ff), rgb(0x010203)} {
			for _, name := range []string{"torus", "soup"} {
				mesh := referenceMeshes()[name]
				compareCase(t, name, mesh, camera.Options{Azimuth: 210, Elevation: -25, Zoom: 1},
					render.Options{Width: 201, Height: 113, Cull: cull, Color: color})
			}
		}
	}
}

// TestPlacesAndSizesMatchReference checks that meshes far away from the origin, or of extreme size, are drawn as
// precisely as others.
func TestPlacesAndSizesMatchReference(t *testing.T) {
	o := smaller(render.Options{Width: 321, Height: 199})
	// Multiples of 1/16 up to 100 are exact in float32, even a million away from the origin.
	quantised := mapped(bumpy(70, 35), func(p vec) vec {
		for c := range p {
			p[c] = math.Round(p[c]*80*16) / 16
		}
		return p
	})
	for _, view := range some(views) {
		for _, ortho := range []bool{false, true} {
			from := camera.Options{Azimuth: view[0], Elevation: view[1], Orthographic: ortho, Zoom: 1}
			for _, shift := range some([]vec{{1e6, 1e6, 1e6}, {-1e6, 1e6, 0}, {0, 0, 1e6}}) {
				moved := mapped(quantised, func(p vec) vec { return p.add(shift) })
				compareCase(t, "shifted", moved, from, o)
				samePlaces(t, quantised, moved, from, o)
			}
			for _, scale := range some([]float64{1e-36, 1e38 / 3, 1e-20, 1e-6, 1e6, 1e20}) {
				compareCase(t, fmt.Sprintf("scaled %g", scale), scaled(bumpy(40, 20), scale), from, o)
			}
		}
	}
}

// samePlaces compares the pictures of a mesh and of a shifted copy.
func samePlaces(t *testing.T, a, b *scenes.Mesh, from camera.Options, o render.Options) {
	t.Helper()
	pa, sa := drawn(t, a, fitted(t, a, o, from), o)
	pb, _ := drawn(t, b, fitted(t, b, o, from), o)
	coverage, color := 0, 0
	for i := 0; i < len(pa.Pix); i += 4 {
		switch {
		case pa.Pix[i+3] != pb.Pix[i+3]:
			coverage++
		case !near8(pa.Pix[i:i+4], pb.Pix[i:i+4]):
			color++
		}
	}
	if int64(coverage) > max(1, sa.Covered/10000) || int64(color) > sa.Covered/100 {
		t.Errorf("shifted mesh differs in coverage on %d and in colour on %d of %d pixels", coverage, color, sa.Covered)
	}
}

// TestCameraInside compares views that cut the mesh with the near plane.
func TestCameraInside(t *testing.T) {
	for name, mesh := range referenceMeshes() {
		o := smaller(render.Options{Width: 321, Height: 199})
		for _, field := range []float64{30, 100} {
			from := camera.Options{Azimuth: 20, Elevation: 10, FieldOfView: field, Zoom: 1}
			cam := fitted(t, mesh, o, from)
			view := refFit(groupCache(t, mesh), o.Width, o.Height, from)
			for _, step := range some([]float64{0.9, 0.7, 1, 1.1}) {
				size := diagonal(cam.Box)
				ahead := cam.Target.Sub(cam.Eye).Mul(step)
				inside := cam
				inside.Eye = cam.Eye.Add(ahead)
				inside.SetDepthRange(0.02*size, size)
				moved := view
				moved.eye = view.eye.add(vec(ahead))
				moved.near = inside.Near
				label := fmt.Sprintf("%s inside %g field %g", name, step, field)
				d := compareViews(t, refCase{label, mesh, from, o}, inside, moved)
				// Corners close to the eye are magnified beyond the precision of float32. The places of their edges on the screen
				// may be wrong twice as often.
				d.coverage = (d.coverage + 1) / 2
				d.check(t, label)
			}
		}
	}
}

// TestMeshFilesMatchReference draws the mesh files that a flag names.
func TestMeshFilesMatchReference(t *testing.T) {
	files, err := filepath.Glob("../testdata/*.stl")
	if err != nil {
		t.Fatal(err)
	}
	if *meshFiles != "" {
		more, err := filepath.Glob(*meshFiles)
		if err != nil || len(more) == 0 {
			t.Fatalf("no file matches %q (%v)", *meshFiles, err)
		}
		files = append(files, more...)
	}
	for _, file := range files {
		mesh, _, err := load.File(t.Context(), file, scenes.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, view := range some(views) {
			for _, ortho := range []bool{false, true} {
				for _, zoom := range some([]float64{1, 4}) {
					compareCase(t, filepath.Base(file), mesh, camera.Options{
						Up: mesh.Up, Azimuth: view[0], Elevation: view[1], Orthographic: ortho, Zoom: zoom,
					}, smaller(render.Options{Width: 640, Height: 360, Color: rgb(0xcccccc)}))
				}
			}
		}
	}
}
