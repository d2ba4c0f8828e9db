package render_test

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/render/part"
	"lockstep/scenes"
)

// windowMesh returns a pane in front of the lower two thirds of a panel. The panel is unlit, and its left and right
// halves have the given colours.
func windowMesh(left, right [3]float32, pane scenes.Material) *scenes.Mesh {
	const front, back = -0.5, 0.5
	corners := quad(vec{-1, back, -1}, vec{0, back, -1}, vec{0, back, 1}, vec{-1, back, 1})
	corners = append(corners, quad(vec{0, back, -1}, vec{1, back, -1}, vec{1, back, 1}, vec{0, back, 1})...)
	corners = append(corners, quad(vec{-0.9, front, -0.9}, vec{0.9, front, -0.9}, vec{0.9, front, 0.3}, vec{-0.9, front, 0.3})...)
	mesh := meshOf(corners...)
	n := mesh.Len()
	a := &scenes.Attributes{Vertices: 3 * n, MaterialOf: []int32{0, 0, 1, 1, 2, 2}}
	for k := range a.Index {
		for t := range n {
			a.Index[k] = append(a.Index[k], uint32(3*t+k))
		}
	}
	plain := func(c [3]float32) scenes.Material {
		return scenes.Material{BaseColor: [4]float32{c[0], c[1], c[2], 1}, Unlit: true}
	}
	a.Materials = []scenes.Material{plain(left), plain(right), pane}
	mesh.Attributes = a
	return mesh
}

// glassPane is a material of smooth glass.
func glassPane(tint [3]float32, change func(f *scenes.Finish)) scenes.Material {
	f := &scenes.Finish{Specular: [3]float32{0.04, 0.04, 0.04}, Transmission: 1}
	if change != nil {
		change(f)
	}
	return scenes.Material{BaseColor: [4]float32{tint[0], tint[1], tint[2], 1}, Finish: f}
}

// seenThrough returns the part of the panel's light that is visible through the pane at pixel (x, 70). It is the
// difference between a picture with the panel and one with a black panel.
func seenThrough(t *testing.T, left, right float32, pane scenes.Material, x int, o render.Options) (part [3]float64) {
	t.Helper()
	var light [2][3]float64
	for i, of := range [2]float32{0, 1} {
		l, r := left*of, right*of
		p := at(paintedPicture(t, windowMesh([3]float32{l, l, l}, [3]float32{r, r, r}, pane), o), x, 70)
		for c := range 3 {
			light[i][c] = toLinear(float64(p[c]) / 255)
		}
	}
	for c := range part {
		part[c] = light[1][c] - light[0][c]
	}
	return part
}

// TestGlassBeforeColours checks that the light from behind coloured glass is multiplied by the colour of the glass. In
// a thick body it is also multiplied by exp(-absorption * thickness).
func TestGlassBeforeColours(t *testing.T) {
	tint, white := [3]float32{0.9, 0.5, 0.1}, [3]float32{1, 1, 1}
	absorption := [3]float32{0.1, 0.7, 2}
	thick := func(d float32) func(f *scenes.Finish) {
		return func(f *scenes.Finish) { f.Thickness, f.Absorption = d, absorption }
	}
	for _, o := range []render.Options{{}, {ISA: "generic"}, {Samples: 16, Occlusion: true}} {
		for name, c := range map[string]struct {
			pane scenes.Material
			want func(c int) float64
		}{
			"tint":       {glassPane(tint, nil), func(c int) float64 { return float64(tint[c]) }},
			"thickness":  {glassPane(white, thick(1)), func(c int) float64 { return math.Exp(-float64(absorption[c])) }},
			"twice that": {glassPane(white, thick(2)), func(c int) float64 { return math.Exp(-2 * float64(absorption[c])) }},
			"both":       {glassPane(tint, thick(0.5)), func(c int) float64 { return float64(tint[c]) * math.Exp(-float64(absorption[c])/2) }},
			"half of it": {glassPane(tint, func(f *scenes.Finish) { f.Transmission = 0.5 }), func(c int) float64 { return float64(tint[c]) / 2 }},
			"no index":   {glassPane(tint, func(f *scenes.Finish) { f.Roughness, f.Refraction = 1, 1 }), func(c int) float64 { return float64(tint[c]) }},
		} {
			for channel, part := range seenThrough(t, 1, 1, c.pane, 30, o) {
				if want := 0.955 * c.want(channel); math.Abs(part-want) > 0.025 {
					t.Errorf("%s, %+v, channel %d: %.3f of the light, want %.3f", name, o.Samples, channel, part, want)
				}
			}
		}
	}
}

