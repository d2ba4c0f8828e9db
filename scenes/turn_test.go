package scenes_test

import (
	"testing"

	"lockstep/scenes"
)

var axes = []scenes.Axis{scenes.PlusX, scenes.PlusY, scenes.PlusZ, scenes.MinusX, scenes.MinusY, scenes.MinusZ}

// TestStand turns a mesh from every axis to every other axis. The old up axis must become the new up axis, and nothing
// may be mirrored. Coordinates may only change signs and positions.
func TestStand(t *testing.T) {
	for _, from := range axes {
		for _, to := range axes {
			m := &scenes.Mesh{Block: scenes.MakeBlock(2), Up: from, Origin: [3]float64{100, 200, 300}, Parts: []scenes.Part{{Name: "a", Count: 2}}}
			f := from.Vector()
			m.Set(0, [3][3]float32{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}})
			m.Set(1, [3][3]float32{{float32(f[0]), float32(f[1]), float32(f[2])}, {5, 6, 7}, {0, 0, 0}})
			m.Attributes = &scenes.Attributes{Vertices: 1, Normals: scenes.Attribute[[3]float32]{Values: [][3]float32{{float32(f[0]), float32(f[1]), float32(f[2])}}}}
			m.Stand(from, to)
			v := to.Vector()
			up := [3]float32{float32(v[0]), float32(v[1]), float32(v[2])}
			if m.Up != to || m.Triangle(1)[0] != up || m.Attributes.Normals.Values[0] != up {
				t.Errorf("%v to %v: up %v, %v, normal %v", from, to, m.Up, m.Triangle(1)[0], m.Attributes.Normals.Values[0])
			}
			c := m.Triangle(0)
			if det := det(c); det != 1 {
				t.Errorf("%v to %v: determinant %v", from, to, det)
			}
			// The origin and the transform of a part must turn as points do.
			p := m.Parts[0].Transform
			for axis := range 3 {
				row := [3]float32{float32(p[axis][0]), float32(p[axis][1]), float32(p[axis][2])}
				if got := [3]float32{c[0][axis], c[1][axis], c[2][axis]}; got != row {
					t.Errorf("%v to %v: transform %v, points %v", from, to, *p, c)
				}
				if want := p[axis][0]*100 + p[axis][1]*200 + p[axis][2]*300; m.Origin[axis] != want {
					t.Errorf("%v to %v: origin %v, want %v along %d", from, to, m.Origin, want, axis)
				}
			}
			if from == to && m.Triangle(1)[1] != [3]float32{5, 6, 7} {
				t.Errorf("%v to itself turns %v", from, m.Triangle(1))
			}
		}
	}
	m := &scenes.Mesh{Block: scenes.MakeBlock(1)}
	m.Set(0, [3][3]float32{{1, 2, 3}})
	if m.Stand(scenes.PlusY, scenes.PlusZ); m.Triangle(0)[0] != [3]float32{1, -3, 2} {
		t.Errorf("y up to z up: %v, want 1 -3 2", m.Triangle(0)[0])
	}
}

func det(c [3][3]float32) float32 {
	return c[0][0]*(c[1][1]*c[2][2]-c[1][2]*c[2][1]) - c[0][1]*(c[1][0]*c[2][2]-c[1][2]*c[2][0]) + c[0][2]*(c[1][0]*c[2][1]-c[1][1]*c[2][0])
}
