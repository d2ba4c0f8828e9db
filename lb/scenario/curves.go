package scenario

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Curves is an application that two curves describe: the mean load of every iteration, and the imbalance as a function
// of the age, which is the number of iterations since the last balancing. NewCurves makes a Curves.
type Curves struct {
	cost   float64
	mean   []float64
	excess []float64 // excess[k] = I+1 at age k, at least 1
	aging  bool      // whether excess never decreases
}

// NewCurves returns the application with one iteration for every element of mean. Balancing costs cost, and mean[t] is
// the mean load of iteration t. Both are in the same unit of time. The age k is 0 in the first iteration after a
// balancing. At age k the imbalance I = max/mean - 1 is
//
//	I(0) = 0,  I(k+1) = max(0, I(k) + growth[k])
//
// so the slowest processing element takes (I+1) mean. The imbalance is never negative, because the largest value is
// never below the mean. growth needs at least len(mean)-1 elements, because this is the largest age that a run can
// reach. Further elements are ignored. Errors name the field and the index.
func NewCurves(cost float64, mean, growth []float64) (*Curves, error) {
	if !(cost >= 0) || math.IsInf(cost, 0) {
		return nil, fmt.Errorf("the cost of balancing is %v; expected a finite number of at least 0", cost)
	}
	if len(mean) == 0 {
		return nil, errors.New("no iterations: the mean loads are empty")
	}
	if len(mean) > math.MaxInt32 {
		return nil, fmt.Errorf("%d iterations; at most %d are possible", len(mean), math.MaxInt32)
	}
	for t, m := range mean {
		if !(m >= 0) || math.IsInf(m, 0) {
			return nil, fmt.Errorf("the mean load of iteration %d is %v; expected a finite number of at least 0", t, m)
		}
	}
	if len(growth) < len(mean)-1 {
		return nil, fmt.Errorf("the growth of the imbalance has %d elements; a run of %d iterations needs %d", len(growth), len(mean), len(mean)-1)
	}
	c := &Curves{cost: cost, mean: slices.Clone(mean), aging: true}
	c.excess = make([]float64, len(mean))
	imbalance := 0.0
	for k := range c.excess {
		c.excess[k] = 1 + imbalance
		if k > 0 && c.excess[k] < c.excess[k-1] {
			c.aging = false
		}
		if k+1 == len(c.excess) {
			break
		}
		imbalance = max(0, imbalance+growth[k])
		if math.IsNaN(imbalance) || math.IsInf(imbalance, 0) {
			return nil, fmt.Errorf("the growth of the imbalance at age %d is %v; expected finite numbers with a finite sum", k, growth[k])
		}
	}
	if err := c.checkTotal(); err != nil {
		return nil, err
	}
	return c, nil
}

// checkTotal returns an error if sums of costs could overflow. Infinite sums cannot be compared.
func (c *Curves) checkTotal() error {
	most := slices.Max(c.excess)
	sum := 0.0
	for _, m := range c.mean {
		sum += float64(m*most) + c.cost
	}
	if math.IsInf(sum, 0) || math.IsNaN(sum) {
		return errors.New("the loads are too large: the cost of a scenario could overflow")
	}
	return nil
}

// Iterations returns the number of iterations.
func (c *Curves) Iterations() int { return len(c.mean) }

// Mean returns the mean load of iteration t.
func (c *Curves) Mean(t int) float64 { return c.mean[t] }

// Cost returns the cost of balancing.
func (c *Curves) Cost() float64 { return c.cost }

// Imbalance returns I = max/mean - 1 at an age.
func (c *Curves) Imbalance(age int) float64 { return c.excess[age] - 1 }

// YoungerIsBetter reports whether the imbalance never decreases with the age.
func (c *Curves) YoungerIsBetter() bool { return c.aging }

// Balanced starts a run at iteration t.
func (c *Curves) Balanced(t int) Run { return &curveRun{c: c, start: t, next: t} }

type curveRun struct {
	c           *Curves
	start, next int
}

// Step implements Run. It returns the mean load as Min. If only one of many processing elements is slow, the time of
// the others is almost the mean.
func (r *curveRun) Step() Iteration {
	mean := r.c.mean[r.next]
	it := Iteration{Max: float64(mean * r.c.excess[r.next-r.start]), Mean: mean, Min: mean}
	r.next++
	return it
}

func (r *curveRun) Cost() float64 { return r.c.cost }
