package surface

import (
	"math"

	"lockstep/render/internal/float3"
	"lockstep/scenes"
)

// A translucency decides which samples of a material's triangles exist. Only samples that exist take part in the
// z-buffer. Therefore nothing has to be sorted, and pictures do not depend on any order. If the material is a mask,
// samples exist where alpha reaches the cutoff. If the material is blended, alpha is the share of 16 neighbouring
// samples that exist. A Bayer pattern chooses the samples. The pattern differs from material to material and from
// front to back, so that layers do not all hide the same samples.
type translucency struct {
	mode    scenes.AlphaMode
	factor  float32
	cutoff  float32
	pattern uint32
	passes  bool // light passes through the surface, see scenes.Finish.Transmission
}

func newTranslucency(m *scenes.Material, number int) translucency {
	return translucency{m.Alpha, m.BaseColor[3], m.AlphaCutoff, uint32(2 * number), m.Finish != nil && m.Finish.Transmission > 0 && !m.Unlit}
}

// mayMissSamples reports whether some samples may not exist.
func (s *translucency) mayMissSamples() bool { return s.passes || s.mode != scenes.AlphaOpaque }

// addFinish gives a triangle without a finish the finish of the scene.
func (s *Scene) addFinish(f *facet) {
	f.paint.finish = &s.Finish.finish
	if s.Finish.Transmission <= 0 {
		return
	}
	through := &s.Finish.translucency
	if f.paint.translucency != nil { // the triangle's alpha counts too
		own := *f.paint.translucency
		own.passes, through = true, &own
	}
	f.paint.translucency = through
}

// alpha returns the alpha of a texture at a spot, times factor, the alpha of the surface there. If the material is a
// mask, it returns the share of the sample that exists. The share is a fraction if a sample shows many pixels of the
// texture. Without fractions, leaves would vanish far away.
func (t *texture) alpha(at *spot, factor float32, s *translucency) float32 {
	f := t.footprint(at)
	u, v := f.first(t, at)
	sum := float32(0)
	for range f.taps {
		a := t.alphaIn(&f, 0, u, v, factor, s)
		if f.part > 0 {
			a = float32(a*(1-f.part)) + float32(t.alphaIn(&f, 1, u, v, factor, s)*f.part)
		}
		sum += a
		u, v = u+f.du, v+f.dv
	}
	return sum / float32(f.taps)
}

// alphaIn returns one of the values that alpha averages. It is the alpha at (u, v) of level f.level + next.
func (t *texture) alphaIn(f *footprint, next int, u, v, factor float32, s *translucency) float32 {
	level := f.level + next
	q := t.levels[level].quad(t, u, v, f.nearest && next == 0)
	upper := float32(alphaOf(q.upperLeft)*(1-q.right)) + float32(alphaOf(q.upperRight)*q.right)
	lower := float32(alphaOf(q.lowerLeft)*(1-q.right)) + float32(alphaOf(q.lowerRight)*q.right)
	a := float32(upper*(1-q.down)) + float32(lower*q.down)
	if s.mode == scenes.AlphaMask && level > 0 {
		return float32(a * s.sampleShare(factor)) // in smaller levels, alpha is the share of pixels that exist
	}
	return s.sampleShare(float32(factor * a))
}

// sampleShare returns the share of samples that exist, among samples with the given alpha.
func (s *translucency) sampleShare(alpha float32) float32 {
	switch {
	case s.mode == scenes.AlphaOpaque, s.mode == scenes.AlphaMask && !(alpha < s.cutoff):
		return 1
	case s.mode == scenes.AlphaMask:
		return 0
	}
	return alpha
}

// IsTranslucent reports whether some triangles may miss samples.
func (s *Scene) IsTranslucent() bool {
	return s.Paint != nil && s.Paint.hasTranslucency || s.Finish != nil && s.Finish.Transmission > 0 && s.Facing == nil
}

// IsTranslucentTriangle reports whether triangle t may miss samples. It may be called only if IsTranslucent returns
// true.
func (s *Scene) IsTranslucentTriangle(t uint32) bool {
	if s.Finish != nil && s.Finish.Transmission > 0 {
		return true
	}
	a := s.Paint.attributes
	return a.MaterialOf != nil && a.MaterialOf[t] >= 0 && s.Paint.materials[a.MaterialOf[t]].translucency.mayMissSamples()
}

// bayer holds the rank of each of 4 x 4 samples, row by row: the order in which samples begin to exist as alpha grows.
var bayer = [16]uint32{0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5}

// bayerFactors make four orders of the positions in bayer: position * factor % 16. Among the first 8 samples of any
// two orders, 4 are the same.
var bayerFactors = [4]uint32{1, 5, 9, 13}

