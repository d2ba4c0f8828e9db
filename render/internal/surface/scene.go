package surface

import (
	"math"

	"lockstep/render/internal/float3"
	"lockstep/render/internal/kernel/light"
	"lockstep/render/internal/normals"
	"lockstep/scenes"
)

// A Scene is a mesh and a view of it, from which the pixels of a finished z-buffer are
// lit. Pixels are named by their distance from the picture's centre, x to the right and
// y up, in pixels.
type Scene struct {
	Block   scenes.Block
	Records []light.Record // of NewRecords; nil: flat
	Stored  *Stored        // has the corners, which Block has not, and the normals; nil: the mesh is in memory
	Lens    Lens
	Lights  Lights
	Base    [3]float32 // linear colour of triangles that have none
	Colors  []uint32   // sRGB by triangle; nil: all have Base
	Tables  *Colors
	Paint   *Paint  // nil: none
	Finish  *Finish // of surfaces that have none of their own; nil: they are like plaster
	Field   *Field  // nil: none; counts instead of all other colours of surfaces that have it
	// Facing colours fronts and backs instead, in linear light; nil: not.
	Facing *[2][3]float32
}

// A Lens gives the line that a point of the picture shows: through
// Origin + x*OriginX + y*OriginY in the direction Forward + x*ForwardX + y*ForwardY. It
// lies in the space of q = (p - Pivot) * Scale, where a mesh has a radius of at most 1;
// the origins lie near its middle, so that float32 loses little, however far the eye is.
type Lens struct {
	Pivot                       [3]float32
	Scale                       float32
	Origin, OriginX, OriginY    [3]float32
	Forward, ForwardX, ForwardY [3]float32
}

// A facet is a triangle prepared for being lit at several points.
type facet struct {
	number uint32
	loaded bool
	shell
	base float3.Vector // linear colour
	coat trianglePaint
}

// A shell is a triangle without its colours.
type shell struct {
	corner  float3.Vector // the first
	e1, e2  float3.Vector // edges from it
	normal  float3.Vector // of the plane, not of length 1
	smooth  bool
	normals [3]float3.Vector
}

// load prepares a triangle, whose record is given where records are stored.
func (s *Scene) load(f *facet, t uint32, stored *light.Record) {
	f.loaded, f.number = true, t
	s.loadShell(&f.shell, t, stored)
	f.base = s.base(t)
	if s.Paint != nil {
		f.base = s.Paint.load(&f.coat, t, f.base)
	} else if f.coat != (trianglePaint{}) {
		f.coat = trianglePaint{} // of another scene
	}
	if s.Finish != nil && f.coat.finish == nil && !f.coat.unlit {
		s.addFinish(f)
	}
}

// base returns the linear colour of a triangle, apart from what its coat does to it.
func (s *Scene) base(t uint32) float3.Vector {
	if s.Colors != nil {
		return float3.Of(s.Tables.Linear(s.Colors[t]))
	}
	return float3.Of(s.Base)
}

// smooth reports whether there are normals of corners.
func (s *Scene) smooth() bool { return s.Records != nil || s.Stored != nil && s.Stored.Smooth }

// loadShell prepares a triangle but for its colours.
func (s *Scene) loadShell(f *shell, t uint32, r *light.Record) {
	var corners [3]float3.Vector
	if r != nil {
		for k := range corners {
			corners[k] = s.local(math.Float32frombits(r[3*k]), math.Float32frombits(r[3*k+1]), math.Float32frombits(r[3*k+2]))
		}
	} else {
		for k := range corners {
			corners[k] = s.local(s.Block.X[k][t], s.Block.Y[k][t], s.Block.Z[k][t])
		}
		if s.Records != nil {
			r = &s.Records[t]
		}
	}
	f.corner, f.e1, f.e2 = corners[0], corners[1].Sub(corners[0]), corners[2].Sub(corners[0])
	f.normal = f.e1.Cross(f.e2)
	f.smooth = s.smooth()
	if f.smooth {
		p := r[9:]
		// Where all three are one, so is what lies between.
		f.smooth = p[0] != p[1] || p[0] != p[2]
		f.normals[0] = normals.Unpack(p[0])
		if f.smooth {
			f.normals[1], f.normals[2] = normals.Unpack(p[1]), normals.Unpack(p[2])
		} else if p[0] != 0 {
			// The packed normal of a plane may point a little beside it, but is the same for all of its
			// triangles.
			if f.normals[0].Dot(f.normal) < 0 {
				f.normals[0] = f.normals[0].Scale(-1)
			}
		}
	}
}

