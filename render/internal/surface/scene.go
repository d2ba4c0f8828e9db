package surface

import (
	"math"

	"lockstep/render/internal/behind"
	"lockstep/render/internal/float3"
	"lockstep/render/internal/kernel/light"
	"lockstep/render/internal/normals"
	"lockstep/scenes"
)

// A Scene is a mesh and a view of it. It holds all data for lighting pixels after the z-buffer has found their
// triangles. Positions in the picture are given in pixels from its centre, x to the right and y up.
type Scene struct {
	Block   scenes.Block
	Records []light.Record // records of the triangles, see normals.Records; nil for flat shading
	Stored  *Stored        // corners and normals of a mesh that stays in a file (Block has none); nil if the mesh is in memory
	Cloud   *Cloud         // points of a cloud, in place of a mesh; nil if there is no cloud
	Lens    Lens
	Lights  Lights
	Base    [3]float32 // linear colour of triangles without a colour of their own
	Colors  []uint32   // sRGB colour of each triangle; nil if all triangles have Base
	Tables  *Colors
	Paint   *Paint  // nil if each triangle has one colour
	Finish  *Finish // finish of surfaces without a finish of their own; nil if they are like plaster
	Field   *Field  // replaces all other colours of surfaces that have the field; may be nil
	// Facing holds the linear colours of front and back faces. They replace all other colours. Facing is nil if other
	// colours are used.
	Facing *[2][3]float32
	// WithoutBodies leaves out all bodies, see finish.body. Behind is the picture of the scene without bodies; it is
	// visible through the bodies.
	WithoutBodies bool
	Behind        *behind.Picture
}

// A Lens gives the line of sight of a point (x, y) of the picture. The line passes through Origin + x*OriginX +
// y*OriginY in the direction Forward + x*ForwardX + y*ForwardY. Coordinates are those of q = (p - Pivot) * Scale for
// a point p of the mesh. In these coordinates the mesh has a radius of at most 1. Origins lie near the mesh's middle,
// so that float32 loses little precision even if the eye is far away.
type Lens struct {
	Pivot                       [3]float32
	Scale                       float32
	Origin, OriginX, OriginY    [3]float32
	Forward, ForwardX, ForwardY [3]float32
}

// A facet is a triangle that is prepared for lighting at several points.
type facet struct {
	number uint32
	loaded bool
	triangleShape
	base  float3.Vector // linear colour, without the colours of paint
	paint trianglePaint
}

// A triangleShape is the shape of a triangle: its corners and normals, in the coordinates of the Lens.
type triangleShape struct {
	corner  float3.Vector // first corner
	e1, e2  float3.Vector // edges from the first corner to the second and third
	normal  float3.Vector // normal of the plane, not of length 1
	smooth  bool
	normals [3]float3.Vector
}

// load prepares triangle t. stored is the record of the triangle if records stay in a file, otherwise nil.
func (s *Scene) load(f *facet, t uint32, stored *light.Record) {
	f.loaded, f.number = true, t
	s.loadShape(&f.triangleShape, t, stored)
	f.base = s.base(t)
	if s.Paint != nil {
		f.base = s.Paint.load(&f.paint, t, f.base)
	} else if f.paint != (trianglePaint{}) {
		f.paint = trianglePaint{} // removes the paint of another scene
	}
	if s.Finish != nil && f.paint.finish == nil && !f.paint.unlit {
		s.addFinish(f)
	}
}

// base returns the linear colour of triangle t, without the colours of Paint.
func (s *Scene) base(t uint32) float3.Vector {
	if s.Colors != nil {
		if s.Cloud != nil {
			t /= uint32(scenes.PointTriangles)
		}
		return float3.Of(s.Tables.Linear(s.Colors[t]))
	}
	return float3.Of(s.Base)
}

// hasNormals reports whether the corners of triangles have normals.
func (s *Scene) hasNormals() bool { return s.Records != nil || s.Stored != nil && s.Stored.Smooth }

