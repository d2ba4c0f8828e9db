package scenario

import (
	"errors"
	"fmt"
	"math"
)

// Laws say how the imbalance of a [Drift] grows. A nil slice means zeros.
type Laws struct {
	// ByAge[k] is the growth from age k to age k+1. The age is the number of iterations since the last balancing. ByAge
	// needs an element for every iteration but the last.
	ByAge []float64
	// ByTime[t] is the growth from iteration t to iteration t+1, whenever the work was last balanced. If the work is
	// balanced between the two iterations, there is no growth. ByTime needs an element for every iteration but the
	// last.
	ByTime []float64
	// Floor[t] is the imbalance in iteration t that no balancing removes. Floor needs an element for every iteration.
	Floor []float64
}

// A Drift is an application whose imbalance grows with the age, with time, or with both, above a floor. NewDrift makes
// one.
type Drift struct {
	cost    float64
	mean    []float64
	laws    Laws
	younger bool
}

// NewDrift returns the application that has one iteration for every element of mean. A balancing costs cost. A run that
// is balanced before iteration s has the removable imbalance R(s) = 0, then
//
//	R(t+1) = max(0, R(t) + ByAge[t-s] + ByTime[t])
//
// and the slowest processing element takes (1 + R(t) + Floor[t]) mean[t]. Errors name the field and the index.
func NewDrift(cost float64, mean []float64, laws Laws) (*Drift, error) {
	n := len(mean)
	switch {
	case !(cost >= 0) || math.IsInf(cost, 0):
		return nil, fmt.Errorf("the cost of balancing is %v; expected a finite number of at least 0", cost)
	case n == 0:
		return nil, errors.New("no iterations: the mean loads are empty")
	case n > math.MaxInt32:
		return nil, fmt.Errorf("%d iterations; at most %d are possible", n, math.MaxInt32)
	}
	for _, f := range []struct {
		name  string
		x     []float64
		want  int
		least float64
	}{
		{"mean load", mean, n, 0},
		{"growth of the imbalance by age", laws.ByAge, n - 1, math.Inf(-1)},
		{"growth of the imbalance by time", laws.ByTime, n - 1, math.Inf(-1)},
		{"floor of the imbalance", laws.Floor, n, 0},
	} {
		if f.x == nil {
			continue
		}
		if len(f.x) < f.want {
			return nil, fmt.Errorf("the %s has %d elements; a run of %d iterations needs %d", f.name, len(f.x), n, f.want)
		}
		for i, x := range f.x[:f.want] {
			if !(x >= f.least) || math.IsInf(x, 0) {
				return nil, fmt.Errorf("element %d of the %s is %v; expected a finite number%s", i, f.name, x, orMore(f.least))
			}
		}
	}
	d := &Drift{cost: cost, mean: mean, laws: laws, younger: laws.youngerIsBetter(n)}
	return d, d.checkTotal()
}

func orMore(least float64) string {
	if math.IsInf(least, -1) {
		return ""
	}
	return fmt.Sprintf(" of at least %v", least)
}

// checkTotal returns an error if sums of costs could overflow. Infinite sums cannot be compared.
func (d *Drift) checkTotal() error {
	most, sum := 1.0, 0.0
	for t, m := range d.mean {
		floor := valueAt(d.laws.Floor, t)
		sum += float64(m*(most+floor)) + d.cost
		if t+1 < len(d.mean) {
			most += max(0, valueAt(d.laws.ByAge, t)) + max(0, valueAt(d.laws.ByTime, t))
		}
	}
	if math.IsInf(sum, 0) || math.IsNaN(sum) {
		return errors.New("the loads are too large: the cost of a scenario could overflow")
	}
	return nil
}

// youngerIsBetter reports whether a run that was balanced later never has more removable imbalance than one that was
// balanced earlier. The later run starts with removable imbalance 0, so it is not above the earlier run. Each step adds
// the same growth by time to both runs. Their order stays in two cases:
//
//   - The growth by age never falls with the age.
//   - No growth is negative. The earlier run has then added growths of more ages and more times. Sums in a different
//     order round differently, so this counts only if there is no growth by time.
func (l Laws) youngerIsBetter(n int) bool {
	rising, growing := true, true
	for k := range n - 1 {
		x := valueAt(l.ByAge, k)
		rising = rising && (k == 0 || x >= valueAt(l.ByAge, k-1))
		growing = growing && x >= 0
	}
	return rising || growing && l.ByTime == nil
}

func valueAt(x []float64, i int) float64 {
	if x == nil {
		return 0
	}
	return x[i]
}

// Iterations returns the number of iterations.
func (d *Drift) Iterations() int { return len(d.mean) }

// Mean returns the mean load of iteration t.
func (d *Drift) Mean(t int) float64 { return d.mean[t] }

// Cost returns the cost of balancing.
func (d *Drift) Cost() float64 { return d.cost }

// YoungerIsBetter reports whether a run that was balanced later is never slower than one that was balanced earlier.
func (d *Drift) YoungerIsBetter() bool { return d.younger }

// Balanced starts a run at iteration t.
func (d *Drift) Balanced(t int) Run { return &driftRun{d: d, next: t} }

type driftRun struct {
	d         *Drift
	next, age int
	removable float64
}

// Step implements Run. It returns the mean load as Min. If only one of many processing elements is slow, the time of
// the others is almost the mean.
func (r *driftRun) Step() Iteration {
	t, l := r.next, &r.d.laws
	mean := r.d.mean[t]
	it := Iteration{Max: float64(mean * (1 + r.removable + valueAt(l.Floor, t))), Mean: mean, Min: mean}
	r.next++
	if r.next < len(r.d.mean) {
		r.removable = max(0, r.removable+valueAt(l.ByAge, r.age)+valueAt(l.ByTime, t))
		r.age++
	}
	return it
}

func (r *driftRun) Cost() float64 { return r.d.cost }
