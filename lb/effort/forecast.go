package effort

import "math"

// A Forecast is the imbalance time that is expected of a way, at several numbers of
// iterations after the balancing, which increase from 0.
type Forecast struct {
	Age       []float64 // iterations
	Imbalance []float64 // max - mean, per iteration, at each age
}

// at returns the imbalance time at an age: linear between those known, and beyond
// the last as it grew before it.
func (f Forecast) at(age float64) float64 {
	k := 1
	for k < len(f.Age)-1 && f.Age[k] < age {
		k++
	}
	if len(f.Age) < 2 {
		return f.Imbalance[0]
	}
	slope := (f.Imbalance[k] - f.Imbalance[k-1]) / (f.Age[k] - f.Age[k-1])
	return max(0, f.Imbalance[k-1]+slope*(age-f.Age[k-1]))
}

// Steps and reach of the search for the best length of an interval: 32 lengths in
// geometric order up to twice the last age. The effort is flat about its least, so
// that a tenth more or less in length changes it by half a percent.
const (
	lengths = 32
	reach   = 2
)

// Best returns the least effort per iteration that a balancing at the given cost
// can lead to, over all lengths of the interval up to twice the last age, which is
// what a good criterion will choose, and the length. At least one age must be known.
func (f Forecast) Best(cost float64) (effort, length float64) {
	end := f.Age[len(f.Age)-1] * reach
	if end < 1 {
		return cost + f.Imbalance[0], 1
	}
	effort = math.Inf(1)
	sum, before, u := 0.0, 0.0, f.at(0)
	for k := range lengths {
		age := math.Pow(end, float64(k)/(lengths-1)) // from 1 to end
		next := f.at(age)
		sum += (u + next) / 2 * (age - before)
		before, u = age, next
		if e := (cost + sum) / age; e < effort {
			effort, length = e, age
		}
	}
	return effort, length
}

// A Planner chooses between ways whose effort can be foretold, such as partitions of
// points with velocities, and bounds what the forecasts cost. A way that is foretold to be
// clearly worse than the best is left out of the next forecasts: of one at first, and of
// twice as many whenever it is so again. A forecast is made when its price is a small part of
// the effort since the last one: what another way would at least have to save for the
// forecast to pay. That part becomes smaller while forecasts do not change the choice. An
// interval of more effort than foretold calls for a forecast earlier.
//
// Make one with [NewPlanner].
type Planner struct {
	used     int
	foretold float64 // relative effort of the way in use
	hope     float64 // part of the effort that a forecast may cost
	since    float64 // effort since the last forecast
	price    float64 // of the last forecast, for each way
	round    int     // forecasts so far
	from     []int   // by way: the forecast that it takes part in again
	rest     []int   // by way: forecasts to leave out when it is worse once more
}

// Bounds of a Planner. Ways differ by a fifth where the motion has changed, so that a forecast may
// cost that much; while it changes nothing, down to a twentieth, as forecasts of like ways
// differ by some percent from what comes. For that reason a change must promise a
// twentieth, too, and only a way worse by a quarter is left out, of few enough forecasts to
// notice a new kind of motion. Intervals of one way differ by up to a half; beyond that the
// way in use has become a bad one, and two fifths may be saved.
const (
	longestRest = 16
	worthwhile  = 0.95
	hopeless    = 1.25
	surprise    = 1.5
	mostHope    = 0.2
	leastHope   = 0.05
	alarm       = 0.4
)

// NewPlanner chooses between ways 0 to n-1. It panics if n is less than 1.
func NewPlanner(n int) *Planner {
	if n < 1 {
		panic("effort: a planner of nothing")
	}
	return &Planner{from: make([]int, n), rest: make([]int, n)}
}

// Used returns the way in use, 0 at first.
func (p *Planner) Used() int { return p.used }

// Due is told what the ended interval was like and reports whether ways should be
// forecast before this balancing; if not, the way in use stays. The first forecast is
// always due.
func (p *Planner) Due(ended Interval) bool {
	p.since += ended.Cost + ended.Residual + ended.Growth
	hope := p.hope
	if ended.Relative() > surprise*p.foretold {
		hope = alarm
	}
	return p.round == 0 || p.since*hope >= p.price*float64(p.wanted())
}

func (p *Planner) wanted() (n int) {
	for i := range p.from {
		if p.Wanted(i) {
			n++
		}
	}
	return n
}

// Wanted reports whether a way should take part in the forecast that is due.
func (p *Planner) Wanted(way int) bool { return way == p.used || p.round >= p.from[way] }

// Choose returns the way to use from the forecast efforts of the ways that are wanted, over
// the mean time of an iteration. Those of others are not looked at. price is what the
// forecasts cost, in the unit of the intervals' times.
func (p *Planner) Choose(relative []float64, price float64) int {
	p.price = price / float64(p.wanted())
	best := p.used
	for i, e := range relative {
		if p.Wanted(i) && e < relative[best] {
			best = i
		}
	}
	for i, e := range relative {
		switch {
		case !p.Wanted(i):
		case e > hopeless*relative[best]:
			p.rest[i] = min(max(1, 2*p.rest[i]), longestRest)
			p.from[i] = p.round + 1 + p.rest[i]
		default:
			p.rest[i] = 0
		}
	}
	if p.round > 0 && relative[best] > worthwhile*relative[p.used] {
		best = p.used
	}
	p.hope = max(p.hope/2, leastHope)
	if p.round == 0 || best != p.used {
		p.hope = mostHope
	}
	p.used, p.foretold, p.since = best, relative[best], 0
	p.round++
	return best
}
