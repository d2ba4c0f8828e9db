package flowshop

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"lockstep/vp/isa"
)

// A Rule says at which end of the order the next job is fixed.
type Rule uint8

const (
	// MinBranch takes the end with fewer surviving children; of two equal ones
	// that with the larger sum of their bounds, or the front.
	MinBranch Rule = iota
	// MinMin takes the end at which the smallest bound occurs less often; of two
	// equal ones that with fewer surviving children, or the back.
	MinMin
	// MaxSum takes the end with the larger sum of all bounds, or the front.
	MaxSum
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
	// Bound is the makespan that orders must improve on, and the reference for
	// branching; 0 is none.
	Bound int
}

// NewSearch returns a search of an instance of at most 20 jobs and 32 machines
// whose times add up to no more than 16 bits can hold.
func NewSearch(in *Instance, o Options) (*Search, error) {
	if in.Jobs < 1 || in.Jobs > mostJobs || in.Machines < 1 || in.Machines > lanes {
		return nil, fmt.Errorf("%s: %d jobs on %d machines: want 1 to %d on 1 to %d", in.Name, in.Jobs, in.Machines, mostJobs, lanes)
	}
	level, err := isa.Select("auto")
	if err != nil {
		return nil, err
	}
	s := &Search{in: in, rule: o.Rule, times: make([]row, in.Machines), byJob: make([]row, in.Jobs)}
	longest := 0
	for k, times := range in.Times {
		for j, t := range times {
			if t < 0 {
				return nil, fmt.Errorf("%s: machine %d, job %d: time %d", in.Name, k, j, t)
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
		return nil, fmt.Errorf("%s: times of up to %d are too long for 16 bits", in.Name, longest)
	}
	s.root.free = 1<<in.Jobs - 1
	heads, tails := in.heads()
	for k := range heads {
		s.root.front[k], s.root.back[k] = int16(heads[k]), int16(tails[k])
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

// NewPool returns an empty pool.
func (s *Search) NewPool() *Pool {
	return &Pool{search: s, best: s.start, frames: make([]frame, s.in.Jobs), depth: -1}
}

// interval is permutations by number.
type interval struct{ begin, end uint64 }

// frame is a sub-problem on the way to the one at hand.
type frame struct {
	node     node
	children children
	number   uint64 // of its first permutation
	pending  uint32 // children that survive and have not been visited
	end      int    // at which it branches
	job      int    // the child at hand
}

// Pool is intervals of a search. It implements overlay.Bounded and
// overlay.Accountable; a step bounds the children of a sub-problem, and the
// amount is the number of permutations that have not been ruled out.
type Pool struct {
	search  *Search
	waiting []interval
	current interval
	frames  []frame
	depth   int // of the sub-problem at hand; -1 if there is none
	best    int64
	order   []int // an order as good as best, if this pool found it
	nodes   int64
	limits  limits // for the kernel: on the stack they would be allocated
}

// Plant adds all permutations.
func (p *Pool) Plant() {
	p.waiting = append(p.waiting, interval{0, p.search.factorial[p.search.in.Jobs]})
}

// Nodes counts the sub-problems that this pool has decomposed since the last
// call of Result. Those on the way to an interval that begins later belong to the
// pool that has their first permutation: over all pools each counts once.
func (p *Pool) Nodes() int64 { return p.nodes }

// Bound implements overlay.Bounded: the best makespan known.
func (p *Pool) Bound() int64 { return p.best }

// Improve implements overlay.Bounded.
func (p *Pool) Improve(bound int64) {
	if bound < p.best {
		p.best, p.order = bound, nil
	}
}

// Order returns an order with the makespan Bound if this pool found it, or nil.
func (p *Pool) Order() []int { return p.order }

// size is the permutations of a child of the sub-problem at a depth.
func (p *Pool) size(depth int) uint64 { return p.search.factorial[p.search.in.Jobs-depth-1] }

// number is that of the first permutation of a child.
func (p *Pool) number(depth, job int) uint64 {
	f := &p.frames[depth]
	rank := bits.OnesCount32(f.node.free & (1<<job - 1))
	return f.number + uint64(rank)*p.size(depth)
}

// Work implements overlay.Pool.
func (p *Pool) Work(steps int) int {
	done := 0
	for done < steps {
		switch {
		case p.depth < 0:
			if len(p.waiting) == 0 {
				return done
			}
			p.open()
			done += p.counted()
		case p.frames[p.depth].pending == 0:
			p.depth--
		case p.descend():
			done += p.counted()
		}
	}
	return done
}

// counted is 1 if the sub-problem at hand is a step, and 0 if it is on the way to
// the beginning of the interval, at most as many as there are jobs. Where
// branching is at the front alone, as in the paper, the way follows from the
// interval without a bound; here it costs one a job, and a parcel could carry it.
func (p *Pool) counted() int {
	if p.frames[p.depth].number >= p.current.begin {
		return 1
	}
	return 0
}

// open begins the next interval at the root.
func (p *Pool) open() {
	p.current, p.waiting = p.waiting[0], p.waiting[1:]
	f := &p.frames[0]
	f.node, f.number = p.search.root, 0
	p.depth = 0
	p.decompose()
}

// descend goes to the next child of the sub-problem at hand, and returns whether
// that took a step.
func (p *Pool) descend() bool {
	f := &p.frames[p.depth]
	job := bits.TrailingZeros32(f.pending)
	number := p.number(p.depth, job)
	if number >= p.current.end {
		p.depth = -1
		return false
	}
	f.pending &= f.pending - 1
	bound := int64(f.children.bounds[f.end][job])
	if bound >= p.best {
		return false
	}
	f.job = job
	if p.depth == p.search.in.Jobs-1 {
		// The last job: the bound is the makespan.
		p.best = bound
		p.order = p.path()
		return false
	}
	child := &p.frames[p.depth+1]
	f.node.place(f.end, job, &p.search.byJob[job], p.search.in.Machines, &child.node)
	child.number = number
	p.depth++
	p.decompose()
	return true
}

// decompose bounds the children of the sub-problem at hand, chooses where to
// branch, and lists those that survive and reach into the interval.
func (p *Pool) decompose() {
	f, s := &p.frames[p.depth], p.search
	if f.number >= p.current.begin {
		p.nodes++
	}
	p.limits = limits{int16(p.best), s.reference}
	s.bound(&f.node, s.times, &p.limits, &f.children)
	f.end = s.rule.choose(&f.children, f.node.free)
	f.pending = f.children.surviving[f.end] & f.node.free
	if f.number < p.current.begin {
		for rest := f.pending; rest != 0; rest &= rest - 1 {
			job := bits.TrailingZeros32(rest)
			if p.number(p.depth, job)+p.size(p.depth) > p.current.begin {
				break
			}
			f.pending &^= 1 << job
		}
	}
}

// choose returns the end at which to branch.
func (r Rule) choose(c *children, free uint32) int {
	front, back := c.reference[atFront]&free, c.reference[atBack]&free
	fewer := bits.OnesCount32(front) - bits.OnesCount32(back)
	switch r {
	case MinMin:
		least := min(c.least(atFront, free), c.least(atBack, free))
		rarer := c.count(atFront, free, least) - c.count(atBack, free, least)
		if rarer < 0 || rarer == 0 && fewer < 0 {
			return atFront
		}
		return atBack
	case MaxSum:
		front, back, fewer = free, free, 0
	}
	if fewer < 0 || fewer == 0 && c.sum(atFront, front) >= c.sum(atBack, back) {
		return atFront
	}
	return atBack
}

// sum adds up the bounds of some children.
func (c *children) sum(end int, jobs uint32) int {
	sum := 0
	for ; jobs != 0; jobs &= jobs - 1 {
		sum += int(c.bounds[end][bits.TrailingZeros32(jobs)])
	}
	return sum
}

// least is the smallest bound of some children.
func (c *children) least(end int, jobs uint32) int16 {
	least := int16(math.MaxInt16)
	for ; jobs != 0; jobs &= jobs - 1 {
		least = min(least, c.bounds[end][bits.TrailingZeros32(jobs)])
	}
	return least
}

// count is how many of some children have a bound.
func (c *children) count(end int, jobs uint32, bound int16) int {
	n := 0
	for ; jobs != 0; jobs &= jobs - 1 {
		if c.bounds[end][bits.TrailingZeros32(jobs)] == bound {
			n++
		}
	}
	return n
}

// path is the order at hand, with all jobs fixed.
func (p *Pool) path() []int {
	order := make([]int, p.search.in.Jobs)
	first, last := 0, len(order)-1
	for i := range p.frames {
		if f := &p.frames[i]; f.end == atFront {
			order[first] = f.job
			first++
		} else {
			order[last] = f.job
			last--
		}
	}
	return order
}

// Empty implements overlay.Pool.
func (p *Pool) Empty() bool {
	_, any := p.next()
	return !any && len(p.waiting) == 0
}

// Amount implements overlay.Pool.
func (p *Pool) Amount() float64 { return float64(p.left()) }

// left is the number of permutations that have not been ruled out.
func (p *Pool) left() uint64 {
	left := uint64(0)
	for _, w := range p.waiting {
		left += w.end - w.begin
	}
	for d := 0; d <= p.depth; d++ {
		for rest := p.frames[d].pending; rest != 0; rest &= rest - 1 {
			part := p.within(d, bits.TrailingZeros32(rest))
			left += part.end - part.begin
		}
	}
	return left
}

// within is a pending child's part of the interval, which may be empty.
func (p *Pool) within(depth, job int) interval {
	begin := p.number(depth, job)
	end := min(begin+p.size(depth), p.current.end)
	begin = min(max(begin, p.current.begin), end)
	return interval{begin, end}
}

// Split implements overlay.Pool. It gives the last permutations of those that
// have not been ruled out.
func (p *Pool) Split(fraction float64) []byte {
	left := p.left()
	if fraction >= 1 {
		return p.give(left)
	}
	return p.give(p.share(fraction*float64(left), left))
}

// share is an amount to be given of what is left: at least a grain, and the same
// is kept. A grain is the permutations of a sub-problem with 9 of 16 jobs free,
// which takes a few steps or none. The receiver needs as many to find its way from
// the root: without a limit peers of BTD shared until they did little else, up to
// 38 steps where one did the work.
func (p *Pool) share(want float64, left uint64) uint64 {
	grain := p.search.factorial[p.search.in.Jobs*9/16]
	if left < 2*grain {
		return 0
	}
	return min(max(uint64(want), grain), left-grain)
}

// Take implements overlay.Pool: a unit is an interval that waits or an open
// sub-problem, the largest first.
func (p *Pool) Take(units int) []byte {
	want := 0.0
	for i := len(p.waiting) - 1; i >= 0 && units > 0; i-- {
		want += float64(p.waiting[i].end - p.waiting[i].begin)
		units--
	}
	for d := 0; d <= p.depth && units > 0; d++ {
		for rest := p.frames[d].pending; rest != 0 && units > 0; {
			job := bits.Len32(rest) - 1
			rest &^= 1 << job
			if part := p.within(d, job); part.begin < part.end {
				want += float64(part.end - part.begin)
				units--
			}
		}
	}
	return p.give(p.share(want, p.left()))
}

// give removes so many permutations, intervals that wait first.
func (p *Pool) give(want uint64) []byte {
	var parcel []byte
	for n := len(p.waiting); n > 0 && want > 0; n-- {
		w := &p.waiting[n-1]
		length := w.end - w.begin
		if length > want {
			return w.cut(w.end - want).encode(parcel)
		}
		parcel = w.encode(parcel)
		p.waiting = p.waiting[:n-1]
		want -= length
	}
	if want == 0 {
		return parcel
	}
	cut := p.current.cut(p.lastButFor(want))
	// Where everything is given, the receiver decomposes the way to it again, and
	// counts those that begin with its interval.
	for d := 0; d <= p.depth; d++ {
		if p.frames[d].number >= cut.begin {
			p.nodes--
		}
	}
	return cut.encode(parcel)
}

// lastButFor is where the interval at hand must end to lose so many of its
// permutations that have not been ruled out.
func (p *Pool) lastButFor(want uint64) uint64 {
	at := p.current.end
	for d := 0; d <= p.depth; d++ {
		for rest := p.frames[d].pending; rest != 0; {
			job := bits.Len32(rest) - 1
			rest &^= 1 << job
			part := p.within(d, job)
			take := min(want, part.end-part.begin)
			if take > 0 {
				at = part.end - take
			}
			if want -= take; want == 0 {
				return at
			}
		}
	}
	return at
}

// cut removes the end of an interval.
func (w *interval) cut(at uint64) interval {
	end := w.end
	w.end = at
	return interval{at, end}
}

func (w interval) encode(parcel []byte) []byte {
	parcel = binary.LittleEndian.AppendUint64(parcel, w.begin)
	return binary.LittleEndian.AppendUint64(parcel, w.end)
}

// next is the number of the next permutation that has not been ruled out.
func (p *Pool) next() (number uint64, any bool) {
	for d := p.depth; d >= 0; d-- {
		for rest := p.frames[d].pending; rest != 0; rest &= rest - 1 {
			if part := p.within(d, bits.TrailingZeros32(rest)); part.begin < part.end {
				return part.begin, true
			}
		}
	}
	return 0, false
}

// Merge implements overlay.Pool.
func (p *Pool) Merge(parcel []byte) {
	for ; len(parcel) >= 16; parcel = parcel[16:] {
		p.waiting = append(p.waiting, interval{binary.LittleEndian.Uint64(parcel), binary.LittleEndian.Uint64(parcel[8:])})
	}
}

// Result implements overlay.Accountable.
func (p *Pool) Result() []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(p.nodes))
	p.nodes = 0
	return b
}

// Credit implements overlay.Accountable.
func (p *Pool) Credit(result []byte) { p.nodes += int64(binary.LittleEndian.Uint64(result)) }

// Solve searches all permutations.
func (s *Search) Solve() *Pool {
	p := s.NewPool()
	p.Plant()
	for !p.Empty() {
		p.Work(1 << 16)
	}
	return p
}
