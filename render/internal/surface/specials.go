package surface

import (
	"math"

	"lockstep/render/internal/float3"
	"lockstep/render/internal/kernel/light"
	"lockstep/render/internal/kernel/show"
	"lockstep/render/internal/visible"
)

// lightSpecials lights points of a batch again if they emit light or have a finish. The batch has n points of row r,
// starting with point number `from`.
func (s *Shader) lightSpecials(r *Row, from, n int) {
	s.mirrorPoints, s.glass = s.mirrorPoints[:0], s.glass[:0]
	last := r.Triangles[from]
	f := s.facet(last)
	special := s.scene.isSpecial(f)
	for i, t := range r.Triangles[from : from+n] {
		if t != last { // prepare the triangle only if it changes, because neighbouring points often show the same triangle
			last, f = t, s.facet(t)
			special = s.scene.isSpecial(f)
		}
		if !special {
			continue
		}
		x, y := r.position(r.Places[from+i])
		switch fin := f.paint.finish; {
		case fin != nil && fin.isPlain() && fin.Transmission <= 0:
			s.addMirror(f, i, s.batch.Open(i))
		case fin != nil && fin.isPlain() && f.paint.translucency != nil && f.paint.translucency.passes:
			at := s.spotOf(f, i)
			p := s.addGlass(f, i, x, y, &at)
			s.setGlass(p, f.baseColor(&at), s.batch.Open(i))
		default:
			at := s.spotOf(f, i)
			p := s.pointAt(i)
			p.x, p.y = x, y
			c := s.scene.lightSpecial(f, &p, &at, f.baseColor(&at), s.batch.Open(i))
			s.setPoint(i, c, r.Places[from+i].Count())
		}
	}
	if len(s.mirrorPoints)+len(s.glass) > 0 {
		s.loops.Mirror(&s.view, &s.environment.Environment, &s.batch)
		s.lightMirrors()
		s.lightGlass(r, from)
	}
}

// lightMirrors sets the colours of the points that addMirror has recorded. loops.Mirror has computed these colours.
func (s *Shader) lightMirrors() {
	b := &s.batch
	weights := &b.Columns[light.Weight]
	for a := range 3 {
		to, from := &b.Columns[light.Color+a], &b.Mirrored[a]
		for _, i := range s.mirrorPoints {
			to[i] = float32(from[i] * weights[i])
		}
	}
}

// A glassPoint is a point of the batch that lets light through.
type glassPoint struct {
	index    int32 // number of the point in the batch
	triangle uint32
	x, y     float32
	finish   *pointFinish  // has a normal only if a texture or the thickness needs it
	color    float3.Vector // base colour
	passed   passedLight
	light    float3.Vector // light of the point under its own share of the sky
}

// addGlass appends a point to s.glass: point i of the batch, which shows triangle f at (x, y) of the picture. `at` is
// the point's spot.
func (s *Shader) addGlass(f *facet, i int, x, y float32, at *spot) *glassPoint {
	k, fin := len(s.glass), f.paint.finish
	s.glass = s.glass[:k+1]
	p := &s.glass[k]
	p.index, p.triangle, p.x, p.y = int32(i), f.number, x, y
	if p.finish = &fin.plain; fin.textured || fin.Thickness > 0 {
		own := s.glassAt(p)
		p.finish = &s.glassFinishes[k]
		*p.finish = f.finishAt(&own, at)
	}
	return p
}

// glassAt returns a glass point as Scene.pointAt does.
func (s *Shader) glassAt(p *glassPoint) point {
	at := s.pointAt(int(p.index))
	at.x, at.y = p.x, p.y
	return at
}

// setGlass prepares a point for loops.Mirror. c is its base colour, and open the open share of the sky.
func (s *Shader) setGlass(p *glassPoint, c float3.Vector, open float32) {
	b, i, g := &s.batch, int(p.index), p.finish
	p.color = c
	b.Columns[light.Base][i], b.Columns[light.Base+1][i], b.Columns[light.Base+2][i] = c.X, c.Y, c.Z
	s.setFinish(i, g, float3.Vector{})
	if g == &s.glassFinishes[len(s.glass)-1] {
		b.SetNormal(i, g.normal.Array())
		b.SetOpen(i, float32(open*g.open))
	}
}

// setPassed sets the light from behind that passes through a glass point.
func (s *Shader) setPassed(p *glassPoint) {
	if !(p.finish.transmitted > 0) {
		p.passed = passedLight{}
		return
	}
	at := point{x: p.x, y: p.y}
	if p.finish.thickness > 0 {
		at = s.glassAt(p)
	}
	p.passed = s.scene.lightPassing(s.facet(p.triangle), &at, p.finish, p.color, s.batch.Passing[p.index])
}

// glassLight returns the light of a glass point, from the results of loops.Mirror and setPassed.
func (s *Shader) glassLight(p *glassPoint) (l finishLight) {
	m := &s.batch.Mirrored
	l.light = float3.New(m[0][p.index], m[1][p.index], m[2][p.index])
	p.passed.addTo(&l)
	return l
}

