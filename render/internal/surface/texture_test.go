package surface

import (
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"testing"

	"lockstep/render/internal/float3"
	"lockstep/scenes"
)

// hasPlaces returns attributes with texture coordinates.
func hasPlaces() *scenes.Attributes {
	return &scenes.Attributes{TexCoords: scenes.Attribute[[2]float32]{Values: make([][2]float32, 1)}}
}

// textureOf returns the texture of a picture, prepared as the given kind.
func textureOf(p *image.NRGBA, k kind) *texture {
	return newTextures(hasPlaces(), NewColors()).newTexture(source{p, k})
}

// pictureOf returns a picture. The function `of` returns the pixel in column x and row y.
func pictureOf(width, height int, of func(x, y int) color.NRGBA) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			p.SetNRGBA(x, y, of(x, y))
		}
	}
	return p
}

func chequered(x, y int) color.NRGBA {
	if (x+y)%2 == 0 {
		return color.NRGBA{255, 255, 255, 255}
	}
	return color.NRGBA{0, 0, 0, 255}
}

// seen returns a spot at which a pixel covers `wide` by `high` pixels of a texture.
func seen(t *texture, u, v, wide, high float32) *spot {
	w, h := float32(t.levels[0].width), float32(t.levels[0].height)
	return &spot{u: u, v: v, right: [2]float32{wide / w, 0}, above: [2]float32{0, high / h}}
}

// TestMeanFarAway checks that the mean of black and white is computed in linear light. It is sRGB 188, and the mean of
// the sRGB values would be 128.
func TestMeanFarAway(t *testing.T) {
	for _, size := range [][2]int{{2, 2}, {64, 64}, {6, 4}, {16, 1}} {
		x := textureOf(pictureOf(size[0], size[1], chequered), kind{})
		got := x.texel(seen(x, 0.3, 0.8, 1000, 1000)).X
		if math.Abs(float64(got)-0.5) > 0.003 {
			t.Errorf("%v: light %g, want 0.5", size, got)
		}
	}
	// The mean of numbers is computed without sRGB.
	x := textureOf(pictureOf(2, 2, chequered), kind{meaning: ofNumbers})
	if got := x.texel(seen(x, 0.3, 0.8, 1000, 1000)).X; math.Abs(float64(got)-0.5) > 0.003 {
		t.Errorf("number %g, want 0.5", got)
	}
}

// TestMeanOfAnySize compares the last level with the mean of all pixels. No column or row may be left out or count
// twice.
func TestMeanOfAnySize(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for width := 1; width < 24; width++ {
		height := 1 + random.IntN(40)
		sum := 0.0
		p := pictureOf(width, height, func(int, int) color.NRGBA {
			v := uint8(random.IntN(256))
			sum += float64(v)
			return color.NRGBA{v, 0, 0, 255}
		})
		x := textureOf(p, kind{meaning: ofNumbers})
		last := x.levels[len(x.levels)-1]
		if last.width != 1 || last.height != 1 {
			t.Fatalf("%dx%d ends with %dx%d", width, height, last.width, last.height)
		}
		// Every level may be wrong by half a step because of rounding.
		if got, want := float64(last.pix[0]), sum/float64(width*height); math.Abs(got-want) > 0.5*float64(len(x.levels)-1)+1e-3 {
			t.Errorf("%dx%d: mean %g, want %g", width, height, got, want)
		}
	}
}

// TestTaps halves a row of pixels. Each old pixel must count by the part of it that lies in a new pixel.
func TestTaps(t *testing.T) {
	for n := 2; n < 70; n++ {
		wide := float64(n) / float64(n/2)
		for i := range n / 2 {
			first, weights := halvingWeights(i, n)
			for k := range n + 3 {
				got, left := 0.0, float64(i)*wide
				if k >= first && k < first+3 {
					got = float64(weights[k-first])
				}
				want := max(0, min(left+wide, float64(k+1))-max(left, float64(k))) / wide
				if math.Abs(got-want) > 1e-6 {
					t.Errorf("pixel %d of %d counts %g in pixel %d, want %g", k, n, got, i, want)
				}
			}
		}
	}
}

