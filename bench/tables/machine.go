package tables

import (
	"fmt"
	"math/bits"

	"lockstep/lb"
	"lockstep/lb/forecast"
	"lockstep/vp"
)

// machine counts the time of a loop on processors that step together, each hosting
// an equal number of virtual ones. Every virtual processor takes its time in every
// iteration, whether it is active or not. A phase that combines something from all
// processors, a reduction or a scan, takes one hop for each level of a binary tree
// over them as well.
type machine struct {
	processors int
	hop        float64 // ns
	costs      LoopCosts
}

// hosted returns the virtual processors of one processor.
func (m machine) hosted(virtual int) float64 {
	return float64((virtual + m.processors - 1) / m.processors)
}

// tree returns the time of combining trees, one after the other.
func (m machine) tree(trees int) float64 {
	return float64(trees*bits.Len(uint(m.processors-1))) * m.hop
}

// Trees in each phase: one for maximum, sum and count together; one for the
// histogram and one for the choice of the best iteration; in the redistribution the
// two +-scans and the copy-scan.
const (
	gatherTrees         = 1
	forecastTrees       = 2
	redistributionTrees = 3
)

// costOf selects one of the three measured times.
type costOf func(PhaseCost) float64

func shortestCost(c PhaseCost) float64 { return c.Shortest }
func typicalCost(c PhaseCost) float64  { return c.Typical }
func longestCost(c PhaseCost) float64  { return c.Longest }

func (m machine) solution(virtual int, of costOf) float64 {
	return m.hosted(virtual) * of(m.costs.Solution)
}

func (m machine) gather(virtual int, of costOf) float64 {
	return float64(m.hosted(virtual)*of(m.costs.Gather)) + m.tree(gatherTrees)
}

// forecasts returns the time of n forecasts, with words for all together. A histogram is
// a vector: the tree passes its words on one after the other, so that every processor
// adds each once. Then every processor searches it.
func (m machine) forecasts(virtual, n, words int, of costOf) float64 {
	histograms := float64(n) * (float64(m.hosted(virtual)*of(m.costs.Forecast)) + m.tree(forecastTrees))
	return histograms + float64(words)*(of(m.costs.Gather)+of(m.costs.Search))
}

// trials returns the time of n trial plans, each after some reductions.
func (m machine) trials(virtual, n, reductions int, of costOf) float64 {
	return float64(n) * (float64(m.hosted(virtual)*of(m.costs.Trial)) + m.tree(reductions))
}

func (m machine) redistribution(virtual int, of costOf) float64 {
	return float64(m.hosted(virtual)*of(m.costs.Redistribution)) + m.tree(redistributionTrees)
}

// original returns the time in ns of the loop of Figure 1 with the given
// iterations: MAX(workload) once, then the iterations.
func (m machine) original(virtual, iterations int) float64 {
	start := float64(m.hosted(virtual)*m.costs.Max.Typical) + m.tree(gatherTrees)
	return start + float64(float64(iterations)*m.solution(virtual, typicalCost))
}

// phaseTime is where the time of a loop goes, in ns.
type phaseTime struct{ iterations, looks, forecasts, trials, redistributions float64 }

func (t phaseTime) total() float64 {
	return t.iterations + t.looks + t.forecasts + t.trials + t.redistributions
}

// balanced returns the time of the loop of Figure 2.
func (m machine) balanced(virtual int, r counts) phaseTime {
	return phaseTime{
		iterations:      float64(r.iterations) * m.solution(virtual, typicalCost),
		looks:           float64(r.looks) * m.gather(virtual, typicalCost),
		forecasts:       m.forecasts(virtual, r.forecasts, r.words, typicalCost),
		trials:          m.trials(virtual, r.trials, r.reductions, typicalCost),
		redistributions: float64(r.redistributions) * m.redistribution(virtual, typicalCost),
	}
}

