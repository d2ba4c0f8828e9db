package surface

import (
	"image"
	"math"

	"lockstep/scenes"
)

// A Paint is what gives the points of a mesh their base colour, beyond one colour a
// triangle: colours of corners, textures and colours of materials, or a field of
// numbers.
type Paint struct {
	attributes *scenes.Attributes
	materials  []material
	tables     *Colors
	sheer      bool // some of the materials are
	textured   bool // some of the materials are
	again      bool // points of some of the materials are lit one by one: they give light, or have a finish
}

type material struct {
	unlit    bool
	factor   vec
	texture  *texture
	emission vec
	glow     *texture
	sheer    sheer
	finish   *finish
}

// NewPaint prepares the textures of a mesh; nil where the attributes colour nothing.
func NewPaint(a *scenes.Attributes, tables *Colors) *Paint {
	if a == nil || !a.Colors.Has() && a.MaterialOf == nil {
		return nil
	}
	p := &Paint{attributes: a, tables: tables}
	prepare, prepareNumbers := textures(a, tables), textures(a, newNumbers())
	for i := range a.Materials {
		m := &a.Materials[i]
		prepared := material{unlit: m.Unlit, factor: vec{m.BaseColor[0], m.BaseColor[1], m.BaseColor[2]}}
		prepared.texture = prepare(m.Texture)
		p.textured = p.textured || prepared.texture != nil
		if prepared.emission = of(m.Emission); prepared.emission != (vec{}) && !m.Unlit {
			prepared.glow, p.again = prepare(m.Glow), true
		}
		if m.Finish != nil && !m.Unlit {
			f := newFinish(m.Finish, prepareNumbers)
			prepared.finish, p.again = &f, true
		}
		prepared.sheer = newSheer(m, i)
		p.sheer = p.sheer || prepared.sheer.lets()
		p.materials = append(p.materials, prepared)
	}
	return p
}

// textures returns a function that prepares textures of a mesh, whose values tables explain. Many may show one picture.
func textures(a *scenes.Attributes, tables *Colors) func(*scenes.Texture) *texture {
	made := map[*image.NRGBA]*texture{}
	return func(t *scenes.Texture) *texture {
		if t == nil || t.Picture == nil || !a.TexCoords.Has() {
			return nil
		}
		of := made[t.Picture]
		if of == nil {
			of = newTexture(t, tables)
			made[t.Picture] = of
		}
		return of.like(t)
	}
}

// coat is what a Paint says of one triangle.
type coat struct {
	unlit   bool // the colour is what is seen, whatever the light
	colored bool
	colors  [3]vec
	texture *texture
	glows   bool
	glow    *texture // of the emission
	emitted vec
	uv      [3][2]float32
	sheer   *sheer // of the material; nil: it is opaque
	alphas  [3]float32
	finish  *finish // nil: as plaster
}

// load sets the coat of a triangle, and returns the colour that it is multiplied by.
func (p *Paint) load(c *coat, t uint32, base vec) vec {
	a := p.attributes
	*c = coat{}
	product, any := vec{1, 1, 1}, false
	if a.MaterialOf != nil && a.MaterialOf[t] >= 0 {
		m := &p.materials[a.MaterialOf[t]]
		product, any = m.factor, true
		c.unlit = m.unlit
		c.finish = m.finish
		if m.sheer.lets() {
			c.sheer, c.alphas = &m.sheer, [3]float32{m.sheer.factor, m.sheer.factor, m.sheer.factor}
		}
		c.glows, c.glow, c.emitted = m.emission != (vec{}) && !m.unlit, m.glow, m.emission
		if c.texture = m.texture; c.texture != nil || c.glow != nil || c.finish != nil && c.finish.textured() {
			for k := range 3 {
				c.uv[k] = a.TexCoords.At(k, int(t))
			}
		}
	}
	if a.Colors.Has() {
		c.colored, any = true, true
		for k := range 3 {
			color := a.Colors.At(k, int(t))
			c.colors[k] = of(p.tables.Linear(color.RGB()))
			c.alphas[k] = float32(c.alphas[k] * (float32(color[3]) / 255))
		}
	}
	if !any {
		return base
	}
	return product
}

// blend returns the mean of three vectors by weights.
func blend(v *[3]vec, w vec) vec {
	return v[0].scale(w.x).add(v[1].scale(w.y)).add(v[2].scale(w.z))
}

// place returns where weights of the corners lie in the texture.
func (c *coat) place(w vec) (u, v float32) {
	u = float32(float32(c.uv[0][0]*w.x)+float32(c.uv[1][0]*w.y)) + float32(c.uv[2][0]*w.z)
	v = float32(float32(c.uv[0][1]*w.x)+float32(c.uv[1][1]*w.y)) + float32(c.uv[2][1]*w.z)
	return u, v
}

// texel returns the colour of a texture at weights of the corners. Those a pixel right of there and
// above tell how fine it is.
func (c *coat) texel(t *texture, w, right, above vec) vec {
	u, v := c.place(w)
	u1, v1 := c.place(right)
	u2, v2 := c.place(above)
	width, height := float32(t.levels[0].width), float32(t.levels[0].height)
	// As integers the bits of floats that are not negative have the order of the floats, and NaN is above all.
	span := max(
		math.Float32bits(float32(abs(u1-u)*width)), math.Float32bits(float32(abs(u2-u)*width)),
		math.Float32bits(float32(abs(v1-v)*height)), math.Float32bits(float32(abs(v2-v)*height)),
	)
	return t.at(u, v, math.Float32frombits(span))
}

