package kernel

import "math/rand/v2"

// UnevenSize is the width and height, in pixels, of the picture that
// [UnevenPolygons] lie in: they have up to 512 rows.
const UnevenSize = 512 + 64

// UnevenPolygons returns groups in which some lanes, evenly spread, have tall polygons
// and the others polygons of one row. AVX2 works on halves of a group: with all tall
// ones in one half an iteration takes half the time, which is rare in a mesh.
func UnevenPolygons(groups, tall int, rows int32) *Polygons {
	r := rand.New(rand.NewPCG(17, uint64(tall)))
	p := MakePolygons(groups * Lanes)
	v := View{Width: UnevenSize, Height: UnevenSize}
	for p.N < groups*Lanes {
		height := int32(Sub)
		if p.N%Lanes*tall%Lanes < tall {
			height = rows * Sub
		}
		x, y := r.Int32N(500*Sub), r.Int32N(50)*Sub
		a, b, c := Vertex{X: x, Y: y, E: r.Float32()}, Vertex{X: x + 3*Sub, Y: y, E: 0.5}, Vertex{X: x + r.Int32N(3*Sub), Y: y + height, E: 0.3}
		if box, ok := v.visible(a, b, c); ok && box.y1-box.y0 == height/Sub {
			p.push(a, b, c, box, Ambient, p.N)
		}
	}
	return p
}
