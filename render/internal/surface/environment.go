package surface

import (
	"math"
	"slices"
	"sync"

	"lockstep/render/internal/float3"
	"lockstep/render/internal/kernel/light"
)

// The sizes of an environment's tables.
const (
	roughSteps  = light.RoughSteps
	aroundSteps = light.AroundSteps
	steepSteps  = light.SteepSteps
)

// An environment is the light of the studio that mirroring surfaces reflect. It has a sky about the up axis and three
// lamps with soft edges, each blurred for several roughnesses. Each light is symmetric about its axis. A table for
// each light therefore holds the light that arrives from a lobe of mirrored directions, by the cosine between the
// lobe and the axis. Other tables hold the share of that light that a surface mirrors. Source: Karis, Real Shading in
// Unreal Engine 4, 2013 (the split sum).
//
// mostShares holds upper bounds of the mirrored shares: element i of row r is the largest of all elements of Shares
// from row r and column i on. mostLight holds an upper bound of the mirrored light for each roughness and all greater
// ones.
type environment struct {
	light.Environment
	mostShares [2][roughSteps][steepSteps]float32
	mostLight  [roughSteps]float32
}

// skyLobe is the sky's index in Lobes; the lamps come before it. The sky's axis is the up axis.
const skyLobe = 3

// environmentOf returns the environment, which does not depend on the scene. The first call makes it in some ten
// milliseconds.
var environmentOf = sync.OnceValue(newEnvironment)

// A lamp is a disc of light. The light in a direction depends on the cosine between the direction and the disc's
// middle. It is full if the cosine is at least inner, and zero if the cosine is at most outer.
type lamp struct{ light, inner, outer float64 }

// lamps holds the key, the fill and the rim lamp. A lamp lights a diffuse surface with its light times the square of
// the sine of its radius. For the key this product is about light.KeyLight, with which diffuse surfaces are lit. For
// the fill and the rim it is larger than light.FillLight and light.RimLight, because dark reflections of these lamps
// would make a mirror look dirty.
var lamps = [3]lamp{
	{2.1, 0.86, 0.78},  // radius 35 degrees
	{0.75, 0.93, 0.87}, // radius 25 degrees
	{1.8, 0.95, 0.90},  // radius 22 degrees
}

func (l lamp) at(cosine float64) float64 {
	x := (cosine - l.outer) / (l.inner - l.outer)
	x = min(max(x, 0), 1)
	return float64(l.light * float64(float64(x*x)*(3-float64(2*x))))
}

// The next constants are the light of the sky, which is bright above and dark at the horizon. The floor is darker
// than a white floor would be, so that the shape of metal remains visible.
const (
	skyTop     = 0.85
	skyHorizon = 0.20
	skyFloor   = 0.42
)

func skyAt(cosine float64) float64 {
	if cosine > 0 {
		return skyHorizon + float64((skyTop-skyHorizon)*cosine)
	}
	return skyHorizon - float64((skyFloor-skyHorizon)*max(cosine, -1))
}

// newEnvironment computes the tables. It uses only square roots and the four basic operations, and rounds every
// result, so that the tables are the same on every processor.
func newEnvironment() *environment {
	e := new(environment)
	turn := halfTurn()
	for r := range roughSteps {
		rough := float64(r) / (roughSteps - 1)
		halves := halfAngles(rough)
		for i := range aroundSteps {
			cosine := float64(2*i)/(aroundSteps-1) - 1
			at := lobeIntegral{halves, turn, cosine}
			e.Lobes[skyLobe][r][i] = at.mean(skyAt)
			for k := range lamps {
				e.Lobes[k][r][i] = at.mean(lamps[k].at)
			}
		}
		for i := range steepSteps {
			e.Shares[0][r][i], e.Shares[1][r][i] = shareOf(float64(i)/(steepSteps-1), rough, halves, turn)
		}
	}
	e.setBounds()
	return e
}

// setBounds fills the tables of bounds from the last row to the first.
func (e *environment) setBounds() {
	for r := roughSteps - 1; r >= 0; r-- {
		later, sum := min(r+1, roughSteps-1), float32(0)
		for k := range e.Lobes {
			sum += slices.Max(e.Lobes[k][r][:])
		}
		e.mostLight[r] = max(sum, e.mostLight[later])
		for k := range e.Shares {
			for i := range steepSteps {
				e.mostShares[k][r][i] = max(slices.Max(e.Shares[k][r][i:]), e.mostShares[k][later][i])
			}
		}
	}
}

// lobeDirections and halfSteps are numbers of samples of the integral over a lobe. There are halfSteps angles between
// facets and the normal, and for each angle lobeDirections directions around the normal.
const lobeDirections, halfSteps = 12, 20

// halfTurn returns the cosines of lobeDirections angles, spread evenly over half a turn.
func halfTurn() (cosines [lobeDirections]float64) {
	// Angles are halved. The results are the cosines of 30 degrees, 15 degrees (the step), and 7.5 degrees (the first
	// sample).
	step := math.Sqrt((1 + math.Sqrt(3)/2) / 2) // cosine of 15 degrees
	half := math.Sqrt((1 + step) / 2)           // cosine of 7.5 degrees
	before, now := half, half
	for i := range cosines {
		cosines[i] = now
		before, now = now, float64(float64(2*step)*now)-before // cos(a+15) = 2 cos 15 cos a - cos(a-15)
	}
	return cosines
}

