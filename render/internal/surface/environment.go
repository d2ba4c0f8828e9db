package surface

import (
	"math"
	"sync"

	"lockstep/render/internal/float3"
	"lockstep/render/internal/kernel/light"
)

// roughSteps and others are the steps of the tables of an environment.
const (
	roughSteps  = light.RoughSteps
	aroundSteps = light.AroundSteps
	steepSteps  = light.SteepSteps
)

// An environment is the studio as surfaces see it that mirror: a sky about the up axis and three lamps with soft edges,
// each blurred by every roughness. All of them look the same around an axis, so that a table by the cosine from there holds
// what a lobe of mirrored directions gathers. How much of it they mirror is in tables, too. Source: Karis, Real Shading in
// Unreal Engine 4, 2013 (the split sum).
type environment struct{ light.Environment }

// sky is the entry of the lobes that is about the up axis, behind those of the lamps.
const sky = 3

// environmentOf returns the environment, which takes some ten milliseconds to make and is the same for all.
var environmentOf = sync.OnceValue(newEnvironment)

// A lamp is a disc of light, brightest up to the cosine inner from its middle, dark from outer on.
type lamp struct{ light, inner, outer float64 }

// The lamps. By their diffuse light they are those that light plaster (KeyLight and others in package light): light times
// the square of the sine is that. The fill and the rim are brighter here: a mirror that shows them dark looks dirty.
var lamps = [3]lamp{
	{2.1, 0.86, 0.78},  // 35 degrees
	{0.75, 0.93, 0.87}, // 25
	{1.8, 0.95, 0.90},  // 22
}

func (l lamp) at(cosine float64) float64 {
	x := (cosine - l.outer) / (l.inner - l.outer)
	x = min(max(x, 0), 1)
	return float64(l.light * float64(float64(x*x)*(3-float64(2*x))))
}

// The sky: bright above, dark at the horizon, and a floor below that is darker than a white one, so that metal has form.
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

// newEnvironment computes the tables. Only roots and the four operations are used, each rounded: the tables are the same on
// every processor.
func newEnvironment() *environment {
	e := new(environment)
	turn := halfTurn()
	for r := range roughSteps {
		rough := float64(r) / (roughSteps - 1)
		halves := halfAngles(rough)
		for i := range aroundSteps {
			cosine := float64(2*i)/(aroundSteps-1) - 1
			at := gather{halves, turn, cosine}
			e.Lobes[sky][r][i] = at.mean(skyAt)
			for k := range lamps {
				e.Lobes[k][r][i] = at.mean(lamps[k].at)
			}
		}
		for i := range steepSteps {
			e.Shares[0][r][i], e.Shares[1][r][i] = shareOf(float64(i)/(steepSteps-1), rough, halves, turn)
		}
	}
	return e
}

// turnSteps and halfSteps are how many directions a lobe is sampled in, around it and away from it.
const turnSteps, halfSteps = 12, 20

// halfTurn returns cosines of angles evenly over half a turn.
func halfTurn() (cosines [turnSteps]float64) {
	// An angle's cosine from that of twice the angle: 90 degrees over 3 is 30, and halves of it lie between the samples.
	step := math.Sqrt((1 + math.Sqrt(3)/2) / 2) // of 15 degrees
	half := math.Sqrt((1 + step) / 2)           // of 7.5
	before, now := half, half
	for i := range cosines {
		cosines[i] = now
		before, now = now, float64(float64(2*step)*now)-before // cos(a+15) = 2 cos 15 cos a - cos(a-15)
	}
	return cosines
}

// halfAngles returns squared cosines of the angles between a surface's normal and those of its facets, evenly by how much
// facets of them mirror. Source: Walter and others, Microfacet Models for Refraction, EGSR 2007 (GGX).
func halfAngles(rough float64) (squares [halfSteps]float64) {
	a := max(float64(rough*rough), 1e-4)
	for i := range squares {
		u := (float64(i) + 0.5) / halfSteps
		squares[i] = (1 - u) / (1 + float64((float64(a*a)-1)*u))
	}
	return squares
}

// gather is a lobe about a direction at a cosine from an axis.
type gather struct {
	halves [halfSteps]float64
	turn   [turnSteps]float64
	cosine float64
}

// mean returns the mean of what is around the axis, over the lobe of a surface that is seen from straight before it.
func (g *gather) mean(of func(cosine float64) float64) float32 {
	sine := math.Sqrt(max(1-float64(g.cosine*g.cosine), 0))
	sum, weights := 0.0, 0.0
	for _, square := range g.halves {
		away := float64(2*square) - 1 // the mirrored direction's: twice the angle
		if away <= 0 {
			continue
		}
		across := float64(math.Sqrt(1-float64(away*away)) * sine)
		along := float64(away * g.cosine)
		for _, c := range g.turn {
			sum += float64(away * of(along+float64(across*c)))
		}
		weights += float64(away * turnSteps)
	}
	return float32(sum / weights)
}

// shareOf integrates how much a surface mirrors that is seen at a cosine from its normal.
func shareOf(steep, rough float64, halves [halfSteps]float64, turn [turnSteps]float64) (share, more float32) {
	steep = max(steep, 0.01)
	a := max(float64(rough*rough), 1e-4)
	square := float64(a * a)
	beside := math.Sqrt(1 - float64(steep*steep))
	factor, rest := 0.0, 0.0
	for _, h2 := range halves {
		h, across := math.Sqrt(h2), math.Sqrt(1-h2)
		for _, c := range turn {
			eye := float64(float64(beside*across)*c) + float64(steep*h) // cosine between the eye and the facet
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
	return float32(factor / (turnSteps * halfSteps)), float32(rest / (turnSteps * halfSteps))
}

// tableStep returns the entry before a place from 0 to 1 of a table of n, and how far the place lies behind it.
func tableStep(x float32, n int) (i int, part float32) {
	x = float32(min(float3.Positive(x), 1) * float32(n-1))
	i = min(int(x), n-2)
	return i, x - float32(i)
}

// between mixes two entries of a row of a table and of the next row.
func between(low, high []float32, i int, p, part float32) float32 {
	low, high = low[i:i+2], high[i:i+2]
	a := low[0] + float32(p*(low[1]-low[0]))
	b := high[0] + float32(p*(high[1]-high[0]))
	return a + float32(part*(b-a))
}

// lobe returns what arrives from around an axis at a cosine, for a step of roughness and the part of the next.
func (e *environment) lobe(axis int, cosine float32, rough int, part float32) float32 {
	i, p := tableStep(float32(0.5+float32(0.5*cosine)), aroundSteps)
	l := &e.Lobes[axis]
	return between(l[rough][:], l[rough+1][:], i, p, part)
}

// mirrored returns how much of its specular colour a surface mirrors, and how much comes to that.
func (e *environment) mirrored(steep float32, rough int, part float32) (factor, rest float32) {
	i, p := tableStep(steep, steepSteps)
	f, r := &e.Shares[0], &e.Shares[1]
	return between(f[rough][:], f[rough+1][:], i, p, part), between(r[rough][:], r[rough+1][:], i, p, part)
}
