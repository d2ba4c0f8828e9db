package render_test

import (
	"bytes"
	"image"
	"strings"
	"testing"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/scenes"
)

// finishedMesh returns a knot of four materials: metal with a relief, glass, a coat over a texture, and the default.
func finishedMesh(t *testing.T) *scenes.Mesh {
	mesh := generated(t, "scene:knot?triangles=2000")
	n := mesh.Len()
	a := new(scenes.Attributes)
	if mesh.Attributes != nil {
		*a = *mesh.Attributes
	}
	img := image.NewNRGBA(image.Rect(0, 0, 16, 16))
	for i := range img.Pix {
		img.Pix[i] = uint8(100 + i*37%100)
	}
	texture := &scenes.Texture{Picture: img}
	plastic := [3]float32{0.04, 0.04, 0.04}
	white := [4]float32{0.9, 0.8, 0.7, 1}
	a.Materials = []scenes.Material{
		{BaseColor: white, Finish: &scenes.Finish{Metallic: 1, Roughness: 0.4, Specular: plastic, Normals: texture, NormalScale: 1}},
		{BaseColor: white, Finish: &scenes.Finish{Roughness: 0.1, Specular: plastic, Transmission: 0.9}},
		{BaseColor: white, Texture: texture, Finish: &scenes.Finish{Roughness: 0.8, Specular: plastic, Coat: 1, Surface: texture}},
	}
	a.MaterialOf = make([]int32, n)
	a.TexCoords = scenes.Attribute[[2]float32]{Values: make([][2]float32, 3*n)}
	for k := range a.TexCoords.Index {
		a.TexCoords.Index[k] = make([]uint32, n)
	}
	if a.Index[0] == nil {
		a.Index, a.Vertices = a.TexCoords.Index, 3*n
	}
	for i := range n {
		a.MaterialOf[i] = int32(i*7/n)%4 - 1
		for k := range 3 {
			a.TexCoords.Index[k][i] = uint32(3*i + k)
			a.TexCoords.Values[3*i+k] = [2]float32{float32(i%9) / 3, float32(k) / 2}
		}
	}
	whole := *mesh
	whole.Attributes = a
	return &whole
}

// TestFinishedPictures draws finishes with any number of workers, with every instruction set, and in bands. The
// pictures must be the same.
func TestFinishedPictures(t *testing.T) {
	mesh := finishedMesh(t)
	cam, err := camera.Fit(mesh.Bounds(), 150, 120, camera.Options{Azimuth: 20, Elevation: 30})
	if err != nil {
		t.Fatal(err)
	}
	for _, samples := range []int{1, 4, 16} {
		var want *render.Picture
		for _, o := range []render.Options{{}, {Workers: 1}, {Workers: 3, BlockSize: 64}, {ISA: "generic"}, {Workers: 8, ISA: "generic", BlockSize: 17}} {
			o.Width, o.Height, o.Light, o.Shading, o.Occlusion, o.Samples = 150, 120, render.LightStudio, render.ShadingSmooth, true, samples
			o.Finish = &scenes.Finish{Roughness: 0.3, Specular: [3]float32{0.04, 0.04, 0.04}}
			var pic render.Picture
			if _, err := newRenderer(t, o).Frame(t.Context(), mesh, cam, &pic); err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = &pic
			} else if !bytes.Equal(pic.Pix, want.Pix) {
				t.Errorf("%d samples, %d workers, %q: another picture", samples, o.Workers, o.ISA)
			}
		}
		o := render.Options{Width: 150, Height: 120, Light: render.LightStudio, Shading: render.ShadingSmooth, Occlusion: true, Samples: samples}
		var plaster render.Picture
		if _, err := newRenderer(t, o).Frame(t.Context(), mesh, cam, &plaster); err != nil {
			t.Fatal(err)
		}
		if bytes.Equal(plaster.Pix, want.Pix) {
			t.Errorf("%d samples: surfaces without a finish of their own did not get one", samples)
		}
	}
}

func TestFinishChecked(t *testing.T) {
	o := render.Options{Light: render.LightStudio, Finish: &scenes.Finish{Metallic: 2, Roughness: -1}}
	if _, err := o.Check(); err == nil || !strings.Contains(err.Error(), "finish: metallic 2") || !strings.Contains(err.Error(), "finish: roughness -1") {
		t.Errorf("%v", err)
	}
}
