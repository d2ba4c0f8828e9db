package surface

import (
	"math"

	"lockstep/render/internal/float3"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/light"
	"lockstep/scenes"
)

// A translucency decides which samples of a material's triangles exist. Only samples that exist take part in the
// z-buffer. Therefore nothing has to be sorted, and pictures do not depend on any order. If the material is a mask,
// samples exist where alpha reaches the cutoff. If the material is blended, alpha is the share of 16 neighbouring
// samples that exist. A Bayer pattern chooses these samples. The pattern differs from material to material and from
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

// alpha returns the alpha of a texture at a spot, multiplied by factor. factor is the alpha of the surface there,
// without the texture. If the material is a mask, alpha returns the share of the sample that exists. The share is a
// fraction if a sample shows many pixels of the texture. Without fractions, the leaves of a distant tree would vanish.
func (t *texture) alpha(at *spot, factor float32, s *translucency) float32 {
	f := t.footprint(at)
	u, v := f.firstPlace(t, at)
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
		return float32(a * s.sampleShare(factor)) // in smaller levels, a is the share of the pixels that exist
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
	t += s.Paint.first
	return a.MaterialOf != nil && a.MaterialOf[t] >= 0 && s.Paint.materials[a.MaterialOf[t]].translucency.mayMissSamples()
}

// bayer holds the rank of each of 4 x 4 samples, row by row: the order in which samples begin to exist as alpha grows.
var bayer = [16]uint32{0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5}

// bayerFactors make four orders of the positions in bayer: position * factor % 16. Among the first 8 samples of any
// two orders, 4 are the same.
var bayerFactors = [4]uint32{1, 5, 9, 13}

// A SampleGrid describes the samples of a frame.
type SampleGrid struct {
	Width, Height int       // size of the picture, in pixels
	Grid          int       // samples along the side of a pixel
	Keys          []uint64  // keys of the frame
	Sky           []float32 // Width + light.SkyMargin + 1 elements that are 1
}

// Position returns the position of a sample, relative to the picture's centre. All steps are exact.
func (g *SampleGrid) Position(column, row int) (x, y float32) {
	per := 1 / float32(g.Grid)
	x = float32((float32(column)+0.5)*per) - float32(g.Width)/2
	y = float32(g.Height)/2 - float32((float32(row)+0.5)*per)
	return x, y
}

// A SampleSpan is a part of a row of samples that a triangle covers. Nearness is the nearness of the first sample, and
// Growth is its change from sample to sample.
type SampleSpan struct {
	Triangle         uint32
	Start, Count     int // index of the first key, and number of samples
	First, Step      int // number of the first sample that is drawn, and distance to the next one
	Nearness, Growth float32
	Column, Row      int     // position of the first sample in the picture
	Most             float32 // result of MostCoverage
}

// A sample is a sample of a triangle that may exist.
type sample struct {
	column, row int
	x, y        float32
	key         uint64
	at          int     // index of the key
	alpha       float32 // alpha of the surface
	least       float32 // the sample exists if alpha times the number of ranks in bayer is above least
}

// existsWithAlpha reports whether the sample exists if the triangle has the given alpha there.
func (a *sample) existsWithAlpha(alpha float32) bool {
	return alpha >= 1 || float32(alpha*float32(len(bayer))) > a.least
}

// MergeSpan does the work of the z-buffer for the samples of a span that exist. Some samples may be drawn only when
// TestSamples is called.
func (s *Shader) MergeSpan(g *SampleGrid, p *SampleSpan) {
	f, low, per := s.facet(p.Triangle), uint64(^p.Triangle), 1/float32(g.Grid)
	batched := s.loops != nil && f.paint.finish != nil && f.paint.finish.isPlain()
	keys := g.Keys[p.Start:][:p.Count]
	for k := p.First; k < len(keys); k += p.Step {
		key := array.Key(p.Nearness+float32(float32(k)*p.Growth), low)
		if key <= keys[k] {
			continue
		}
		a := sample{column: p.Column + k, row: p.Row, key: key, at: p.Start + k}
		a.x, a.y = g.Position(a.column, a.row)
		switch exists, known := s.testAlpha(f, &a, p.Most, per); {
		case !known && batched:
			s.addSample(g, p.Triangle, &a)
			f = s.facet(p.Triangle) // testing other samples may have replaced it
		case exists, !known && a.existsWithAlpha(float32(a.alpha*s.coverage(f, a.x, a.y, per))):
			keys[k] = key
		}
	}
}

