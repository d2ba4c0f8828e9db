package annotate

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"pgregory.net/rapid"

	"lockstep/scenes"
)

// triangleWith returns the levels of a triangle whose corners have the given values.
func triangleWith(points [3][3]float32, values ...float32) *Levels {
	mesh := &scenes.Mesh{Attributes: &scenes.Attributes{Vertices: 3, Fields: []scenes.Field{{Name: "f", Values: values}}}}
	mesh.Resize(1, false)
	mesh.Set(0, points)
	for k := range 3 {
		mesh.Attributes.Index[k] = []uint32{uint32(k)}
	}
	return &Levels{Lines: 5, Mesh: mesh, Field: &mesh.Attributes.Fields[0]}
}

var unit = [3][3]float32{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}

// TestCross checks the lines across a triangle whose field is x.
func TestCross(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		values  []float32
		heights []float64
		want    [][2]mgl64.Vec3
	}{
		{[]float32{0, 4, 0}, []float64{-1, 1, 2, 5}, [][2]mgl64.Vec3{{{1, 0, 0}, {1, 3, 0}}, {{2, 0, 0}, {2, 2, 0}}}},
		{[]float32{0, 4, 0}, []float64{0}, nil}, // a value equal to a height counts as above it
		{[]float32{0, 4, 0}, []float64{4}, [][2]mgl64.Vec3{{{4, 0, 0}, {4, 0, 0}}}},
		{[]float32{3, 3, 3}, []float64{3}, nil},
		{[]float32{0, 4, nan}, []float64{1}, nil},
		{[]float32{0, float32(math.Inf(1)), 1}, []float64{1}, nil},
	} {
		var got [][2]mgl64.Vec3
		triangleWith(unit, c.values...).eachCrossing(0, c.heights, func(a, b mgl64.Vec3) { got = append(got, [2]mgl64.Vec3{a, b}) })
		if len(got) != len(c.want) {
			t.Errorf("%v at %v: %v, want %v", c.values, c.heights, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%v at %v: %v, want %v", c.values, c.heights, got[i], c.want[i])
			}
		}
	}
}

// TestNeighbours checks that the lines of two triangles meet in one point of their common edge, whatever the order of
// the edge's ends.
func TestNeighbours(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SliceOfN(rapid.Float32Range(-1, 1), 4, 4).Draw(t, "values")
		p := make([][3]float32, 4)
		for i := range p {
			for axis := range p[i] {
				p[i][axis] = rapid.Float32Range(-9, 9).Draw(t, "coordinate")
			}
		}
		h := rapid.Float64Range(-1, 1).Draw(t, "height")
		ends := func(i, j, k int) map[mgl64.Vec3]int {
			all := map[mgl64.Vec3]int{}
			triangleWith([3][3]float32{p[i], p[j], p[k]}, v[i], v[j], v[k]).eachCrossing(0, []float64{h}, func(a, b mgl64.Vec3) {
				all[a]++
				all[b]++
			})
			return all
		}
		if (float64(v[0]) < h) == (float64(v[1]) < h) {
			return // the edge does not cross the height
		}
		shared := 0
		other := ends(1, 0, 3)
		for end := range ends(0, 1, 2) {
			if other[end] > 0 {
				shared++
			}
		}
		if shared == 0 {
			t.Fatal("the lines do not meet")
		}
	})
}