// TestLevels checks the levels for samples of known sizes.
func TestLevels(t *testing.T) {
	x := textureOf(pictureOf(64, 64, chequered), kind{})
	for _, c := range []struct {
		wide, high float32
		level      int
		part       float32
		taps       int
	}{
		{0.3, 0.9, 0, 0, 1}, {1, 1, 0, 0, 1}, {1.25, 1.25, 0, 0, 1}, {1.5, 1.5, 0, 0.5, 1}, {1.75, 1.75, 1, 0, 1}, {2, 2, 1, 0, 1}, {3, 3, 1, 0.5, 1},
		{4, 4, 2, 0, 1}, {40, 40, 5, 0, 1}, {64, 64, 6, 0, 1}, {1e6, 1e6, 6, 0, 1}, {1e30, 1e30, 6, 0, 1},
		// The texture is read at two places if a sample is twice as long as wide, and at four if it is longer. A sample
		// that is more than four times as long as wide is blurred, too.
		{2, 1, 0, 0, 2}, {1, 2, 0, 0, 2}, {4, 1, 0, 0, 4}, {3, 0.1, 0, 0, 1}, {4, 2, 1, 0, 2}, {16, 1, 2, 0, 4},
	} {
		at := seen(x, 0, 0, c.wide, c.high)
		at.extent = [2]float32{10, 10}
		if c.wide == 3 && c.high < 1 {
			c.taps = 4 // because the sample is three pixels long
		}
		f := x.footprint(at)
		if f.level != c.level || f.part != c.part || f.taps != c.taps {
			t.Errorf("%g by %g: %+v, want %+v", c.wide, c.high, f, c)
		}
	}
	nan := float32(math.NaN())
	for _, at := range []*spot{
		{right: [2]float32{nan, 0}}, {above: [2]float32{0, nan}}, {right: [2]float32{float32(math.Inf(1)), 0}, above: [2]float32{1, nan}},
	} {
		if f := x.footprint(at); f.level != 6 || f.part != 0 {
			t.Errorf("%+v: %+v, want the last level", at, f)
		}
	}
	// A sample is cut to the size of its triangle, or to texel.Longest times its width if that is more. Otherwise the
	// outlines of round surfaces, where triangles are small, would be blurred.
	at := seen(x, 0, 0, 1e4, 1)
	at.extent = [2]float32{0.01, 0.01}
	if f := x.footprint(at); f.level != 2 || f.taps != 4 {
		t.Errorf("nearly edge-on: %+v", f)
	}
}

// TestContinuous checks that a small change of a size changes the result only slightly.
func TestContinuous(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	x := textureOf(pictureOf(32, 32, func(int, int) color.NRGBA { v := uint8(random.IntN(256)); return color.NRGBA{v, v, v, 255} }), kind{meaning: ofNumbers})
	last := x.texel(seen(x, 0.31, 0.62, 1, 1)).X
	for size := float32(1); size < 64; size *= 1.001 {
		got := x.texel(seen(x, 0.31, 0.62, size, size)).X
		if math.Abs(float64(got-last)) > 0.02 {
			t.Fatalf("size %g: %g after %g", size, got, last)
		}
		last = got
	}
}

// TestFloor reads stripes along the rows of a texture at a flat angle. Across the stripes, the texture must stay sharp.
// A round blur would make it grey.
func TestFloor(t *testing.T) {
	x := textureOf(pictureOf(64, 64, func(x, _ int) color.NRGBA { return chequered(x/8, 0) }), kind{})
	at := seen(x, 4.5/64, 0.5, 1, 4) // the middle of a white stripe
	if got := x.texel(at).X; got < 0.99 {
		t.Errorf("along stripes: %g, want white", got)
	}
	if got := x.texel(seen(x, 4.5/64, 0.5, 32, 4)).X; math.Abs(float64(got)-0.5) > 0.1 {
		t.Errorf("across stripes: %g, want grey", got)
	}
}

// TestSeams reads textures of all sizes across the edges of a picture: of one colour, and of a pattern that continues
// there.
func TestSeams(t *testing.T) {
	ramp := func(n int) func(x, y int) color.NRGBA { // a wave that repeats
		return func(x, _ int) color.NRGBA {
			v := uint8(math.Round(127.5 + 100*math.Cos(2*math.Pi*(float64(x)+0.5)/float64(n))))
			return color.NRGBA{v, v, v, 255}
		}
	}
	for _, n := range []int{16, 15, 23} {
		x := textureOf(pictureOf(n, n, ramp(n)), kind{meaning: ofNumbers})
		for _, mode := range []scenes.Wrap{scenes.Repeat, scenes.Mirror, scenes.Clamp} {
			x.wrapU, x.wrapV = mode, mode
			for size := float32(0.5); size < 100; size *= 1.3 {
				for _, edge := range []float32{0, 1, -3, 7} {
					a, b := x.texel(seen(x, edge-0.002, 0.5, size, size)).X, x.texel(seen(x, edge+0.002, 0.5, size, size)).X
					if math.Abs(float64(a-b)) > 0.02 {
						t.Errorf("%d pixels, mode %d, size %g: %g and %g beside %g", n, mode, size, a, b, edge)
					}
				}
			}
		}
	}
}

