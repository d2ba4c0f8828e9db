package tables

import (
	"fmt"
	"math/bits"

	"lockstep/lb"
	"lockstep/lb/forecast"
	"lockstep/vp"
)

// A machine runs the virtual processors of a loop in lockstep. Each processor of the machine runs the same number of
// virtual processors. In every iteration all virtual processors take the same time, active or not.
type machine interface {
	// phases returns the times of the phases of a loop. The argument `of` selects the shortest, the typical or the
	// longest time of each phase.
	phases(l loop, of costOf) phases
	// processorCount returns the number of processors.
	processorCount() int
}

// A phases holds the times of one execution of each phase of a loop, in ns. Figures 1 and 2 are those of Ahrens and
// Hansen, ICPP 1995.
type phases struct {
	start          float64 // MAX(workload), which Figure 1 computes once before its loop
	iteration      float64
	gather         float64
	forecast, word float64 // a forecast takes forecast + word*(words of its histogram)
	trial, level   float64 // a trial plan takes trial + level*(combinations of data of all processors)
	redistribution float64
}

// A costOf selects one of the three measured times of a phase.
type costOf func(PhaseCost) float64

func shortestCost(c PhaseCost) float64 { return c.Shortest }
func typicalCost(c PhaseCost) float64  { return c.Typical }
func longestCost(c PhaseCost) float64  { return c.Longest }

// originalTime returns the time of the loop without balancing (the paper's Figure 1), in ns.
func originalTime(p phases, iterations int) float64 {
	return p.start + float64(float64(iterations)*p.iteration)
}

// A phaseTime holds the time that a loop spends in each phase, in ns.
type phaseTime struct{ iterations, looks, forecasts, trials, redistributions float64 }

func (t phaseTime) total() float64 {
	return t.iterations + t.looks + t.forecasts + t.trials + t.redistributions
}

// balancedTime returns the time of the loop with balancing (the paper's Figure 2).
func balancedTime(p phases, r counts) phaseTime {
	return phaseTime{
		iterations:      float64(r.iterations) * p.iteration,
		looks:           float64(r.looks) * p.gather,
		forecasts:       float64(float64(r.forecasts)*p.forecast) + float64(float64(r.words)*p.word),
		trials:          float64(r.trials) * (p.trial + float64(float64(r.levels)*p.level)),
		redistributions: float64(r.redistributions) * p.redistribution,
	}
}

// wastedTime returns the time of the checks, forecasts and trial plans that led to no redistribution. It assumes that
// one check, one forecast and one trial plan led to each redistribution.
func wastedTime(p phases, r counts) float64 {
	n := r.redistributions
	r.iterations, r.redistributions = 0, 0
	r.looks = max(r.looks-n, 0)
	r.trials = max(r.trials-n, 0)
	if r.forecasts > 0 {
		left := max(r.forecasts-n, 0)
		r.forecasts, r.words = left, r.words*left/r.forecasts
	}
	return balancedTime(p, r).total()
}

// timing returns times that calibrate a cost model: the longest times of the phases, and the shortest time of an
// iteration. With these the model does not underestimate the cost of the rule on a machine. Gathering includes a trial
// plan and, if the rule forecasts, a forecast with the longest possible histogram.
func (r rule) timing(m machine, l loop) lb.Timing {
	long := m.phases(l, longestCost)
	once := counts{looks: 1, trials: 1, levels: r.levels(l.Summary)}
	if !r.eager {
		once.forecasts, once.words = 1, min(int(l.Max)+1, Buckets(l.Summary)+3)
	}
	return lb.Timing{
		Gather: balancedTime(long, once).total(), Redistribution: long.redistribution,
		Solution: m.phases(l, shortestCost).iteration,
	}
}

// Buckets returns the length of the histograms for forecasting the best iteration for a redistribution: four times the
// average workload of s. Longer histograms find better iterations, but every processor has to go through every word.
// The speed-ups of Table 2 are nearly the same for lengths from twice to eight times the average.
func Buckets(s lb.Summary) int { return max(4*int(s.Balanced()), 8) }

