package tables

import (
	"encoding/json"
	"math"
	"slices"

	"lockstep/bench/report"
)

// An interval is a mean and its 95 % confidence interval. The zero value means that there is none.
type interval struct{ low, mean, high float64 }

// MarshalJSON writes the low end, the mean and the high end. It writes null if there is no interval.
func (i interval) MarshalJSON() ([]byte, error) {
	if i == (interval{}) {
		return []byte("null"), nil
	}
	return json.Marshal([3]float64{i.low, i.mean, i.high})
}

// geometricMean returns the geometric mean of values and its confidence interval. The interval needs at least two
// values. It assumes that the logarithms of the values are normally distributed.
func geometricMean(values []float64) interval {
	n := float64(len(values))
	if n < 2 {
		return interval{}
	}
	var mean, square float64
	for _, v := range values {
		mean += math.Log(v) / n
	}
	for _, v := range values {
		d := math.Log(v) - mean
		square += d * d
	}
	half := report.Student[len(values)-1] * math.Sqrt(square/(n-1)/n)
	return interval{math.Exp(mean - half), math.Exp(mean), math.Exp(mean + half)}
}

// withIntervals returns the cells of the first sample, with confidence intervals over all samples.
func withIntervals(samples [][]cell) []cell {
	cells := slices.Clone(samples[0])
	for i := range cells {
		over := func(of func(cell) float64) interval {
			var values []float64
			for _, s := range samples {
				values = append(values, of(s[i]))
			}
			return geometricMean(values)
		}
		cells[i].SpeedupInterval = over(func(c cell) float64 { return c.Speedup })
		cells[i].GainInterval = over(func(c cell) float64 { return c.Gain })
	}
	return cells
}

// A gain summarizes the gains of the cells of the paper's tables. The gain of a cell is the speed with the experiment's
// rule divided by that with the paper's rule.
type gain struct {
	mean, least float64  // geometric mean and smallest gain of the cells of the first sample
	interval    interval // of the geometric mean, from all samples
}

func meanGain(samples [][]cell) gain {
	g := gain{least: math.Inf(1)}
	var means []float64
	for i, cells := range samples {
		var logs, n float64
		for _, c := range cells {
			if paperWorkloads[c.Dataset] == nil {
				continue
			}
			logs, n = logs+math.Log(c.Gain), n+1
			if i == 0 {
				g.least = min(g.least, c.Gain)
			}
		}
		means = append(means, math.Exp(logs/n))
	}
	g.mean, g.interval = means[0], geometricMean(means)
	return g
}

// A minMeanMax holds the least, the mean and the largest value of a quantity of each processor.
type minMeanMax [3]float64

// A busyTime holds how long each processor solved tasks, in ns.
type busyTime []float64

// add adds a loop in which virtual processor v solved solved[v] tasks. Processor v%processors runs virtual processor v.
// In each iteration a processor spends the same time on each of its virtual processors.
func (b *busyTime) add(solved []int32, processors int, iteration float64) {
	if *b == nil {
		*b = make(busyTime, processors)
	}
	for v, tasks := range solved {
		(*b)[v%processors] += float64(tasks) * iteration / float64(virtualPerProcessor(len(solved), processors))
	}
}

// idleFractions returns the least, mean and largest fraction of the given time in which a processor solves no task.
func (b busyTime) idleFractions(time float64) minMeanMax {
	s := minMeanMax{1, 0, 0}
	for _, busy := range b {
		share := 1 - busy/time
		s[0], s[1], s[2] = min(s[0], share), s[1]+share/float64(len(b)), max(s[2], share)
	}
	return s
}
