package tables

import (
	"math/bits"

	"lockstep/lb"
)

// thisMachine has any number of processors like the cores of this machine. A phase that combines data of all processors
// takes one hop between two cores for each level of a binary tree over the processors. The barrier after an iteration
// is a tree of barriers between two cores.
type thisMachine struct {
	processors   int
	hop, barrier PhaseCost
	costs        LoopCosts
}

// These are the numbers of passes through the tree in each phase. A look needs one for maximum, sum and count together.
// A forecast needs one for the histogram and one for the choice of the best iteration. A redistribution needs two for
// the +-scans and one for the copy-scan.
const (
	gatherTrees         = 1
	forecastTrees       = 2
	redistributionTrees = 3
)

// lineWords is the number of words in a cache line, which travel between cores together.
const lineWords = 16

func (m thisMachine) hosts() int { return m.processors }

// phases implements machine. The processors add the words of a histogram one after the other while it passes through
// the tree; then each processor searches the whole histogram.
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

// hosted returns the number of virtual processors per processor.
func hosted(virtual, processors int) int { return (virtual + processors - 1) / processors }

// Timing returns the timing of a calibration run of a loop on a machine that has a processor for each virtual
// processor, with a workload whose summary is s. It assumes that a hop takes as long as gathering one element, and that
// the data of a problem are its number.
func (c LoopCosts) Timing(processors int, s lb.Summary) lb.Timing {
	m := thisMachine{processors: processors, hop: PhaseCost{c.Gather.Typical, c.Gather.Typical, c.Gather.Typical}, costs: c}
	return rule{}.timing(m, loop{make([]int32, processors), s})
}
