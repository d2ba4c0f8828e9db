package effort

import "math"

// A Forecast says how the imbalance time is expected to grow after a balancing by a certain method. The imbalance time
// of an iteration is max - mean over the processing elements. An age is a number of iterations since the balancing.
// Ages increase from 0.
type Forecast struct {
	Age       []float64 // in iterations since the balancing
	Imbalance []float64 // max - mean per iteration, at each age
}

// at returns the imbalance time at an age. It interpolates linearly between known ages. Beyond the last age it
// extrapolates from the last two.
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

// Until returns the sum of the imbalance times of all iterations up to age.
func (f Forecast) Until(age float64) (sum float64) {
	from := 0.0
	for k := 1; k < len(f.Age) && from < age; k++ {
		to := min(f.Age[k], age)
		if k == len(f.Age)-1 {
			to = age
		}
		u, v := f.at(from), f.at(to)
		if v == 0 && u > 0 { // the imbalance time falls to 0 on the way
			to = min(to, from+u*(f.Age[k]-f.Age[k-1])/(f.Imbalance[k-1]-f.Imbalance[k]))
		}
		sum += (u + v) / 2 * (to - from)
		from = f.Age[k]
	}
	if len(f.Age) < 2 {
		sum = f.at(0) * age
	}
	return sum
}

// The search for the best length of an interval between two balancings tries triedLengths lengths. They form a
// geometric sequence up to maxAges times the last age. Near its minimum the effort hardly depends on the length: a
// length that is wrong by a tenth raises the effort by half a percent.
const (
	triedLengths = 32
	maxAges      = 2
)

// Best returns the least effort per iteration, and the length of the interval between two balancings with which this
// effort is reached. It tries lengths up to twice the last age. The first balancing costs `first`, and each later one
// costs `cost`. The Forecast must have at least one age.
//
// rest is the number of iterations until the run ends, or +Inf if it is not known. If it is known, the intervals divide
// it evenly.
func (f Forecast) Best(cost, first, rest float64) (effort, length float64) {
	end := min(f.Age[len(f.Age)-1]*maxAges, rest)
	if end < 1 {
		return cost + f.Imbalance[0], 1
	}
	effort = math.Inf(1)
	for k := range triedLengths {
		age := math.Pow(end, float64(k)/(triedLengths-1)) // goes from 1 to end in steps of equal ratio
		spent := cost
		if !math.IsInf(rest, 1) {
			n := math.Ceil(rest / age * (1 - 1e-9))
			age = rest / n
			spent = (float64(cost*(n-1)) + first) / n
		}
		if e := (spent + f.Until(age)) / age; e < effort {
			effort, length = e, age
		}
	}
	return effort, length
}

// Divide returns the length of intervals that divide the remaining iterations of a run, rest, evenly. length is the
// best length in a run without an end.
//
// The best number n of intervals follows from x = rest/length. If the imbalance grows linearly, then at the best length
// imbalance and balancings cost the same. With n intervals, imbalance and balancings together cost as much as n + x*x/n
// balancings. This sum is least at the first n for which n(n+1) >= x*x.
func Divide(rest, length float64) float64 {
	if !(rest > 0) || math.IsInf(rest, 1) {
		return length
	}
	x := rest / length
	return rest / max(1, math.Ceil(math.Sqrt(x*x+0.25)-0.5))
}

// A Planner chooses between methods of balancing by forecasts of their effort, and limits the cost of the forecasts.
// Partitions of points with velocities, for example, can be forecast.
//
//   - A method whose forecast is clearly worse than the best is left out of the next forecast. When this happens again,
//     it is left out of the next two forecasts, then of four, and so on.
//   - A forecast is made when its price is a small fraction of the effort since the last forecast. So a change of
//     method repays that price if it saves at least this fraction. The fraction becomes smaller while forecasts do not
//     change the choice.
//   - If an interval takes more effort than was forecast, the next forecast comes earlier.
//
// Make a Planner with [NewPlanner].
type Planner struct {
	used        int
	forecast    float64 // relative effort that was forecast for the method in use
	budget      float64 // the next forecast may cost this fraction of effortSince
	effortSince float64 // effort since the last forecast
	price       float64 // price of the last forecast, divided by the number of methods in it
	round       int     // number of forecasts so far
	nextRound   []int   // by method: the number of the next forecast in which it takes part
	skips       []int   // by method: the number of forecasts that it was last left out of
}