// TestRoughGlass checks that rougher glass blurs an edge behind it more. Glass with the refractive index of air must
// not blur it.
func TestRoughGlass(t *testing.T) {
	last := 2.0
	for _, rough := range []float32{0, 0.2, 0.4, 0.8} {
		pane := glassPane([3]float32{0.9, 0.9, 0.8}, func(f *scenes.Finish) { f.Roughness = rough })
		dark, bright := seenThrough(t, 0, 1, pane, 48, render.Options{})[1], seenThrough(t, 0, 1, pane, 52, render.Options{})[1]
		if rough == 0 && (dark > 0.01 || bright < 0.8) {
			t.Errorf("smooth glass shows %.2f and %.2f beside an edge", dark, bright)
		}
		if bright-dark > last-0.05 || dark > bright {
			t.Errorf("roughness %g: %.2f and %.2f beside an edge, %.2f apart before", rough, dark, bright, last)
		}
		last = bright - dark
	}
	air := glassPane([3]float32{0.9, 0.9, 0.8}, func(f *scenes.Finish) { f.Roughness, f.Refraction = 0.8, 1 })
	if dark, bright := seenThrough(t, 0, 1, air, 48, render.Options{})[1], seenThrough(t, 0, 1, air, 52, render.Options{})[1]; dark > 0.01 || bright < 0.7 {
		t.Errorf("rough air shows %.2f and %.2f beside an edge", dark, bright)
	}
}

// TestRoughGlassAtRim checks that rough glass shows as much light of an even panel near the panel's rim as in its
// middle. The background beside the panel must not be averaged with the panel.
func TestRoughGlassAtRim(t *testing.T) {
	pane := glassPane([3]float32{0.9, 0.9, 0.8}, func(f *scenes.Finish) { f.Roughness = 0.7 })
	middle, rim := seenThrough(t, 1, 1, pane, 50, render.Options{})[1], seenThrough(t, 1, 1, pane, 12, render.Options{})[1]
	if math.Abs(middle-rim) > 0.02 || middle < 0.5 {
		t.Errorf("%.3f of the light near the rim, %.3f in the middle", rim, middle)
	}
}

// TestClearGlassBesideColoured checks that clear glass looks the same whether or not the picture has coloured glass
// elsewhere.
func TestClearGlassBesideColoured(t *testing.T) {
	clear := glassPane([3]float32{1, 1, 1}, nil)
	mesh := windowMesh([3]float32{1, 0.5, 0.2}, [3]float32{0.1, 0.3, 0.9}, clear)
	want := at(paintedPicture(t, mesh, render.Options{Samples: 16}), 70, 70)
	mesh.Attributes.Materials[0] = glassPane([3]float32{1, 0.5, 0.2}, nil)
	if got := at(paintedPicture(t, mesh, render.Options{Samples: 16}), 70, 70); got != want {
		t.Errorf("beside coloured glass: %v, want %v", got, want)
	}
}

// TestClearGlassBesideWhiteCorners checks that clear glass shows other clear glass behind it if the corners of other
// surfaces are white.
func TestClearGlassBesideWhiteCorners(t *testing.T) {
	mesh := windowMesh([3]float32{1, 0.5, 0.2}, [3]float32{0.1, 0.3, 0.9}, glassPane([3]float32{1, 1, 1}, nil))
	mesh.Attributes.MaterialOf[2], mesh.Attributes.MaterialOf[3] = 2, 2 // half of the panel is glass
	want := paintedPicture(t, mesh, render.Options{Samples: 16})
	a := mesh.Attributes
	a.Colors = scenes.Attribute[scenes.RGBA]{Values: slices.Repeat([]scenes.RGBA{{255, 255, 255, 255}}, mesh.Attributes.Vertices), Index: a.Index}
	got := paintedPicture(t, mesh, render.Options{Samples: 16})
	for i := range want.Pix { // weights of corners are rounded
		if d := int(want.Pix[i]) - int(got.Pix[i]); d < -1 || d > 1 {
			t.Fatalf("byte %d: %d, want %d", i, got.Pix[i], want.Pix[i])
		}
	}
}

