package surface

import (
	"lockstep/render/internal/float3"
	"lockstep/scenes"
)

// A translucency is what the alpha of a material means. Samples of its triangles are there or not,
// before the z-buffer: nothing has to be sorted, and pictures do not depend on any order. A
// mask is there where alpha reaches its cutoff; what is blended is there in as many of 16
// samples side by side as alpha says, by a pattern of Bayer's that differs from material to
// material and from front to back, so that layers do not all hide the same samples.
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

// mayMissSamples reports whether samples may be missing.
func (s *translucency) mayMissSamples() bool { return s.passes || s.mode != scenes.AlphaOpaque }

// addFinish gives a triangle the finish of the scene.
func (s *Scene) addFinish(f *facet) {
	f.coat.finish = &s.Finish.finish
	if s.Finish.Transmission <= 0 {
		return
	}
	through := &s.Finish.sheer
	if f.coat.sheer != nil { // as much of it as its alpha says
		own := *f.coat.sheer
		own.passes, through = true, &own
	}
	f.coat.sheer = through
}

// alpha returns the alpha that a texture has at a spot, times that of the surface there, factor. Of a mask it is the part that
// is there: where a sample shows many pixels, as many of them as are, so that leaves do not vanish far away.
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

// alphaIn returns that at one place in a level, or in the next one.
func (t *texture) alphaIn(f *footprint, next int, u, v, factor float32, s *translucency) float32 {
	level := f.level + next
	q := t.levels[level].quad(t, u, v, f.nearest && next == 0)
	upper := float32(alphaOf(q.upperLeft)*(1-q.right)) + float32(alphaOf(q.upperRight)*q.right)
	lower := float32(alphaOf(q.lowerLeft)*(1-q.right)) + float32(alphaOf(q.lowerRight)*q.right)
	a := float32(upper*(1-q.down)) + float32(lower*q.down)
	if s.mode == scenes.AlphaMask && level > 0 {
		return float32(a * s.sampleShare(factor)) // the levels have the part of the pixels that are there
	}
	return s.sampleShare(float32(factor * a))
}

// sampleShare returns the part of samples of some alpha that are there.
func (s *translucency) sampleShare(alpha float32) float32 {
	switch {
	case s.mode == scenes.AlphaOpaque, s.mode == scenes.AlphaMask && !(alpha < s.cutoff):
		return 1
	case s.mode == scenes.AlphaMask:
		return 0
	}
	return alpha
}

// IsTranslucent reports whether samples of some triangles may be missing.
func (s *Scene) IsTranslucent() bool {
	return s.Paint != nil && s.Paint.sheer || s.Finish != nil && s.Finish.Transmission > 0 && s.Facing == nil
}

// IsTranslucentTriangle reports whether samples of a triangle may be missing. Those of the others are
// all there.
func (s *Scene) IsTranslucentTriangle(t uint32) bool {
	if s.Finish != nil && s.Finish.Transmission > 0 {
		return true
	}
	a := s.Paint.attributes
	return a.MaterialOf != nil && a.MaterialOf[t] >= 0 && s.Paint.materials[a.MaterialOf[t]].sheer.mayMissSamples()
}

// bayer is the order in which 4 x 4 samples are taken.
var bayer = [16]uint32{0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5}

// bayerFactors are factors that turn this order, modulo 16, into others: of the first half of the
// samples of one, half are among those of any other.
var bayerFactors = [4]uint32{1, 5, 9, 13}

// HasSample reports whether sample (column, row) of the picture is there of a triangle that may miss
// some. It lies at (x, y), as for Row, and the next ones per pixels beside it.
func (s *Shader) HasSample(t uint32, x, y, per float32, column, row int) bool {
	f := s.facet(t)
	c := &f.coat
	if c.sheer == nil {
		return true
	}
	lens := &s.scene.Lens
	origin, forward := lens.line(x, y)
	w := float3.Of(f.weights(origin, forward))
	factor := float32(float32(c.alphas[0]*w.X)+float32(c.alphas[1]*w.Y)) + float32(c.alphas[2]*w.Z)
	alpha := c.sheer.sampleShare(factor)
	if c.texture != nil && c.texture.hasAlpha {
		at := c.spot(w, f.planeWeights(lens.line(x+1, y)), f.planeWeights(lens.line(x, y+1)), per)
		alpha = c.texture.alpha(&at, factor, c.sheer)
	}
	if alpha <= 0 {
		return false
	}
	if c.sheer.passes && s.scene.isSpecial(f) {
		alpha = float32(alpha * s.covered(f, x, y, per))
	}
	if alpha >= 1 {
		return true
	}
	pattern := c.sheer.pattern
	if f.normal.Dot(forward) > 0 {
		pattern++ // the back
	}
	step := bayer[row&3<<2|column&3] * bayerFactors[pattern%4] % 16
	return float32(alpha*16) > float32(step)+0.5
}

// covered returns how much of what lies behind a triangle that lets light through is hidden at a point of the picture.
func (s *Shader) covered(f *facet, x, y, side float32) float32 {
	p := s.scene.at(f, x, y)
	at := s.scene.spot(f, x, y, side)
	all := s.scene.finished(f, &p, &at, s.scene.color(f, &p, &at), 1)
	return all.covered()
}
