package surface

import (
	"math"

	"lockstep/render/internal/float3"
	"lockstep/scenes"
)

// A Paint is what gives the points of a mesh their base colour, beyond one colour a
// triangle: colours of corners, textures and colours of materials, or a field of
// numbers.
type Paint struct {
	attributes  *scenes.Attributes
	materials   []material
	tables      *Colors
	sheer       bool // some of the materials are
	hasTextures bool // some of the materials have textures
	litSingly   bool // points of some of the materials are lit one by one: they give light, or have a finish
}

type material struct {
	unlit    bool
	factor   float3.Vector
	texture  *texture
	emission float3.Vector
	glow     *texture
	sheer    translucency
	finish   *finish
}

// NewPaint prepares the textures of a mesh; nil where the attributes colour nothing.
func NewPaint(a *scenes.Attributes, tables *Colors) *Paint {
	if a == nil || !a.Colors.Has() && a.MaterialOf == nil {
		return nil
	}
	p := &Paint{attributes: a, tables: tables}
	all := newTextures(a, tables)
	all.build()
	for i := range a.Materials {
		m := &a.Materials[i]
		prepared := material{unlit: m.Unlit, factor: float3.Of([3]float32(m.BaseColor[:3])).Clamp(1)}
		prepared.texture = all.prepared(m.Texture, colorOf(m))
		if prepared.emission = float3.Of(m.Emission).Clamp(math.MaxFloat32); prepared.emission != (float3.Vector{}) && !m.Unlit {
			prepared.glow, p.litSingly = all.prepared(m.Glow, kind{}), true
		}
		if m.Finish != nil && !m.Unlit {
			f := newFinish(m.Finish, all.prepared)
			prepared.finish, p.litSingly = &f, true
		}
		p.hasTextures = p.hasTextures || prepared.texture != nil || prepared.glow != nil || prepared.finish != nil && prepared.finish.textured()
		prepared.sheer = newTranslucency(m, i)
		p.sheer = p.sheer || prepared.sheer.mayMissSamples()
		p.materials = append(p.materials, prepared)
	}
	return p
}

// trianglePaint is what a Paint says of one triangle.
type trianglePaint struct {
	unlit       bool // the colour is what is seen, whatever the light
	colored     bool
	colors      [3]float3.Vector
	texture     *texture
	glows       bool
	glow        *texture // of the emission
	emitted     float3.Vector
	uv          [3][2]float32
	extent      [2]float32    // of the triangle in textures
	sheer       *translucency // of the material; nil: it is opaque
	alphas      [3]float32
	finish      *finish // nil: as plaster
	hasTextures bool    // it has textures
}

// load sets the coat of a triangle, and returns the colour that it is multiplied by.
func (p *Paint) load(c *trianglePaint, t uint32, base float3.Vector) float3.Vector {
	a := p.attributes
	*c = trianglePaint{}
	product, any := float3.New(1, 1, 1), false
	if a.MaterialOf != nil && a.MaterialOf[t] >= 0 {
		m := &p.materials[a.MaterialOf[t]]
		product, any = m.factor, true
		c.unlit = m.unlit
		c.finish = m.finish
		if m.sheer.mayMissSamples() {
			c.sheer, c.alphas = &m.sheer, [3]float32{m.sheer.factor, m.sheer.factor, m.sheer.factor}
		}
		c.glows, c.glow, c.emitted = m.emission != (float3.Vector{}) && !m.unlit, m.glow, m.emission
		c.texture = m.texture
		if c.hasTextures = c.texture != nil || c.glow != nil || c.finish != nil && c.finish.textured(); c.hasTextures {
			for k := range 3 {
				c.uv[k] = a.TexCoords.At(k, int(t))
			}
			for axis := range c.extent {
				c.extent[axis] = spread(c.uv[0][axis], c.uv[1][axis], c.uv[2][axis])
			}
		}
	}
	if a.Colors.Has() {
		c.colored, any = true, true
		for k := range 3 {
			color := a.Colors.At(k, int(t))
			c.colors[k] = float3.Of(p.tables.Linear(color.RGB()))
			c.alphas[k] = float32(c.alphas[k] * (float32(color[3]) / 255))
		}
	}
	if !any {
		return base
	}
	return product
}

// spread returns how far three numbers lie apart.
func spread(a, b, c float32) float32 { return max(a, b, c) - min(a, b, c) }

// blend returns the mean of three vectors by weights.
func blend(v *[3]float3.Vector, w float3.Vector) float3.Vector {
	return v[0].Scale(w.X).Add(v[1].Scale(w.Y)).Add(v[2].Scale(w.Z))
}

// place returns where weights of the corners lie in the texture.
func (c *trianglePaint) place(w float3.Vector) (u, v float32) {
	u = float32(float32(c.uv[0][0]*w.X)+float32(c.uv[1][0]*w.Y)) + float32(c.uv[2][0]*w.Z)
	v = float32(float32(c.uv[0][1]*w.X)+float32(c.uv[1][1]*w.Y)) + float32(c.uv[2][1]*w.Z)
	return u, v
}

// spot returns where weights of the corners lie in the textures, of which there are some. right and above are those that the
// plane of the triangle has a pixel beside; the point stands for a square of a side in pixels.
func (c *trianglePaint) spot(w, right, above float3.Vector, side float32) spot {
	u, v := c.place(w)
	to := func(beside float3.Vector) [2]float32 {
		u1, v1 := c.place(beside)
		return [2]float32{float32((u1 - u) * side), float32((v1 - v) * side)}
	}
	return spot{weights: w, u: u, v: v, right: to(right), above: to(above), extent: c.extent}
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
func (f *Field) color(t uint32, w [3]float32) float3.Vector {
	v := float32(0)
	if f.OfTriangles {
		v = f.Values[t]
	} else {
		for k := range 3 {
			v += float32(f.Values[f.Index[k][t]] * w[k])
		}
	}
	if v != v {
		return float3.Of(f.None)
	}
	x := float32(0)
	if f.High > f.Low {
		x = float32((v - f.Low) / (f.High - f.Low))
	}
	x = float32(min(max(x, 0), 1) * 255)
	i := min(int(x), 254)
	part := x - float32(i)
	return float3.Of(f.Map[i]).Scale(1 - part).Add(float3.Of(f.Map[i+1]).Scale(part))
}