// halfAngles returns squared cosines of the angles between the normal of a rough surface and the normals of its
// facets. Equal shares of the light are mirrored by the facets between neighbouring angles. Source: Walter and
// others, Microfacet Models for Refraction, EGSR 2007 (GGX).
func halfAngles(rough float64) (squares [halfSteps]float64) {
	a := max(float64(rough*rough), 1e-4)
	for i := range squares {
		u := (float64(i) + 0.5) / halfSteps
		squares[i] = (1 - u) / (1 + float64((float64(a*a)-1)*u))
	}
	return squares
}

// A lobeIntegral integrates over the mirrored directions of a surface that is seen along its normal. cosine is the
// cosine between this normal and the axis of a light.
type lobeIntegral struct {
	halves [halfSteps]float64
	turn   [lobeDirections]float64
	cosine float64
}

// mean returns the mean light that arrives along the mirrored directions. lightAt returns the light from a direction,
// given the cosine between the direction and the axis.
func (g *lobeIntegral) mean(lightAt func(cosine float64) float64) float32 {
	sine := math.Sqrt(max(1-float64(g.cosine*g.cosine), 0))
	sum, weights := 0.0, 0.0
	for _, square := range g.halves {
		away := float64(2*square) - 1 // cosine between the normal and the mirrored direction, which lies at twice the angle
		if away <= 0 {
			continue
		}
		across := float64(math.Sqrt(1-float64(away*away)) * sine)
		along := float64(away * g.cosine)
		for _, c := range g.turn {
			sum += float64(away * lightAt(along+float64(across*c)))
		}
		weights += float64(away * lobeDirections)
	}
	return float32(sum / weights)
}

// shareOf returns the share of the surrounding light that a surface mirrors. It is `share` times the specular colour,
// plus `more`. `steep` is the cosine between the surface's normal and the direction to the eye.
func shareOf(steep, rough float64, halves [halfSteps]float64, turn [lobeDirections]float64) (share, more float32) {
	steep = max(steep, 0.01)
	a := max(float64(rough*rough), 1e-4)
	square := float64(a * a)
	beside := math.Sqrt(1 - float64(steep*steep))
	factor, rest := 0.0, 0.0
	for _, h2 := range halves {
		h, across := math.Sqrt(h2), math.Sqrt(1-h2)
		for _, c := range turn {
			eye := float64(float64(beside*across)*c) + float64(steep*h) // cosine between the direction to the eye and the facet's normal
			out := float64(float64(2*eye)*h) - steep
			if eye <= 0 || out <= 0 {
				continue
			}
			shadow := float64(2*float64(out*eye)) / float64(h*(float64(steep*math.Sqrt(square+float64((1-square)*float64(out*out))))+
				float64(out*math.Sqrt(square+float64((1-square)*float64(steep*steep))))))
			f := 1 - eye
			f2 := float64(f * f)
			fresnel := float64(float64(f2*f2) * f)
			factor += float64((1 - fresnel) * shadow)
			rest += float64(fresnel * shadow)
		}
	}
	return float32(factor / (lobeDirections * halfSteps)), float32(rest / (lobeDirections * halfSteps))
}

// tableStep returns the position of x, a number from 0 to 1, in a table of n entries. The position is between entries i
// and i+1. `part` says how far it is from entry i, as a fraction of the distance between the two entries.
func tableStep(x float32, n int) (i int, part float32) {
	x = float32(min(float3.NonNegative(x), 1) * float32(n-1))
	i = min(int(x), n-2)
	return i, x - float32(i)
}

// interpolate interpolates in a table. The position is between entries i and i+1, with the fraction p, and between the
// rows `low` and `high`, with the fraction `part`; see tableStep.
func interpolate(low, high []float32, i int, p, part float32) float32 {
	low, high = low[i:i+2], high[i:i+2]
	a := low[0] + float32(p*(low[1]-low[0]))
	b := high[0] + float32(p*(high[1]-high[0]))
	return a + float32(part*(b-a))
}

// lobe returns the light that a surface mirrors from light number `axis`. cosine is the cosine between the mirrored
// direction and the light's axis. The surface's roughness lies between entries `rough` and `rough`+1 of the table, with
// the fraction `part`; see tableStep.
func (e *environment) lobe(axis int, cosine float32, rough int, part float32) float32 {
	i, p := tableStep(float32(0.5+float32(0.5*cosine)), aroundSteps)
	l := &e.Lobes[axis]
	return interpolate(l[rough][:], l[rough+1][:], i, p, part)
}

// mirroredShares returns the share of the surrounding light that a surface mirrors, as two numbers. The share is
// `factor` times the specular colour, plus `rest` times the share that the surface mirrors at grazing angles. For the
// parameters, see shareOf and lobe.
func (e *environment) mirroredShares(steep float32, rough int, part float32) (factor, rest float32) {
	i, p := tableStep(steep, steepSteps)
	f, r := &e.Shares[0], &e.Shares[1]
	return interpolate(f[rough][:], f[rough+1][:], i, p, part), interpolate(r[rough][:], r[rough+1][:], i, p, part)
}