// testAlpha sets the alpha of a sample. It reports whether the sample exists, and whether this is known. known is false
// if the answer depends on the coverage, which is at most `most`.
func (s *Shader) testAlpha(f *facet, a *sample, most, per float32) (exists, known bool) {
	c, lens := &f.paint, &s.scene.Lens
	if c.translucency == nil {
		return true, true
	}
	if s.scene.WithoutBodies && c.finish != nil && c.finish.body && s.scene.isSpecial(f) {
		return false, true
	}
	_, forward := lens.lineOfSight(a.x, a.y)
	if a.alpha = 1; c.translucency.mode != scenes.AlphaOpaque {
		a.alpha = s.alphaAt(f, a.x, a.y, per)
	}
	if a.alpha <= 0 {
		return false, true
	}
	pattern := c.translucency.pattern
	if f.normal.Dot(forward) > 0 {
		pattern++ // the back has another pattern
	}
	a.least = float32(bayer[a.row&3<<2|a.column&3]*bayerFactors[pattern%4]%16) + 0.5
	switch {
	case !a.existsWithAlpha(float32(a.alpha * most)):
		return false, true
	case !c.translucency.passes || !s.scene.isSpecial(f):
		return true, true
	case s.scene.Behind != nil && c.finish.body && !(c.finish.Thickness > 0) && s.scene.Behind.Alpha(a.x, a.y) == 1:
		return true, true // as in coverage
	}
	return false, false
}

// alphaAt returns the alpha of a triangle at (x, y) of the picture. per is the distance between two samples, in pixels.
func (s *Shader) alphaAt(f *facet, x, y, per float32) float32 {
	c, lens := &f.paint, &s.scene.Lens
	w := float3.Of(f.weights(lens.lineOfSight(x, y)))
	factor := float32(float32(c.alphas[0]*w.X)+float32(c.alphas[1]*w.Y)) + float32(c.alphas[2]*w.Z)
	if c.texture == nil || !c.texture.hasAlpha {
		return c.translucency.sampleShare(factor)
	}
	at := c.spot(w, f.planeWeights(lens.lineOfSight(x+1, y)), f.planeWeights(lens.lineOfSight(x, y+1)), per)
	return c.texture.alpha(&at, factor, c.translucency)
}

// MostCoverage returns an upper bound of the coverage of a triangle in a rectangle of the picture, or 1 if it knows no
// smaller bound. Samples that would not exist with this coverage need not be tested.
func (s *Shader) MostCoverage(t uint32, x0, y0, x1, y1 float32) float32 {
	f := s.facet(t)
	c := &f.paint
	if c.translucency == nil || !c.translucency.passes || !s.scene.isSpecial(f) || s.scene.Behind != nil && c.finish.body {
		return 1
	}
	if c.finish.textured || !c.finish.isPlain() || c.colored || c.texture != nil {
		return 1
	}
	if steep := s.scene.leastSteep(f, x0, y0, x1, y1); steep > 0 {
		return s.environment.mostCoverage(c.finish, f.base, steep)
	}
	return 1
}

// leastSteep returns a lower bound of the cosine between the normals of a triangle and the direction to the eye, in a
// rectangle of the picture. The bound is not positive if the triangle may show both sides there.
//
// A normal is a mean of the normals of the corners, divided by the length of the mean, which is at most 1. So the
// scalar product of a normal with a direction is at least the least product for a normal of a corner. The direction to
// the eye is linear in the position, so its least product in the rectangle is known. That product is divided by the
// greatest length of the direction. A thousandth is subtracted for rounding errors.
func (s *Scene) leastSteep(f *facet, x0, y0, x1, y1 float32) float32 {
	_, forward := s.Lens.lineOfSight(0.5*(x0+x1), 0.5*(y0+y1))
	across, down := float3.Of(s.Lens.ForwardX).Scale(0.5*(x1-x0)), float3.Of(s.Lens.ForwardY).Scale(0.5*(y1-y0))
	toEye, spread := forward.Scale(-1), func(n float3.Vector) float32 { return float3.Abs(n.Dot(across)) + float3.Abs(n.Dot(down)) }
	length := toEye.Length() + across.Length() + down.Length()
	side, margin := f.normal.Dot(toEye), spread(f.normal)+f.normal.Length()*length*1e-3
	if !(float3.Abs(side) > margin) {
		return 0
	}
	all := f.normals[:]
	if !f.smooth {
		all = []float3.Vector{f.normals[0]}
		if !s.hasNormals() || f.normals[0] == (float3.Vector{}) {
			all[0] = f.normal.Unit()
		}
	}
	least := float32(1)
	for _, n := range all {
		towards := n.Dot(toEye)
		if side < 0 {
			towards = -towards
		}
		least = min(least, (towards-spread(n))/length)
	}
	return least - 1e-3
}

// mostCoverage returns an upper bound of the coverage of a surface with a finish that has no textures, no coat and no
// sheen. c is its colour, and steep a lower bound of the cosine between its normal and the direction to the eye. A
// hundredth is added for rounding errors.
func (e *environment) mostCoverage(fin *finish, c float3.Vector, steep float32) float32 {
	const (
		mostLost    = 3 // largest value of `lost` in environment.reflect
		mostDiffuse = light.KeyLight + light.FillLight + light.EyeLight + light.RimLight + light.GroundLight + light.SkyLight
	)
	row, _ := tableStep(fin.Roughness, roughSteps)
	i, _ := tableStep(steep, steepSteps)
	factor := e.mostShares[0][row][i]
	rest := e.mostShares[1][row][i] * (fin.grazing + (1-fin.grazing)*fin.Metallic)
	specular := fin.specular.Scale(1 - fin.Metallic).Add(c.Scale(fin.Metallic))
	white := 0.6*min(c.X, c.Y, c.Z) + 0.4*max(c.X, c.Y, c.Z)
	most, mirrored := float32(0), float32(0)
	for k, s := range specular.Array() {
		share := min(1, (s*factor+rest)*(1+mostLost*s))
		mirrored = max(mirrored, share)
		color := c.Array()[k]
		lit := share*e.mostLight[row] + mostDiffuse*color*(1-fin.Transmission)
		most = max(most, lit+glassBacklight*fin.Transmission*max(0, color-white))
	}
	passes := (1 - mirrored) * (1 - fin.Metallic) * fin.Transmission * white
	return min(1, 1.01*max(most, 1-passes))
}

