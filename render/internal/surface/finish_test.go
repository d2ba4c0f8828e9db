package surface

import (
	"hash/fnv"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"testing"

	"lockstep/scenes"
)

// TestEnvironmentSame checks that the tables are the same on every processor.
func TestEnvironmentSame(t *testing.T) {
	h := fnv.New64a()
	word := func(v float32) {
		bits := math.Float32bits(v)
		h.Write([]byte{byte(bits), byte(bits >> 8), byte(bits >> 16), byte(bits >> 24)})
	}
	e := environmentOf()
	for r := range roughSteps {
		for i := range aroundSteps {
			for _, k := range [4]int{sky, 0, 1, 2} {
				word(e.Lobes[k][r][i])
			}
		}
		for i := range steepSteps {
			word(e.Shares[0][r][i])
			word(e.Shares[1][r][i])
		}
	}
	const want = 0x98e78257560e6f90
	if got := h.Sum64(); got != want {
		t.Errorf("the tables have hash %#x, want %#x", got, uint64(want))
	}
}

// TestEnvironment compares tables with what is known of them: a mirror shows what is there, no surface mirrors more than
// arrives, and a rougher one spreads the same light.
func TestEnvironment(t *testing.T) {
	e := environmentOf()
	for i := range aroundSteps {
		cosine := float64(2*i)/(aroundSteps-1) - 1
		if got := float64(e.Lobes[sky][0][i]); math.Abs(got-skyAt(cosine)) > 1e-3 {
			t.Errorf("a mirror shows %g of the sky at %g, want %g", got, cosine, skyAt(cosine))
		}
		if got := float64(e.Lobes[0][0][i]); math.Abs(got-lamps[0].at(cosine)) > 5e-3 {
			t.Errorf("a mirror shows %g of the key at %g, want %g", got, cosine, lamps[0].at(cosine))
		}
	}
	for r := range roughSteps {
		for i := range steepSteps {
			factor, rest := e.Shares[0][r][i], e.Shares[1][r][i]
			if factor < 0 || rest < 0 || factor+rest > 1.02 {
				t.Errorf("roughness %d, steepness %d: %g and %g are mirrored", r, i, factor, rest)
			}
		}
		// All of what is around the key's axis, over the sphere, is the same however it is spread.
		sum := 0.0
		for _, v := range e.Lobes[0][r] {
			sum += float64(v) * 2 / aroundSteps
		}
		first := 0.0
		for _, v := range e.Lobes[0][0] {
			first += float64(v) * 2 / aroundSteps
		}
		if math.Abs(sum/first-1) > 0.04 {
			t.Errorf("roughness %d: the key's light is %g, want %g", r, sum, first)
		}
	}
	// A perfect mirror from straight before it, and Schlick's sum for one of no metal.
	factor, rest := e.mirrored(1, 0, 0)
	if math.Abs(float64(factor)-1) > 0.01 || rest > 0.01 {
		t.Errorf("a mirror has %g and %g", factor, rest)
	}
	factor, rest = e.mirrored(0.5, 0, 0)
	if want := math.Pow(0.5, 5); math.Abs(float64(rest)-want) > 0.01 || math.Abs(float64(factor)-(1-want)) > 0.01 {
		t.Errorf("at 60 degrees a mirror has %g and %g, want %g and %g", factor, rest, 1-want, want)
	}
}

// square is a shader of a square of two triangles that faces the eye, whose texture lies as a picture would.
func square(m scenes.Material, mirrored bool) *Shader {
	b := scenes.MakeBlock(2)
	b.Set(0, [3][3]float32{{-1, 0, -1}, {1, 0, -1}, {1, 0, 1}})
	b.Set(1, [3][3]float32{{-1, 0, -1}, {1, 0, 1}, {-1, 0, 1}})
	left, right := float32(0), float32(1)
	if mirrored {
		left, right = 1, 0
	}
	index := [3][]uint32{{0, 0}, {1, 2}, {2, 3}}
	a := &scenes.Attributes{Index: index, Vertices: 4, Materials: []scenes.Material{m}, MaterialOf: []int32{0, 0}}
	a.TexCoords = scenes.Attribute[[2]float32]{Index: index, Values: [][2]float32{{left, 1}, {right, 1}, {right, 0}, {left, 0}}}
	tables := NewColors()
	s := &Scene{
		Block: b, Tables: tables, Paint: NewPaint(a, tables),
		Lens:   Lens{Scale: 1, Origin: [3]float32{0, -5, 0}, OriginX: [3]float32{1, 0, 0}, OriginY: [3]float32{0, 0, 1}, Forward: [3]float32{0, 1, 0}},
		Lights: NewLights([3]float64{1, 0, 0}, [3]float64{0, 0, 1}, [3]float64{0, -1, 0}, [3]float64{0, 0, 1}),
	}
	shader := new(Shader)
	shader.Begin(s, nil)
	return shader
}

func uniform(c color.NRGBA) *scenes.Texture {
	p := image.NewNRGBA(image.Rect(0, 0, 2, 2))
	for i := range 4 {
		p.SetNRGBA(i%2, i/2, c)
	}
	return &scenes.Texture{Picture: p}
}

