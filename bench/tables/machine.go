package tables

import (
	"fmt"
	"math/bits"

	"lockstep/lb"
	"lockstep/vp"
)

// lockstepMachine counts the time of a loop on a machine of processors that step
// together, each hosting an equal number of virtual ones. Every virtual
// processor takes its time in every iteration, whether it is active or not. A
// phase that combines something from all processors, a reduction or a scan, takes
// one hop for each level of a binary tree over them as well.
type lockstepMachine struct {
	processors int
	hop        float64 // ns
	costs      LoopCosts
}

// hosted returns the virtual processors of one processor.
func (m lockstepMachine) hosted(virtual int) float64 {
	return float64((virtual + m.processors - 1) / m.processors)
}

// tree returns the time of so many combining trees.
func (m lockstepMachine) tree(trees int) float64 {
	return float64(trees*bits.Len(uint(m.processors-1))) * m.hop
}

// Trees in each phase: one for maximum, sum and count together; one for the
// histogram and one for the choice of the best iteration; in the trial one for
// each level that is tried; in the redistribution the two +-scans and the
// copy-scan.
const (
	gatherTrees         = 1
	outlookTrees        = 2
	redistributionTrees = 3
)

// A histogram that is combined over the processors is a vector: the tree passes
// its words on one after the other, as many additions on every processor as it
// has words, and what is found in it takes the longer the more there are.
const fewestExact, mostExact = 8, 64

// exactBelow returns the workload below which the histogram of a loop is exact, a power
// of two: twice the average, since the loop is over soon after as many
// iterations as its average, and the iterations before are those that count.
func exactBelow(g lb.Information) int {
	exact := fewestExact
	for exact < mostExact && int64(exact)*int64(g.Processors()) < 2*g.Sum {
		exact *= 2
	}
	return exact
}

// foreseen is the number of iterations that one outlook tries at most. Each
// processor tries its own.
const foreseen = 64

// costOf selects one of the three measured times.
type costOf func(PhaseCost) float64

func shortestCost(c PhaseCost) float64 { return c.Shortest }
func typicalCost(c PhaseCost) float64  { return c.Typical }
func longestCost(c PhaseCost) float64  { return c.Longest }

func (m lockstepMachine) solution(virtual int, of costOf) float64 {
	return m.hosted(virtual) * of(m.costs.Solution)
}

func (m lockstepMachine) gather(virtual int, of costOf) float64 {
	return float64(m.hosted(virtual)*of(m.costs.Gather)) + m.tree(gatherTrees)
}

// outlooks returns the time of so many, with so many words in all.
func (m lockstepMachine) outlooks(virtual, n, words int, of costOf) float64 {
	tried := float64((foreseen + m.processors - 1) / m.processors)
	word := of(m.costs.Gather) + float64(tried*of(m.costs.Foresight))
	return float64(float64(n)*(float64(m.hosted(virtual)*of(m.costs.Outlook))+m.tree(outlookTrees))) + float64(float64(words)*word)
}

// trials returns the time of trial plans that took so much effort.
func (m lockstepMachine) trials(virtual int, e lb.Effort, of costOf) float64 {
	passes := float64(float64(e.Passes)*of(m.costs.Trial)) + float64(float64(e.Searches)*of(m.costs.Search))
	return float64(m.hosted(virtual)*passes) + m.tree(e.Tries)
}

func (m lockstepMachine) redistribution(virtual int, of costOf) float64 {
	return float64(m.hosted(virtual)*of(m.costs.Redistribution)) + m.tree(redistributionTrees)
}

// original returns the time in ns of the loop of Figure 1 that takes so many
// iterations: MAX(workload) once, then the iterations.
func (m lockstepMachine) original(virtual, iterations int) float64 {
	start := float64(m.hosted(virtual)*m.costs.Max.Typical) + m.tree(gatherTrees)
	return start + float64(float64(iterations)*m.solution(virtual, typicalCost))
}

// phaseTime is where the time of a loop goes, in ns.
type phaseTime struct{ iterations, looks, outlooks, trials, redistributions float64 }

func (t phaseTime) total() float64 {
	return t.iterations + t.looks + t.outlooks + t.trials + t.redistributions
}

