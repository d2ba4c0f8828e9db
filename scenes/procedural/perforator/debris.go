package perforator

import (
	"math"

	"lockstep/scenes/internal/vector"
	"lockstep/scenes/procedural/internal/numeric"
)

// A fragment is a piece of debris: a ball cut by planes.
type fragment struct {
	part   component
	center [3]float64
	radius float64
	planes [fragmentPlanes][4]float64 // unit normal of each plane, and its distance from the centre
}

const (
	fragmentPlanes = 8
	splinterCount  = 8
	chunkCount     = 21
	heapCount      = 6
)

// goldenTurn and goldenPart are fractions whose multiples, modulo 1, are spread evenly, however many there are. They
// give angles and positions of the debris.
const (
	goldenTurn = 0.381966
	goldenPart = 0.618034
)

func (f *field) makeFragments(r *numeric.Rand) []fragment {
	all := f.makeSplinters(r)
	return append(all, makeChunks(r)...)
}

// makeSplinters returns pieces of the casing that fly out of the hole. A splinter that has flown farther is farther
// from the axis of the jet. No splinter touches the stem of the jet.
func (f *field) makeSplinters(r *numeric.Rand) (all []fragment) {
	for i := range splinterCount {
		along := numeric.Mix((float64(i)+r.Unit())/splinterCount, 0.20, 1.1)
		c, s := numeric.Circle(float64(float64(i)*goldenTurn) + r.Between(-0.05, 0.05))
		wide := 0.07 + float64((along+0.15)*r.Between(0.14, 0.27))
		center := vector.Add(holeCenter, vector.Scale(along, f.ahead))
		center = vector.Add(center, vector.Add(vector.Scale(float64(wide*c), f.side), vector.Scale(float64(wide*s), f.rise)))
		all = append(all, makeFragment(r, partSplinter, center, r.Between(0.025, 0.045)))
	}
	return all
}

// makeChunks returns pieces of rock that fly up from the block, and others at the foot of the casing.
func makeChunks(r *numeric.Rand) (all []fragment) {
	for i := range chunkCount {
		part := (float64(i) + r.Unit()) / chunkCount
		x := math.Mod(float64(float64(i)*goldenPart)+float64(0.1*r.Unit()), 1)
		center := [3]float64{numeric.Mix(x, -0.71, -0.34), numeric.Mix(part, -1.0, -0.55), r.Between(-0.12, 0.45)}
		all = append(all, makeFragment(r, partChunk, center, r.Between(0.045, 0.085)))
	}
	for i := range heapCount {
		center := [3]float64{numeric.Mix((float64(i)+r.Unit())/heapCount, 0.18, 0.74), r.Between(-1.0, -0.65), r.Between(-0.54, -0.44)}
		all = append(all, makeFragment(r, partChunk, center, r.Between(0.045, 0.085)))
	}
	return all
}

func makeFragment(r *numeric.Rand, part component, center [3]float64, radius float64) fragment {
	g := fragment{part: part, center: center, radius: radius}
	for i := range g.planes {
		n := r.Direction()
		g.planes[i] = [4]float64{n[0], n[1], n[2], float64(radius * r.Between(0.45, 0.8))}
	}
	return g
}

// isWithin reports whether p is nearer to the centre of the fragment than the distance `reach`.
func (g *fragment) isWithin(reach float64, p [3]float64) bool {
	d := vector.Sub(p, g.center)
	return vector.Dot(d, d) < float64(reach*reach)
}

// at returns a lower bound of the signed distance of p from the fragment.
func (g *fragment) at(p [3]float64) float64 {
	d := vector.Sub(p, g.center)
	v := math.Sqrt(vector.Dot(d, d)) - g.radius
	for _, n := range g.planes {
		v = math.Max(v, vector.Dot(d, [3]float64{n[0], n[1], n[2]})-n[3])
	}
	return v
}
