package render_test

import (
	"image"
	"testing"

	"lockstep/render"
	"lockstep/scenes"
)

// layeredPicture draws a square with one finish. Its texture coordinates run from 0 to 1.
func layeredPicture(t *testing.T, base [4]float32, f scenes.Finish, o render.Options) *render.Picture {
	t.Helper()
	mesh := paintedSquare()
	a := mesh.Attributes
	a.TexCoords = scenes.Attribute[[2]float32]{Values: [][2]float32{{0, 1}, {1, 1}, {1, 0}, {0, 0}}, Index: a.Index}
	a.Materials, a.MaterialOf = []scenes.Material{{BaseColor: base, Finish: &f}}, []int32{0, 0}
	return paintedPicture(t, mesh, o)
}

// plainTexture is a texture of one colour.
func plainTexture(r, g, b, a uint8) *scenes.Texture {
	img := image.NewNRGBA(image.Rect(0, 0, 2, 2))
	for i := 0; i < len(img.Pix); i += 4 {
		copy(img.Pix[i:], []uint8{r, g, b, a})
	}
	return &scenes.Texture{Picture: img}
}

// TestTexturesOfLayers draws textures of one colour. A texture must have the same effect as a number that is multiplied
// by its colour. Only the channels that the texture uses may count.
func TestTexturesOfLayers(t *testing.T) {
	half := float32(128. / 255)
	red, blue := float32(toLinear(128./255)), float32(toLinear(64./255))
	plain := scenes.Finish{
		Roughness: 0.5, Specular: [3]float32{0.4, 0.3, 0.2}, Coat: 0.8, CoatRoughness: 0.6, Sheen: [3]float32{0.9, 0.8, 0.7}, SheenRoughness: 0.8,
	}
	for name, c := range map[string]struct{ texture, number func(f *scenes.Finish) }{
		"specular colour": {
			func(f *scenes.Finish) { f.SpecularTint = plainTexture(128, 255, 64, 9) },
			func(f *scenes.Finish) { f.Specular[0], f.Specular[2] = f.Specular[0]*red, f.Specular[2]*blue },
		},
		"specular factor": {
			func(f *scenes.Finish) { f.SpecularPart = plainTexture(1, 2, 3, 128) },
			func(f *scenes.Finish) {
				f.Specular, f.GrazingLoss = [3]float32{0.4 * half, 0.3 * half, 0.2 * half}, 1-half
			},
		},
		"coat":              {func(f *scenes.Finish) { f.CoatPart = plainTexture(128, 2, 3, 4) }, func(f *scenes.Finish) { f.Coat *= half }},
		"coat's roughness":  {func(f *scenes.Finish) { f.CoatRough = plainTexture(1, 128, 3, 4) }, func(f *scenes.Finish) { f.CoatRoughness *= half }},
		"sheen's roughness": {func(f *scenes.Finish) { f.SheenRough = plainTexture(1, 2, 3, 128) }, func(f *scenes.Finish) { f.SheenRoughness *= half }},
		"sheen": {
			func(f *scenes.Finish) { f.SheenTint = plainTexture(128, 255, 64, 9) },
			func(f *scenes.Finish) { f.Sheen[0], f.Sheen[2] = f.Sheen[0]*red, f.Sheen[2]*blue },
		},
	} {
		for _, o := range []render.Options{{Samples: 4}, {Samples: 4, ISA: "generic"}} {
			got, want := plain, plain
			c.texture(&got)
			c.number(&want)
			base := [4]float32{0.1, 0.2, 0.3, 1}
			p, q, r := layeredPicture(t, base, got, o), layeredPicture(t, base, want, o), layeredPicture(t, base, plain, o)
			if d := farthest(p, q); d > 1 {
				t.Errorf("%s, %q: %d from what the number gives", name, o.ISA, d)
			}
			if d := farthest(p, r); d < 2 {
				t.Errorf("%s, %q: only %d from the picture without it", name, o.ISA, d)
			}
		}
	}
}

// farthest returns the largest difference between the channels of two pictures.
func farthest(p, q *render.Picture) (most int) {
	for i := range p.Pix {
		most = max(most, int(p.Pix[i])-int(q.Pix[i]), int(q.Pix[i])-int(p.Pix[i]))
	}
	return most
}

