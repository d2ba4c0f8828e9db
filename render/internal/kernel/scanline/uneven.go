package scanline

import (
	"math/rand/v2"

	"lockstep/render/internal/kernel/array"
)

// UnevenSize is the width and height, in pixels, of a picture that contains [UnevenPolygons] of up to 512 rows.
const UnevenSize = 512 + 64

// UnevenPolygons returns polygons for measurements, in the given number of groups. In each group, the number of tall
// lanes is `tall`. The polygon of a tall lane has `rows` rows, and that of another lane has one row. The tall lanes are
// spread evenly, as in most meshes. AVX2 works on halves of a group, so with all tall polygons in one half an iteration
// would take only half the time.
func UnevenPolygons(groups, tall int, rows int32) *array.Polygons {
	r := rand.New(rand.NewPCG(17, uint64(tall)))
	p := array.MakePolygons(groups * array.Lanes)
	for p.N < groups*array.Lanes {
		height := int32(1)
		if p.N%array.Lanes*tall%array.Lanes < tall {
			height = rows
		}
		x, y := r.Int32N(500*array.Sub), r.Int32N(50)
		a, b := array.Vertex{X: x, Y: y * array.Sub, E: r.Float32()}, array.Vertex{X: x + 3*array.Sub, Y: y * array.Sub, E: 0.5}
		c := array.Vertex{X: x + r.Int32N(3*array.Sub), Y: (y + height) * array.Sub, E: 0.3}
		p.Push(a, b, c, array.Box{X0: array.FirstCenter(x), X1: array.FirstCenter(b.X), Y0: y, Y1: y + height}, 1, p.N)
	}
	return p
}
