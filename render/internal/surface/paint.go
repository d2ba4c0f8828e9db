package surface

import (
	"math"
	"slices"

	"lockstep/render/internal/float3"
	"lockstep/scenes"
)

// A Paint computes the base colours of the points of a mesh if its triangles do not have a single colour each. The
// colours come from the colours of corners, and from the textures and colours of materials.
type Paint struct {
	attributes      *scenes.Attributes
	first           uint32 // number that the first triangle has in `attributes`, see Part
	materials       []material
	tables          *Colors
	hasTranslucency bool // a material is translucent: its triangles may miss samples, see type translucency
	hasTextures     bool // a material has textures
	hasBodies       bool // a material is a body, see finish.body
	litSingly       bool // a material emits light or has a finish, so that its points are lit one by one
	SomeOneSided    bool // some triangles have one-sided materials
	AllOneSided     bool // all triangles have one-sided materials
}

type material struct {
	unlit        bool
	factor       float3.Vector
	texture      *texture
	emission     float3.Vector
	glow         *texture
	translucency translucency
	finish       *finish
}

// NewPaint prepares the materials of a mesh and their textures. It returns nil if a has neither materials nor colours
// of corners.
func NewPaint(a *scenes.Attributes, tables *Colors) *Paint {
	if a == nil || !a.Colors.Has() && a.MaterialOf == nil {
		return nil
	}
	p := &Paint{attributes: a, tables: tables}
	all, bodies := newTextures(a, tables), bodiesOf(a)
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
			f.body = bodies[i]
			p.hasBodies = p.hasBodies || f.body
			prepared.finish, p.litSingly = &f, true
		}
		p.hasTextures = p.hasTextures || prepared.texture != nil || prepared.glow != nil || prepared.finish != nil && prepared.finish.textured
		prepared.translucency = newTranslucency(m, i)
		p.hasTranslucency = p.hasTranslucency || prepared.translucency.mayMissSamples()
		p.materials = append(p.materials, prepared)
	}
	return p
}

// Part returns the paint of a part of the mesh. Triangle t of the part is triangle first+t of the mesh. p may be nil.
func (p *Paint) Part(first uint32) *Paint {
	if p == nil {
		return nil
	}
	part := *p
	part.first += first
	return &part
}

// HasBodies reports whether some materials of a mesh are bodies, see finish.body. a may be nil.
func HasBodies(a *scenes.Attributes) bool {
	return a != nil && slices.Contains(bodiesOf(a), true)
}

// bodiesOf tells which materials are bodies: those that let light through, and bend, blur or colour it. Colours of
// corners count only for the materials of their triangles.
func bodiesOf(a *scenes.Attributes) []bool {
	bodies, clear := make([]bool, len(a.Materials)), make([]bool, len(a.Materials))
	for i := range a.Materials {
		m := &a.Materials[i]
		if m.Finish == nil || m.Unlit {
			continue
		}
		if f := (finish{Finish: clampFinish(m.Finish)}); f.Transmission > 0 {
			c := m.BaseColor
			bodies[i] = f.isBody() || m.Texture != nil || c[0] != c[1] || c[0] != c[2]
			clear[i] = !bodies[i]
		}
	}
	if !a.Colors.Has() || !slices.Contains(clear, true) {
		return bodies
	}
	for t, i := range a.MaterialOf {
		for k := 0; k < 3 && i >= 0 && clear[i]; k++ {
			c := a.Colors.At(k, t)
			bodies[i] = c[0] != c[1] || c[0] != c[2]
			clear[i] = !bodies[i]
		}
	}
	return bodies
}

// Sides tells which triangles of a mesh show only their front, because their material is one-sided.
type Sides struct {
	attributes *scenes.Attributes
	Some, All  bool // some triangles, or all, show only their front
}

// NewSides returns the sides of the triangles of a mesh with attributes a, which may be nil.
func NewSides(a *scenes.Attributes) *Sides {
	s := &Sides{attributes: a}
	if a == nil {
		return s
	}
	s.All = a.MaterialOf != nil
	for t := range a.MaterialOf {
		one := s.IsOneSided(uint32(t))
		s.Some, s.All = s.Some || one, s.All && one
		if s.Some && !s.All {
			break
		}
	}
	return s
}

// IsOneSided reports whether triangle t shows only its front.
func (s *Sides) IsOneSided(t uint32) bool {
	m := s.attributes.Material(int(t))
	return m != nil && m.OneSided
}

// trianglePaint holds the colours and the material of one triangle.
type trianglePaint struct {
	unlit        bool // no light changes the triangle's colour
	colored      bool
	colors       [3]float3.Vector
	texture      *texture
	glows        bool
	glow         *texture // texture of the emitted light
	emitted      float3.Vector
	uv           [3][2]float32
	extent       [2]float32    // width and height of the triangle in textures
	translucency *translucency // translucency of the material; nil if the material is opaque
	alphas       [3]float32
	finish       *finish // finish of the material; nil if the surface is like plaster
	hasTextures  bool    // texture, glow or finish has a texture
	number       uint32  // number of the triangle in Paint.attributes
	// square is the square that the last spot stands for. It is not a part of the spot, because batches copy many spots
	// that do not need it.
	square pixelSquare
}