func (s *Scene) local(x, y, z float32) float3.Vector {
	l := &s.Lens
	return float3.New(float32(float32(x-l.Pivot[0])*l.Scale), float32(float32(y-l.Pivot[1])*l.Scale), float32(float32(z-l.Pivot[2])*l.Scale))
}

// A point is what a pixel shows of a triangle.
type point struct {
	normal float3.Vector // of length 1, turned towards the eye
	toEye  float3.Vector // of any length: few points have a highlight, which wants it of length 1
	back   bool
}

// line returns the line that a point of the picture shows.
func (l *Lens) line(x, y float32) (origin, forward float3.Vector) {
	origin = float3.Of(l.Origin).Add(float3.Of(l.OriginX).Scale(x)).Add(float3.Of(l.OriginY).Scale(y))
	forward = float3.Of(l.Forward).Add(float3.Of(l.ForwardX).Scale(x)).Add(float3.Of(l.ForwardY).Scale(y))
	return origin, forward
}

// at returns what the line through a point of the picture meets of a triangle.
func (s *Scene) at(f *facet, x, y float32) point {
	origin, forward := s.Lens.line(x, y)
	toEye := forward.Scale(-1)
	var n float3.Vector
	switch {
	case f.smooth:
		w := f.shares(origin, forward)
		n = f.normals[0].Scale(w[0]).Add(f.normals[1].Scale(w[1])).Add(f.normals[2].Scale(w[2])).Unit()
	case s.smooth() && f.normals[0] != (float3.Vector{}):
		n = f.normals[0]
	default:
		n = f.normal.Unit()
	}
	back := f.normal.Dot(toEye) < 0
	if back {
		n = n.Scale(-1)
	}
	// A normal between corners may turn away from the eye though its triangle does not.
	return point{facingEye(n, toEye), toEye, back}
}

// color returns the linear base colour of a triangle at a point of the picture.
func (s *Scene) color(f *facet, p *point, at *spot) float3.Vector {
	switch {
	case s.Facing != nil:
		return s.side(p.back)
	case s.Field != nil && s.Field.has(f.number):
		return s.Field.color(f.number, at.weights.Array())
	}
	return f.painted(at)
}

// spot returns where the line through a point of the picture meets a triangle, as far as its colour depends on that. The point
// stands for a square of a side.
func (s *Scene) spot(f *facet, x, y, side float32) (at spot) {
	if !f.coat.colored && !f.coat.hasTextures && s.Field == nil {
		return at
	}
	w := float3.Of(f.weights(s.Lens.line(x, y)))
	if !f.coat.hasTextures {
		return spot{weights: w}
	}
	return f.coat.spot(w, f.planeWeights(s.Lens.line(x+1, y)), f.planeWeights(s.Lens.line(x, y+1)), side)
}

// painted returns the colour that a triangle's coat has at a spot.
func (f *facet) painted(at *spot) float3.Vector {
	c := f.colored(at.weights)
	if f.coat.texture != nil {
		c = c.Times(f.coat.texture.texel(at))
	}
	return c
}

// side returns the colour of a front, or of a back.
func (s *Scene) side(back bool) float3.Vector {
	if back {
		return float3.Of(s.Facing[1])
	}
	return float3.Of(s.Facing[0])
}