// TestDirectionsFarAway reads normal maps from far away. Bumps must become flat, and a slope must keep its direction
// with length 1.
func TestDirectionsFarAway(t *testing.T) {
	bump := func(x, y int) color.NRGBA {
		if (x+y)%2 == 0 {
			return color.NRGBA{218, 128, 218, 255} // 45 degrees to the right
		}
		return color.NRGBA{38, 128, 218, 255} // 45 degrees to the left
	}
	direction := func(x *texture, size float32) float3.Vector {
		c := x.texel(seen(x, 0.4, 0.2, size, size))
		return c.Scale(2).Sub(float3.New(1, 1, 1))
	}
	x := textureOf(pictureOf(8, 8, bump), kind{meaning: ofDirections})
	if got := direction(x, 100); got.Sub(float3.New(0, 0, 1)).Length() > 0.01 {
		t.Errorf("bumps are %v far away, want flat", got)
	}
	x = textureOf(pictureOf(8, 8, func(int, int) color.NRGBA { return color.NRGBA{218, 128, 218, 255} }), kind{meaning: ofDirections})
	if got := direction(x, 100); got.Sub(float3.New(0.7071, 0, 0.7071)).Length() > 0.01 {
		t.Errorf("a slope is %v far away", got)
	}
	// Directions that cancel each other out have no mean.
	x = textureOf(pictureOf(2, 1, func(x, _ int) color.NRGBA { return color.NRGBA{uint8(255 * x), 128, 128, 255} }), kind{meaning: ofDirections})
	if got := direction(x, 100); got.Sub(float3.New(0, 0, 1)).Length() > 0.01 {
		t.Errorf("directions against each other are %v, want flat", got)
	}
}

// TestRims reads a green leaf with a hole whose pixels are black. The visible part must be green at all sizes.
func TestRims(t *testing.T) {
	leaf := func(x, y int) color.NRGBA {
		if (x/3+y/5)%2 == 0 {
			return color.NRGBA{0, 255, 0, 255}
		}
		return color.NRGBA{}
	}
	p := pictureOf(33, 20, leaf)
	for _, k := range []kind{{meaning: ofBlends}, {ofMasks, 128}} {
		x := textureOf(p, k)
		for size := float32(0.5); size < 100; size *= 1.2 {
			if got := x.texel(seen(x, 0.37, 0.61, size, size)); math.Abs(float64(got.Y)-1) > 0.01 || got.X > 0.01 {
				t.Errorf("meaning %d, size %g: %v, want green", k.meaning, size, got)
			}
		}
	}
	// If alpha is ignored, a picture keeps all of its colours.
	if x := textureOf(p, kind{}); x.texel(seen(x, 0.5, 0.5, 1000, 1000)).Y > 0.6 {
		t.Error("colours of an opaque material count by alpha")
	}
	// A picture that is transparent everywhere also keeps its colours.
	x := textureOf(pictureOf(4, 4, func(int, int) color.NRGBA { return color.NRGBA{255, 0, 0, 0} }), kind{meaning: ofBlends})
	if got := x.texel(seen(x, 0.5, 0.5, 100, 100)); math.Abs(float64(got.X)-1) > 0.01 {
		t.Errorf("transparent red is %v", got)
	}
}