// A Field colours a mesh by a number at every vertex, or triangle.
type Field struct {
	Values      []float32 // by vertex or triangle; scenes.NoField on surfaces that do not have the field
	OfTriangles bool
	Index       [3][]uint32 // vertices of corners
	Low, High   float32     // where the map begins and ends
	Map         [256][3]float32
	None        [3]float32 // linear colour of what is no number
}

// NoNumber is the colour, in linear light, of what has no number of a field.
var NoNumber = [3]float32{0.5, 0.5, 0.5}

// has reports whether a triangle's surface has the field.
func (f *Field) has(t uint32) bool {
	if f.OfTriangles {
		return !scenes.IsNoField(f.Values[t])
	}
	return !scenes.IsNoField(f.Values[f.Index[0][t]])
}

// color returns the colour of a triangle at weights of its corners.
func (f *Field) color(t uint32, w [3]float32) vec {
	v := float32(0)
	if f.OfTriangles {
		v = f.Values[t]
	} else {
		for k := range 3 {
			v += float32(f.Values[f.Index[k][t]] * w[k])
		}
	}
	if v != v {
		return of(f.None)
	}
	x := float32(0)
	if f.High > f.Low {
		x = float32((v - f.Low) / (f.High - f.Low))
	}
	x = float32(min(max(x, 0), 1) * 255)
	i := min(int(x), 254)
	part := x - float32(i)
	return of(f.Map[i]).scale(1 - part).add(of(f.Map[i+1]).scale(part))
}

// A texture is a picture in halves of its size, down to one pixel.
type texture struct {
	levels       []level
	wrapU, wrapV scenes.Wrap
	nearest      bool
	tables       *Colors
	alpha        []uint8 // of the first level; nil: it is opaque
}

type level struct {
	width, height int
	pix           []uint8 // sRGB, three bytes a pixel
}

func newTexture(t *scenes.Texture, tables *Colors) *texture {
	b := t.Picture.Bounds()
	l := level{b.Dx(), b.Dy(), make([]uint8, 3*b.Dx()*b.Dy())}
	for y := range l.height {
		row := t.Picture.Pix[t.Picture.PixOffset(b.Min.X, b.Min.Y+y):]
		for x := range l.width {
			copy(l.pix[3*(y*l.width+x):][:3], row[4*x:])
		}
	}
	tex := &texture{alpha: alphasOf(t), levels: []level{l}, wrapU: t.WrapU, wrapV: t.WrapV, nearest: t.Nearest, tables: tables}
	for l.width > 1 || l.height > 1 {
		l = l.half(tables)
		tex.levels = append(tex.levels, l)
	}
	return tex
}

// like returns a texture of the same picture that is repeated and magnified as t is.
func (tex *texture) like(t *scenes.Texture) *texture {
	if tex.wrapU == t.WrapU && tex.wrapV == t.WrapV && tex.nearest == t.Nearest {
		return tex
	}
	other := *tex
	other.wrapU, other.wrapV, other.nearest = t.WrapU, t.WrapV, t.Nearest
	return &other
}

// half averages 2 x 2 pixels in linear light.
func (l level) half(tables *Colors) level {
	h := level{max(l.width/2, 1), max(l.height/2, 1), nil}
	h.pix = make([]uint8, 3*h.width*h.height)
	for y := range h.height {
		for x := range h.width {
			for c := range 3 {
				sum := float32(0)
				for k := range 4 {
					sx, sy := min(2*x+k&1, l.width-1), min(2*y+k>>1, l.height-1)
					sum += tables.linear[l.pix[3*(sy*l.width+sx)+c]]
				}
				h.pix[3*(y*h.width+x)+c] = uint8(tables.step(float32(sum * 0.25)))
			}
		}
	}
	return h
}

// at returns the linear colour at (u, v), where a pixel of the picture spans span
// pixels of the texture's first level.
func (t *texture) at(u, v, span float32) vec {
	n := 0
	for n+1 < len(t.levels) && span > 1.5 {
		span, n = float32(span*0.5), n+1
	}
	l := &t.levels[n]
	if !(u > -1e6 && u < 1e6 && v > -1e6 && v < 1e6) {
		u, v = 0, 0
	}
	x, y := float32(u*float32(l.width))-0.5, float32(v*float32(l.height))-0.5
	if t.nearest && n == 0 {
		x, y = float32(math.Floor(float64(x)+0.5)), float32(math.Floor(float64(y)+0.5))
	}
	fx, fy := math.Floor(float64(x)), math.Floor(float64(y))
	px, py := float32(float64(x)-fx), float32(float64(y)-fy)
	x0, x1 := wrap(int(fx), l.width, t.wrapU), wrap(int(fx)+1, l.width, t.wrapU)
	y0, y1 := wrap(int(fy), l.height, t.wrapV), wrap(int(fy)+1, l.height, t.wrapV)
	texel := func(x, y int) vec {
		p := l.pix[3*(y*l.width+x):]
		return vec{t.tables.linear[p[0]], t.tables.linear[p[1]], t.tables.linear[p[2]]}
	}
	upper := texel(x0, y0).scale(1 - px).add(texel(x1, y0).scale(px))
	lower := texel(x0, y1).scale(1 - px).add(texel(x1, y1).scale(px))
	return upper.scale(1 - py).add(lower.scale(py))
}

// wrap brings a pixel beyond the picture into it.
func wrap(x, n int, mode scenes.Wrap) int {
	switch mode {
	case scenes.Clamp:
		return min(max(x, 0), n-1)
	case scenes.Mirror:
		if x = modulo(x, 2*n); x >= n {
			x = 2*n - 1 - x
		}
		return x
	}
	return modulo(x, n)
}

func modulo(x, n int) int {
	if uint(x) < uint(n) {
		return x // mostly, without a division
	}
	if x %= n; x < 0 {
		x += n
	}
	return x
}