// inVain returns the time of the looks, forecasts and trials beyond one of each for
// every redistribution, which the cost of a redistribution includes.
func (m machine) inVain(virtual int, r counts) float64 {
	n := r.redistributions
	r.iterations, r.redistributions = 0, 0
	r.looks = max(r.looks-n, 0)
	r.trials = max(r.trials-n, 0)
	if r.forecasts > 0 {
		left := max(r.forecasts-n, 0)
		r.forecasts, r.words = left, r.words*left/r.forecasts
	}
	return m.balanced(virtual, r).total()
}

// timing is the calibration run of a data set on this machine: the longest
// phases over the shortest iteration. A look is charged as if all its parts were
// always needed, with the longest histogram that the workloads can have.
func (m machine) timing(l loop) lb.Timing {
	virtual := l.virtual()
	return lb.Timing{
		Gather: m.gather(virtual, longestCost) + m.forecasts(virtual, 1, min(int(l.Max)+1, Buckets(l.Summary)+3), longestCost) +
			m.trials(virtual, 1, minimaxReductions(l.Summary), longestCost),
		Redistribution: m.redistribution(virtual, longestCost),
		Solution:       m.solution(virtual, shortestCost),
	}
}

// Timing is the calibration run of a loop on the counted machine with the given
// processors, a virtual one each, whose workload s describes. A hop takes as long as
// the gathering of one element.
func (c LoopCosts) Timing(processors int, s lb.Summary) lb.Timing {
	m := machine{processors: processors, hop: c.Gather.Typical, costs: c}
	return m.timing(loop{make([]int32, processors), s})
}

// Buckets returns the length of the histograms of a loop that s describes: four times
// the average workload. Longer ones find better iterations, but every processor goes
// through every word. The speed-ups of Table 2 hardly change from twice to eight times.
func Buckets(s lb.Summary) int { return max(4*int(s.Balanced()), 8) }

// minimaxReductions bounds the levels that the planner Minimax tries: it bisects them,
// and each is a sum over all processors of the helpers that it takes.
func minimaxReductions(s lb.Summary) int { return bits.Len32(uint32(s.Max)) }

// proportionalReductions is the same for the planner Proportional. It finds the
// fraction from which on remainders are rounded up, all below the sum, bit by bit.
func proportionalReductions(s lb.Summary) int { return bits.Len64(uint64(s.Sum)) }

// counts are the numbers of a loop's phases, of the words in the histograms of all
// forecasts, and of the reductions that each trial plan takes.
type counts struct {
	iterations, looks, forecasts, words, trials, reductions, redistributions int
}

// countedForecast counts forecasts and their words.
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

// CountLoop runs the loop of the specification under a cycle and returns its
// iterations and redistributions.
func CountLoop(workload []int32, c *lb.Cycle) (iterations, redistributions int, err error) {
	stats, err := vp.NewArray(workload).Run(func(int, int, int) {}, vp.LoopOptions{Balance: c})
	if err != nil {
		return 0, 0, fmt.Errorf("tables: %w", err)
	}
	return stats.Iterations, stats.Redistributions, nil
}

// run counts a loop under a cycle with the experiment's planner and forecast.
func (t *Experiment) run(l loop, opts lb.Options) (counts, error) {
	ahead := countedForecast{Histogram: forecast.Histogram{Buckets: Buckets(l.Summary)}}
	if !t.Eager {
		opts.Forecast = &ahead
	}
	reductions := minimaxReductions(l.Summary)
	if t.Planner == "proportional" {
		opts.Planner, reductions = new(lb.Proportional), proportionalReductions(l.Summary)
	}
	c := lb.NewCycle(opts)
	iterations, redistributions, err := CountLoop(l.workload, c)
	return counts{
		iterations: iterations, looks: c.Counts().Looks, forecasts: ahead.calls, words: ahead.words,
		trials: c.Counts().Trials, reductions: reductions, redistributions: redistributions,
	}, err
}