// TestGlassBeforeNothing checks that the background is visible through coloured glass with nothing behind it.
func TestGlassBeforeNothing(t *testing.T) {
	mesh := windowMesh([3]float32{1, 1, 1}, [3]float32{1, 1, 1}, glassPane([3]float32{0.9, 0.9, 0.5}, nil))
	mesh.Attributes.MaterialOf = []int32{2, 2, 2, 2, 2, 2} // panes only
	if p := at(paintedPicture(t, mesh, render.Options{Samples: 16}), 30, 70); p[3] == 0 || p[3] > 200 {
		t.Errorf("two panes before nothing have alpha %d", p[3])
	}
}

// TestGlassInParts checks that pixels are the same for any number of workers, in bands, and from layers. One picture is
// so large that the renderer cannot store all surfaces behind the glass at once.
func TestGlassInParts(t *testing.T) {
	mesh := windowMesh([3]float32{1, 0.5, 0.2}, [3]float32{0.1, 0.3, 0.9}, glassPane([3]float32{0.9, 0.6, 0.5}, func(f *scenes.Finish) {
		f.Roughness, f.Thickness, f.Absorption = 0.3, 0.5, [3]float32{0.2, 0.1, 0.5}
	}))
	for _, size := range [][3]int{{150, 330, 4}, {150, 330, 16}, {1801, 1203, 1}} {
		o := render.Options{Width: size[0], Height: size[1], Samples: size[2], Light: render.LightStudio, Shading: render.ShadingSmooth, Occlusion: true}
		cam, err := camera.Fit(mesh.Bounds(), o.Width, o.Height, camera.Options{Azimuth: 30, Elevation: 20})
		if err != nil {
			t.Fatal(err)
		}
		r := newRenderer(t, o)
		var want render.Picture
		if _, err := r.Frame(t.Context(), mesh, cam, &want); err != nil {
			t.Fatal(err)
		}
		if got := r.Options(); got.Width != o.Width || got.Samples != o.Samples {
			t.Errorf("options after a frame: %+v", got)
		}
		for _, other := range []render.Options{{Workers: 1}, {Workers: 5, BlockSize: 1, ISA: "generic"}} {
			other.Width, other.Height, other.Samples, other.Light, other.Shading, other.Occlusion = o.Width, o.Height, o.Samples, o.Light, o.Shading, true
			var got render.Picture
			if _, err := newRenderer(t, other).Frame(t.Context(), mesh, cam, &got); err != nil || !bytes.Equal(got.Pix, want.Pix) {
				t.Errorf("%v, %d workers: another picture, %v", size, other.Workers, err)
			}
		}
		for lo := 0; lo < o.Height; lo += 3 * part.RowStep {
			var band render.Picture
			rows := part.Rows{Lo: lo, Hi: min(lo+3*part.RowStep, o.Height)}
			if _, err := part.DrawRows(t.Context(), r, mesh, cam, rows, &band); err != nil || !bytes.Equal(band.Pix, want.Pix[4*lo*o.Width:][:len(band.Pix)]) {
				t.Fatalf("%v, rows from %d: another picture, %v", size, lo, err)
			}
		}
		small := o
		small.BlockSize = 2 // the two halves of the panel, and the pane
		rows, nodes := part.All(r).Len(), []*render.Renderer{newRenderer(t, small), newRenderer(t, small)}
		if got := parted(t, nodes, mesh, cam, []int{0, 1, 0}, []int{0, rows / 3, rows}); !bytes.Equal(got.Pix, want.Pix) {
			t.Errorf("%v, from layers: another picture", size)
		}
	}
}
