package rim

import (
	"context"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render/internal/edges"
	"lockstep/scenes"
)

// A Circle is the circle of a rim. Lengths are in the units of the mesh.
type Circle struct {
	Center   [3]float64
	Axis     [3]float64 // of length 1; its sign has no meaning
	Diameter float64
	// Arc is how much of the circle the rim covers, in radians, and Corners how many corners it has there. All lie within
	// mostDeviation radii of the circle.
	Arc     float64
	Corners int
}

// A Finder finds the rims of a mesh. Its methods may be called concurrently.
type Finder struct {
	corners []mgl64.Vec3
	sides   [][2]int32 // pairs of corners: the edges along which the surface bends or ends
	sidesAt [][]int32  // the sides at each corner
}

// bend is the angle in degrees from which on the surface counts as bent at an edge. Chamfers bend by 45 degrees, facets of a
// cylinder of 24 by 15.
const bend = 25

// mostSides bounds the memory of a Finder to some 200 MB. Meshes with more such edges are rough all over, or triangles that
// share no corners.
const mostSides = 1 << 20

// New finds the edges along which a mesh bends or ends. If there are more than a million, it finds none. It takes about 0.5 microseconds a triangle, and while it runs 60
// bytes a triangle. It ends with the error of ctx when ctx does.
func New(ctx context.Context, mesh *scenes.Mesh) (*Finder, error) {
	set, err := edges.Find(ctx, mesh, math.Cos(bend*math.Pi/180))
	if err != nil {
		return nil, err
	}
	f := &Finder{}
	numbers := map[mgl64.Vec3]int32{}
	number := func(corner uint32) int32 {
		at := set.Corner(corner)
		n, ok := numbers[at]
		if !ok {
			n = int32(len(f.corners))
			numbers[at] = n
			f.corners, f.sidesAt = append(f.corners, at), append(f.sidesAt, nil)
		}
		return n
	}
	for i := range set.Edges {
		if e := &set.Edges[i]; e.Feature {
			a, b := number(e.A), number(e.B)
			side := int32(len(f.sides))
			if side == mostSides {
				return &Finder{}, nil
			}
			f.sides = append(f.sides, [2]int32{a, b})
			f.sidesAt[a], f.sidesAt[b] = append(f.sidesAt[a], side), append(f.sidesAt[b], side)
		}
	}
	return f, nil
}

// Near returns the circle of the rim that passes a point, at a distance of at most within. It returns false if the nearest
// edge is farther away or is no part of a circle: a rim has at least leastCorners corners on leastArc radians.
func (f *Finder) Near(point [3]float64, within float64) (Circle, bool) {
	nearest, best := -1, within
	for i, side := range f.sides {
		if d := distance(point, f.corners[side[0]], f.corners[side[1]]); d <= best {
			nearest, best = i, d
		}
	}
	if nearest < 0 {
		return Circle{}, false
	}
	c := f.chain(int32(nearest))
	return c.circle()
}

// distance returns the distance of a point from the straight line between two others.
func distance(p, a, b mgl64.Vec3) float64 {
	along := b.Sub(a)
	t := 0.0
	if square := along.Dot(along); square > 0 {
		t = min(1, max(0, p.Sub(a).Dot(along)/square))
	}
	return p.Sub(a.Add(along.Mul(t))).Len()
}
