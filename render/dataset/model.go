package dataset

import (
	"fmt"
	"math"
)

// A Model holds the extents of an object, in coordinates of the mesh's file.
type Model struct {
	Min, Size [3]float64
	Diameter  float64 // greatest distance between two corners
}

// ModelFile returns the name of an object's file. The parameter object counts from 0.
func ModelFile(object int) string { return fmt.Sprintf("obj_%06d.ply", object+1) }

// Models returns BOP's models_info.json.
func Models(models []Model) string {
	text := "{"
	for i, m := range models {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprintf("\n  \"%d\": %s", i+1, mustJSON(map[string]float64{
			"diameter": m.Diameter, "min_x": m.Min[0], "min_y": m.Min[1], "min_z": m.Min[2],
			"size_x": m.Size[0], "size_y": m.Size[1], "size_z": m.Size[2],
		}))
	}
	return text + "\n}\n"
}

// A point is a corner of a triangle.
type point [3]float64

func (p point) minus(q point) point { return point{p[0] - q[0], p[1] - q[1], p[2] - q[2]} }
func (p point) dot(q point) float64 {
	return float64(p[0]*q[0]) + float64(p[1]*q[1]) + float64(p[2]*q[2])
}

// corners holds the coordinates of corners in the layout of meshes. For example, x[k][t] is the coordinate x of corner
// k of triangle t.
type corners struct{ x, y, z [][]float32 }

// forEach calls f for every finite corner.
func (c corners) forEach(f func(p point)) {
	for k := range c.x {
		for i := range c.x[k] {
			p := point{float64(c.x[k][i]), float64(c.y[k][i]), float64(c.z[k][i])}
			if far := p.dot(p); !math.IsNaN(far) && !math.IsInf(far, 0) {
				f(p)
			}
		}
	}
}

// ModelOf returns the model of the corners with coordinates x, y and z. It adds origin to the coordinates.
func ModelOf(x, y, z [][]float32, origin [3]float64) (m Model) {
	all := corners{x, y, z}
	low, high, n := point{}, point{}, 0
	all.forEach(func(p point) {
		if n++; n == 1 {
			low, high = p, p
		}
		for axis := range p {
			low[axis], high[axis] = min(low[axis], p[axis]), max(high[axis], p[axis])
		}
	})
	for axis := range low {
		m.Min[axis], m.Size[axis] = low[axis]+origin[axis], high[axis]-low[axis]
	}
	m.Diameter = math.Sqrt(all.squaredDiameter())
	return m
}

// directionCount is the number of directions in which the search for the farthest corners starts.
const directionCount = 64

// squaredDiameter returns the square of the greatest distance between two corners. It starts with the two extreme
// corners that are farthest apart. Then it goes from one of them to the corner farthest from it, and so on while
// distances grow. For a mesh that is nearly a sphere, the result may be slightly too small.
func (c corners) squaredDiameter() (most float64) {
	ends := c.extremes()
	if len(ends) == 0 {
		return 0
	}
	end := ends[0]
	for i := range ends {
		for _, q := range ends[:i] {
			if d := ends[i].minus(q); d.dot(d) > most {
				most, end = d.dot(d), q
			}
		}
	}
	for {
		far, at := most, end
		c.forEach(func(p point) {
			if d := p.minus(end); d.dot(d) > far {
				far, at = d.dot(d), p
			}
		})
		if at == end {
			return most
		}
		most, end = far, at
	}
}

// extremes returns the corner that lies farthest in each of directionCount directions and in the opposite directions.
// It returns nil if there are no corners.
func (c corners) extremes() (extremes []point) {
	var along [directionCount]point
	for i := range along {
		z := 1 - (float64(i)+0.5)/directionCount                // upper half of the sphere
		sin, cos := math.Sincos(2.399963229728653 * float64(i)) // golden angle: the directions form a Fibonacci lattice
		r := math.Sqrt(1 - float64(z*z))
		along[i] = point{r * cos, r * sin, z}
	}
	var reach [2 * directionCount]float64
	c.forEach(func(p point) {
		if extremes == nil {
			extremes = make([]point, 2*directionCount)
			for i := range reach {
				reach[i] = math.Inf(-1)
			}
		}
		for i := range along {
			d := along[i].dot(p)
			if d > reach[2*i] {
				reach[2*i], extremes[2*i] = d, p
			}
			if -d > reach[2*i+1] {
				reach[2*i+1], extremes[2*i+1] = -d, p
			}
		}
	})
	return extremes
}
