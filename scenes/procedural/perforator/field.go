package perforator

import (
	"math"

	"lockstep/scenes/internal/vector"
	"lockstep/scenes/procedural/internal/numeric"
)

// holeCenter is the middle of the hole in the casing, from which the parts of the perforator are measured. The casing
// is a part of a pipe with a vertical axis behind the hole. A charge in the pipe has fired towards the viewer of the
// front view, to the left and down, into a block of rock. The unit of length is about the height of the casing.
var holeCenter = [3]float64{0.54, 1.16, 0.355}

const (
	jetPhase = 0.31  // how far the jet moves to the left for each unit towards the viewer
	jetDip   = 0.425 // how far the jet moves down for each unit towards the viewer

	casingOuter = 0.62               // outer radius of the pipe
	casingWall  = 0.085              // thickness of its wall
	cementOuter = casingOuter + 0.07 // outer radius of the cement

	// Distances from the hole. Left and right are measured sideways from the jet, low and high upwards.
	casingLow, casingHigh   = -0.95, 0.25
	casingLeft, casingRight = -0.31, 0.29
	cutRight, cutLow        = 0.22, -0.45 // edges of the opening in the wall through which the charge is seen

	// Distances from the axis of the jet.
	holeRadius   = 0.115
	slitReach    = 0.25 // length of the tears between the petals of the torn wall
	lipReach     = 0.26 // distance from which the wall rises towards the hole
	lipHeight    = 0.19 // height that the wall would reach at the axis
	lipSteepness = 2 * lipHeight / lipReach

	// Positions along the axis of the jet, measured from the hole.
	jetFirst, jetLast   = -0.26, 2.28 // ends of the straight stem
	jetRadius0          = 0.045       // radius at jetFirst
	jetRadius1          = 0.026       // radius at jetLast
	chargeAt            = -0.28
	caseBack, caseFront = chargeAt - 0.08, chargeAt + 0.15
	caseRadius          = 0.17
	caseWall            = 0.045
)

// component is the part of the scene to which a point of the surface belongs.
type component uint8

const (
	partCasing component = iota
	partCement
	partRock
	partJet
	partTip
	partLiner
	partCase
	partSplinter
	partChunk
	components
)

// A field is the solid of the scene, for one seed.
type field struct {
	seed uint64
	// ahead is the direction of the jet. The coordinate axes of the jet are ahead, the horizontal vector side, and
	// rise.
	ahead, side, rise [3]float64
	pipe              [3]float64 // a point on the axis of the casing
	slits             []slit
	fragments         []fragment
}

// A jetPlace is a point in the coordinates that describe the parts.
type jetPlace struct {
	along, side, rise float64 // position relative to the hole, along the axes of the jet
	radius            float64 // distance from the jet's axis
	height            float64 // height above the hole
	pipe              float64 // distance from the pipe's axis
	depth             float64 // distance from the pipe's axis, measured towards the hole
}

func newField(seed uint64) *field {
	f := &field{seed: seed}
	f.ahead = unitVector([3]float64{-jetPhase, -1, -jetDip})
	f.side = unitVector([3]float64{1, -jetPhase, 0})
	f.rise = vector.Cross(f.side, f.ahead)
	f.pipe = vector.Add(holeCenter, vector.Scale(casingOuter, [3]float64{-f.side[1], f.side[0], 0}))
	var r numeric.Rand
	r.Seed(seed, 0)
	f.slits = makeSlits(&r)
	f.fragments = f.makeFragments(&r)
	return f
}

// unitVector returns v scaled to unit length.
func unitVector(v [3]float64) [3]float64 { return vector.Scale(1/math.Sqrt(vector.Dot(v, v)), v) }

// at returns the value of the field at p.
func (f *field) at(p [3]float64) float64 {
	v, _ := f.nearest(p)
	return v
}

// nearest returns the value of the field at p, and the part of the solid that determines this value.
func (f *field) nearest(p [3]float64) (value float64, part component) {
	j := f.place(p)
	value = math.Inf(1)
	take := func(v float64, of component) {
		if v < value {
			value, part = v, of
		}
	}
	take(f.stem(j), partJet)
	take(f.tip(j), partTip)
	take(f.charge(j), partCase)
	take(f.liner(p, j, value), partLiner)
	take(f.casing(p, j, value), partCasing)
	take(f.cement(p, j, value), partCement)
	take(f.rock(p, j, value), partRock)
	for i := range f.fragments {
		g := &f.fragments[i]
		// This quick test excludes most fragments, whose distance along x alone exceeds `reach`.
		if reach := value + g.radius; math.Abs(p[0]-g.center[0]) < reach && g.isWithin(reach, p) {
			take(g.at(p), g.part)
		}
	}
	return value, part
}

// The method place converts p to the coordinates of jetPlace.
func (f *field) place(p [3]float64) jetPlace {
	d, a := vector.Sub(p, holeCenter), vector.Sub(p, f.pipe)
	j := jetPlace{along: vector.Dot(d, f.ahead), side: vector.Dot(d, f.side), rise: vector.Dot(d, f.rise), height: d[2]}
	j.radius = math.Sqrt(float64(j.side*j.side) + float64(j.rise*j.rise))
	j.pipe = math.Sqrt(float64(a[0]*a[0]) + float64(a[1]*a[1]))
	j.depth = float64(a[0]*f.side[1]) - float64(a[1]*f.side[0])
	return j
}

// distanceOutside returns how far v is outside the range [lo, hi]. The result is negative inside.
func distanceOutside(v, lo, hi float64) float64 { return math.Max(lo-v, v-hi) }

// ellipsoid returns a lower bound of the signed distance of j from an ellipsoid around the axis of the jet.
func ellipsoid(j jetPlace, center, long, wide float64) float64 {
	a, r := (j.along-center)/long, j.radius/wide
	return float64((math.Sqrt(float64(a*a)+float64(r*r)) - 1) * math.Min(long, wide))
}
