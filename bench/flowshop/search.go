package flowshop

import (
	"fmt"
	"math"

	"lockstep/vp/isa"
)

// Bounding says which lower bound a search uses.
type Bounding uint8

const (
	// OneMachine is the bound of single machines, which is weak but cheap in vector code.
	OneMachine Bounding = iota
	// TwoMachine is Johnson's bound over all pairs of machines, with lags. Its trees are several times smaller than
	// those of OneMachine, but a bound costs a hundred times as much.
	TwoMachine
)

// mostJobs is the largest number of jobs of a search, because 20! permutations can be numbered with 64 bits.
const mostJobs = 20

// Search is a branch-and-bound for one instance. It is read-only and may be shared.
//
// Sub-problems fix jobs at both ends. The children of a sub-problem with r free jobs are numbered by job, and each
// stands for (r-1)! consecutive numbers. So a sub-problem is an interval of [0, n!), as in Mezmaz, Melab and Talbi,
// IPDPS 2007. An interval must mean the same orders to every peer, so the end at which a sub-problem branches may
// depend only on the sub-problem. The rules therefore count surviving children with a reference bound that stays the
// same during a run, while pruning uses the best makespan known.
type Search struct {
	in        *Instance
	rule      Rule
	lengths   bool
	bound     bounder
	times     []row // a row for each machine
	byJob     []row // a row for each job
	root      node
	factorial [mostJobs + 1]uint64
	reference int16
	start     int64
}

// bounder computes the bounds of a node's children and compares them with limits.
type bounder func(n *node, times []row, limits *limits, out *children)

// Options configure a search. The zero value is MinBranch with one-machine bounds.
type Options struct {
	Rule     Rule
	Bounding Bounding
	// Lengths measures work and shares by the lengths of intervals, as the overlay paper does. These include parts that
	// have already been ruled out.
	Lengths bool
	// Bound is the makespan that orders must improve on, and the reference bound for branching; 0 means no bound.
	Bound int
}

// NewSearch returns a search of an instance. It fails if the instance has more than 20 jobs or 32 machines, or if sums
// of its times do not fit into 16 bits.
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

// load copies the instance's times by machine and by job, and fills the root node.
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
	// A bound adds at most one path through the front, the rest and the back.
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