// balanced returns the time of the loop of Figure 2.
func (m lockstepMachine) balanced(virtual int, r loopResult) phaseTime {
	t := m.looks(virtual, r.Counts)
	t.iterations = float64(r.iterations) * m.solution(virtual, typicalCost)
	t.redistributions = float64(r.Redistributions) * m.redistribution(virtual, typicalCost)
	return t
}

// looks returns the time of looks with their outlooks and trial plans.
func (m lockstepMachine) looks(virtual int, c lb.Counts) phaseTime {
	return phaseTime{
		looks:    float64(c.Looks) * m.gather(virtual, typicalCost),
		outlooks: m.outlooks(virtual, c.Outlooks, c.Words, typicalCost),
		trials:   m.trials(virtual, c.Effort, typicalCost),
	}
}

// timing is the calibration run of a data set on this machine: the longest
// phases over the shortest iteration. A look is charged as if all its parts were
// always needed, with the longest histogram that the workloads can have and a
// bisection over all levels.
func (m lockstepMachine) timing(l tableLoop) lb.Timing {
	virtual, largest, exact := l.virtual(), l.Max, exactBelow(l.Information)
	words := min(exact, int(largest)+1) + 1
	for coarse := exact; coarse <= int(largest); coarse *= 2 {
		words += 2
	}
	return lb.Timing{
		Gather: m.gather(virtual, longestCost) + m.outlooks(virtual, 1, words, longestCost) +
			m.trials(virtual, lb.Effort{Passes: 1, Searches: 1, Tries: lb.OutlookTries + trialTries(largest)}, longestCost),
		Redistribution: m.redistribution(virtual, longestCost),
		Solution:       m.solution(virtual, shortestCost),
	}
}

// trialTries returns how many levels a bisection tries at most.
func trialTries(largest int32) int { return bits.Len32(uint32(largest)) }

// loopResult is what a loop did under a policy.
type loopResult struct {
	lb.Counts
	iterations int
}

// inVain returns the looks, outlooks and trials beyond those that every
// redistribution paid for. It has one of each in its cost, needed or not, so that
// numbers may be negative.
func (r loopResult) inVain() lb.Counts {
	words := 0
	if r.Outlooks > r.Redistributions {
		words = r.Words * (r.Outlooks - r.Redistributions) / r.Outlooks
	}
	e := r.Effort
	if r.Trials > 0 {
		vain := r.Trials - min(r.Redistributions, r.Trials)
		e = lb.Effort{Passes: e.Passes * vain / r.Trials, Searches: e.Searches * vain / r.Trials, Tries: e.Tries * vain / r.Trials}
	}
	return lb.Counts{Looks: r.Looks - r.Redistributions, Outlooks: r.Outlooks - r.Redistributions, Words: words, Effort: e}
}

// runLoop counts the iterations of a loop under a cycle, exactly those that
// vp.Array.Run takes, but from look to look at once: in between every active
// processor just does one task an iteration.
func runLoop(workload []int32, c *lb.Cycle) (loopResult, error) {
	a := vp.NewArray(workload)
	c.Reset()
	r := loopResult{}
	for {
		g, known := c.Foreseen(r.iterations)
		if !known {
			g = lb.Gather(a.Workload)
		}
		if g.Active == 0 {
			r.Counts = c.Counts()
			return r, nil
		}
		steps := int(g.Max)
		if c.Due(r.iterations) {
			if step := c.Look(r.iterations, g, a.Workload); step.Plan != nil {
				if err := a.Redistribute(nil, step.Plan); err != nil {
					return loopResult{}, fmt.Errorf("bench: iteration %d: %w", r.iterations, err)
				}
				steps = int(lb.Gather(a.Workload).Max)
			}
		}
		steps = min(steps, max(c.Next()-r.iterations, 1))
		advance(a, int32(steps))
		r.iterations += steps
	}
}

// advance does so many iterations of the solution phase.
func advance(a *vp.Array, iterations int32) {
	for p, left := range a.Workload {
		done := min(left, iterations)
		a.Next[p] += done
		a.Workload[p] = left - done
	}
}
