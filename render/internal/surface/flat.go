package surface

import (
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/scenes"
)

// Flat gives polygons of a block the payload of the studio lights: one colour a
// triangle, lit at its centroid. colors holds the sRGB colour of every triangle of
// the block, or is nil where all have the base colour.
func Flat(l *Lights, c *Colors, v *geometry.View, b *scenes.Block, base uint32, colors []uint32, p *array.Polygons) {
	uniform := c.Linear(base)
	for n, t := range p.Source[:p.N] {
		normal, toEye := facing(v, b, int(t))
		color := uniform
		if colors != nil {
			color = c.Linear(colors[t])
		}
		p.Payload[n] = c.Pixel(color, l.at(normal, toEye, 1))
	}
}

// facing returns the unit normal of triangle t, turned towards the eye, and the unit
// direction from its centroid to the eye. Both are zero vectors where rounding leaves
// none.
func facing(v *geometry.View, b *scenes.Block, t int) (normal, toEye vec) {
	var q [3]vec
	for k := range q {
		q[k] = local(v, b.X[k][t], b.Y[k][t], b.Z[k][t])
	}
	toEye = v.Eye
	if !v.Orthographic {
		// Three times the way from the centroid: only its direction counts.
		toEye = toEye.sub(q[0].add(q[1]).add(q[2])).unit()
	}
	normal = q[1].sub(q[0]).cross(q[2].sub(q[0])).unit()
	if normal.dot(toEye) < 0 {
		normal = normal.scale(-1)
	}
	return normal, toEye
}

// local brings a corner of the mesh to the space of a view.
func local(v *geometry.View, x, y, z float32) vec {
	return vec{float32(float32(x-v.Pivot[0]) * v.Scale), float32(float32(y-v.Pivot[1]) * v.Scale), float32(float32(z-v.Pivot[2]) * v.Scale)}
}
