package surface

import (
	"math"

	"lockstep/render/internal/float3"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/scenes"
)

// Flat sets the payloads of polygons to the colours of their triangles under the studio's lights. Each triangle is
// lit as if it were seen along the middle of the view. As a result, all triangles of a plane have the same colour.
type Flat struct {
	Lights   *Lights
	Tables   *Colors
	View     *geometry.View
	Base     uint32 // sRGB colour of triangles without a colour of their own
	OneColor bool   // the colours of blocks are ignored
}

// SetPayloads implements frame.Payloads.
func (f *Flat) SetPayloads(p *array.Polygons, b *scenes.Block, _ int) {
	uniform, own := f.Tables.Linear(f.Base), b.Colors != nil && !f.OneColor
	for n, t := range p.Source[:p.N] {
		normal := facingNormal(f.View, b, int(t))
		color := uniform
		if own {
			color = f.Tables.Linear(b.Colors[t])
		}
		p.Payload[n] = f.Tables.Pixel(color, f.Lights.at(normal, f.Lights.axis, 1))
	}
}

// facingNormal returns the unit normal of triangle t, turned towards the eye. It returns the zero vector if rounding
// leaves no normal.
func facingNormal(v *geometry.View, b *scenes.Block, t int) (normal float3.Vector) {
	normal, toEye := planeOf(v, b, t)
	normal = normal.Unit()
	if normal.Dot(toEye) < 0 {
		normal = normal.Scale(-1)
	}
	return normal
}

// planeOf returns the normal of triangle t's plane and the direction from the triangle to the eye. The two vectors
// have any length.
func planeOf(v *geometry.View, b *scenes.Block, t int) (normal, toEye float3.Vector) {
	q0 := toViewSpace(v, b.X[0][t], b.Y[0][t], b.Z[0][t])
	q1 := toViewSpace(v, b.X[1][t], b.Y[1][t], b.Z[1][t])
	q2 := toViewSpace(v, b.X[2][t], b.Y[2][t], b.Z[2][t])
	toEye = float3.Of(v.Eye)
	if !v.Orthographic {
		// This is three times the vector from the centroid to the eye; only its direction matters.
		toEye = toEye.Sub(q0.Add(q1).Add(q2))
	}
	return q1.Sub(q0).Cross(q2.Sub(q0)), toEye
}

// IsBack reports whether triangle t of the mesh shows its back to the eye.
func (s *Scene) IsBack(v *geometry.View, t uint32) bool {
	normal, toEye := planeOf(v, &s.Block, int(t))
	return normal.Dot(toEye) < 0
}

// toViewSpace transforms a corner of the mesh into the space of view v.
func toViewSpace(v *geometry.View, x, y, z float32) float3.Vector {
	return float3.New(float32(float32(x-v.Pivot[0])*v.Scale), float32(float32(y-v.Pivot[1])*v.Scale), float32(float32(z-v.Pivot[2])*v.Scale))
}

// eachOctahedronFace calls `add` for each face of an octahedron that is visible from the direction toEye. The arguments
// of `add` are the normal of the face, and the face's share of the octahedron's visible area. In flat pictures, a point
// has the mean light of these faces. A cloud therefore has the same brightness whether it is drawn as discs or as
// octahedra.
func eachOctahedronFace(toEye float3.Vector, add func(normal float3.Vector, share float32)) {
	sum := float32(0)
	each := func(do func(normal float3.Vector, seen float32)) {
		side := float32(1 / math.Sqrt(3))
		for i := range scenes.PointTriangles {
			n := float3.New(side, side, side)
			if i&1 != 0 {
				n.X = -side
			}
			if i&2 != 0 {
				n.Y = -side
			}
			if i&4 != 0 {
				n.Z = -side
			}
			if seen := n.Dot(toEye); seen > 0 {
				do(n, seen)
			}
		}
	}
	each(func(_ float3.Vector, seen float32) { sum += seen })
	each(func(n float3.Vector, seen float32) { add(n, seen/sum) })
}

// PointLight returns the light that the points of a cloud reflect if pixels are not lit one by one. Points have no
// normals. All points reflect the mean light of the visible faces of an octahedron, see eachOctahedronFace.
func (l *Lights) PointLight() (mean Light) {
	eachOctahedronFace(l.axis, func(n float3.Vector, share float32) {
		light := l.at(n, l.axis, 1)
		mean.Diffuse += float32(light.Diffuse * share)
		mean.Specular += float32(light.Specular * share)
	})
	return mean
}

// HeadlightIntensity returns the intensity of points that are lit by a headlight. forward is the viewing direction.
func HeadlightIntensity(forward [3]float64) (mean float32) {
	toEye := float3.New(float32(-forward[0]), float32(-forward[1]), float32(-forward[2]))
	eachOctahedronFace(toEye, func(n float3.Vector, share float32) {
		mean += float32(share * (geometry.Ambient + float32(geometry.Diffuse*n.Dot(toEye))))
	})
	return min(mean, 1)
}