// TestRelief bends normals by a texture: red to the right and green up, as the picture is seen, also where it is mirrored
// and from behind.
func TestRelief(t *testing.T) {
	for _, c := range []struct {
		texel    color.NRGBA
		mirrored bool
		want     vec // x to the right, y away from the eye, z up
	}{
		{color.NRGBA{128, 128, 255, 255}, false, vec{0, -1, 0}},
		{color.NRGBA{218, 128, 218, 255}, false, vec{0.707, -0.707, 0}},
		{color.NRGBA{128, 218, 218, 255}, false, vec{0, -0.707, 0.707}},
		{color.NRGBA{218, 128, 218, 255}, true, vec{-0.707, -0.707, 0}},
		{color.NRGBA{128, 218, 218, 255}, true, vec{0, -0.707, 0.707}},
	} {
		s := square(scenes.Material{BaseColor: [4]float32{1, 1, 1, 1}, Finish: &scenes.Finish{Normals: uniform(c.texel), NormalScale: 1}}, c.mirrored)
		for t1, at := range [][2]float32{{0.5, -0.5}, {-0.5, 0.5}} {
			f := s.facet(uint32(t1))
			p := s.scene.at(f, at[0], at[1])
			got := f.grain(&p, new(s.scene.spot(f, at[0], at[1]))).normal
			if d := got.sub(c.want).length(); d > 0.01 {
				t.Errorf("%v, mirrored %v, triangle %d: %v, want %v", c.texel, c.mirrored, t1, got, c.want)
			}
		}
	}
	// From behind, what is to the right in the picture is to the left.
	s := square(scenes.Material{Finish: &scenes.Finish{Normals: uniform(color.NRGBA{218, 128, 218, 255}), NormalScale: 1}}, false)
	s.scene.Lens.Origin, s.scene.Lens.Forward = [3]float32{0, 5, 0}, [3]float32{0, -1, 0}
	f := s.facet(0)
	p := s.scene.at(f, 0.5, -0.5)
	if got := f.grain(&p, new(s.scene.spot(f, 0.5, -0.5))).normal; got.sub(vec{-0.707, 0.707, 0}).length() > 0.01 {
		t.Errorf("from behind: %v", got)
	}
}

// TestGrain reads numbers of textures, not colours: green is roughness, blue metal, red occlusion and transmission.
func TestGrain(t *testing.T) {
	x := uniform(color.NRGBA{51, 102, 204, 255})
	s := square(scenes.Material{Finish: &scenes.Finish{
		Metallic: 0.5, Roughness: 1, Surface: x, Occlusion: x, OcclusionAmount: 0.5, Transmission: 0.5, Through: x,
	}}, false)
	f := s.facet(0)
	p := s.scene.at(f, 0.5, -0.5)
	g := f.grain(&p, new(s.scene.spot(f, 0.5, -0.5)))
	for what, pair := range map[string][2]float32{"metallic": {g.metallic, 0.4}, "roughness": {g.roughness, 0.4}, "open": {g.open, 0.6}, "passes": {g.passes, 0.1}} {
		if math.Abs(float64(pair[0]-pair[1])) > 1e-4 {
			t.Errorf("%s is %g, want %g", what, pair[0], pair[1])
		}
	}
}

// TestFinishedEnergy checks that a white surface of any finish, evenly lit, sends back no more than it gets.
func TestFinishedEnergy(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	e := *environmentOf()
	for r := range roughSteps { // a furnace: the same light from everywhere
		for i := range aroundSteps {
			e.Lobes[sky][r][i], e.Lobes[0][r][i], e.Lobes[1][r][i], e.Lobes[2][r][i] = 1, 0, 0, 0
		}
	}
	lights := NewLights([3]float64{1, 0, 0}, [3]float64{0, 0, 1}, [3]float64{0, -1, 0}, [3]float64{0, 0, 1})
	for range 2000 {
		n, v := someVector(random).unit(), someVector(random).unit()
		if n.dot(v) <= 0 {
			continue
		}
		rough, white := random.Float32(), vec{1, 1, 1}
		g := e.gloss(&lights, n, v, white, 1, rough)
		if g.share.x > 1 || g.share.x < 0.97 {
			t.Fatalf("roughness %g, steepness %g: white metal mirrors %g", rough, n.dot(v), g.share.x)
		}
	}
}

// TestCovered checks how much of what lies behind a glass is hidden: nearly nothing from straight before it, all of it at
// grazing angles, and the more the less light passes.
func TestCovered(t *testing.T) {
	pane := func(transmission float32, c [4]float32) float32 {
		s := square(scenes.Material{BaseColor: c, Finish: &scenes.Finish{Specular: [3]float32{0.04, 0.04, 0.04}, Transmission: transmission}}, false)
		return s.covered(s.facet(0), 0.5, -0.5)
	}
	white := [4]float32{1, 1, 1, 1}
	if got := pane(1, white); got < 0.03 || got > 0.1 {
		t.Errorf("clear glass hides %g", got)
	}
	if half, all := pane(0.5, white), pane(0, white); half < 0.4 || half > 0.8 || all != 1 {
		t.Errorf("half a glass hides %g, none %g", half, all)
	}
	if got, clear := pane(1, [4]float32{1, 0.2, 0.2, 1}), pane(1, white); got <= clear || got >= 1 {
		t.Errorf("red glass hides %g, clear glass %g", got, clear)
	}
	s := square(scenes.Material{BaseColor: white, Finish: &scenes.Finish{Specular: [3]float32{0.04, 0.04, 0.04}, Transmission: 1}}, false)
	there := 0
	for row := range 4 {
		for column := range 4 {
			if s.There(0, 0.5, -0.5, column, row) {
				there++
			}
		}
	}
	if there != 1 {
		t.Errorf("clear glass has %d of 16 samples, want 1", there)
	}
}