// loadShape prepares the shape of triangle t. r is the record of the triangle if records stay in a file, otherwise
// nil.
func (s *Scene) loadShape(f *triangleShape, t uint32, r *light.Record) {
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
	f.smooth = s.hasNormals()
	if f.smooth {
		p := r[9:]
		// If all three normals are equal, every interpolated normal equals them.
		f.smooth = p[0] != p[1] || p[0] != p[2]
		f.normals[0] = normals.Unpack(p[0])
		if f.smooth {
			f.normals[1], f.normals[2] = normals.Unpack(p[1]), normals.Unpack(p[2])
		} else if p[0] != 0 {
			// The packed normal of a plane may be slightly inaccurate. But it is the same for all triangles of the
			// plane.
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

// A point is a point of a triangle that a pixel shows.
type point struct {
	normal float3.Vector // normal of length 1, turned towards the eye
	toEye  float3.Vector // direction to the eye, of any length; few points need it with length 1, for a highlight
	back   bool
	x, y   float32 // position in the picture, for bodies
}

// lineOfSight returns a point on the line of sight of (x, y), and the direction of the line.
func (l *Lens) lineOfSight(x, y float32) (origin, forward float3.Vector) {
	origin = float3.Of(l.Origin).Add(float3.Of(l.OriginX).Scale(x)).Add(float3.Of(l.OriginY).Scale(y))
	forward = float3.Of(l.Forward).Add(float3.Of(l.ForwardX).Scale(x)).Add(float3.Of(l.ForwardY).Scale(y))
	return origin, forward
}

// project returns the position in the picture at which a point is visible. The result is not finite if the point lies
// beside the eye.
func (l *Lens) project(at float3.Vector) (x, y float32) {
	right, above := float3.Of(l.OriginX), float3.Of(l.OriginY)
	away, forward := right.Cross(above), float3.Of(l.Forward)
	from := at.Sub(float3.Of(l.Origin))
	along := from.Dot(away) / forward.Dot(away)
	from = from.Sub(forward.Scale(along))
	x = from.Dot(right) / (right.Dot(right) + float32(along*right.Dot(float3.Of(l.ForwardX))))
	y = from.Dot(above) / (above.Dot(above) + float32(along*above.Dot(float3.Of(l.ForwardY))))
	return x, y
}

// pointAt returns the point of a triangle that (x, y) of the picture shows.
func (s *Scene) pointAt(f *facet, x, y float32) point {
	origin, forward := s.Lens.lineOfSight(x, y)
	toEye := forward.Scale(-1)
	var n float3.Vector
	switch {
	case f.smooth:
		w := f.unnormalizedWeights(origin, forward)
		n = f.normals[0].Scale(w[0]).Add(f.normals[1].Scale(w[1])).Add(f.normals[2].Scale(w[2])).Unit()
	case s.hasNormals() && f.normals[0] != (float3.Vector{}):
		n = f.normals[0]
	default:
		n = f.normal.Unit()
	}
	back := f.normal.Dot(toEye) < 0
	if back {
		n = n.Scale(-1)
	}
	// An interpolated normal may point away from the eye even if the triangle faces it.
	return point{facingEye(n, toEye), toEye, back, x, y}
}

// color returns the linear base colour of a triangle at point p. at is the spot of p.
func (s *Scene) color(f *facet, p *point, at *spot) float3.Vector {
	switch {
	case s.Facing != nil:
		return s.facingColor(p.back)
	case s.Field != nil && s.Field.has(f.number):
		return s.Field.color(f.number, at.weights.Array())
	}
	return f.baseColor(at)
}

// spot returns the position of (x, y) of the picture in a triangle and its textures. It returns the zero spot if the
// colour does not depend on the position. (x, y) stands for a square with the given side, in pixels.
func (s *Scene) spot(f *facet, x, y, side float32) (at spot) {
	if !f.paint.colored && !f.paint.hasTextures && s.Field == nil {
		return at
	}
	w := float3.Of(f.weights(s.Lens.lineOfSight(x, y)))
	if !f.paint.hasTextures {
		return spot{weights: w}
	}
	return f.paint.spot(w, f.planeWeights(s.Lens.lineOfSight(x+1, y)), f.planeWeights(s.Lens.lineOfSight(x, y+1)), side)
}

// baseColor returns the base colour of a triangle at a spot.
func (f *facet) baseColor(at *spot) float3.Vector {
	c := f.cornerColor(at.weights)
	if f.paint.texture != nil {
		c = c.Times(f.paint.texture.texel(at))
	}
	return c
}

// facingColor returns the colour in Facing for a front face, or for a back face if back is set.
func (s *Scene) facingColor(back bool) float3.Vector {
	if back {
		return float3.Of(s.Facing[1])
	}
	return float3.Of(s.Facing[0])
}

// cornerColor returns the base colour of a triangle without its texture, at a point. w holds the weights of the corners
// at the point.
func (f *facet) cornerColor(w float3.Vector) float3.Vector {
	if !f.paint.colored {
		return f.base
	}
	return f.base.Times(blend(&f.paint.colors, w))
}

// hasSpecial reports whether some surfaces are special: they emit light or have a finish, and their points are lit one
// by one.
func (s *Scene) hasSpecial() bool {
	return s.Facing == nil && (s.Finish != nil || s.Paint != nil && s.Paint.litSingly)
}

// isSpecial reports whether a triangle emits light or has a finish, and is drawn in its own colours.
func (s *Scene) isSpecial(f *facet) bool {
	return (f.paint.glows || f.paint.finish != nil) && s.hasSpecial() && (s.Field == nil || !s.Field.has(f.number))
}

// emitted returns the light that a triangle emits at a spot.
func (f *facet) emitted(at *spot) float3.Vector {
	if f.paint.glow == nil {
		return f.paint.emitted
	}
	return f.paint.emitted.Times(f.paint.glow.texel(at))
}

// isUnlit reports whether a triangle shows its colour independently of the light.
func (s *Scene) isUnlit(f *facet) bool {
	return f.paint.unlit && s.Paint != nil && (s.Field == nil || !s.Field.has(f.number)) && s.Facing == nil
}

// unnormalizedWeights returns the point where a line meets a triangle, as weights of the corners. The sum of the
// weights is from 1 to 2. That is enough for interpolated normals, and saves a division. Snapping moves triangles a
// little, so a line may miss the triangle; the weights are then those of a point on its rim. Source: Moeller and
// Trumbore, Fast, Minimum Storage Ray-Triangle Intersection, 1997.
func (f *triangleShape) unnormalizedWeights(origin, forward float3.Vector) [3]float32 {
	from := origin.Sub(f.corner)
	u, v := from.Dot(forward.Cross(f.e2)), forward.Dot(from.Cross(f.e1))
	side := forward.Dot(f.normal)
	if side > 0 {
		u, v = -u, -v // the line meets the back
	}
	u, v = float3.NonNegative(u), float3.NonNegative(v)
	all := float3.Abs(side)
	w := float3.NonNegative(all - u - v)
	sum := float32(float32(u+v) + w)
	if !(sum < float32(all*maxWeightRatio)) { // all may be 0
		return [3]float32{1. / 3, 1. / 3, 1. / 3}
	}
	per := inversePower(sum)
	return [3]float32{float32(w * per), float32(u * per), float32(v * per)}
}

// maxWeightRatio limits the distance from a triangle at which a line may meet the triangle's plane. The sum of the
// weights before scaling must be less than maxWeightRatio times the sum inside the triangle. Otherwise the triangle
// counts as seen edge-on.
const maxWeightRatio = 1e6

// inversePower returns 1 divided by the largest power of two that is not above x. x must not be negative.
func inversePower(x float32) float32 {
	const exponents, twice127 = 255 << 23, 254 << 23
	return math.Float32frombits(twice127 - math.Float32bits(x)&exponents)
}

// weights returns the weights of unnormalizedWeights, scaled so that their sum is 1.
func (f *triangleShape) weights(origin, forward float3.Vector) [3]float32 {
	w := f.unnormalizedWeights(origin, forward)
	per := 1 / (float32(w[0]+w[1]) + w[2])
	return [3]float32{float32(w[0] * per), float32(w[1] * per), float32(w[2] * per)}
}

// planeWeights returns the point where a line meets the plane of a triangle, inside the triangle or outside. The
// point is given as weights of the corners whose sum is 1. The weights are infinite or NaN if the plane is seen
// edge-on. Their change from pixel to pixel determines the footprint of a pixel in a texture.
func (f *triangleShape) planeWeights(origin, forward float3.Vector) float3.Vector {
	from := origin.Sub(f.corner)
	per := -1 / forward.Dot(f.normal)
	u := float32(from.Dot(forward.Cross(f.e2)) * per)
	v := float32(forward.Dot(from.Cross(f.e1)) * per)
	return float3.New(1-u-v, u, v)
}

// Normal returns the unit normal with which triangle t is lit at (x, y) of the picture, turned towards the eye.
func (s *Shader) Normal(t uint32, x, y float32) [3]float32 {
	p := s.scene.pointAt(s.facet(t), x, y)
	return p.normal.Array()
}
