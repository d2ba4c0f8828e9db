package surface

import (
	"hash/fnv"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"testing"

	"lockstep/render/internal/float3"
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
			for _, k := range [4]int{skyLobe, 0, 1, 2} {
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

// TestEnvironment compares tables with known values: a mirror shows its surroundings, no surface mirrors more light
// than arrives, and a rougher surface spreads the same light.
func TestEnvironment(t *testing.T) {
	e := environmentOf()
	for i := range aroundSteps {
		cosine := float64(2*i)/(aroundSteps-1) - 1
		if got := float64(e.Lobes[skyLobe][0][i]); math.Abs(got-skyAt(cosine)) > 1e-3 {
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
		// The light of the key light, summed over the sphere, does not depend on the roughness.
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
	// Seen along its normal, a perfect mirror has the factor 1 and the rest 0. At 60 degrees, both follow Schlick's
	// approximation.
	factor, rest := e.mirroredShares(1, 0, 0)
	if math.Abs(float64(factor)-1) > 0.01 || rest > 0.01 {
		t.Errorf("a mirror has %g and %g", factor, rest)
	}
	factor, rest = e.mirroredShares(0.5, 0, 0)
	if want := math.Pow(0.5, 5); math.Abs(float64(rest)-want) > 0.01 || math.Abs(float64(factor)-(1-want)) > 0.01 {
		t.Errorf("at 60 degrees a mirror has %g and %g, want %g and %g", factor, rest, 1-want, want)
	}
}

// square returns a shader of a square of two triangles that faces the eye. Its texture is oriented like a picture.
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
	shader.Begin(s, nil, nil)
	return shader
}

func uniform(c color.NRGBA) *scenes.Texture {
	p := image.NewNRGBA(image.Rect(0, 0, 2, 2))
	for i := range 4 {
		p.SetNRGBA(i%2, i/2, c)
	}
	return &scenes.Texture{Picture: p}
}

// TestRelief bends normals by a texture. As the picture is seen, red points to the right and green points up, even if
// the texture is mirrored or seen from behind.
func TestRelief(t *testing.T) {
	for _, c := range []struct {
		texel    color.NRGBA
		mirrored bool
		want     float3.Vector // x is to the right, y away from the eye, z up
	}{
		{color.NRGBA{128, 128, 255, 255}, false, float3.New(0, -1, 0)},
		{color.NRGBA{218, 128, 218, 255}, false, float3.New(0.707, -0.707, 0)},
		{color.NRGBA{128, 218, 218, 255}, false, float3.New(0, -0.707, 0.707)},
		{color.NRGBA{218, 128, 218, 255}, true, float3.New(-0.707, -0.707, 0)},
		{color.NRGBA{128, 218, 218, 255}, true, float3.New(0, -0.707, 0.707)},
	} {
		s := square(scenes.Material{BaseColor: [4]float32{1, 1, 1, 1}, Finish: &scenes.Finish{Normals: uniform(c.texel), NormalScale: 1}}, c.mirrored)
		for t1, at := range [][2]float32{{0.5, -0.5}, {-0.5, 0.5}} {
			f := s.facet(uint32(t1))
			p := s.scene.pointAt(f, at[0], at[1])
			got := f.finishAt(&p, new(s.scene.spot(f, at[0], at[1], 1))).normal
			if d := got.Sub(c.want).Length(); d > 0.01 {
				t.Errorf("%v, mirrored %v, triangle %d: %v, want %v", c.texel, c.mirrored, t1, got, c.want)
			}
		}
	}
	// As seen from behind, the right side of the picture is on the left.
	s := square(scenes.Material{Finish: &scenes.Finish{Normals: uniform(color.NRGBA{218, 128, 218, 255}), NormalScale: 1}}, false)
	s.scene.Lens.Origin, s.scene.Lens.Forward = [3]float32{0, 5, 0}, [3]float32{0, -1, 0}
	f := s.facet(0)
	p := s.scene.pointAt(f, 0.5, -0.5)
	if got := f.finishAt(&p, new(s.scene.spot(f, 0.5, -0.5, 1))).normal; got.Sub(float3.New(-0.707, 0.707, 0)).Length() > 0.01 {
		t.Errorf("from behind: %v", got)
	}
}

// TestGrain checks that textures of a finish are read as numbers, not as colours: green is roughness, blue is metal,
// and red is occlusion or transmission.
func TestGrain(t *testing.T) {
	x := uniform(color.NRGBA{51, 102, 204, 255})
	s := square(scenes.Material{Finish: &scenes.Finish{
		Metallic: 0.5, Roughness: 1, Surface: x, Occlusion: x, OcclusionAmount: 0.5, Transmission: 0.5, Through: x,
	}}, false)
	f := s.facet(0)
	p := s.scene.pointAt(f, 0.5, -0.5)
	g := f.finishAt(&p, new(s.scene.spot(f, 0.5, -0.5, 1)))
	for what, pair := range map[string][2]float32{"metallic": {g.metallic, 0.4}, "roughness": {g.roughness, 0.4}, "open": {g.open, 0.6}, "passes": {g.transmitted, 0.1}} {
		if math.Abs(float64(pair[0]-pair[1])) > 1e-4 {
			t.Errorf("%s is %g, want %g", what, pair[0], pair[1])
		}
	}
}

// TestFinishedEnergy checks that a white surface with any finish, in light that is the same from all sides, reflects no
// more light than it receives.
func TestFinishedEnergy(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	e := *environmentOf()
	for r := range roughSteps { // the same light from all directions
		for i := range aroundSteps {
			e.Lobes[skyLobe][r][i], e.Lobes[0][r][i], e.Lobes[1][r][i], e.Lobes[2][r][i] = 1, 0, 0, 0
		}
	}
	lights := NewLights([3]float64{1, 0, 0}, [3]float64{0, 0, 1}, [3]float64{0, -1, 0}, [3]float64{0, 0, 1})
	for range 2000 {
		n, v := someVector(random).Unit(), someVector(random).Unit()
		if n.Dot(v) <= 0 {
			continue
		}
		rough, white := random.Float32(), float3.New(1, 1, 1)
		g := e.reflect(&lights, n, v, white, 1, rough)
		if g.share.X > 1 || g.share.X < 0.97 {
			t.Fatalf("roughness %g, steepness %g: white metal mirrors %g", rough, n.Dot(v), g.share.X)
		}
	}
}

// TestCovered checks the share of the light from behind that a glass hides. It is nearly 0 along the normal, 1 at
// grazing angles, and larger if less light passes through the glass.
func TestCovered(t *testing.T) {
	pane := func(transmission float32, c [4]float32) float32 {
		s := square(scenes.Material{BaseColor: c, Finish: &scenes.Finish{Specular: [3]float32{0.04, 0.04, 0.04}, Transmission: transmission}}, false)
		return s.coverage(s.facet(0), 0.5, -0.5, 1)
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
			a := sample{column: column, row: row, x: 0.5, y: -0.5}
			f := s.facet(0)
			if exists, known := s.testAlpha(f, &a, 1, 1); exists || !known && a.existsWithAlpha(float32(a.alpha*s.coverage(f, a.x, a.y, 1))) {
				there++
			}
		}
	}
	if there != 1 {
		t.Errorf("clear glass has %d of 16 samples, want 1", there)
	}
}

// TestEdge checks the share that is mirrored at grazing angles for several values of Specular.
func TestEdge(t *testing.T) {
	for specular, want := range map[float32]float32{0: 0, 0.01: 0.5, 0.04: 1, 1: 1} {
		f := NewFinish(&scenes.Finish{Specular: [3]float32{0, specular, 0}})
		if math.Abs(float64(f.grazing-want)) > 1e-6 {
			t.Errorf("%g is mirrored from straight before, and %g at grazing angles, want %g", specular, f.grazing, want)
		}
	}
}

// finishedAt lights the middle of a square.
func finishedAt(m scenes.Material) (*Scene, finishLight) {
	s := square(m, false)
	f := s.facet(0)
	p, at := s.scene.pointAt(f, 0.5, -0.5), s.scene.spot(f, 0.5, -0.5, 1)
	return s.scene, s.scene.lightFinished(f, &p, &at, s.scene.color(f, &p, &at), 1)
}

// TestCoat checks that a coat reduces the light of the surface below by the light that the coat mirrors. The same must
// be true of light that passes through the surface.
func TestCoat(t *testing.T) {
	glass := scenes.Finish{Roughness: 0.5, Specular: [3]float32{0.04, 0.04, 0.04}, Transmission: 0.5}
	color := [4]float32{0.9, 0.5, 0.1, 1}
	s, bare := finishedAt(scenes.Material{BaseColor: color, Finish: &glass})
	coated := glass
	coated.Coat, coated.CoatRoughness = 0.5, 0.1
	_, got := finishedAt(scenes.Material{BaseColor: color, Finish: &coated})
	coat := environmentOf().reflect(&s.Lights, float3.New(0, -1, 0), float3.New(0, -1, 0), float3.New(0.04, 0.04, 0.04), 1, 0.1)
	left := 1 - 0.5*coat.share.X
	want := bare.light.Scale(left).Add(coat.light.Scale(0.5))
	if got.light.Sub(want).Length() > 1e-6 || math.Abs(float64(got.transmitted-bare.transmitted*left)) > 1e-6 || coat.share.X < 0.03 {
		t.Errorf("%+v below a coat, want %v and %g", got, want, bare.transmitted*left)
	}
}

// TestCoatUnderCover checks that the light that a coat mirrors is proportional to the open share of the sky.
func TestCoatUnderCover(t *testing.T) {
	color := [4]float32{0, 0, 0, 1}
	s := square(scenes.Material{BaseColor: color, Finish: &scenes.Finish{Coat: 1}}, false) // black below the coat
	f := s.facet(0)
	p, at := s.scene.pointAt(f, 0.5, -0.5), s.scene.spot(f, 0.5, -0.5, 1)
	open, half := s.scene.lightFinished(f, &p, &at, float3.Vector{}, 1).light, s.scene.lightFinished(f, &p, &at, float3.Vector{}, 0.5).light
	if open.X < 0.001 || half.Sub(open.Scale(0.5)).Length() > 1e-6 {
		t.Errorf("a coat under half of the sky mirrors %v, want half of %v", half, open)
	}
}

// TestColoredGlass checks that, in front of light grey, coloured glass shows the product of its colour and the grey.
func TestColoredGlass(t *testing.T) {
	clear := scenes.Finish{Specular: [3]float32{0.04, 0.04, 0.04}, Transmission: 1}
	_, white := finishedAt(scenes.Material{BaseColor: [4]float32{1, 1, 1, 1}, Finish: &clear})
	_, red := finishedAt(scenes.Material{BaseColor: [4]float32{1, 0.2, 0.2, 1}, Finish: &clear})
	through := func(f finishLight, c float32) float32 { return c + float32(f.transmitted*glassBacklight) }
	if a, b := through(white, white.light.X), through(red, red.light.X); math.Abs(float64(a-b)) > 1e-5 || a < 0.8 {
		t.Errorf("red before grey is %g, want %g", b, a)
	}
	if red.transmitted > 0.6 || red.transmitted < 0.4 || white.transmitted < 0.9 {
		t.Errorf("red glass lets %g through uncoloured, clear glass %g", red.transmitted, white.transmitted)
	}
}

// TestOutOfRange prepares materials whose numbers are NaN or far outside their ranges.
func TestOutOfRange(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for v, want := range map[float32]float32{nan: 0, inf: 1, -inf: 0, 7: 1, -3: 0, 0.25: 0.25} {
		three := [3]float32{v, v, v}
		from := &scenes.Finish{
			Metallic: v, Roughness: v, Specular: three, NormalScale: v, OcclusionAmount: v, Coat: v, CoatRoughness: v, Transmission: v,
			GrazingLoss: v, CoatNormalScale: v, Sheen: three, SheenRoughness: v, Thickness: v, Absorption: three, Refraction: v,
		}
		a := &scenes.Attributes{MaterialOf: []int32{0}, Materials: []scenes.Material{{BaseColor: [4]float32{v, v, v, 1}, Emission: three, Finish: from}}}
		got := NewPaint(a, NewColors()).materials[0]
		scale := map[float32]float32{inf: maxNormalScale, -inf: -maxNormalScale, 7: 7, -3: -3, 0.25: 0.25}[v] // 0 for NaN
		all := [3]float32{want, want, want}
		long := map[float32]float32{inf: maxThickness, 7: 7, 0.25: 0.25}[v]
		index, ok := map[float32]float32{inf: maxRefraction, 7: 7}[v]
		if !ok {
			index = glassRefraction
		}
		if f := (scenes.Finish{
			Metallic: want, Roughness: want, Specular: all, NormalScale: scale, OcclusionAmount: want, Coat: want, CoatRoughness: want, Transmission: want,
			GrazingLoss: want, CoatNormalScale: scale, Sheen: all, SheenRoughness: want,
			Thickness: long, Absorption: [3]float32{long, long, long}, Refraction: index,
		}); *got.finish.Finish != f || got.finish.specular != float3.Of(all) {
			t.Errorf("%g: finish %+v, want %+v", v, *got.finish.Finish, f)
		}
		if light := got.emission.X; got.factor != float3.Of(all) || light != min(float3.NonNegative(v), math.MaxFloat32) {
			t.Errorf("%g: colour %v, light %g", v, got.factor, light)
		}
	}
}

// TestDecay compares decay with the exponential function.
func TestDecay(t *testing.T) {
	for x := 0.; x < 120; x = 1.01*x + 0.003 {
		if got := float64(decay(float32(x))); math.Abs(got-math.Exp(-float64(float32(x)))) > 2e-6*max(math.Exp(-x), 1e-6) && x < 60 || got < 0 || got > 1 {
			t.Errorf("%g: %g, want %g", x, got, math.Exp(-x))
		}
	}
	if decay(float32(math.Inf(1))) != 0 || decay(float32(math.NaN())) != 0 || decay(0) != 1 {
		t.Error("the ends")
	}
}

// TestEntryPlace follows lines of sight through a body: by Snell's law, seen obliquely, and straight on without a thickness
// or with the index of air.
func TestEntryPlace(t *testing.T) {
	for _, perspective := range []float32{0, 0.01} {
		s := square(scenes.Material{Finish: &scenes.Finish{Specular: [3]float32{0.04, 0.04, 0.04}, Transmission: 1, Thickness: 0.5, Refraction: 1.5}}, false)
		l := &s.scene.Lens
		l.Forward, l.ForwardX, l.ForwardY = [3]float32{0.6, 0.8, 0}, [3]float32{0.8 * perspective, -0.6 * perspective, 0}, [3]float32{0, 0, perspective}
		l.OriginX, l.OriginY = [3]float32{0.8, -0.6, 0}, [3]float32{0, 0, 1}
		f := s.facet(0)
		for _, at := range [][2]float32{{0.1, -0.2}, {-0.3, 0.1}} {
			p := s.scene.pointAt(f, at[0], at[1])
			g := f.finishAt(&p, new(spot))
			origin, forward := l.lineOfSight(at[0], at[1])
			if x, y := l.project(origin.Add(forward.Scale(3))); math.Abs(float64(x-at[0]))+math.Abs(float64(y-at[1])) > 1e-5 {
				t.Errorf("a point on the line of sight of %v is seen at %g, %g", at, x, y)
			}
			// This is the direction of the line of sight inside the body, from the point where the line meets the
			// square.
			in := forward.Unit()
			sine := in.Sub(g.normal.Scale(in.Dot(g.normal))).Scale(1 / float32(1.5))
			way := sine.Sub(g.normal.Scale(float3.Sqrt(1 - sine.Dot(sine))))
			start := origin.Add(forward.Scale(f.corner.Sub(origin).Dot(f.normal) / forward.Dot(f.normal)))
			wantX, wantY := l.project(start.Add(way.Scale(0.5 * l.Scale)))
			if x, y := s.scene.entryPlace(f, &p, &g); math.Abs(float64(x-wantX))+math.Abs(float64(y-wantY)) > 1e-5 || math.Abs(float64(x-at[0])) < 0.01 {
				t.Errorf("%v: %g, %g, want %g, %g", at, x, y, wantX, wantY)
			}
			g.thickness = 0
			if x, y := s.scene.entryPlace(f, &p, &g); x != at[0] || y != at[1] {
				t.Errorf("%v: a thin wall moves it to %g, %g", at, x, y)
			}
			f.paint.finish.Refraction, g.thickness = 1, 0.5
			if x, y := s.scene.entryPlace(f, &p, &g); math.Abs(float64(x-at[0]))+math.Abs(float64(y-at[1])) > 1e-4 {
				t.Errorf("%v: air moves it to %g, %g", at, x, y)
			}
			f.paint.finish.Refraction = 1.5
		}
	}
}

// TestFirstSamples draws every second sample of a span. The others must stay as they are.
func TestFirstSamples(t *testing.T) {
	s := square(scenes.Material{BaseColor: [4]float32{1, 1, 1, 1}, Alpha: scenes.AlphaBlend}, false)
	g := SampleGrid{Width: 4, Height: 4, Grid: 2, Keys: make([]uint64, 8)}
	s.MergeSpan(&g, &SampleSpan{Triangle: 0, Start: 1, Count: 6, First: 1, Step: 2, Nearness: 0.5, Column: 1, Row: 3, Most: 1})
	for i, key := range g.Keys {
		if want := i >= 2 && i < 7 && i%2 == 0; (key != 0) != want {
			t.Errorf("sample %d is drawn: %v", i, key != 0)
		}
	}
}

// TestMostCoverage compares the bound of a triangle's coverage with the coverage at random points, for triangles and
// finishes of all kinds. Many bounds must be below 1.
func TestMostCoverage(t *testing.T) {
	random, bounds := rand.New(rand.NewPCG(5, 6)), 0
	for range 2000 {
		number := func() float32 { return min(1, 1.2*random.Float32()) }
		m := scenes.Material{BaseColor: [4]float32{number(), number(), number(), 1}, Finish: &scenes.Finish{
			Transmission: number(), Roughness: number(), Metallic: 0.3 * number(), Specular: [3]float32{0.04, 0.1 * number(), 0.04}, GrazingLoss: number() / 2,
		}}
		s := square(m, false)
		for k := range 3 {
			s.scene.Lens.ForwardX[k], s.scene.Lens.ForwardY[k] = 0.3*(random.Float32()-0.5), 0.3*(random.Float32()-0.5)
			s.scene.Lens.Forward[k] += 2 * (random.Float32() - 0.5) * random.Float32()
		}
		most := s.MostCoverage(0, -1, -1, 1, 1)
		if most < 1 {
			bounds++
		}
		for range 20 {
			x := 2*random.Float32() - 1
			y := x - (x+1)*random.Float32()
			if got := s.coverage(s.facet(0), x, y, 1); got > most {
				t.Fatalf("%+v at %g, %g: %g is above the bound %g", m.Finish, x, y, got, most)
			}
		}
	}
	if bounds < 400 {
		t.Errorf("%d bounds", bounds)
	}
}
