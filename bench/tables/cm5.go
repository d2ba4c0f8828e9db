package tables

import (
	"math"
	"slices"

	"lockstep/lb"
)

// A cm5 is a model of the machine of Ahrens and Hansen (ICPP 1995), a CM-5. With P processors the times are, in
// seconds:
//
//	iteration of scan conversion   s = fixed + load/P
//	iteration of the z-buffer      pixel * spans*load/P
//	look at the workloads          look * s
//	redistribution                 redistribution * s
//
// spans is the mean number of spans of a polygon. In the z-buffer's loop spans*load/P takes the place of s. The paper
// does not say how many polygons it drew, so load differs between the rows of the tables. The z-buffer has no fixed
// part: the paper's times without balancing fit a fixed part for each iteration of scan conversion alone.
//
// fit.go fits the constants to the paper's times whenever the machine is used: fixed and load are fitted to the times
// without balancing, and the other three constants to the times with balancing.
type cm5 struct {
	fixed                       float64              // in seconds
	load                        map[string][]float64 // Processor-seconds, by version and view
	look, redistribution, pixel float64
	// step is the load of a single polygon. Each row of the tables gives a quotient: its load divided by the number of
	// polygons in our data set. step is the geometric mean of these quotients.
	step float64
}

// cm5Threshold is the number of iterations that savings must exceed with the paper's rule on its machine. The balanced
// data set in the view M(45,45) has polygons of up to 21 scan lines, and of 1 on average. So a redistribution at the
// start would save 19 iterations. But the paper's Table 3 shows no gain, so its estimate of the cost was at least 19.
const cm5Threshold = 19

// lookPasses is the number of passes over the virtual processors in one check of the workloads with the paper's rule:
// the summary, the +-scan that gives idle processors to active ones, and the largest new workload. After each pass the
// results of all processors are combined. A phase that the paper does not have, such as a forecast, costs one such
// pass.
const lookPasses = 3

// A cm5Loop is one loop of a data set on the machine cm5. It implements machine.
type cm5Loop struct {
	*cm5
	processors int
	load       float64 // Processor-seconds of an iteration of scan conversion, without the fixed part
	spans      float64 // mean number of spans of a polygon in the z-buffer's loop; 0 in the loop of scan conversion
}

// newLoops returns the machines for both loops of a data set. If the paper has no times for it, the load is c.step
// times the number of polygons.
func (c *cm5) newLoops(set dataset, processors int) [2]machine {
	rows := set.loops[0]
	load, spans := c.step*float64(rows.virtualProcessors()), rows.average()
	if loads := c.load[set.version]; loads != nil {
		paper := paperWorkloads[set.version][set.view]
		spans = float64(paper.avg)
		load = loads[set.view] / (float64(rows.Max) + float64(c.pixel*spans)*float64(set.loops[1].Max))
	}
	return [2]machine{cm5Loop{c, processors, load, 0}, cm5Loop{c, processors, load, spans}}
}

func (m cm5Loop) processorCount() int { return m.processors }

// phases implements machine. The shortest, typical and longest times are equal.
func (m cm5Loop) phases(loop, costOf) phases {
	all := m.fixed + m.load/float64(m.processors)
	iteration := all
	if m.spans > 0 {
		all = m.spans * m.load / float64(m.processors)
		iteration = m.pixel * all
	}
	pass := m.look / lookPasses * all
	return scalePhases(1e9, phases{
		iteration: iteration, gather: pass, forecast: pass, level: pass, redistribution: m.redistribution * all,
		// A word of a histogram is combined over all processors. This is assumed to take as long as the fixed part of a
		// pass, which is an upper bound.
		word: m.look / lookPasses * m.fixed,
	})
}

// scalePhases returns p with all times multiplied by a factor.
func scalePhases(by float64, p phases) phases {
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

// stretchLoop returns a copy of a loop whose largest workload is most. For every workload above the mean, its distance
// from the mean is multiplied by the same factor.
func stretchLoop(l loop, most int) loop {
	mean, w := l.average(), make([]int32, l.virtualProcessors())
	factor := (float64(most) - mean) / (float64(l.Max) - mean)
	for i, tasks := range l.workload {
		if above := float64(tasks) - mean; above > 0 {
			tasks = int32(math.Round(mean + float64(above*factor)))
		}
		w[i] = tasks
	}
	return loop{w, lb.Gather(w)}
}

// stretchSets returns copies of the data sets. If the paper's Table 1 has a maximum for a data set, the workloads of
// scan conversion are stretched to it.
func stretchSets(sets []dataset) []dataset {
	sets = slices.Clone(sets)
	for i := range sets {
		if paper := paperWorkloads[sets[i].version]; paper != nil {
			sets[i].loops[0] = stretchLoop(sets[i].loops[0], paper[sets[i].view].max)
		}
	}
	return sets
}
