package bench

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
// histogram; in the trial one for each level that the bisection of a workload
// tries; in the redistribution the two +-scans and the copy-scan. Every processor
// takes part in the histogram with as many elements as that has exact buckets,
// however few it hosts.
const (
	gatherTrees         = 1
	outlookTrees        = 1
	redistributionTrees = 3

	histogramElements = 64
)

func trialTrees(largest int32) int { return bits.Len32(uint32(largest)) }

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

func (m lockstepMachine) outlook(virtual int, of costOf) float64 {
	return float64((m.hosted(virtual)+histogramElements)*of(m.costs.Outlook)) + m.tree(outlookTrees)
}

func (m lockstepMachine) trial(virtual int, largest int32, of costOf) float64 {
	return float64(m.hosted(virtual)*of(m.costs.Trial)) + m.tree(trialTrees(largest))
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

// balanced returns the time in ns of the loop of Figure 2.
func (m lockstepMachine) balanced(virtual int, largest int32, r loopResult) float64 {
	moved := float64(float64(r.Redistributions) * m.redistribution(virtual, typicalCost))
	return float64(float64(r.iterations)*m.solution(virtual, typicalCost)) + m.looks(virtual, largest, r.Counts) + moved
}

// looks returns the time in ns of looks with their outlooks and trial plans.
func (m lockstepMachine) looks(virtual int, largest int32, c lb.Counts) float64 {
	return float64(float64(c.Looks)*m.gather(virtual, typicalCost)) +
		float64(float64(c.Outlooks)*m.outlook(virtual, typicalCost)) +
		float64(float64(c.Trials)*m.trial(virtual, largest, typicalCost))
}

// timing is the calibration run of a data set on this machine: the longest
// phases over the shortest iteration. A look is charged as if all its parts were
// always needed.
func (m lockstepMachine) timing(virtual int, largest int32) lb.Timing {
	return lb.Timing{
		Gather:         m.gather(virtual, longestCost) + m.outlook(virtual, longestCost) + m.trial(virtual, largest, longestCost),
		Redistribution: m.redistribution(virtual, longestCost),
		Solution:       m.solution(virtual, shortestCost),
	}
}

// loopResult is what a loop did under a policy.
type loopResult struct {
	lb.Counts
	iterations int
}

// runLoop counts the iterations of a loop under a cycle, exactly those that
// vp.Array.Run takes, but from look to look at once: in between every active
// processor just does one task an iteration.
func runLoop(workload []int32, c *lb.Cycle) (loopResult, error) {
	a := vp.NewArray(workload)
	c.Reset()
	r := loopResult{}
	for {
		g := lb.Gather(a.Workload)
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
				steps = int(step.NewMax)
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