// HasSample reports whether triangle t has the sample in the given column and row of the picture. (x, y) is the
// position of the sample, relative to the picture's centre. per is the distance between two samples, in pixels.
func (s *Shader) HasSample(t uint32, x, y, per float32, column, row int) bool {
	f := s.facet(t)
	c := &f.paint
	if c.translucency == nil {
		return true
	}
	if s.scene.WithoutBodies && c.finish != nil && c.finish.body && s.scene.isSpecial(f) {
		return false
	}
	lens := &s.scene.Lens
	origin, forward := lens.line(x, y)
	w := float3.Of(f.weights(origin, forward))
	factor := float32(float32(c.alphas[0]*w.X)+float32(c.alphas[1]*w.Y)) + float32(c.alphas[2]*w.Z)
	alpha := c.translucency.sampleShare(factor)
	if c.texture != nil && c.texture.hasAlpha {
		at := c.spot(w, f.planeWeights(lens.line(x+1, y)), f.planeWeights(lens.line(x, y+1)), per)
		alpha = c.texture.alpha(&at, factor, c.translucency)
	}
	if alpha <= 0 {
		return false
	}
	if c.translucency.passes && s.scene.isSpecial(f) {
		alpha = float32(alpha * s.coverage(f, x, y, per))
	}
	if alpha >= 1 {
		return true
	}
	pattern := c.translucency.pattern
	if f.normal.Dot(forward) > 0 {
		pattern++ // the back has another pattern
	}
	step := bayer[row&3<<2|column&3] * bayerFactors[pattern%4] % 16
	return float32(alpha*16) > float32(step)+0.5
}

// coverage returns the share of the light from behind that a triangle hides at (x, y) of the picture, for a triangle
// that lets light through.
func (s *Shader) coverage(f *facet, x, y, side float32) float32 {
	p := s.scene.pointAt(f, x, y)
	at := s.scene.spot(f, x, y, side)
	if s.scene.Behind != nil && f.paint.finish.body {
		g := f.finishAt(&p, &at)
		if s.scene.Behind.Alpha(s.scene.exit(f, &p, &g)) == 1 {
			return 1 // the picture Behind shows the surfaces behind the triangle
		}
	}
	all := s.scene.lightFinished(f, &p, &at, s.scene.color(f, &p, &at), 1)
	return all.coverage()
}

// HasBodies reports whether some surfaces are bodies, which show the picture Behind.
func (s *Scene) HasBodies() bool { return s.Paint != nil && s.Paint.hasBodies && s.hasSpecial() }

// addBehind adds the light that comes through a body at point p. c is the colour of the surface. through is the share
// of the light that enters the surface. Where nothing is behind the body, the background is visible as through other
// glass.
func (s *Scene) addBehind(out *finishLight, f *facet, p *point, g *pointFinish, c float3.Vector, through float32) {
	fin := f.paint.finish
	if g.thickness > 0 {
		a := fin.Absorption
		c = c.Times(float3.New(decay(float32(a[0]*g.thickness)), decay(float32(a[1]*g.thickness)), decay(float32(a[2]*g.thickness))))
	}
	x, y := s.exit(f, p, g)
	hidden := s.Behind.Alpha(x, y)
	open := float32(through * (1 - hidden))
	out.transmitted = float32(open * (float32(0.6*min(c.X, c.Y, c.Z)) + float32(0.4*max(c.X, c.Y, c.Z))))
	tinted := float3.New(tintedRest(c.X, open, out.transmitted), tintedRest(c.Y, open, out.transmitted), tintedRest(c.Z, open, out.transmitted))
	out.light = out.light.Add(tinted.Scale(glassBacklight))
	if hidden > 0 { // the background is not known here, so it does not take part in the mean
		light, alpha := s.Behind.At(x, y, fin.blur(g.roughness))
		out.light = out.light.Add(light.Times(c).Scale(float32(float32(through*hidden) / max(alpha, leastAlpha))))
	}
}

// leastAlpha limits the brightness of light through a rough body. If hardly anything is behind the body there, this
// light is divided by a very small alpha.
const leastAlpha = 1. / 256

// exit returns a position in the picture for light that comes through a body to point p: the position where this
// light enters the body. The light changes its direction at p. Its path inside the body is as long as the body is
// thick.
func (s *Scene) exit(f *facet, p *point, g *pointFinish) (x, y float32) {
	if !(g.thickness > 0) {
		return p.x, p.y
	}
	origin, forward := s.Lens.line(p.x, p.y)
	at := origin.Add(forward.Scale(f.corner.Sub(origin).Dot(f.normal) / forward.Dot(f.normal)))
	v, per := p.toEye.Unit(), 1/f.paint.finish.Refraction
	steep := g.normal.Dot(v)
	down := float3.Sqrt(float3.NonNegative(1 - float32(float32(per*per)*(1-float32(steep*steep)))))
	inside := g.normal.Scale(float32(per*steep) - down).Sub(v.Scale(per))
	x, y = s.Lens.project(at.Add(inside.Scale(float32(g.thickness * s.Lens.Scale))))
	if far := float32(farthestExit); !(x > -far && x < far && y > -far && y < far) {
		return p.x, p.y
	}
	return x, y
}

// farthestExit is larger than any picture, in pixels.
const farthestExit = 1 << 20

// decay returns exp(-x) for x that is not negative, with an error below 2e-6.
func decay(x float32) float32 {
	const perHalving = 1.4426950408889634 // 1 / ln 2
	t := float32(x * perHalving)
	if !(t < 100) {
		return 0
	}
	n := int(t)
	u := float32((t - float32(n)) * (1 / perHalving))
	sum := float32(1)
	for k := float32(8); k >= 1; k-- { // the series of exp(-u), from its end
		sum = 1 - float32(float32(u*sum)/k)
	}
	return float32(sum * math.Float32frombits(uint32(127-n)<<23))
}