// A rule says how the cycle gathers, plans and decides.
type rule struct {
	proportional   bool // the planner is lb.Proportional, otherwise lb.Minimax
	eager          bool // redistribute in the first worthwhile iteration, otherwise in the best
	everyIteration bool // gather and plan before every iteration, otherwise only while savings are possible
}

// paperRule is the rule of Ahrens and Hansen.
var paperRule = rule{proportional: true, eager: true, everyIteration: true}

// rule returns the rule that the flags select.
func (t *Experiment) rule() rule {
	return rule{proportional: t.Planner == "proportional", eager: t.Eager}
}

// levels returns how many times, at most, data of all processors are combined for a trial plan:
//
//   - The paper's rule combines twice, for the +-scan of the workloads and for MAX(new workload).
//   - lb.Minimax combines once for each step of a bisection of the range of workloads. In each step the processors add
//     up the helpers that they need.
//   - lb.Proportional combines once for each bit of the smallest remainder that is rounded up. A remainder is
//     below the sum of the workloads.
func (r rule) levels(s lb.Summary) int {
	switch {
	case r.everyIteration:
		return lookPasses - 1
	case r.proportional:
		return bits.Len64(uint64(s.Sum))
	}
	return bits.Len32(uint32(s.Max))
}

// A counts holds how many times a loop executed each phase. A check, or look, gathers the workloads and decides whether
// to redistribute.
type counts struct {
	iterations, looks, forecasts, trials, redistributions int

	words  int // sum of the lengths of the histograms of all forecasts
	levels int // number of combinations of data for each trial plan, see rule.levels
}

// A countedLoop holds the counts of a loop, and the number of tasks that each virtual processor solved.
type countedLoop struct {
	counts
	solved []int32
}

// A countedForecast forecasts, and counts its forecasts and the words of their histograms.
type countedForecast struct {
	forecast.Histogram
	calls, words int
}

// Wait implements lb.Forecaster.
func (f *countedForecast) Wait(workload []int32, s lb.Summary, threshold float64) int {
	wait := f.Histogram.Wait(workload, s, threshold)
	f.calls++
	f.words += f.VectorLen()
	return wait
}

// CountLoop runs a loop of package vp that the cycle c balances. It returns the numbers of iterations and
// redistributions.
func CountLoop(workload []int32, c *lb.Cycle) (iterations, redistributions int, err error) {
	stats, err := countLoop(workload, c, func(int, int, int) {})
	return stats.Iterations, stats.Redistributions, err
}

func countLoop(workload []int32, c *lb.Cycle, solve func(processor, problem, task int)) (vp.Stats, error) {
	stats, err := vp.NewArray(workload).Run(solve, vp.LoopOptions{Balance: c})
	if err != nil {
		return stats, fmt.Errorf("tables: %w", err)
	}
	return stats, nil
}

// countPhases runs a loop with the rule and returns its counts. cost estimates the cost of a redistribution.
func (r rule) countPhases(l loop, cost *lb.CostModel) (countedLoop, error) {
	ahead := countedForecast{Histogram: forecast.Histogram{Buckets: Buckets(l.Summary)}}
	opts := lb.Options{Cost: cost}
	if !r.eager {
		opts.Forecast = &ahead
	}
	if r.proportional {
		opts.Planner = new(lb.Proportional)
	}
	c, solved := lb.NewCycle(opts), make([]int32, l.virtualProcessors())
	stats, err := countLoop(l.workload, c, func(processor, _, _ int) { solved[processor]++ })
	n := counts{
		iterations: stats.Iterations, looks: c.Counts().Looks, forecasts: ahead.calls, words: ahead.words,
		trials: c.Counts().Trials, levels: r.levels(l.Summary), redistributions: stats.Redistributions,
	}
	if r.everyIteration {
		n.looks, n.trials = n.iterations, n.iterations
	}
	return countedLoop{n, solved}, err
}
