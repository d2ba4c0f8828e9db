package flowshop

import (
	"fmt"
	"math"

	"lockstep/vp/isa"
)

// Bounding says which lower bound of makespans a search uses. The makespan of an order is the time when its last job is
// done.
type Bounding uint8

const (
	// OneMachine is the largest of bounds that each consider one machine alone, see the function bound. It is weak, but
	// fast in vector code.
	OneMachine Bounding = iota
	// TwoMachine is the largest of bounds that each consider a pair of machines, by Johnson's rule, see johnsonBounds.
	// Its search trees are several times smaller than those of OneMachine, but a bound takes a hundred times as long.
	TwoMachine
)

// maxJobs is the largest number of jobs of a search. 20! is the largest factorial that fits into 64 bits.
const maxJobs = 20

// A Search is a branch-and-bound search of one instance. It is read-only and may be shared.
//
// A sub-problem has jobs fixed at both ends of the order. Its children fix one more job at one end. If r jobs are free,
// each child has (r-1)! permutations with consecutive numbers, and the children are ordered by job. So a sub-problem is
// an interval of the numbers 0 to n!-1, as in Mezmaz, Melab and Talbi, IPDPS 2007.
//
// An interval must mean the same orders to every peer. So the end at which a sub-problem fixes the next job may depend
// only on the sub-problem. It may not depend on the best makespan, which peers learn at different times. Therefore
// rules compare the bounds of children with a reference bound that stays the same during a run. Pruning uses the best
// makespan.
type Search struct {
	in        *Instance
	rule      Rule
	lengths   bool
	bound     boundFunc
	times     []row // a row for each machine
	byJob     []row // a row for each job
	root      node
	factorial [maxJobs + 1]uint64
	reference int16
	start     int64
}

// A boundFunc computes the bounds of a node's children and compares them with limits.
type boundFunc func(n *node, times []row, limits *limits, out *children)

// Options configure a search. The zero value is MinBranch with one-machine bounds.
type Options struct {
	Rule     Rule
	Bounding Bounding
	// Lengths measures work by the lengths of intervals, as Vu and others do ("Overlay-Centric Load Balancing", CLUSTER
	// 2012). The lengths include permutations that have been ruled out.
	Lengths bool
	// Bound is a makespan. The search looks only for orders with a smaller makespan. It is also the reference bound for
	// branching, see Search. 0 means no bound.
	Bound int
}

// NewSearch returns a search of an instance. It returns an error if the instance has more than 20 jobs or 32 machines,
// or if sums of its times do not fit into 16 bits.
func NewSearch(in *Instance, o Options) (*Search, error) {
	if in.Jobs < 1 || in.Jobs > maxJobs || in.Machines < 1 || in.Machines > lanes {
		return nil, fmt.Errorf("%s: %d jobs on %d machines: expected 1 to %d on 1 to %d", in.Name, in.Jobs, in.Machines, maxJobs, lanes)
	}
	level, err := isa.Select("auto")
	if err != nil {
		return nil, err
	}
	s := &Search{in: in, rule: o.Rule, lengths: o.Lengths, times: make([]row, in.Machines), byJob: make([]row, in.Jobs)}
	if err := s.loadTimes(); err != nil {
		return nil, err
	}
	s.factorial[0] = 1
	for i := 1; i <= maxJobs; i++ {
		s.factorial[i] = s.factorial[i-1] * uint64(i)
	}
	s.start = math.MaxInt16
	if o.Bound > 0 {
		s.start = int64(min(o.Bound, math.MaxInt16))
	}
	s.reference = int16(s.start)
	s.bound = boundFor(level)
	if o.Bounding == TwoMachine {
		s.bound = newJohnsonBounds(s).bound
	}
	return s, nil
}

// loadTimes sets s.times, s.byJob and s.root.
func (s *Search) loadTimes() error {
	in, longest := s.in, 0
	for k, times := range in.Times {
		for j, t := range times {
			if t < 0 {
				return fmt.Errorf("%s: machine %d, job %d: time %d", in.Name, k, j, t)
			}
			longest = max(longest, t)
			if t <= math.MaxInt16 {
				s.times[k][j], s.byJob[j][k] = int16(t), int16(t)
				s.root.remain[k] += int16(t)
			}
		}
	}
	// A bound is the sum of times on at most one path through all jobs and machines, so it has at most Jobs+Machines
	// terms.
	if most := 2 * longest * (in.Jobs + in.Machines); most > math.MaxInt16 {
		return fmt.Errorf("%s: times of up to %d are too long for 16 bits", in.Name, longest)
	}
	s.root.free = 1<<in.Jobs - 1
	heads, tails := in.minHeadsAndTails()
	for k := range heads {
		s.root.front[k], s.root.back[k] = int16(heads[k]), int16(tails[k])
	}
	return nil
}
