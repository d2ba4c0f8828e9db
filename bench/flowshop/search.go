package flowshop

import (
	"fmt"
	"math"

	"lockstep/vp/isa"
)

// Bounding says which lower bound a search uses.
type Bounding uint8

const (
	// OneMachine is the bound of single machines: weak, and cheap in vectors.
	OneMachine Bounding = iota
	// TwoMachine is Johnson's bound over all pairs of machines, with lags: trees
	// are several times smaller, bounds a hundred times dearer.
	TwoMachine
)

// mostJobs bounds the problems that can be searched: 20! permutations can be
// numbered with 64 bits.
const mostJobs = 20

// Search is a branch-and-bound for one instance. It is read-only and may be
// shared.
//
// Sub-problems fix jobs at both ends. The children of a sub-problem with r free
// jobs are numbered by job, and each stands for (r-1)! consecutive numbers: a
// sub-problem is an interval of [0, n!), as in Mezmaz, Melab and Talbi, IPDPS
// 2007. For an interval to mean the same orders to everyone, the end at which a
// sub-problem branches may depend on nothing but the sub-problem: surviving is
// judged by a reference bound that stays the same during a run, while pruning
// uses the best makespan known.
type Search struct {
	in        *Instance
	rule      Rule
	lengths   bool
	bound     bounder
	times     []row // by machine
	byJob     []row // by job
	root      node
	factorial [mostJobs + 1]uint64
	reference int16
	start     int64
}

// bounder fills in the bounds of a node's children.
type bounder func(n *node, times []row, limits *limits, out *children)

// Options choose a search; the zero value is MinBranch with one-machine bounds.
type Options struct {
	Rule     Rule
	Bounding Bounding
	// Lengths measures work and shares by the lengths of intervals, as the overlay
	// paper does. Lengths include parts that have been ruled out already.
	Lengths bool
	// Bound is the makespan that orders must improve on, and the reference for
	// branching; 0 is none.
	Bound int
}

// NewSearch returns a search of an instance of at most 20 jobs and 32 machines
// whose times add up to no more than 16 bits can hold.
func NewSearch(in *Instance, o Options) (*Search, error) {
	if in.Jobs < 1 || in.Jobs > mostJobs || in.Machines < 1 || in.Machines > lanes {
		return nil, fmt.Errorf("%s: %d jobs on %d machines: expected 1 to %d on 1 to %d", in.Name, in.Jobs, in.Machines, mostJobs, lanes)
	}
	level, err := isa.Select("auto")
	if err != nil {
		return nil, err
	}
	s := &Search{in: in, rule: o.Rule, lengths: o.Lengths, times: make([]row, in.Machines), byJob: make([]row, in.Jobs)}
	if err := s.load(); err != nil {
		return nil, err
	}
	s.factorial[0] = 1
	for i := 1; i <= mostJobs; i++ {
		s.factorial[i] = s.factorial[i-1] * uint64(i)
	}
	s.start = math.MaxInt16
	if o.Bound > 0 {
		s.start = int64(min(o.Bound, math.MaxInt16))
	}
	s.reference = int16(s.start)
	s.bound = boundFor(level)
	if o.Bounding == TwoMachine {
		s.bound = newJohnson(s).bound
	}
	return s, nil
}

// load copies the instance's times in both orders and fills in the root.
func (s *Search) load() error {
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
	// A bound adds at most a way through the front, the rest and the back.
	if most := 2 * longest * (in.Jobs + in.Machines); most > math.MaxInt16 {
		return fmt.Errorf("%s: times of up to %d are too long for 16 bits", in.Name, longest)
	}
	s.root.free = 1<<in.Jobs - 1
	heads, tails := in.heads()
	for k := range heads {
		s.root.front[k], s.root.back[k] = int16(heads[k]), int16(tails[k])
	}
	return nil
}