// TestCoatAlone checks that a coat on a surface that reflects nothing looks like a mirror without a coat. A relief of
// the coat must bend its reflections, and a relief of the surface below must not.
func TestCoatAlone(t *testing.T) {
	black := [4]float32{0, 0, 0, 1}
	relief := plainTexture(190, 90, 200, 255)
	const rough = 0.3
	mirror := scenes.Finish{Roughness: rough, Specular: [3]float32{0.04, 0.04, 0.04}}
	coat := scenes.Finish{Roughness: 1, GrazingLoss: 1, Coat: 1, CoatRoughness: rough}
	for _, o := range []render.Options{{}, {ISA: "generic"}} {
		nothing := layeredPicture(t, black, scenes.Finish{Roughness: rough, GrazingLoss: 1}, o)
		if p := at(nothing, 50, 50); p[0]|p[1]|p[2] != 0 || p[3] != 255 {
			t.Errorf("%q: what reflects nothing is %v", o.ISA, p)
		}
		masked := mirror
		masked.SpecularPart = plainTexture(255, 255, 255, 0)
		if d := farthest(layeredPicture(t, black, masked, o), nothing); d != 0 {
			t.Errorf("%q: a mirror whose texture says nothing is mirrored is %d from nothing", o.ISA, d)
		}
		smooth, bent := mirror, mirror
		bent.Normals, bent.NormalScale = relief, 1
		under, over := coat, coat
		under.Normals, under.NormalScale = relief, 1
		over.CoatNormals, over.CoatNormalScale = relief, 1
		a, b := layeredPicture(t, black, smooth, o), layeredPicture(t, black, bent, o)
		if d := farthest(a, b); d < 3 {
			t.Fatalf("%q: a relief changes a mirror by only %d", o.ISA, d)
		}
		if d := farthest(layeredPicture(t, black, under, o), a); d > 1 {
			t.Errorf("%q: a coat over a relief is %d from a smooth mirror", o.ISA, d)
		}
		if d := farthest(layeredPicture(t, black, over, o), b); d > 1 {
			t.Errorf("%q: a coat with a relief is %d from a mirror with one", o.ISA, d)
		}
	}
}

// TestUnderSheen checks that fibres which scatter light in one channel reduce the light of the surface below equally in
// all channels.
func TestUnderSheen(t *testing.T) {
	white, f := [4]float32{1, 1, 1, 1}, scenes.Finish{Roughness: 1, GrazingLoss: 1}
	bare := at(layeredPicture(t, white, f, render.Options{}), 50, 50)
	f.Sheen, f.SheenRoughness = [3]float32{1, 0, 0}, 1
	under := at(layeredPicture(t, white, f, render.Options{}), 50, 50)
	if part := toLinear(float64(under[1])/255) / toLinear(float64(bare[1])/255); part < 0.84 || part > 0.88 {
		t.Errorf("%.3f of the light remains under fibres that scatter 0.141 of it", part)
	}
}

// ballPicture draws a black ball with one finish. Every point of the ball shows the first pixel of a texture.
func ballPicture(t *testing.T, f scenes.Finish) *render.Picture {
	t.Helper()
	mesh := *generated(t, "scene:sphere?triangles=20000")
	n := mesh.Len()
	a := &scenes.Attributes{Vertices: 1, MaterialOf: make([]int32, n), Materials: []scenes.Material{{BaseColor: [4]float32{0, 0, 0, 1}, Finish: &f}}}
	for k := range a.Index {
		a.Index[k] = make([]uint32, n)
	}
	a.TexCoords = scenes.Attribute[[2]float32]{Values: [][2]float32{{0, 0}}, Index: a.Index}
	mesh.Attributes = a
	return paintedPicture(t, &mesh, render.Options{Samples: 16})
}

// TestSheen checks that sheen makes the rim of a black ball brighter in the colour of the sheen, and the middle less
// so.
func TestSheen(t *testing.T) {
	p := ballPicture(t, scenes.Finish{Roughness: 1, GrazingLoss: 1, Sheen: [3]float32{1, 0.25, 0}, SheenRoughness: 0.3})
	middle, rim := at(p, 50, 50), at(p, 10, 50)
	if middle[0] > 20 || rim[0] < 80 || rim[1] >= rim[0] || rim[1] < 20 || rim[2] != 0 {
		t.Errorf("middle %v, rim %v", middle, rim)
	}
}

// TestGrazingLight checks that a factor of one half, or a texture of that value, halves the light that the rim of a
// ball mirrors.
func TestGrazingLight(t *testing.T) {
	f := scenes.Finish{Roughness: 0.1, Specular: [3]float32{0.04, 0.04, 0.04}}
	whole := toLinear(float64(at(ballPicture(t, f), 8, 50)[1]) / 255)
	half, textured := f, f
	half.Specular, half.GrazingLoss = [3]float32{0.02, 0.02, 0.02}, 0.5
	textured.SpecularPart = plainTexture(255, 255, 255, 128)
	for name, f := range map[string]scenes.Finish{"factor": half, "texture": textured} {
		if part := toLinear(float64(at(ballPicture(t, f), 8, 50)[1])/255) / whole; part < 0.48 || part > 0.53 {
			t.Errorf("by a %s of one half, %.3f of the light is mirrored", name, part)
		}
	}
}
