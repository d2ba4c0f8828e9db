package surface

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"lockstep/render/internal/behind"
	"lockstep/render/internal/float3"
	"lockstep/scenes"
)

// clearGlass is a material of smooth, colourless glass without a thickness.
func clearGlass() scenes.Material {
	return scenes.Material{
		BaseColor: [4]float32{1, 1, 1, 1}, Finish: &scenes.Finish{Specular: [3]float32{0.04, 0.04, 0.04}, Transmission: 1},
	}
}

// TestNoBoundOfCoverage checks that MostCoverage knows no bound for surfaces whose colour or finish varies, or has a
// coat, because its formula has neither. It must know none either for surfaces that let no light through, or that may
// hide everything behind them. Without these it must know one.
func TestNoBoundOfCoverage(t *testing.T) {
	for name, change := range map[string]func(s *Scene, f *facet){
		"plain":    func(*Scene, *facet) {},
		"textured": func(_ *Scene, f *facet) { f.paint.finish.textured = true },
		"colored":  func(_ *Scene, f *facet) { f.paint.colored = true },
		"texture":  func(_ *Scene, f *facet) { f.paint.texture = new(texture) },
		"coat":     func(_ *Scene, f *facet) { f.paint.finish.Coat = 1 },
		"opaque":   func(_ *Scene, f *facet) { f.paint.finish, f.paint.translucency = nil, nil },
		"glow, alpha": func(_ *Scene, f *facet) {
			f.paint.glows, f.paint.finish, f.paint.translucency = true, nil, new(translucency)
		},
		"field": func(s *Scene, _ *facet) { s.Field = &Field{Values: make([]float32, 2), OfTriangles: true} },
		"body":  func(s *Scene, f *facet) { s.Behind, f.paint.finish.body = new(behind.Picture), true },
	} {
		s := square(clearGlass(), false)
		change(s.scene, s.facet(0))
		if most := s.MostCoverage(0, -0.1, -0.1, 0.1, 0.1); (most < 1) != (name == "plain") {
			t.Errorf("%s: bound %g", name, most)
		}
	}
}

// TestLeastSteep compares the least cosine between normals and directions to the eye with the cosines at random points
// of a triangle that is seen from either side. There must be no such cosine if part of the rectangle shows the other
// side.
func TestLeastSteep(t *testing.T) {
	random, bounds := rand.New(rand.NewPCG(8, 3)), [2]int{}
	within := func(r float32) float32 { return r * (2*random.Float32() - 1) }
	s := square(clearGlass(), false)
	f, l := s.facet(0), &s.scene.Lens
	for range 4000 {
		l.Forward = [3]float32{within(1), within(1), within(1)}
		for k := range 3 {
			l.ForwardX[k], l.ForwardY[k] = within(0.8), within(0.8)
		}
		if f.smooth = random.IntN(4) > 0; f.smooth {
			for k := range f.normals {
				f.normals[k] = float3.New(within(1), -1, within(1)).Unit()
			}
		}
		x0, y0 := within(1), within(1)
		x1, y1 := x0+random.Float32(), y0+random.Float32()
		least, back := s.scene.leastSteep(f, x0, y0, x1, y1), f.normal.Y*l.Forward[1] > 0
		if least > 0 && back {
			bounds[1]++
		} else if least > 0 {
			bounds[0]++
		}
		sides := map[bool]bool{}
		for i := range 30 {
			x, y := x0+(x1-x0)*random.Float32(), y0+(y1-y0)*random.Float32()
			if i < 4 { // the corners of the rectangle
				x, y = [2]float32{x0, x1}[i&1], [2]float32{y0, y1}[i>>1]
			}
			p := s.scene.pointAt(f, x, y)
			sides[p.back] = true
			if w := f.weights(l.lineOfSight(x, y)); f.smooth && min(w[0], w[1], w[2]) < 0 { // beside the triangle
				continue
			}
			if cosine := p.normal.Dot(p.toEye.Unit()); least > 0 && cosine < least {
				t.Fatalf("cosine %g at %g, %g, at least %g in %g, %g to %g, %g", cosine, x, y, least, x0, y0, x1, y1)
			}
		}
		if least > 0 && len(sides) > 1 {
			t.Fatalf("%g, %g to %g, %g shows both sides, but the least cosine is %g", x0, y0, x1, y1, least)
		}
	}
	if bounds[0] < 100 || bounds[1] < 100 {
		t.Errorf("%d bounds before the triangle, %d behind it", bounds[0], bounds[1])
	}
}

// TestLeastSteepKnown checks the least cosine of a triangle that is seen straight on from either side, and of one that
// is seen edge-on but for rounding.
func TestLeastSteepKnown(t *testing.T) {
	for forward, want := range map[[3]float32]float32{
		{0, 1, 0}: 1, {0, -1, 0}: 1, {0.6, 0.8, 0}: 0.8, {0.6, -0.8, 0}: 0.8, {1, 1e-4, 0}: 0, {1, -1e-4, 0}: 0,
	} {
		s := square(clearGlass(), false)
		f := s.facet(0)
		if want == 0 { // all normals face the eye
			f.smooth, f.normals = true, [3]float3.Vector{{X: -0.6, Y: -0.8}, {X: -0.6, Z: 0.8}, {X: -0.6, Z: -0.8}}
		}
		s.scene.Lens.Forward = forward
		if got := s.scene.leastSteep(f, -0.1, -0.1, 0.1, 0.1); got > want || got < want-0.002 {
			t.Errorf("looking along %v: %g, want %g", forward, got, want)
		}
	}
}

