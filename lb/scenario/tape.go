package scenario

// A runTape is a run whose iterations can be read more than once, by several paths that balanced before the same
// iteration. If keep is true, the tape holds the times of all iterations. Otherwise it holds only the time of the last
// one.
type runTape struct {
	run   Run
	keep  bool
	known int // number of iterations run
	times []float64
	costs []float64 // costs of balancing by age, from age 1 on
}

// time returns the time of the iteration with the given age. Age 0 is the first iteration after the balancing.
func (r *runTape) time(age int) float64 {
	if age < r.known {
		return r.times[age-r.known+len(r.times)]
	}
	if !r.keep {
		r.times, r.costs = r.times[:0], r.costs[:0]
	}
	r.times = append(r.times, r.run.Step().Max)
	r.known++
	return r.times[len(r.times)-1]
}

// cost returns the cost of balancing before the iteration with the given age, at least 1. The time of age-1 must have
// been read before.
func (r *runTape) cost(age int) float64 {
	if age > r.known-len(r.times)+len(r.costs) {
		r.costs = append(r.costs, r.run.Cost())
	}
	return r.costs[age-1-r.known+len(r.times)]
}
