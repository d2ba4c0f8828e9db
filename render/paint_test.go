package render_test

import (
	"bytes"
	"context"
	"image"
	"math"
	"slices"
	"testing"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/scenes"
)

// paintedSquare returns a square of two triangles that faces the front, with its corners in the order left bottom,
// right bottom, right top, left top.
func paintedSquare() *scenes.Mesh {
	mesh := meshOf(quad(vec{-1, 0, -1}, vec{1, 0, -1}, vec{1, 0, 1}, vec{-1, 0, 1})...)
	index := [3][]uint32{{0, 0}, {1, 2}, {2, 3}}
	mesh.Attributes = &scenes.Attributes{Index: index, Vertices: 4}
	return mesh
}

// paintedPicture draws a painted square in the studio, smoothly shaded.
func paintedPicture(t *testing.T, mesh *scenes.Mesh, o render.Options) *render.Picture {
	t.Helper()
	o.Width, o.Height, o.Light, o.Shading = 100, 100, render.LightStudio, render.ShadingSmooth
	pic, _ := drawn(t, mesh, fitted(t, mesh, o, camera.Options{Orthographic: true}), o)
	return pic
}

// TestCornerColours draws colours that change from black to red towards the right.
func TestCornerColours(t *testing.T) {
	mesh := paintedSquare()
	mesh.Attributes.Colors = scenes.Attribute[scenes.RGBA]{
		Values: []scenes.RGBA{{0, 0, 0, 255}, {255, 0, 0, 255}, {255, 0, 0, 255}, {0, 0, 0, 255}}, Index: mesh.Attributes.Index,
	}
	pic := paintedPicture(t, mesh, render.Options{})
	last := -1
	for x := 10; x < 90; x += 10 {
		p := at(pic, x, 50)
		if int(p[0]) <= last || p[1] > 40 {
			t.Errorf("pixel %d is %v after red %d", x, p, last)
		}
		last = int(p[0])
	}
}

// TestTexture checks that the corners of a texture appear at the corners of the square. (0, 0) is the upper left
// corner.
func TestTexture(t *testing.T) {
	mesh := paintedSquare()
	img := image.NewNRGBA(image.Rect(0, 0, 2, 2))
	copy(img.Pix, []byte{255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 0, 255})
	a := mesh.Attributes
	a.TexCoords = scenes.Attribute[[2]float32]{Values: [][2]float32{{0, 1}, {1, 1}, {1, 0}, {0, 0}}, Index: a.Index}
	a.Materials = []scenes.Material{{BaseColor: [4]float32{1, 1, 1, 1}, Texture: &scenes.Texture{Picture: img, WrapU: scenes.Clamp, WrapV: scenes.Clamp, Nearest: true}}}
	a.MaterialOf = []int32{0, 0}
	pic := paintedPicture(t, mesh, render.Options{})
	for place, want := range map[[2]int][3]bool{{20, 20}: {true, false, false}, {80, 20}: {false, true, false}, {20, 80}: {false, false, true}, {80, 80}: {true, true, false}} {
		p := at(pic, place[0], place[1])
		for c := range 3 {
			if got := p[c] > 128; got != want[c] {
				t.Errorf("pixel %v is %v", place, p)
			}
		}
	}
}

// TestField checks that numbers become greys from dark to light, and that NaN has a colour of its own.
func TestField(t *testing.T) {
	mesh := paintedSquare()
	mesh.Attributes.Fields = []scenes.Field{
		{Name: "heat", Values: []float32{0, 1, 1, 0}},
		{Name: "part", OfTriangles: true, Values: []float32{float32(math.NaN()), 7}},
	}
	pic := paintedPicture(t, mesh, render.Options{Field: render.Field{Name: "heat", Map: "grey"}})
	if a, b, c := at(pic, 10, 50)[0], at(pic, 50, 50)[0], at(pic, 90, 50)[0]; a >= b || b >= c {
		t.Errorf("greys %d %d %d, want them to rise", a, b, c)
	}
	pic = paintedPicture(t, mesh, render.Options{Field: render.Field{Name: "part", Map: "plasma"}})
	if none := at(pic, 80, 80); none[0] != none[1] || none[1] != none[2] {
		t.Errorf("what is no number has %v, want a grey", none)
	}
	if some := at(pic, 20, 20); some[0] == some[2] {
		t.Errorf("the number has %v", some)
	}
}

