package surface

import (
	"image"
	"math"

	"lockstep/render/internal/float3"
	"lockstep/scenes"
)

// A sheer is what the alpha of a material means. Samples of its triangles are there or not,
// before the z-buffer: nothing has to be sorted, and pictures do not depend on any order. A
// mask is there where alpha reaches its cutoff; what is blended is there in as many of 16
// samples side by side as alpha says, by a pattern of Bayer's that differs from material to
// material and from front to back, so that layers do not all hide the same samples.
type sheer struct {
	mode    scenes.AlphaMode
	factor  float32
	cutoff  float32
	pattern uint32
	passes  bool // light passes through the surface, see scenes.Finish.Transmission
}

func newSheer(m *scenes.Material, number int) sheer {
	return sheer{m.Alpha, m.BaseColor[3], m.AlphaCutoff, uint32(2 * number), m.Finish != nil && m.Finish.Transmission > 0 && !m.Unlit}
}

// lets reports whether samples may be missing.
func (s *sheer) lets() bool { return s.passes || s.mode != scenes.AlphaOpaque }

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

// alphasOf returns the alpha of a texture's pixels; nil where all of it is opaque.
func alphasOf(p *image.NRGBA) []uint8 {
	b, opaque := p.Bounds(), true
	all := make([]uint8, 0, b.Dx()*b.Dy())
	for y := b.Min.Y; y < b.Max.Y; y++ {
		row := p.Pix[p.PixOffset(b.Min.X, y):]
		for x := range b.Dx() {
			all = append(all, row[4*x+3])
			opaque = opaque && row[4*x+3] == 255
		}
	}
	if opaque {
		return nil
	}
	return all
}

// alphaAt returns the alpha at (u, v), of the first level.
func (t *texture) alphaAt(u, v float32) float32 {
	if t.alpha == nil {
		return 1
	}
	l := &t.levels[0]
	if !(u > -1e6 && u < 1e6 && v > -1e6 && v < 1e6) {
		u, v = 0, 0
	}
	x, y := float32(u*float32(l.width))-0.5, float32(v*float32(l.height))-0.5
	if t.nearest {
		x, y = float32(math.Floor(float64(x)+0.5)), float32(math.Floor(float64(y)+0.5))
	}
	fx, fy := math.Floor(float64(x)), math.Floor(float64(y))
	px, py := float32(float64(x)-fx), float32(float64(y)-fy)
	x0, x1 := wrap(int(fx), l.width, t.wrapU), wrap(int(fx)+1, l.width, t.wrapU)
	y0, y1 := wrap(int(fy), l.height, t.wrapV), wrap(int(fy)+1, l.height, t.wrapV)
	texel := func(x, y int) float32 { return float32(t.alpha[y*l.width+x]) / 255 }
	upper := float32(texel(x0, y0)*(1-px)) + float32(texel(x1, y0)*px)
	lower := float32(texel(x0, y1)*(1-px)) + float32(texel(x1, y1)*px)
	return float32(upper*(1-py)) + float32(lower*py)
}

// Sheer reports whether samples of some triangles may be missing.
func (s *Scene) Sheer() bool {
	return s.Paint != nil && s.Paint.sheer || s.Finish != nil && s.Finish.Transmission > 0 && s.Facing == nil
}

// SheerTriangle reports whether samples of a triangle may be missing. Those of the others are
// all there.
func (s *Scene) SheerTriangle(t uint32) bool {
	if s.Finish != nil && s.Finish.Transmission > 0 {
		return true
	}
	a := s.Paint.attributes
	return a.MaterialOf != nil && a.MaterialOf[t] >= 0 && s.Paint.materials[a.MaterialOf[t]].sheer.lets()
}

// bayer is the order in which 4 x 4 samples are taken.
var bayer = [16]uint32{0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5}

// orders are factors that turn this order, modulo 16, into others: of the first half of the
// samples of one, half are among those of any other.
var orders = [4]uint32{1, 5, 9, 13}

// There reports whether sample (column, row) of the picture is there of a triangle that may miss
// some. It lies at (x, y), as for Row.
func (s *Shader) There(t uint32, x, y float32, column, row int) bool {
	f := s.facet(t)
	c := &f.coat
	if c.sheer == nil {
		return true
	}
	origin, forward := s.scene.Lens.line(x, y)
	w := f.weights(origin, forward)
	alpha := float32(float32(c.alphas[0]*w[0])+float32(c.alphas[1]*w[1])) + float32(c.alphas[2]*w[2])
	if c.texture != nil {
		alpha = float32(alpha * c.texture.alphaAt(c.place(float3.Of(w))))
	}
	switch c.sheer.mode {
	case scenes.AlphaMask:
		if alpha < c.sheer.cutoff {
			return false
		}
		alpha = 1
	case scenes.AlphaOpaque:
		alpha = 1
	}
	if c.sheer.passes && s.scene.special(f) {
		alpha = float32(alpha * s.covered(f, x, y))
	}
	if alpha >= 1 {
		return true
	}
	pattern := c.sheer.pattern
	if f.normal.Dot(forward) > 0 {
		pattern++ // the back
	}
	step := bayer[row&3<<2|column&3] * orders[pattern%4] % 16
	return float32(alpha*16) > float32(step)+0.5
}

// covered returns how much of what lies behind a triangle that lets light through is hidden at a point of the picture.
func (s *Shader) covered(f *facet, x, y float32) float32 {
	p := s.scene.at(f, x, y)
	at := s.scene.spot(f, x, y)
	all := s.scene.finished(f, &p, &at, s.scene.color(f, &p, &at), 1)
	return all.covered()
}
