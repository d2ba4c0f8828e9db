package view

import (
	"lockstep/lb/criterion"
	"lockstep/render"
	"lockstep/render/recipe"
)

// A level is a quality in which movements are drawn.
type level struct {
	divisor   int  // divides the width and the height of the picture
	samples   int  // largest number of samples per pixel
	occlusion bool // whether occlusion is drawn, if the recipe has it
	quality   int  // quality of the JPEG
}

// levels are the qualities in which movements are drawn, from the finest to the fastest.
//
// All levels use smooth shading, because only smooth frames skip hidden triangles. While only the camera moves, smooth
// frames are faster than flat frames. For a million triangles, a smooth frame took 5.1 ms at half the width and height.
// A flat frame took 5.5 ms, even at only a third of the width and height.
var levels = [...]level{
	{1, 4, true, 92}, {1, 1, true, 90}, {1, 1, false, 85}, {2, 1, false, 75}, {3, 1, false, 70},
}

// apply returns the options o, reduced to the quality of a level.
func (l level) apply(o render.Options) render.Options {
	o.Width, o.Height = max(o.Width/l.divisor, 1), max(o.Height/l.divisor, 1)
	o.Samples = min(o.Samples, l.samples)
	o.Occlusion = o.Occlusion && l.occlusion
	return o
}

// Constants for choosing the level of movements, see forecast.bestLevel. All except noticeFactor are in milliseconds.
const (
	targetTrip = 33.0 // longest round trip for thirty pictures per second
	// A picture does not count as late if its round trip takes at most noticeFactor times as long as one of the
	// fastest level.
	// People do not notice that something takes a fifth longer (Seow, Designing and Engineering Time, 2008).
	noticeFactor = 1.2
	jumpPrice    = 150.0 // price of a visible change of the level
	// coarsePrice is the price of a picture for each level below the finest. Drawing thirty pictures, which take a
	// second, one level coarser costs as much as a visible change of the level.
	coarsePrice = jumpPrice / 30
)

// A movement is a picture that was drawn while the mesh or the camera moved, and that the page has shown.
type movement struct {
	level      int
	trip       float64 // milliseconds from the request until the picture was on the screen
	serverTime float64 // milliseconds of trip from the arrival of the request until the picture was encoded
}

// A quality chooses the level of movements. It treats the movements as a balanced iterative program: a criterion
// (lb/criterion) decides when to change the level, and a single late picture does not change it.
//
//   - An iteration is a movement.
//   - Its imbalance is the price of the present level minus the price of the best level, see forecast.bestLevel.
//   - Balancing is the change to the best level, which costs a visible jump.
type quality struct {
	control criterion.Controller
	level   int
	fixed   bool

	rule     string
	decision criterion.Decision
	trips    []trip // the last maxTrips round trips
	forecast forecast
}

// A trip is the round-trip time of a movement, and the level that was chosen after the movement.
type trip struct {
	milliseconds float64
	level        int
}

// maxTrips is the number of round trips that are stored.
const maxTrips = 100

// newQuality returns a quality whose level changes by a criterion, see criterion.Named. With the criterion "never", it
// never changes. The first level depends on the number of triangles.
func newQuality(policy string, triangles int) (*quality, error) {
	if policy == "" {
		policy = "guard:3:ours"
	}
	of, err := criterion.Named(policy)
	if err != nil {
		return nil, err
	}
	q := &quality{control: criterion.Controller{Criterion: of(0)}, fixed: policy == "never", rule: policy, forecast: newForecast()}
	switch { // the first level is a guess, which the first movements correct
	case triangles > 4_000_000:
		q.level = 2
	case triangles > 300_000:
		q.level = 1
	}
	q.control.Balanced(jumpPrice)
	return q, nil
}

// observe updates the quality after a movement, and decides about the level of the next movements.
func (q *quality) observe(m movement) {
	if !(m.trip > 0) {
		return
	}
	if q.forecast.observe(m, q.level) && !q.fixed {
		q.chooseLevel()
	}
	if len(q.trips) == maxTrips {
		q.trips = append(q.trips[:0], q.trips[1:]...)
	}
	q.trips = append(q.trips, trip{m.trip, q.level})
}

// chooseLevel changes the level to the best level if the criterion decides to balance.
func (q *quality) chooseLevel() {
	best, spared := q.forecast.bestLevel(q.level)
	// The criterion expects the times of two processors, and computes the imbalance from them: the larger time minus
	// the mean. With these two arguments the imbalance is `spared`.
	if q.control.Observe(targetTrip+2*spared, targetTrip) != nil {
		return
	}
	if q.decision = q.control.Decide(); q.decision.Balance && best != q.level {
		q.forecast.levelChanged(q.level)
		q.level = best
		q.control.Balanced(jumpPrice)
	}
}

// withoutShadow returns a recipe without the shadow on the ground. Movements have no shadow, because it would have to
// be computed again for each recipe.
func withoutShadow(p recipe.Picture) recipe.Picture {
	no := false
	p.Lines.Ground = &no
	return p
}