// TestBoundsOfTables compares the bounds of mirrored shares and of mirrored light with the tables' values between the
// steps of roughness, at any greater cosine.
func TestBoundsOfTables(t *testing.T) {
	e, random := environmentOf(), rand.New(rand.NewPCG(3, 4))
	for range 20000 {
		row, part := tableStep(random.Float32(), roughSteps)
		steep := random.Float32() * random.Float32()
		i, _ := tableStep(steep, steepSteps)
		factor, rest := e.mirroredShares(steep+(1-steep)*random.Float32()*random.Float32(), row, part)
		if factor > e.mostShares[0][row][i] || rest > e.mostShares[1][row][i] {
			t.Fatalf("step %d of the roughness, cosine from %g: shares %g and %g, at most %g and %g",
				row, steep, factor, rest, e.mostShares[0][row][i], e.mostShares[1][row][i])
		}
		light := float32(0)
		for axis := range e.Lobes {
			light += e.lobe(axis, 1, row, part)
		}
		if light > e.mostLight[row]*1.000001 {
			t.Fatalf("step %d of the roughness: light %g, at most %g", row, light, e.mostLight[row])
		}
	}
}

// TestMostCoverageOfTint checks that the bound of the coverage counts the light that the glass colours. Red glass
// mirrors the key lamp into the eye.
func TestMostCoverageOfTint(t *testing.T) {
	for _, specular := range []float32{0.05, 0.055} {
		m := clearGlass()
		m.BaseColor, m.Finish.Specular = [4]float32{1, 0.5, 0.5, 1}, [3]float32{specular, specular, specular}
		s := square(m, false)
		s.scene.Lights.key = float3.New(0, -1, 0)
		most, got := s.MostCoverage(0, -0.01, -0.01, 0.01, 0.01), s.coverage(s.facet(0), 0, 0, 1)
		if got > most || most == 1 {
			t.Errorf("%g is mirrored: coverage %g is above the bound %g", specular, got, most)
		}
	}
}

// TestPatternsOfSides checks which samples of a surface with alpha 1/2 exist. From the front these are the samples
// whose rank is low. From the back they are other samples, so that the two sides of a thin body hide more than one
// side.
func TestPatternsOfSides(t *testing.T) {
	s := square(scenes.Material{BaseColor: [4]float32{1, 1, 1, 0.5}, Alpha: scenes.AlphaBlend}, false)
	exist := func() (set uint16) {
		for i := range len(bayer) {
			a := sample{column: i % 4, row: i / 4, x: 0.5, y: -0.5}
			if exists, known := s.testAlpha(s.facet(0), &a, 1, 1); exists && known {
				set |= 1 << i
			}
		}
		return set
	}
	front := exist()
	for i, rank := range bayer {
		if (rank < 8) != (front>>i&1 != 0) {
			t.Errorf("from the front, sample %d of rank %d is drawn: %v", i, rank, front>>i&1 != 0)
		}
	}
	s.scene.Lens.Forward[1] = -1
	if back := exist(); bits.OnesCount16(back) != 8 || bits.OnesCount16(front&back) != 4 {
		t.Errorf("from the front %016b, from the back %016b", front, back)
	}
}

// TestThickBodyBesideSurfaces checks that samples of a body depend on what lies where the line of sight enters the
// body. A thin body before a surface hides it. A thick one that bends the line past the surface does not, because the
// background is visible through it.
func TestThickBodyBesideSurfaces(t *testing.T) {
	for _, thick := range []float32{0, 5} {
		m := clearGlass()
		m.Finish.Thickness, m.Finish.Refraction = thick, 1.5
		s := square(m, false)
		s.facet(0).paint.finish.body = true
		l := &s.scene.Lens
		l.Forward, l.OriginX = [3]float32{0.6, 0.8, 0}, [3]float32{0.8, -0.6, 0}
		pix := make([]byte, 4*8*8) // a surface that covers the right half
		for i := range 64 {
			if i%8 >= 4 {
				copy(pix[4*i:], []byte{200, 200, 200, 255})
			}
		}
		s.scene.Behind = new(behind.Picture)
		s.scene.Behind.Build(pix, 8, 8, 8, s.scene.Tables.LinearTable(), func(n int, do func(row int)) {
			for i := range n {
				do(i)
			}
		})
		there := 0
		for i := range len(bayer) {
			f, a := s.facet(0), sample{column: i % 4, row: i / 4, x: 0.6, y: -0.5}
			if exists, known := s.testAlpha(f, &a, 1, 1); exists || !known && a.existsWithAlpha(float32(a.alpha*s.coverage(f, a.x, a.y, 1))) {
				there++
			}
		}
		if want := map[float32]int{0: 16, 5: 1}[thick]; there != want {
			t.Errorf("thickness %g: %d of 16 samples, want %d", thick, there, want)
		}
	}
}