// TestLeavesStay checks that the visible share of a mask is the same from far away as from nearby. The mean of alpha is
// below the cutoff, so nothing would be visible from far away if alpha were averaged.
func TestLeavesStay(t *testing.T) {
	quarter := func(x, y int) color.NRGBA {
		if x%4 < 2 && y%4 < 2 {
			return color.NRGBA{0, 255, 0, 160}
		}
		return color.NRGBA{0, 255, 0, 40}
	}
	m := &scenes.Material{BaseColor: [4]float32{1, 1, 1, 0.9}, Alpha: scenes.AlphaMask, AlphaCutoff: 0.5}
	x := textureOf(pictureOf(32, 32, quarter), colorOf(m))
	s := newTranslucency(m, 0)
	for _, size := range []float32{8, 20, 1000} {
		if got := x.alpha(seen(x, 0.3, 0.3, size, size), 0.9, &s); math.Abs(float64(got)-0.25) > 0.01 {
			t.Errorf("size %g: %g of a mask is there, want a quarter", size, got)
		}
		// The alpha of corners may remove all samples.
		if got := x.alpha(seen(x, 0.3, 0.3, size, size), 0.4, &s); got != 0 {
			t.Errorf("size %g: %g of a surface without alpha is there", size, got)
		}
	}
	if in, out := x.alpha(seen(x, 1./32, 1./32, 0.1, 0.1), 0.9, &s), x.alpha(seen(x, 3./32, 3./32, 0.1, 0.1), 0.9, &s); in != 1 || out != 0 {
		t.Errorf("from nearby %g and %g, want 1 and 0", in, out)
	}
	// A blended material has the mean of alpha.
	m.Alpha = scenes.AlphaBlend
	x, s = textureOf(pictureOf(32, 32, quarter), colorOf(m)), newTranslucency(m, 0)
	if got, want := float64(x.alpha(seen(x, 0.3, 0.3, 1000, 1000), 0.5, &s)), 0.5*(160+3*40)/4/255.0; math.Abs(got-want) > 0.005 {
		t.Errorf("blended: %g, want %g", got, want)
	}
}

// TestFiltersOfTextures checks the filters of textures. A texture may ask for single pixels instead of means where it
// is enlarged, where it is reduced, or in both cases.
func TestFiltersOfTextures(t *testing.T) {
	x := textureOf(pictureOf(8, 8, chequered), kind{})
	for _, c := range []struct {
		nearest bool
		minify  scenes.Minify
		size    float32
		want    float64
	}{
		{true, scenes.MinifyMean, 0.5, 1}, {false, scenes.MinifyMean, 0.5, 0.5}, {true, scenes.MinifyMean, 8, 0.5},
		{false, scenes.MinifyNearest, 100, 1}, {false, scenes.MinifyLinear, 100, 0.5}, {true, scenes.MinifyLinear, 100, 0.5},
		{true, scenes.MinifyNearest, 100, 1}, {true, scenes.MinifyNearest, 0.5, 1},
	} {
		x.nearest, x.minify = c.nearest, c.minify
		at := seen(x, 1.99/16, 1.5/8, c.size, c.size) // left of the centre between two columns, in the middle of a row
		at.v = 0.5 / 8
		if got := x.texel(at).X; math.Abs(float64(got)-c.want) > 0.02 {
			t.Errorf("%+v: %g", c, got)
		}
	}
}

// TestLevelsAnyhow compares the levels of a large picture that several goroutines compute with the levels that one loop
// computes.
func TestLevelsAnyhow(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 9))
	p := image.NewNRGBA(image.Rect(0, 0, 701, 533))
	for i := range p.Pix {
		p.Pix[i] = uint8(random.IntN(256))
	}
	for _, k := range []kind{{}, {meaning: ofBlends}, {ofMasks, 99}, {meaning: ofNumbers}, {meaning: ofDirections}} {
		x := textureOf(p, k)
		alone := &texture{levels: x.levels[:1:1], meaning: x.meaning, alphaCutoff: x.alphaCutoff, tables: x.tables}
		h := level{350, 266, make([]uint8, 4*350*266)}
		for y := range h.height {
			alone.shrinkRow(x.levels[0], h, y, make([][4]float32, 701))
		}
		if string(h.pix) != string(x.levels[1].pix) {
			t.Errorf("meaning %d: other levels by several goroutines", k.meaning)
		}
	}
	// A part of a larger picture has another stride.
	part := p.SubImage(image.Rect(5, 7, 9, 10)).(*image.NRGBA)
	if l := textureOf(part, kind{}).levels[0]; l.width != 4 || l.height != 3 || string(l.pix[:16]) != string(p.Pix[p.PixOffset(5, 7):][:16]) || string(l.pix[32:]) != string(p.Pix[p.PixOffset(5, 9):][:16]) {
		t.Errorf("a part of a picture has other pixels")
	}
}

