package render_test

import (
	"image"
	"math"
	"testing"

	"lockstep/render"
	"lockstep/scenes"
)

// paintedSquare is a square of two triangles, seen from the front, with corners in the
// order left bottom, right bottom, right top, left top.
func paintedSquare() *scenes.Mesh {
	mesh := meshOf(quad(vec{-1, 0, -1}, vec{1, 0, -1}, vec{1, 0, 1}, vec{-1, 0, 1})...)
	index := [3][]uint32{{0, 0}, {1, 2}, {2, 3}}
	mesh.Attributes = &scenes.Attributes{Index: index, Vertices: 4}
	return mesh
}

// look draws a painted square without highlights getting in the way.
func paintedPicture(t *testing.T, mesh *scenes.Mesh, o render.Options) *render.Picture {
	t.Helper()
	o.Width, o.Height, o.Light, o.Shading = 100, 100, render.LightStudio, render.ShadingSmooth
	pic, _ := drawn(t, mesh, fitted(t, mesh, o, render.CameraOptions{Orthographic: true}), o)
	return pic
}

// TestCornerColours runs from black to red to the right.
func TestCornerColours(t *testing.T) {
	mesh := paintedSquare()
	mesh.Attributes.Colors = scenes.Attribute[scenes.RGBA]{
		Values: []scenes.RGBA{{0, 0, 0, 255}, {255, 0, 0, 255}, {255, 0, 0, 255}, {0, 0, 0, 255}}, Index: mesh.Attributes.Index,
	}
	pic := paintedPicture(t, mesh, render.Options{})
	last := -1
	for x := 10; x < 90; x += 10 {
		p := at(pic, x, 50)
		if int(p[0]) <= last || p[1] > 30 {
			t.Errorf("pixel %d is %v after red %d", x, p, last)
		}
		last = int(p[0])
	}
}

// TestTexture shows the corners of a picture in the corners of the square: (0, 0) is the
// upper left one.
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

// TestField colours by numbers: dark to light in grey, and what is none by one colour.
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

// TestFacing colours backs red.
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
