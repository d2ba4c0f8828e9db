package render_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/render/part"
	"lockstep/scenes"
)

var (
	finishesFrom = flag.Uint64("finishes-from", 1, "first seed of pictures of random materials")
	finishesFor  = flag.Int("finishes", 0, "number of pictures of random materials; 0: 5, with -long 300")
)

// TestAnyMaterials draws materials of all kinds from outside and from inside. Textures have many sizes, some texture
// coordinates are NaN, and some lights are too bright. The pictures must be the same with every instruction set and
// number of workers, and in bands.
func TestAnyMaterials(t *testing.T) {
	pictures := *finishesFor
	switch {
	case pictures > 0:
	case *long:
		pictures = 300
	default:
		pictures = 5
	}
	base := sphere(40, 30, 1)
	for seed := *finishesFrom; seed < *finishesFrom+uint64(pictures); seed++ {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) { checkMaterials(t, base, rand.New(rand.NewPCG(seed, 7))) })
	}
}

// checkMaterials draws a mesh of random materials.
func checkMaterials(t *testing.T, base *scenes.Mesh, random *rand.Rand) {
	mesh := anyMaterials(base, random)
	s, err := render.NewSurface(t.Context(), mesh, render.SurfaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	o := render.Options{Width: 90, Height: 70}.Studio()
	o.Samples, o.Occlusion = []int{1, 4, 16}[random.IntN(3)], random.IntN(2) == 0
	o.Normals = o.Samples == 1 && random.IntN(2) == 0
	cam := fitted(t, mesh, o, camera.Options{Azimuth: 360 * random.Float64(), Elevation: 40, Orthographic: random.IntN(3) == 0})
	if random.IntN(4) == 0 {
		cam.Eye = cam.Target
		cam.SetDepthRange(-2, 2)
	}
	var want *render.Picture
	for _, isa := range levels(t) {
		for range 2 {
			o.ISA, o.Workers = isa, 1+random.IntN(5)
			pic := new(render.Picture)
			if _, err = newRenderer(t, o).Frame(t.Context(), s, cam, pic); err != nil && !errors.Is(err, render.ErrBlank) {
				t.Fatal(err)
			}
			if want == nil {
				want = pic
			}
			if err := same(pic, want, render.Stats{}, render.Stats{}); err != nil {
				t.Fatalf("%s, %d workers: %v; %+v", isa, o.Workers, err, mesh.Attributes.Materials)
			}
		}
		rows := part.Rows{Lo: 2 * part.RowStep, Hi: 3 * part.RowStep}
		band := new(render.Picture)
		if _, err := part.DrawRows(t.Context(), newRenderer(t, o), s, cam, rows, band); err != nil || !bytes.Equal(band.Pix, want.Pix[4*o.Width*rows.Lo:4*o.Width*rows.Hi]) {
			t.Fatalf("%s, a band: another picture, %v; %+v", isa, err, mesh.Attributes.Materials)
		}
	}
}

// anyMaterials returns a mesh with texture coordinates and up to four materials. Some triangles have no material.
func anyMaterials(base *scenes.Mesh, random *rand.Rand) *scenes.Mesh {
	mesh, a, n := *base, new(scenes.Attributes), base.Len()
	for range 1 + random.IntN(4) {
		a.Materials = append(a.Materials, anyMaterial(random))
	}
	scale := float32(math.Exp(random.Float64()*8 - 3))
	for range 3 * n {
		uv := [2]float32{scale * random.Float32(), scale * random.Float32()}
		switch values := a.TexCoords.Values; {
		case random.IntN(30) == 0:
			uv[random.IntN(2)] = oddNumbers[random.IntN(len(oddNumbers))]
		case random.IntN(5) == 0 && len(values) > 0:
			uv = values[len(values)-1]
		}
		a.TexCoords.Values = append(a.TexCoords.Values, uv)
	}
	for t := range n {
		a.MaterialOf = append(a.MaterialOf, int32(random.IntN(len(a.Materials)+1))-1)
		for k := range a.TexCoords.Index {
			a.TexCoords.Index[k] = append(a.TexCoords.Index[k], uint32(3*t+k))
		}
	}
	a.Index, a.Vertices = a.TexCoords.Index, 3*n
	mesh.Attributes = a
	return &mesh
}

// oddNumbers are numbers that often cause errors in arithmetic.
var oddNumbers = []float32{0, 1, -1, 1e-30, 1e30, -1e30, 1e-45, 0.9999999, 15.0 / 16, math.MaxFloat32,
	float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))}

// anyMaterial returns a material whose numbers are often 0 or 1.
func anyMaterial(random *rand.Rand) scenes.Material {
	number := func() float32 {
		if random.IntN(3) == 0 {
			return float32(random.IntN(2))
		}
		return random.Float32()
	}
	glow := func() float32 {
		if random.IntN(4) == 0 {
			return []float32{4096, 65536, 3e9, 1e30, 1e38, math.MaxFloat32}[random.IntN(6)]
		}
		return number()
	}
	f := &scenes.Finish{
		Metallic: number(), Roughness: number(), Specular: [3]float32{number(), number(), number()}, NormalScale: 4 * number(), OcclusionAmount: number(),
	}
	m := scenes.Material{
		BaseColor: [4]float32{number(), number(), number(), number()}, Emission: [3]float32{glow(), glow(), glow()},
		Alpha: scenes.AlphaMode(random.IntN(3)), AlphaCutoff: number(), OneSided: random.IntN(2) == 0, Finish: f,
	}
	if random.IntN(3) == 0 {
		f.Coat, f.CoatRoughness = number(), number()
	}
	if random.IntN(2) == 0 {
		f.Transmission = number()
	}
	if random.IntN(3) == 0 {
		f.Thickness, f.Absorption, f.Refraction = number(), [3]float32{number(), glow(), number()}, 3*number()
	}
	if random.IntN(5) == 0 {
		f.Sheen, f.SheenRoughness = [3]float32{number(), number(), number()}, number()
	}
	for _, texture := range []**scenes.Texture{&m.Texture, &m.Glow, &f.Surface, &f.Normals, &f.Occlusion, &f.Through, &f.Thick} {
		if random.IntN(3) == 0 {
			*texture = anyTexture(random)
		}
	}
	return m
}

// anyTexture returns a texture of noise, often with a single row or column.
func anyTexture(random *rand.Rand) *scenes.Texture {
	size := [][2]int{{1, 1}, {16384, 1}, {1, 16384}, {2, 3}, {7, 5}, {64, 64}}[random.IntN(6)]
	p := image.NewNRGBA(image.Rect(0, 0, size[0], size[1]))
	for i := range p.Pix {
		p.Pix[i] = uint8(random.Uint32())
	}
	return &scenes.Texture{Picture: p, WrapU: scenes.Wrap(random.IntN(3)), WrapV: scenes.Wrap(random.IntN(3)), Nearest: random.IntN(2) == 0}
}
