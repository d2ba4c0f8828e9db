package tables

import (
	"math/bits"

	"lockstep/lb"
)

// A thisMachine is a machine of any number of processors that are all like a core of this machine. Its costs are sums
// over the levels of a binary tree of the processors. For each level, combining data of all processors costs a message
// between two cores, and a barrier of all processors costs a barrier of two cores.
type thisMachine struct {
	processors   int
	hop, barrier PhaseCost
	costs        LoopCosts
}

// Number of passes through the binary tree of processors in each phase. A pass combines data of all processors.
const (
	gatherTrees         = 1 // one tree computes maximum, sum and count together
	forecastTrees       = 2 // histogram, choice of the best iteration
	redistributionTrees = 3 // two +-scans, one copy-scan
)

// lineWords is the number of words in a cache line. Cores exchange whole cache lines.
const lineWords = 16

func (m thisMachine) processorCount() int { return m.processors }

// phases implements machine. The time of a word of a histogram consists of adding it in the tree, sending it, and
// searching it in every processor.
func (m thisMachine) phases(l loop, of costOf) phases {
	hosted := float64(virtualPerProcessor(l.virtualProcessors(), m.processors))
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

// virtualPerProcessor returns the largest number of virtual processors on a processor.
func virtualPerProcessor(virtual, processors int) int { return (virtual + processors - 1) / processors }

// Timing returns the times that calibrate a cost model for a machine with one processor for each virtual processor. s
// is the summary of the workload. Timing assumes that a message between processors takes as long as gathering one
// element. c.Data may be 0. Then the time is that of a program whose problem data are only the number of the problem.
func (c LoopCosts) Timing(processors int, s lb.Summary) lb.Timing {
	m := thisMachine{processors: processors, hop: PhaseCost{c.Gather.Typical, c.Gather.Typical, c.Gather.Typical}, costs: c}
	return rule{}.timing(m, loop{make([]int32, processors), s})
}
