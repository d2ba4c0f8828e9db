package tables

import (
	"math/bits"

	"lockstep/lb"
)

// thisMachine has processors like the cores of the machine at hand, as many as asked
// for. A phase that combines something from all processors takes one hop between two
// cores for each level of a binary tree over them; the barrier after an iteration is a
// tree of barriers of two.
type thisMachine struct {
	processors   int
	hop, barrier PhaseCost
	costs        LoopCosts
}

// Trees in each phase: one for maximum, sum and count together; one for the
// histogram and one for the choice of the best iteration; in the redistribution the
// two +-scans and the copy-scan.
const (
	gatherTrees         = 1
	forecastTrees       = 2
	redistributionTrees = 3
)

// lineWords are the words of a cache line, which travel between cores together.
const lineWords = 16

func (m thisMachine) hosts() int { return m.processors }

// phases implements machine. The processors add the words of a histogram one after the other
// while it comes down the tree, then each searches all of it.
func (m thisMachine) phases(l loop, of costOf) phases {
	hosted := float64(hosted(l.virtual(), m.processors))
	height := float64(bits.Len(uint(m.processors - 1)))
	tree := height * of(m.hop)
	each := func(trees float64, costs ...PhaseCost) (ns float64) {
		for _, c := range costs {
			ns += float64(hosted * of(c))
		}
		return ns + float64(trees*tree)
	}
	return phases{
		start:     each(gatherTrees, m.costs.Max),
		iteration: each(0, m.costs.Solution) + float64(height*of(m.barrier)),
		gather:    each(gatherTrees, m.costs.Gather),
		forecast:  each(forecastTrees, m.costs.Forecast),
		word:      of(m.costs.Gather) + of(m.costs.Search) + of(m.hop)/lineWords,
		trial:     each(0, m.costs.Trial), level: tree,
		redistribution: each(redistributionTrees, m.costs.Redistribution, m.costs.Data),
	}
}

// hosted returns the virtual processors of one processor.
func hosted(virtual, processors int) int { return (virtual + processors - 1) / processors }

// Timing is the calibration run of a loop on a machine with the given processors, a
// virtual one each, whose workload s describes. A hop takes as long as the gathering of
// one element, and problem data are numbers of problems.
func (c LoopCosts) Timing(processors int, s lb.Summary) lb.Timing {
	m := thisMachine{processors: processors, hop: PhaseCost{c.Gather.Typical, c.Gather.Typical, c.Gather.Typical}, costs: c}
	return rule{}.timing(m, loop{make([]int32, processors), s})
}
