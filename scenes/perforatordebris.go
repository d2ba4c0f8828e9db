package scenes

import "math"

// A fragment is a shard: what is left of a ball after some planes have cut it.
type fragment struct {
	part   perforatorPart
	center [3]float64
	radius float64
	planes [fragmentPlanes][4]float64 // unit normal and distance from the center
}

const (
	fragmentPlanes = 8
	splinterCount  = 8
	chunkCount     = 21
	heapCount      = 6
)

// goldenTurn and goldenPart spread successive angles and places evenly,
// however many there are.
const (
	goldenTurn = 0.381966
	goldenPart = 0.618034
)

func (f *perforatorField) makeFragments(r *chance) []fragment {
	all := f.makeSplinters(r)
	return append(all, makeChunks(r)...)
}

// makeSplinters throws pieces of the casing out of the hole, the farther from
// it the wider. They stay off the stem.
func (f *perforatorField) makeSplinters(r *chance) (all []fragment) {
	for i := range splinterCount {
		along := mix((float64(i)+r.unit())/splinterCount, 0.20, 1.1)
		c, s := circle(float64(float64(i)*goldenTurn) + r.between(-0.05, 0.05))
		wide := 0.07 + float64((along+0.15)*r.between(0.14, 0.27))
		center := add(perforatorHole, scale(along, f.ahead))
		center = add(center, add(scale(float64(wide*c), f.side), scale(float64(wide*s), f.rise)))
		all = append(all, makeFragment(r, partSplinter, center, r.between(0.025, 0.045)))
	}
	return all
}

// makeChunks throws pieces of rock up from the block and to the foot of the
// casing.
func makeChunks(r *chance) (all []fragment) {
	for i := range chunkCount {
		part := (float64(i) + r.unit()) / chunkCount
		x := math.Mod(float64(float64(i)*goldenPart)+float64(0.1*r.unit()), 1)
		center := [3]float64{mix(x, -0.71, -0.34), mix(part, -1.0, -0.55), r.between(-0.12, 0.45)}
		all = append(all, makeFragment(r, partChunk, center, r.between(0.045, 0.085)))
	}
	for i := range heapCount {
		center := [3]float64{mix((float64(i)+r.unit())/heapCount, 0.18, 0.74), r.between(-1.0, -0.65), r.between(-0.54, -0.44)}
		all = append(all, makeFragment(r, partChunk, center, r.between(0.045, 0.085)))
	}
	return all
}

func makeFragment(r *chance, part perforatorPart, center [3]float64, radius float64) fragment {
	g := fragment{part: part, center: center, radius: radius}
	for i := range g.planes {
		n := r.direction()
		g.planes[i] = [4]float64{n[0], n[1], n[2], float64(radius * r.between(0.45, 0.8))}
	}
	return g
}

// at returns the distance from the fragment if it is below least.
func (g *fragment) at(p [3]float64, least float64) float64 {
	d := minus(p, g.center)
	reach := least + g.radius
	square := dot(d, d)
	if reach < 0 || square >= float64(reach*reach) {
		return least
	}
	v := math.Sqrt(square) - g.radius
	for _, n := range g.planes {
		v = math.Max(v, dot(d, [3]float64{n[0], n[1], n[2]})-n[3])
	}
	return v
}
