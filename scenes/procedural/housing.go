package procedural

import (
	"math"
	"slices"

	"lockstep/scenes"
	"lockstep/scenes/internal/vector"
)

// A joined is a sequence of shapes. Each shape has an even number of triangles and no colours.
type joined struct {
	shapes []shape
	starts []int // index of the first triangle of each shape; then the number of all triangles
}

func join(shapes []shape) *joined {
	j := &joined{shapes: shapes, starts: []int{0}}
	for _, s := range shapes {
		j.starts = append(j.starts, j.starts[len(j.starts)-1]+s.Len())
	}
	return j
}

func (j *joined) Len() int { return j.starts[len(j.shapes)] }

func (j *joined) Colored() bool { return false }

func (j *joined) Fill(first int, b *scenes.Block) {
	i, found := slices.BinarySearch(j.starts, first)
	if !found {
		i--
	}
	for at := 0; at < b.Len(); i++ {
		n := min(j.starts[i+1]-first-at, b.Len()-at)
		part := b.Slice(at, at+n)
		j.shapes[i].Fill(first+at-j.starts[i], &part)
		at += n
	}
}

// buildHousing puts gears into a box. The box has five walls and is open at the front, or has six walls if the
// parameter closed is 1. Each gear is in a cell of a cubic lattice. The axes of the gears point along x, y and z in
// turn.
func buildHousing(p *params) shape {
	n := p.triangles(200_000, 12)
	gears := p.count("gears", 64, 1, 4096)
	walls := 5 + p.count("closed", 0, 0, 1)
	side := int(math.Ceil(math.Cbrt(float64(gears)) - 1e-9))
	shapes := []shape{housingWalls(walls)}
	size := 2 / float64(side) // width of a cell of the lattice
	for i := range gears {
		cell := [3]int{i % side, i / side % side, i / (side * side)}
		axis := i % 3
		shapes = append(shapes, gearGrid(n/gears, 12, func(q [3]float64) (to [3]float64) {
			for c := range 3 {
				d := (c + axis) % 3
				middle := float64(size*(float64(cell[d])+0.5)) - 1
				to[d] = middle + float64(0.45*size*q[c])
			}
			return to
		}))
	}
	return join(shapes)
}

// housingWalls returns n walls of the box. The front wall is included only if n is 6.
func housingWalls(n int) shape {
	box := cubeGrid(1, func(a [3]int) [3]float64 { return [3]float64{float64(a[0]), float64(a[1]), float64(a[2])} })
	const front = 3 // index of the front face in cubeGrid
	faces := []int{0, 1, 2, 4, 5, front}[:n]
	point := box.point
	box.faces, box.point = n, func(face, i, j int) [3]float64 { return vector.Scale(1.01, point(faces[face], i, j)) }
	return box
}

// buildNested returns n concentric spheres, whose radii are 1/n, 2/n and so on up to 1.
func buildNested(p *params) shape {
	n := p.triangles(48_000, 12)
	spheres := p.count("spheres", 40, 1, 10_000)
	order, given := p.get("order")
	if given && order != "in" && order != "out" {
		p.fail("order", order, "in or out")
	}
	shapes := make([]shape, spheres)
	for i := range shapes {
		k := i
		if order == "in" {
			k = spheres - 1 - i
		}
		radius := float64(k+1) / float64(spheres)
		shapes[i] = sphereGrid(cubeSize(n/spheres), func(dir [3]float64) [3]float64 { return vector.Scale(radius, dir) })
	}
	return join(shapes)
}