// TestFacing checks that back faces are red.
func TestFacing(t *testing.T) {
	mesh := paintedSquare()
	if p := at(paintedPicture(t, mesh, render.Options{Facing: true}), 50, 50); p[2] < p[0] {
		t.Errorf("the front is %v", p)
	}
	for k := range 3 {
		mesh.X[k][0], mesh.X[k][1] = -mesh.X[k][0], -mesh.X[k][1]
	}
	if p := at(paintedPicture(t, mesh, render.Options{Facing: true}), 50, 50); p[0] < p[2] {
		t.Errorf("the back is %v", p)
	}
}

// TestMask checks that a mask removes the parts of a surface where alpha is below the cutoff, so that the surface
// behind is visible there. It uses any number of samples, workers and rows at a time.
func TestMask(t *testing.T) {
	mesh := paintedSquare()
	img := image.NewNRGBA(image.Rect(0, 0, 2, 1))
	copy(img.Pix, []byte{255, 0, 0, 100, 0, 255, 0, 200})
	a := mesh.Attributes
	a.TexCoords = scenes.Attribute[[2]float32]{Values: [][2]float32{{0, 1}, {1, 1}, {1, 0}, {0, 0}}, Index: a.Index}
	texture := &scenes.Texture{Picture: img, WrapU: scenes.Clamp, WrapV: scenes.Clamp, Nearest: true}
	a.MaterialOf = []int32{0, 0}
	for _, samples := range []int{1, 4, 16} {
		for _, c := range []struct {
			alpha       scenes.AlphaMode
			factor      float32
			cutoff      float32
			left, right uint8 // alpha of the left and of the right half of the texture
		}{
			{scenes.AlphaOpaque, 0.5, 0.5, 255, 255},
			{scenes.AlphaMask, 1, 0.5, 0, 255},
			{scenes.AlphaMask, 1, 0.39, 255, 255},
			{scenes.AlphaMask, 0.7, 0.5, 0, 255},
		} {
			a.Materials = []scenes.Material{{BaseColor: [4]float32{1, 1, 1, c.factor}, Texture: texture, Alpha: c.alpha, AlphaCutoff: c.cutoff}}
			pic := paintedPicture(t, mesh, render.Options{Samples: samples})
			if left, right := at(pic, 30, 50)[3], at(pic, 70, 50)[3]; left != c.left || right != c.right {
				t.Errorf("%d samples, mode %d, cutoff %g: alpha %d and %d, want %d and %d", samples, c.alpha, c.cutoff, left, right, c.left, c.right)
			}
		}
	}
}

// TestBlend draws half transparent squares. One square must cover half of every 16 adjacent samples. Two squares, one
// behind the other, must cover three quarters, also if they have different materials.
func TestBlend(t *testing.T) {
	near := quad(vec{-1, 0, -1}, vec{1, 0, -1}, vec{1, 0, 1}, vec{-1, 0, 1})
	far := quad(vec{-1, 1, -1}, vec{1, 1, -1}, vec{1, 1, 1}, vec{-1, 1, 1})
	away := quad(vec{-1, 1, 1}, vec{1, 1, 1}, vec{1, 1, -1}, vec{-1, 1, -1})
	for _, c := range []struct {
		behind   [][3]vec
		material int32
		want     float64
	}{{nil, 0, 0.5}, {far, 1, 0.75}, {away, 0, 0.75}, {away, 1, 0.75}} {
		mesh := meshOf(append(slices.Clone(near), c.behind...)...)
		a := &scenes.Attributes{Index: [3][]uint32{make([]uint32, mesh.Len()), make([]uint32, mesh.Len()), make([]uint32, mesh.Len())}, Vertices: 1}
		half := scenes.Material{BaseColor: [4]float32{1, 0, 0, 0.5}, Alpha: scenes.AlphaBlend}
		a.Materials, a.MaterialOf = []scenes.Material{half, half}, make([]int32, mesh.Len())
		for i := len(near); i < mesh.Len(); i++ {
			a.MaterialOf[i] = c.material
		}
		mesh.Attributes = a
		for _, samples := range []int{1, 4, 16} {
			pic := paintedPicture(t, mesh, render.Options{Samples: samples})
			sum := 0.0
			for y := 40; y < 60; y++ {
				for x := 40; x < 60; x++ {
					sum += float64(at(pic, x, y)[3]) / 255 / 400
				}
			}
			if math.Abs(sum-c.want) > 0.07 {
				t.Errorf("%d triangles behind, %d samples: covered %.3f, want %g", len(c.behind), samples, sum, c.want)
			}
		}
	}
}