// load sets c to the paint of triangle t. It returns the colour that is multiplied by the paint. base is the
// triangle's colour if neither a material nor the corners have colours.
func (p *Paint) load(c *trianglePaint, t uint32, base float3.Vector) float3.Vector {
	a := p.attributes
	t += p.first
	*c = trianglePaint{number: t}
	product, any := float3.New(1, 1, 1), false
	if a.MaterialOf != nil && a.MaterialOf[t] >= 0 {
		m := &p.materials[a.MaterialOf[t]]
		product, any = m.factor, true
		c.unlit = m.unlit
		c.finish = m.finish
		if m.translucency.mayMissSamples() {
			c.translucency, c.alphas = &m.translucency, [3]float32{m.translucency.factor, m.translucency.factor, m.translucency.factor}
		}
		c.glows, c.glow, c.emitted = m.emission != (float3.Vector{}) && !m.unlit, m.glow, m.emission
		c.texture = m.texture
		if c.hasTextures = c.texture != nil || c.glow != nil || c.finish != nil && c.finish.textured; c.hasTextures && a.TexCoords.Has() {
			for k := range 3 {
				c.uv[k] = a.TexCoords.At(k, int(t))
			}
			c.extent = extentOf(&c.uv)
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

// spread returns the difference between the greatest and the least of three numbers.
func spread(a, b, c float32) float32 { return max(a, b, c) - min(a, b, c) }

// extentOf returns the width and height of a triangle in a texture.
func extentOf(uv *[3][2]float32) (extent [2]float32) {
	for axis := range extent {
		extent[axis] = spread(uv[0][axis], uv[1][axis], uv[2][axis])
	}
	return extent
}

// blend returns the sum of three vectors, weighted by w.
func blend(v *[3]float3.Vector, w float3.Vector) float3.Vector {
	return v[0].Scale(w.X).Add(v[1].Scale(w.Y)).Add(v[2].Scale(w.Z))
}

// placeIn returns the texture coordinates of a point. w holds the weights of the triangle's corners at the point, and
// uv the texture coordinates of the corners.
func placeIn(uv *[3][2]float32, w float3.Vector) (u, v float32) {
	u = float32(float32(uv[0][0]*w.X)+float32(uv[1][0]*w.Y)) + float32(uv[2][0]*w.Z)
	v = float32(float32(uv[0][1]*w.X)+float32(uv[1][1]*w.Y)) + float32(uv[2][1]*w.Z)
	return u, v
}

// spot returns the spot of a point. w holds the weights of the triangle's corners at the point. `right` and `above` are
// the weights at two other points of the triangle's plane: one pixel to the right and one pixel above in the picture.
// The point stands for a square with the given side, in pixels. The triangle must have textures.
func (c *trianglePaint) spot(w, right, above float3.Vector, side float32) spot {
	all := pixelSquare{right, above, side}
	at := spotIn(&c.uv, c.extent, w, &all)
	at.paint, c.square = c, all
	return at
}

// spotBy returns the spot of a point in a texture that uses the texture coordinates s.
func (c *trianglePaint) spotBy(s *uvSet, w float3.Vector) spot {
	uv := s.corners(c.number)
	return spotIn(&uv, extentOf(&uv), w, &c.square)
}

// spotIn returns the spot of a point of a triangle. uv has the texture coordinates of the corners, and extent their
// width and height.
func spotIn(uv *[3][2]float32, extent [2]float32, w float3.Vector, all *pixelSquare) spot {
	u, v := placeIn(uv, w)
	to := func(weights float3.Vector) [2]float32 {
		u1, v1 := placeIn(uv, weights)
		return [2]float32{float32((u1 - u) * all.side), float32((v1 - v) * all.side)}
	}
	return spot{weights: w, u: u, v: v, right: to(all.right), above: to(all.above), extent: extent}
}

// A Field colours a mesh by numbers, one for each vertex or for each triangle.
type Field struct {
	Values      []float32 // numbers of vertices or triangles; scenes.NoField on surfaces that do not have the field
	OfTriangles bool
	Index       [3][]uint32 // vertices of the triangles, for each of the three corners
	Low, High   float32     // numbers with the first and the last colour of Map
	Map         [256][3]float32
	None        [3]float32 // linear colour of points whose number is NaN
}

// NoNumber is the colour, in linear light, of surfaces that have the field but no number.
var NoNumber = [3]float32{0.5, 0.5, 0.5}

// has reports whether triangle t lies on a surface that has the field.
func (f *Field) has(t uint32) bool {
	if f.OfTriangles {
		return !scenes.IsNoField(f.Values[t])
	}
	return !scenes.IsNoField(f.Values[f.Index[0][t]])
}

// color returns the colour of a point of triangle t. w holds the weights of the corners at the point.
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