// coverage returns the share of the light from behind that a triangle hides at (x, y) of the picture, for a triangle
// that lets light through.
func (s *Shader) coverage(f *facet, x, y, side float32) float32 {
	p := s.scene.pointAt(f, x, y)
	at := s.scene.spot(f, x, y, side)
	if s.scene.Behind != nil && f.paint.finish.body {
		g := f.finishAt(&p, &at)
		if s.scene.Behind.Alpha(s.scene.entryPlace(f, &p, &g)) == 1 {
			return 1 // the picture Behind shows the surfaces behind the triangle
		}
	}
	all := s.scene.lightFinished(f, &p, &at, s.scene.color(f, &p, &at), 1)
	return all.coverage()
}

// HasBodies reports whether some surfaces are bodies, which show the picture Behind.
func (s *Scene) HasBodies() bool { return s.Paint != nil && s.Paint.hasBodies && s.hasSpecial() }

// passedLight is the light from behind a surface that passes through it.
type passedLight struct {
	transmitted    float32       // share of the light that passes uncoloured
	tinted, behind float3.Vector // light that the surface colours, and light of the picture Behind
}

func (l passedLight) addTo(out *finishLight) {
	out.transmitted = l.transmitted
	out.light = out.light.Add(l.tinted).Add(l.behind)
}

// lightPassing returns the light that passes through a surface at point p. c is the colour of the surface. `through` is
// the share of the light from behind that passes through the surface if c is white. Bodies show the picture Behind.
// Where nothing is behind a body, the background is visible as through other glass.
func (s *Scene) lightPassing(f *facet, p *point, g *pointFinish, c float3.Vector, through float32) (l passedLight) {
	open, fin := through, f.paint.finish
	if s.Behind != nil && fin.body {
		if g.thickness > 0 {
			a := fin.Absorption
			c = c.Times(float3.New(decay(float32(a[0]*g.thickness)), decay(float32(a[1]*g.thickness)), decay(float32(a[2]*g.thickness))))
		}
		x, y := s.entryPlace(f, p, g)
		hidden := s.Behind.Alpha(x, y)
		open = float32(through * (1 - hidden))
		if hidden > 0 { // the background is not known here, so it does not take part in the mean
			light, alpha := s.Behind.At(x, y, fin.blur(g.roughness))
			l.behind = light.Times(c).Scale(float32(float32(through*hidden) / max(alpha, leastAlpha)))
		}
	}
	l.transmitted = float32(open * (float32(0.6*min(c.X, c.Y, c.Z)) + float32(0.4*max(c.X, c.Y, c.Z))))
	tinted := float3.New(tintedRest(c.X, open, l.transmitted), tintedRest(c.Y, open, l.transmitted), tintedRest(c.Z, open, l.transmitted))
	l.tinted = tinted.Scale(glassBacklight)
	return l
}

// leastAlpha limits the brightness of light through a rough body. Without this limit, the light would be divided by a
// very small alpha where hardly anything is behind the body.
const leastAlpha = 1. / 256

// entryPlace returns a position in the picture for light that comes through a body to point p: the position where this
// light enters the body. The light changes its direction at p. Its path inside the body is as long as the body is
// thick.
func (s *Scene) entryPlace(f *facet, p *point, g *pointFinish) (x, y float32) {
	if !(g.thickness > 0) {
		return p.x, p.y
	}
	origin, forward := s.Lens.lineOfSight(p.x, p.y)
	at := origin.Add(forward.Scale(f.corner.Sub(origin).Dot(f.normal) / forward.Dot(f.normal)))
	v, per := p.toEye.Unit(), 1/f.paint.finish.Refraction
	steep := g.normal.Dot(v)
	down := float3.Sqrt(float3.NonNegative(1 - float32(float32(per*per)*(1-float32(steep*steep)))))
	inside := g.normal.Scale(float32(per*steep) - down).Sub(v.Scale(per))
	x, y = s.Lens.project(at.Add(inside.Scale(float32(g.thickness * s.Lens.Scale))))
	if far := float32(farthestEntry); !(x > -far && x < far && y > -far && y < far) {
		return p.x, p.y
	}
	return x, y
}

// farthestEntry is larger than any picture, in pixels.
const farthestEntry = 1 << 20

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
