package procedural

import (
	"math"

	"lockstep/scenes"
	"lockstep/scenes/internal/vector"
	"lockstep/scenes/procedural/internal/numeric"
)

// particles looks like the output of a particle simulation, in which particles attract each other and have gathered in
// clusters. Each particle is drawn as an octahedron. The scene stands for a data set in the second experiment of the
// paper on the cost-effective renderer.
type particles struct {
	n        int // number of particles
	seed     uint64
	radius   float64 // radius of a particle
	clusters [][4]float64
}

const (
	facets = 8 // triangles of an octahedron

	// particleRadius is the radius of a particle if there are particleCount particles. With it, a triangle is about as
	// tall in a picture of 512x512 pixels as the triangles of the perforator.
	particleRadius = 0.0155
	particleCount  = 1100

	clusterCount = 14
)

func buildParticles(p *params) shape {
	n := p.triangles(particleCount*facets, facets) / facets
	s := &particles{n: n, seed: p.seed(), radius: particleRadius * math.Sqrt(particleCount/float64(n))}
	var r numeric.Rand
	r.Seed(s.seed, 0)
	for range clusterCount {
		at := vector.Scale(r.Between(0.2, 0.75), r.Direction())
		s.clusters = append(s.clusters, [4]float64{at[0], at[1], at[2], r.Between(0.05, 0.16)})
	}
	return s
}

func (s *particles) Len() int { return facets * s.n }

func (s *particles) Colored() bool { return false }

// Fill implements shape. Every particle has its own random generator.
func (s *particles) Fill(first int, b *scenes.Block) {
	for t := range b.Len() {
		center := s.center((first + t) / facets)
		var corners [3][3]float32
		for k, d := range octantTriangle((first + t) % facets) {
			corners[k] = vector.Single(vector.Add(center, vector.Scale(s.radius, d)))
		}
		b.Set(t, corners)
	}
}

// center returns the centre of a particle, in a random cluster. The density of a cluster decreases outwards.
func (s *particles) center(particle int) [3]float64 {
	var r numeric.Rand
	r.Seed(s.seed, uint64(particle)+1)
	c := s.clusters[int(r.Unit()*clusterCount)]
	// The distance from the centre of the cluster follows Plummer's sphere. `root` is the cube root of the fraction of
	// the mass within the distance `far`. The cube root of a random number in [0, 1) has the same distribution as the
	// largest of three such numbers.
	root := 0.97 * math.Max(r.Unit(), math.Max(r.Unit(), r.Unit()))
	far := c[3] * root / math.Sqrt(1-float64(root*root))
	return vector.Add([3]float64(c[:3]), vector.Scale(far, r.Direction()))
}

// octantTriangle returns the triangle of the unit octahedron in the octant with the given number. The triangle is
// counter-clockwise as seen from outside.
func octantTriangle(number int) [3][3]float64 {
	var t [3][3]float64
	flips := 0
	for axis := range t {
		t[axis][axis] = 1
		if number>>axis&1 != 0 {
			t[axis][axis] = -1
			flips++
		}
	}
	if flips%2 != 0 {
		t[1], t[2] = t[2], t[1]
	}
	return t
}