// TestLevelBytes checks that LevelBytes is an upper bound of the memory of levels, and not much too large.
func TestLevelBytes(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {1, 90}, {64, 64}, {33, 57}, {300, 200}} {
		p := image.NewNRGBA(image.Rect(0, 0, size[0], size[1]))
		a := hasPlaces()
		a.MaterialOf = []int32{0}
		a.Materials = []scenes.Material{{Texture: &scenes.Texture{Picture: p}, Glow: &scenes.Texture{Picture: p}}, {Finish: &scenes.Finish{Normals: &scenes.Texture{Picture: p}}}}
		all, got := newTextures(a, NewColors()), int64(0)
		all.build()
		for _, x := range all.bySource {
			for _, l := range x.levels[1:] {
				got += int64(len(l.pix))
			}
		}
		if bound := LevelBytes(a); len(all.bySource) != 2 || got > bound || bound > 2*got+16*int64(size[0]+size[1]) {
			t.Errorf("%v: %d textures take %d bytes, bound %d", size, len(all.bySource), got, bound)
		}
	}
	if LevelBytes(nil) != 0 || LevelBytes(hasPlaces()) != 0 {
		t.Error("a mesh without textures takes memory for them")
	}
}

// TestMasksOfOnePicture uses a ramp of alpha as three masks. From far away, the visible share of each mask must be the
// share of its alpha that is above the cutoff.
func TestMasksOfOnePicture(t *testing.T) {
	ramp := pictureOf(64, 64, func(x, _ int) color.NRGBA { return color.NRGBA{0, 255, 0, uint8(4 * x)} })
	a := hasPlaces()
	shared := &scenes.Texture{Picture: ramp}
	for _, cutoff := range []float32{0.25, 0.5, 0.75} {
		a.Materials = append(a.Materials, scenes.Material{Texture: shared, BaseColor: [4]float32{1, 1, 1, 1}, Alpha: scenes.AlphaMask, AlphaCutoff: cutoff})
	}
	all := newTextures(a, NewColors())
	all.build()
	for i := range a.Materials {
		m := &a.Materials[i]
		x, s := all.prepared(shared, colorOf(m)), newTranslucency(m, i)
		if got := x.alpha(seen(x, 0.5, 0.5, 1000, 1000), 1, &s); math.Abs(float64(got-(1-m.AlphaCutoff))) > 0.02 {
			t.Errorf("cutoff %g: %g of the mask is there", m.AlphaCutoff, got)
		}
	}
}

// TestMasksShareLevels checks that a picture that many materials use as masks with different cutoffs gets only a few
// sets of levels.
func TestMasksShareLevels(t *testing.T) {
	a := hasPlaces()
	shared := &scenes.Texture{Picture: image.NewNRGBA(image.Rect(0, 0, 8, 8))}
	for cutoff := range 200 {
		a.Materials = append(a.Materials, scenes.Material{Texture: shared, BaseColor: [4]float32{1, 1, 1, 1}, Alpha: scenes.AlphaMask, AlphaCutoff: float32(cutoff) / 255})
	}
	all := newTextures(a, NewColors())
	all.build()
	if len(all.bySource) != maxMasks {
		t.Errorf("%d sets of levels", len(all.bySource))
	}
	for i := range a.Materials {
		if all.prepared(shared, colorOf(&a.Materials[i])) == nil {
			t.Fatalf("material %d has no texture", i)
		}
	}
}

// TestBeside checks the weights of a triangle's corners at points of its plane, inside the triangle and far outside it.
func TestBeside(t *testing.T) {
	s := square(scenes.Material{BaseColor: [4]float32{1, 1, 1, 1}}, false)
	f := s.facet(0)
	for _, at := range [][2]float32{{0.5, -0.5}, {3, 7}, {-20, 0.25}} {
		w := f.planeWeights(s.scene.Lens.lineOfSight(at[0], at[1]))
		// The triangle has the corners (-1, -1), (1, -1) and (1, 1).
		want := float3.New((1-at[0])/2, (at[0]-at[1])/2, (at[1]+1)/2)
		if w.Sub(want).Length() > 1e-5 {
			t.Errorf("at %v: weights %v, want %v", at, w, want)
		}
	}
	in := float3.Of(f.weights(s.scene.Lens.lineOfSight(0.5, -0.5)))
	if got := f.planeWeights(s.scene.Lens.lineOfSight(0.5, -0.5)); got.Sub(in).Length() > 1e-6 {
		t.Errorf("within: %v, want %v", got, in)
	}
}
