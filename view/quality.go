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
	quality   int  // of the JPEG
}

// levels are the qualities of movements, from the finest to the fastest. Flat shading is none: it takes longer where the
// mesh stays (a million triangles in a third of the size 5.5 ms, smooth in half of it 5.1), as smooth ones defer what is hidden.
var levels = [...]level{
	{1, 4, true, 92}, {1, 1, true, 90}, {1, 1, false, 85}, {2, 1, false, 75}, {3, 1, false, 70},
}

// apply sets the options for a level.
func (l level) apply(o render.Options) render.Options {
	o.Width, o.Height = max(o.Width/l.part, 1), max(o.Height/l.part, 1)
	o.Samples = min(o.Samples, l.samples)
	o.Occlusion = o.Occlusion && l.occlusion
	return o
}

// Times of movements in milliseconds.
const (
	wanted = 33.0 // a trip at most: thirty pictures a second
	// noticed is by how much a picture that another level could have shown may be late: people do not notice that something
	// takes a fifth longer (Seow, Designing and Engineering Time, 2008).
	noticed = 1.2
	jump    = 150.0 // a visible change of level
	// coarse is what a picture loses by a level: a second of thirty pictures a level finer is worth a jump.
	coarse = jump / 30
)

// A movement is a picture that was shown.
type movement struct {
	level int
	trip  float64 // milliseconds from its request to the screen
	made  float64 // of these, from when the request was there until the picture was encoded
}

// A quality chooses the level. It is an iterative program that is balanced: an iteration is a movement, its imbalance
// what the best level would have spared, in milliseconds that a picture is late and that it is coarse, and a balancing is
// the step to that level, which costs a visible jump. So a criterion (lb/criterion) decides when, and not the first picture
// that is late.
type quality struct {
	control criterion.Controller
	level   int
	fixed   bool

	rule     string
	decision criterion.Decision
	trips    []trip // the last ones
	forecast forecast
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
	q := &quality{control: criterion.Controller{Criterion: of(0)}, fixed: policy == "never", rule: policy, forecast: newForecast()}
	switch { // a guess, from which the first movements go on
	case triangles > 4_000_000:
		q.level = 2
	case triangles > 300_000:
		q.level = 1
	}
	q.control.Balanced(jump)
	return q, nil
}

// observe takes in a movement, and decides about the level of the next ones.
func (q *quality) observe(m movement) {
	if !(m.trip > 0) {
		return
	}
	if q.forecast.observe(m, q.level) && !q.fixed {
		q.decide()
	}
	if len(q.trips) == maxTrips {
		q.trips = append(q.trips[:0], q.trips[1:]...)
	}
	q.trips = append(q.trips, trip{m.trip, q.level})
}

// decide changes the level if that is to be.
func (q *quality) decide() {
	best, spared := q.forecast.best(q.level)
	// The mean of two elements is that of the best level, and the slower one has what is spared beyond it.
	if q.control.Observe(wanted+2*spared, wanted) != nil {
		return
	}
	if q.decision = q.control.Decide(); q.decision.Balance && best != q.level {
		q.forecast.changed(q.level)
		q.level = best
		q.control.Balanced(jump)
	}
}

// plain returns the recipe of a movement: without a shadow, which is found anew for each recipe.
func plain(p recipe.Picture) recipe.Picture {
	no := false
	p.Lines.Ground = &no
	return p
}
