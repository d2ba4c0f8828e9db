package view

import (
	"lockstep/lb/criterion"
	"lockstep/render"
	"lockstep/render/recipe"
)

// A level is how fine a movement is drawn.
type level struct {
	part      int  // the picture has a part-th of the width and height
	samples   int  // a pixel
	occlusion bool // as the recipe has it
	smooth    bool // as the recipe has it
	quality   int  // of the JPEG
}

// levels are the qualities of movements, from the finest to the fastest. Each is about half as dear as that before.
var levels = []level{
	{1, 4, true, true, 92}, {1, 1, true, true, 90}, {1, 1, false, true, 85},
	{1, 1, false, false, 80}, {2, 1, false, false, 75}, {3, 1, false, false, 70},
}

// apply sets the options for a level.
func (l level) apply(o render.Options) render.Options {
	o.Width, o.Height = max(o.Width/l.part, 1), max(o.Height/l.part, 1)
	o.Samples = min(o.Samples, l.samples)
	o.Occlusion = o.Occlusion && l.occlusion
	if !l.smooth {
		o.Shading = render.ShadingFlat
	}
	return o
}

// Times of movements in milliseconds.
const (
	wanted = 33.0 // a trip at most: thirty pictures a second
	jump   = 150.0
	calm   = 40 // movements in a row that leave room for a finer level
)

// A quality chooses the level. It is an iterative program that is balanced: an iteration is a movement, its imbalance
// the time by which its trip was longer than wanted, and a balancing is a step to a faster level, which costs a visible
// jump. So a criterion (lb/criterion) decides when, and not the first picture that is late.
type quality struct {
	control criterion.Controller
	level   int
	early   int // movements in a row that were faster than needed
	fixed   bool

	rule     string
	decision criterion.Decision
	trips    []trip // the last ones
}

// A trip is a movement, and the level after it.
type trip struct {
	milliseconds float64
	level        int
}

// maxTrips is how many trips are remembered.
const maxTrips = 100

// newQuality returns a quality whose level changes by a criterion, see criterion.Named; "never" keeps the first.
func newQuality(policy string, triangles int) (*quality, error) {
	if policy == "" {
		policy = "guard:3:ours"
	}
	of, err := criterion.Named(policy)
	if err != nil {
		return nil, err
	}
	q := &quality{control: criterion.Controller{Criterion: of(0)}, fixed: policy == "never", rule: policy}
	switch { // a guess, from which the first movements go on
	case triangles > 4_000_000:
		q.level = 3
	case triangles > 300_000:
		q.level = 2
	default:
		q.level = 1
	}
	q.control.Balanced(jump)
	return q, nil
}

// observe takes in the trip of a movement, in milliseconds.
func (q *quality) observe(milliseconds float64) {
	if milliseconds <= 0 {
		return
	}
	q.decide(milliseconds)
	if len(q.trips) == maxTrips {
		q.trips = append(q.trips[:0], q.trips[1:]...)
	}
	q.trips = append(q.trips, trip{milliseconds, q.level})
}

// decide changes the level after a trip, if that is to be.
func (q *quality) decide(trip float64) {
	if q.fixed {
		return
	}
	if trip < wanted/2.5 {
		q.early++
	} else {
		q.early = 0
	}
	if q.early >= calm && q.level > 0 {
		q.level, q.early = q.level-1, 0
		q.control.Balanced(jump)
		return
	}
	// The slowest of two elements is the trip, or what it may take: their difference is half of the imbalance.
	if q.control.Observe(max(trip, wanted), wanted, wanted) != nil {
		return
	}
	if q.decision = q.control.Decide(); q.decision.Balance && q.level < len(levels)-1 {
		q.level++
		q.control.Balanced(jump)
	}
}

// plain returns the recipe of a movement: without a shadow, which is found anew for each recipe.
func plain(p recipe.Picture) recipe.Picture {
	no := false
	p.Lines.Ground = &no
	return p
}
