package tables

import (
	"math"
	"slices"

	"lockstep/lb"
)

// cm5 is a model of the paper's machine, as far as the paper's times determine it. The fixed part of an iteration and
// the load of each row of the tables follow from the times without balancing; the other three constants follow from the
// times with balancing. fit.go fits all of them whenever the machine is used, so no fitted constants are stored here.
//
// An iteration of scan conversion takes fixed + load/P seconds on P processors. A row's load is the time of a step of
// all its virtual processors together, because the paper does not say how many polygons it drew. An iteration of the
// z-buffer takes pixel times the step of its virtual processors, one for each scan line. It has no fixed part of its
// own, because without balancing the fixed part is in proportion to the iterations of scan conversion alone. A look and
// a redistribution each take a constant times an iteration of scan conversion, that is a step of all virtual processors
// and the fixed part.
type cm5 struct {
	fixed                       float64 // seconds
	load                        map[string][]float64
	look, redistribution, pixel float64
	step                        float64 // seconds of a step of one polygon: load divided by the number of our polygons, as the geometric mean over the rows
}

// cm5Threshold is the number of iterations that savings must exceed with the paper's rule on its machine. The balanced
// data set in the view M(45,45) has polygons of up to 21 scan lines, and 1 on average. So a redistribution at the start
// would save 19 iterations, but Table 3 shows none. Hence the paper's overestimate of the cost was at least 19.
const cm5Threshold = 19

// lookPasses is the number of passes over the virtual processors in one look of the paper: the summary, the +-scan that
// allots idle processors, and MAX(new workload). Each pass is followed by a combination of all processors. The cost of
// phases that the paper does not have is expressed in such passes.
const lookPasses = 3

// cm5Loop is one loop of a data set on the machine.
type cm5Loop struct {
	*cm5
	processors int
	load       float64 // load of an iteration of scan conversion, in processor-seconds
	spans      float64 // mean number of spans of a polygon; 0 means the loop of scan conversion
}

// loops returns the machine for both loops of a data set. If the paper has no such data set, the load is computed from
// the number of our polygons.
func (c *cm5) loops(set dataset, processors int) [2]machine {
	rows := set.loops[0]
	load, spans := c.step*float64(rows.virtual()), rows.average()
	if loads := c.load[set.version]; loads != nil {
		paper := paperWorkloads[set.version][set.view]
		spans = float64(paper.avg)
		load = loads[set.view] / (float64(rows.Max) + float64(c.pixel*spans)*float64(set.loops[1].Max))
	}
	return [2]machine{cm5Loop{c, processors, load, 0}, cm5Loop{c, processors, load, spans}}
}

func (m cm5Loop) hosts() int { return m.processors }

// phases implements machine. The times do not vary.
func (m cm5Loop) phases(loop, costOf) phases {
	all := m.fixed + m.load/float64(m.processors)
	iteration := all
	if m.spans > 0 {
		all = m.spans * m.load / float64(m.processors)
		iteration = m.pixel * all
	}
	pass := m.look / lookPasses * all
	return scaled(1e9, phases{
		iteration: iteration, gather: pass, forecast: pass, level: pass, redistribution: m.redistribution * all,
		// A word of a histogram is combined over all processors, which takes at most the fixed part of a pass.
		word: m.look / lookPasses * m.fixed,
	})
}

// scaled returns the phases with all times multiplied by a factor.
func scaled(by float64, p phases) phases {
	for _, t := range []*float64{&p.start, &p.iteration, &p.gather, &p.forecast, &p.word, &p.trial, &p.level, &p.redistribution} {
		*t *= by
	}
	return p
}

// fixedThreshold returns a cost model that always estimates the given number of iterations.
func fixedThreshold(iterations float64) (*lb.CostModel, error) {
	m := lb.NewCostModel(0)
	return m, m.Calibrate([]lb.Timing{{Redistribution: iterations, Solution: 1}})
}

// stretched returns a workload whose largest element is `most`. Elements above the mean are moved away from the mean,
// or towards it, in proportion to their distance from it.
func stretched(l loop, most int) loop {
	mean, w := l.average(), make([]int32, l.virtual())
	factor := (float64(most) - mean) / (float64(l.Max) - mean)
	for i, tasks := range l.workload {
		if above := float64(tasks) - mean; above > 0 {
			tasks = int32(math.Round(mean + float64(above*factor)))
		}
		w[i] = tasks
	}
	return loop{w, lb.Gather(w)}
}

// stretchedSets returns the data sets that stand for the paper's, with the workloads of scan conversion stretched to the
// maxima of the paper's Table 1.
func stretchedSets(sets []dataset) []dataset {
	sets = slices.Clone(sets)
	for i := range sets {
		if paper := paperWorkloads[sets[i].version]; paper != nil {
			sets[i].loops[0] = stretched(sets[i].loops[0], paper[sets[i].view].max)
		}
	}
	return sets
}