// lightGlass sets the colours of the points in s.glass, as Scene.lightSpecial does. The coverage of a point is computed
// for an open sky. from is the number of the batch's first point in row r.
func (s *Shader) lightGlass(r *Row, from int) {
	b, shaded := &s.batch, false
	for i := range s.glass {
		p := &s.glass[i]
		s.setPassed(p)
		p.light = s.glassLight(p).light
		shaded = shaded || b.Open(int(p.index)) != p.finish.open
	}
	if shaded {
		for i := range s.glass {
			b.SetOpen(int(s.glass[i].index), s.glass[i].finish.open)
		}
		s.loops.Mirror(&s.view, &s.environment.Environment, b)
	}
	for i := range s.glass {
		p := &s.glass[i]
		own, all := finishLight{light: p.light}, s.glassLight(p)
		c := own.perCoverage(&all)
		if f := s.facet(p.triangle); f.paint.glows {
			at := s.spotOf(f, int(p.index))
			c = c.Add(f.emitted(&at)).AtMost(maxLight)
		}
		s.setPoint(int(p.index), c, r.Places[from+int(p.index)].Count())
	}
}

// A sampleBatch holds samples of glass whose coverage is computed together.
type sampleBatch struct {
	count             int
	top               int // first of the sampleRows rows that the samples may lie in
	samples           [light.Capacity]sample
	triangles, places [light.Capacity]uint32
	pixels            light.Pixels
}

// sampleRows is the number of successive rows of samples that the vertical sum of a visible.Place can tell apart.
const sampleRows = show.SumShift

// addSample adds a sample of triangle t to the batch. If the batch has no room for the sample, addSample first calls
// TestSamples.
func (s *Shader) addSample(g *SampleGrid, t uint32, a *sample) {
	b := &s.samples
	if b.count == light.Capacity || a.row < b.top || a.row >= b.top+sampleRows {
		s.TestSamples(g)
	}
	if b.count == 0 {
		b.top = a.row - sampleRows/2
	}
	i, grid := b.count, g.Grid
	b.count++
	b.samples[i], b.triangles[i] = *a, t
	b.places[i] = uint32(visible.MakePlace(int32(a.column/grid), 1, int32(2*(a.column%grid)+1-grid), int32(2*(a.row-b.top)-sampleRows)))
}

// TestSamples tests the samples that MergeSpan has left, and draws those that exist.
func (s *Shader) TestSamples(g *SampleGrid) {
	b := &s.samples
	n := b.count
	if b.count = 0; n == 0 {
		return
	}
	b.pixels.SetGrid(int32(g.Grid))
	b.pixels.Left = 0.5 - float32(g.Width)/2
	_, b.pixels.Top = g.Position(0, b.top+sampleRows/2)
	points := s.pointsOf(b.triangles[:n], b.places[:n], nil)
	s.loops.Aim(&s.triangles, &s.view, &b.pixels, points, g.Sky, &s.batch, false)
	s.releaseRecords()
	s.glass = s.glass[:0]
	for i := range n {
		if a, f := &b.samples[i], s.facet(b.triangles[i]); !s.prepareSample(f, a, i, 1/float32(g.Grid)) {
			g.Keys[a.at] = max(g.Keys[a.at], a.key)
		}
	}
	if len(s.glass) > 0 {
		s.loops.Mirror(&s.view, &s.environment.Environment, &s.batch)
	}
	for i := range s.glass {
		p := &s.glass[i]
		a := &b.samples[p.index]
		s.setPassed(p)
		if l := s.glassLight(p); a.existsWithAlpha(float32(a.alpha * l.coverage())) {
			g.Keys[a.at] = max(g.Keys[a.at], a.key)
		}
	}
}

// prepareSample adds sample i of the batch to s.glass. It returns false if the triangle hides everything behind the
// sample, see Shader.coverage.
func (s *Shader) prepareSample(f *facet, a *sample, i int, per float32) bool {
	at := s.scene.spot(f, a.x, a.y, per)
	p := s.addGlass(f, i, a.x, a.y, &at)
	if s.scene.Behind != nil && f.paint.finish.body && f.paint.finish.Thickness > 0 {
		if at := s.glassAt(p); s.scene.Behind.Alpha(s.scene.entryPlace(f, &at, p.finish)) == 1 {
			s.glass = s.glass[:len(s.glass)-1]
			return false
		}
	}
	s.setGlass(p, f.baseColor(&at), 1)
	return true
}

// pointAt returns point i of the batch, with the results of loops.Aim.
func (s *Shader) pointAt(i int) point {
	normal, forward := s.batch.Aimed(i)
	return point{normal: float3.Of(normal), toEye: float3.Of(forward).Scale(-1), back: math.Signbit(float64(s.batch.Sides[i]))}
}

// addMirror records point i of the batch and its finish for loops.Mirror.
func (s *Shader) addMirror(f *facet, i int, open float32) {
	fin, b := f.paint.finish, &s.batch
	glow := float3.Vector{}
	if f.paint.glows {
		at := s.spotOf(f, i)
		glow = f.emitted(&at)
	}
	if !fin.textured {
		s.setFinish(i, &fin.plain, glow)
	} else {
		at, p := s.spotOf(f, i), s.pointAt(i)
		g := f.finishAt(&p, &at)
		s.setFinish(i, &g, glow)
		b.SetNormal(i, g.normal.Array())
		b.SetOpen(i, float32(open*g.open))
	}
	s.mirrorPoints = append(s.mirrorPoints, int32(i))
}

// setFinish sets the columns of a point's finish. glow is the light that the point emits.
func (s *Shader) setFinish(i int, g *pointFinish, glow float3.Vector) {
	c := &s.batch.Finishes
	c[light.Metallic][i], c[light.Roughness][i], c[light.Edge][i] = g.metallic, g.roughness, g.grazing
	c[light.Specular][i], c[light.Specular+1][i], c[light.Specular+2][i] = g.specular.X, g.specular.Y, g.specular.Z
	c[light.Glow][i], c[light.Glow+1][i], c[light.Glow+2][i] = glow.X, glow.Y, glow.Z
	c[light.Transmitted][i] = g.transmitted
}
