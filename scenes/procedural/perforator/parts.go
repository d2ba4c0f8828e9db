package perforator

import (
	"math"

	"lockstep/scenes/internal/vector"
	"lockstep/scenes/procedural/internal/numeric"
)

// Every part is a field that is negative inside. With noise or a taper, a field may be steeper than a distance. Such a
// field is divided by a bound of its slope.
//
// A function of a part with noise gets `least`, the least value of all parts that were computed before. The value of a
// part is the maximum of several terms. If one term is not below `least`, this part is not the nearest. The function
// then returns `least` and does not compute the noise of the other terms.

// stem returns the field of the straight part of the jet, a long cone.
func (f *field) stem(j jetPlace) float64 {
	t := (j.along - jetFirst) / (jetLast - jetFirst)
	cone := j.radius - numeric.Mix(math.Max(0, math.Min(1, t)), jetRadius0, jetRadius1)
	return math.Max(cone, distanceOutside(j.along, jetFirst, jetLast))
}

// tip returns the field of three bodies: the bulge at the head of the jet, the bead behind it, which separates from the
// stem, and the slug at the other end of the jet.
func (f *field) tip(j jetPlace) float64 {
	v := ellipsoid(j, jetLast+0.045, 0.115, 0.085)
	v = math.Min(v, ellipsoid(j, jetLast-0.11, 0.055, 0.045))
	return math.Min(v, ellipsoid(j, chargeAt, 0.10, 0.08))
}

// charge returns the field of the case of the charge: a cup, open to the front, with the socket of the detonator at its
// back.
func (f *field) charge(j jetPlace) float64 {
	cup := math.Max(j.radius-caseRadius, distanceOutside(j.along, caseBack, caseFront))
	bore := math.Max(j.radius-(caseRadius-caseWall), caseBack+caseWall-j.along)
	socket := math.Max(j.radius-0.07, distanceOutside(j.along, caseBack-0.07, caseBack+0.01))
	return math.Min(math.Max(cup, -bore), socket)
}

// Bounds of the slopes of fields with noise. A bound is 1, the slope of a distance, plus the slope of the noise, which
// is its height times its frequency times NoiseSlope.
const (
	tornSlope   = 1 + 0.07*14*numeric.NoiseSlope
	cementSlope = 1 + 0.05*6*numeric.NoiseSlope // slope of the top; the outer wall is less steep
	rockSlope   = 1 + 0.08*5*numeric.NoiseSlope
	// The first term is the slope without noise, sqrt(1 + 0.5^2). The radius changes by 1 across the axis of the jet,
	// and the width of the crater by 0.5 along the axis.
	cavitySlope = 1.1181 + 0.03*11*numeric.NoiseSlope
)

// liner returns the field of what is left of the charge's liner: a cone with a torn front edge.
func (f *field) liner(p [3]float64, j jetPlace, least float64) float64 {
	const slope, length = 0.62, 1.1767 // slope of the cone; length of the vector (1, slope)
	cone := math.Abs(j.radius-0.07-float64(slope*(j.along-chargeAt)))/length - 0.017
	if cone >= least {
		return least
	}
	torn := chargeAt + 0.13 + float64(0.07*numeric.Noise(f.seed+11, vector.Scale(14, p)))
	return math.Max(cone, math.Max(chargeAt-0.05-j.along, (j.along-torn)/tornSlope))
}

// casing returns the field of the wall of the pipe, with the hole. The jet has bent the wall outwards around the hole,
// most at its edge, and has torn it into petals.
func (f *field) casing(p [3]float64, j jetPlace, least float64) float64 {
	cut := math.Max(distanceOutside(j.height, casingLow, casingHigh), math.Max(distanceOutside(j.side, casingLeft, casingRight), -j.depth))
	cut = math.Max(cut, math.Min(j.side-cutRight, j.height-cutLow))
	if cut/(1+lipSteepness) >= least {
		return least
	}
	lift := math.Max(0, 1-j.radius/lipReach)
	carried := lipHeight * float64(lift*lift)
	q := f.place(vector.Sub(p, vector.Scale(carried, f.ahead)))
	wall := math.Abs(q.pipe-(casingOuter-casingWall/2)) - casingWall/2
	wall = math.Max(wall, cut) / (1 + lipSteepness)
	if wall >= least {
		return least
	}
	hole := j.radius - holeRadius
	for i := range f.slits {
		hole = math.Min(hole, f.slits[i].at(j))
	}
	return math.Max(wall, -hole)
}

// A slit is a tear in the wall. It starts at the hole and becomes narrower outwards.
type slit struct {
	side, rise float64 // unit vector away from the jet's axis
	reach      float64
	width      float64 // half the width at the axis
}

// petals is the number of petals of the torn wall, and of the slits between them.
const petals = 5

func makeSlits(r *numeric.Rand) []slit {
	s := make([]slit, petals)
	first := r.Unit()
	for i := range s {
		c, sn := numeric.Circle(first + float64((float64(i)+r.Between(-0.22, 0.22))/petals))
		s[i] = slit{c, sn, slitReach * r.Between(0.85, 1.1), r.Between(0.065, 0.085)}
	}
	return s
}

// at returns a lower bound of the signed distance of j from the slit.
func (s *slit) at(j jetPlace) float64 {
	out := float64(j.side*s.side) + float64(j.rise*s.rise)
	off := math.Abs(float64(j.side*s.rise) - float64(j.rise*s.side))
	taper := s.width / s.reach
	return math.Max(off-s.width+float64(taper*out), -out) / (1 + taper)
}

// cavity returns the field of the space that the jet leaves in cement and rock: a tunnel with crushed walls, and the
// crater around the hole.
func (f *field) cavity(p [3]float64, j jetPlace) float64 {
	wide := 0.125 + float64(0.5*math.Max(0, 0.10-j.along))
	return (j.radius - wide - float64(0.03*numeric.Noise(f.seed+12, vector.Scale(11, p)))) / cavitySlope
}

// cement returns the field of the sheath around the casing, broken off at the top.
func (f *field) cement(p [3]float64, j jetPlace, least float64) float64 {
	cut := math.Max(distanceOutside(j.side, -0.12, casingRight-0.03), -j.depth)
	if cut/cementSlope >= least {
		return least
	}
	rough := float64(0.016 * numeric.Noise(f.seed+13, vector.Scale(17, p)))
	top := -0.02 + float64(0.05*numeric.Noise(f.seed+14, vector.Scale(6, p)))
	wall := distanceOutside(j.pipe, casingOuter-0.01, cementOuter+rough)
	v := math.Max(wall, distanceOutside(j.height, casingLow, top))
	if v = math.Max(v, cut) / cementSlope; v >= least {
		return least
	}
	return math.Max(v, -f.cavity(p, j))
}

// rock returns the field of a block of the rock that the jet has reached, broken off at the top.
func (f *field) rock(p [3]float64, j jetPlace, least float64) float64 {
	cut := math.Max(distanceOutside(p[0], -0.78, 0.01), distanceOutside(p[1], -1.06, -0.76))
	if cut/rockSlope >= least {
		return least
	}
	top := -0.26 + float64(0.08*numeric.Noise(f.seed+16, vector.Scale(5, p)))
	v := math.Max(distanceOutside(p[2], -0.60, top), cut) / rockSlope
	if v >= least {
		return least
	}
	return math.Max(v, -f.cavity(p, j))
}