// colored returns the colour of a triangle, apart from its texture, at weights of its corners.
func (f *facet) colored(w float3.Vector) float3.Vector {
	if !f.coat.colored {
		return f.base
	}
	return f.base.Times(blend(&f.coat.colors, w))
}

// hasSpecial reports whether some of the surfaces give light or have a finish: their points are lit one by one.
func (s *Scene) hasSpecial() bool {
	return s.Facing == nil && (s.Finish != nil || s.Paint != nil && s.Paint.litSingly)
}

// isSpecial reports whether a triangle gives light or has a finish where it is drawn by its colours.
func (s *Scene) isSpecial(f *facet) bool {
	return (f.coat.glows || f.coat.finish != nil) && s.hasSpecial() && (s.Field == nil || !s.Field.has(f.number))
}

// emitted returns the light that a triangle gives at a spot.
func (f *facet) emitted(at *spot) float3.Vector {
	if f.coat.glow == nil {
		return f.coat.emitted
	}
	return f.coat.emitted.Times(f.coat.glow.texel(at))
}

// unlit reports whether the colour of a triangle is what is seen, whatever the light.
func (s *Scene) unlit(f *facet) bool {
	return f.coat.unlit && s.Paint != nil && (s.Field == nil || !s.Field.has(f.number)) && s.Facing == nil
}

// shares returns where a line meets the plane of a triangle, as weights of its corners that add
// up to a number from 1 to 2: a normal needs no division to make it 1. Beside the triangle, where
// snapping has moved it, they are those of a point on its rim. Source: Moeller and Trumbore, Fast,
// Minimum Storage Ray-Triangle Intersection, 1997.
func (f *shell) shares(origin, forward float3.Vector) [3]float32 {
	from := origin.Sub(f.corner)
	u, v := from.Dot(forward.Cross(f.e2)), forward.Dot(from.Cross(f.e1))
	side := forward.Dot(f.normal)
	if side > 0 {
		u, v = -u, -v // the back
	}
	u, v = float3.NonNegative(u), float3.NonNegative(v)
	all := float3.Abs(side)
	w := float3.NonNegative(all - u - v)
	sum := float32(float32(u+v) + w)
	if !(sum < float32(all*maxBeside)) { // all may be 0
		return [3]float32{1. / 3, 1. / 3, 1. / 3}
	}
	per := inversePower(sum)
	return [3]float32{float32(w * per), float32(u * per), float32(v * per)}
}

// maxBeside bounds how far beside a triangle a line may meet its plane, in parts of its area: beyond
// that it is seen edge-on.
const maxBeside = 1e6

// inversePower returns 1 over the largest power of two up to x, which is not below 0.
func inversePower(x float32) float32 {
	const exponents, twice127 = 255 << 23, 254 << 23
	return math.Float32frombits(twice127 - math.Float32bits(x)&exponents)
}

// weights returns shares that add up to 1.
func (f *shell) weights(origin, forward float3.Vector) [3]float32 {
	w := f.shares(origin, forward)
	per := 1 / (float32(w[0]+w[1]) + w[2])
	return [3]float32{float32(w[0] * per), float32(w[1] * per), float32(w[2] * per)}
}

// planeWeights returns where a line meets the plane of a triangle, however far from it, as weights of its corners that add up to 1:
// infinite, or no numbers, where the plane is seen edge-on. How they change from pixel to pixel says how fine textures are.
func (f *shell) planeWeights(origin, forward float3.Vector) float3.Vector {
	from := origin.Sub(f.corner)
	per := -1 / forward.Dot(f.normal)
	u := float32(from.Dot(forward.Cross(f.e2)) * per)
	v := float32(forward.Dot(from.Cross(f.e1)) * per)
	return float3.New(1-u-v, u, v)
}

// Normal returns the unit normal, turned towards the eye, by which a triangle is lit at a
// point of the picture.
func (s *Shader) Normal(t uint32, x, y float32) [3]float32 {
	p := s.scene.at(s.facet(t), x, y)
	return p.normal.Array()
}