// Limits of the decisions of a Planner. All but longestRest are factors or fractions of an effort.
//
//   - longestRest: a method is left out of at most this number of forecasts in a row. So a new kind of motion is
//     noticed.
//   - switchFactor: the method is changed only if that promises to save a twentieth, because forecasts err by some per
//     cent.
//   - dropFactor: a method whose forecast is worse by a quarter is left out.
//   - surpriseFactor: intervals with the same method differ by up to a half. If an interval exceeds its forecast by
//     more, the method in use has become bad.
//   - maxBudget: after a change of method, a forecast may cost a fifth of the effort. If the motion has changed,
//     the efforts of two methods differ by about a fifth.
//   - minBudget: a forecast may always cost a twentieth of the effort. A smaller fraction is not worth while, because
//     forecasts err by some per cent.
//   - surpriseBudget: after a surprise another method may save two fifths of the effort, so a forecast may cost as
//     much.
const (
	longestRest    = 16
	switchFactor   = 0.95
	dropFactor     = 1.25
	surpriseFactor = 1.5
	maxBudget      = 0.2
	minBudget      = 0.05
	surpriseBudget = 0.4
)

// NewPlanner returns a Planner that chooses between methods 0 to n-1. It panics if n < 1.
func NewPlanner(n int) *Planner {
	if n < 1 {
		panic("effort: a planner of nothing")
	}
	return &Planner{nextRound: make([]int, n), skips: make([]int, n)}
}

// Used returns the method in use. It is 0 at first.
func (p *Planner) Used() int { return p.used }

// Due records the interval that has ended. It reports whether methods should be forecast before this balancing. If not,
// the method in use stays. The first forecast is always due.
//
// rest limits what a forecast can save. It is the length of the remaining run divided by the length of the interval
// that has ended, or +Inf if it is not known.
func (p *Planner) Due(ended Interval, rest float64) bool {
	effort := ended.Cost + ended.Residual + ended.Growth
	p.effortSince += effort
	stake := p.effortSince
	if left := effort * rest; left < stake {
		stake = left
	}
	hope := p.budget
	if ended.Relative() > surpriseFactor*p.forecast {
		hope = surpriseBudget
	}
	return p.round == 0 || stake*hope >= p.price*float64(p.wanted())
}

func (p *Planner) wanted() (n int) {
	for i := range p.nextRound {
		if p.Wanted(i) {
			n++
		}
	}
	return n
}

// Wanted reports whether method should take part in the forecast that is due.
func (p *Planner) Wanted(method int) bool { return method == p.used || p.round >= p.nextRound[method] }

// Choose returns the method to use. relative holds the forecast effort of every method, divided by the mean time of an
// iteration. Only the elements of methods that are [Planner.Wanted] are read. price is the cost of the forecasts, in
// the unit of the intervals' times.
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
		case e > dropFactor*relative[best]:
			p.skips[i] = min(max(1, 2*p.skips[i]), longestRest)
			p.nextRound[i] = p.round + 1 + p.skips[i]
		default:
			p.skips[i] = 0
		}
	}
	if p.round > 0 && relative[best] > switchFactor*relative[p.used] {
		best = p.used
	}
	p.budget = max(p.budget/2, minBudget)
	if p.round == 0 || best != p.used {
		p.budget = maxBudget
	}
	p.used, p.forecast, p.effortSince = best, relative[best], 0
	p.round++
	return best
}