// TestSheerAnyhow draws masks and transparent materials with many workers, with every instruction set, and some rows at
// a time. The pictures must be the same.
func TestSheerAnyhow(t *testing.T) {
	mesh := awkward()
	a := &scenes.Attributes{Index: [3][]uint32{make([]uint32, mesh.Len()), make([]uint32, mesh.Len()), make([]uint32, mesh.Len())}, Vertices: 1}
	a.Materials = []scenes.Material{
		{BaseColor: [4]float32{1, 0, 0, 0.3}, Alpha: scenes.AlphaBlend},
		{BaseColor: [4]float32{0, 1, 0, 0.3}},
		{BaseColor: [4]float32{0, 0, 1, 0.9}, Alpha: scenes.AlphaMask, AlphaCutoff: 0.5},
		{BaseColor: [4]float32{0, 0, 1, 0.4}, Alpha: scenes.AlphaMask, AlphaCutoff: 0.5},
	}
	a.MaterialOf = make([]int32, mesh.Len())
	for i := range a.MaterialOf {
		a.MaterialOf[i] = int32(i % 5 % 4)
	}
	// Alpha differs between corners, and so between rows.
	a.Colors.Index = [3][]uint32{make([]uint32, mesh.Len()), make([]uint32, mesh.Len()), make([]uint32, mesh.Len())}
	for i := range 3 * mesh.Len() {
		a.Colors.Values = append(a.Colors.Values, scenes.RGBA{200, 100, 50, uint8(i * 37)})
		a.Colors.Index[i%3][i/3] = uint32(i)
	}
	mesh.Attributes = a
	var want *render.Picture
	for _, isa := range []string{"generic", "auto"} {
		for _, workers := range []int{1, 2, 5} {
			o := render.Options{}.Studio()
			o.Width, o.Height, o.ISA, o.Workers = 95, 118, isa, workers
			r := newRenderer(t, o)
			cam := closeCamera(t, mesh, o)
			pic := new(render.Picture)
			if _, err := r.Frame(context.Background(), mesh, cam, pic); err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = pic
			}
			if !bytes.Equal(pic.Pix, want.Pix) {
				t.Fatalf("%s, %d workers: another picture", isa, workers)
			}
			rows := byRows(t, r, mesh, cam, []int{0, 32, 64, 118}, []int{1, 2, 0})
			if !bytes.Equal(rows.Pix, want.Pix) {
				t.Fatalf("%s, %d workers: another picture by rows", isa, workers)
			}
		}
	}
}

// TestUnlit checks that an unlit material has its own colour whatever the light, also if it is masked.
func TestUnlit(t *testing.T) {
	for _, alpha := range []scenes.AlphaMode{scenes.AlphaOpaque, scenes.AlphaMask} {
		mesh := paintedSquare()
		a := mesh.Attributes
		a.Materials = []scenes.Material{
			{BaseColor: [4]float32{0.5, 0.25, 1, 1}, Unlit: true, Alpha: alpha, AlphaCutoff: 0.5},
			{BaseColor: [4]float32{0.5, 0.25, 1, 1}, Alpha: alpha, AlphaCutoff: 0.5},
		}
		a.MaterialOf = []int32{0, 0}
		for _, samples := range []int{1, 4} {
			o := render.Options{Samples: samples, Occlusion: true}
			p := at(paintedPicture(t, mesh, o), 50, 50)
			// Linear light of 0.5 and 0.25 is 188 and 137 in sRGB.
			if p != [4]uint8{188, 137, 255, 255} {
				t.Errorf("alpha mode %d, %d samples: %v", alpha, samples, p)
			}
			a.MaterialOf = []int32{1, 1}
			if lit := at(paintedPicture(t, mesh, o), 50, 50); lit == p {
				t.Errorf("a lit material looks unlit: %v", lit)
			}
			a.MaterialOf = []int32{0, 0}
		}
	}
}
