package flowshop

import (
	"math/bits"
)

// A frame is a sub-problem on the path from the root to the current sub-problem.
type frame struct {
	node     node
	children children
	number   uint64 // number of the first permutation that belongs to the frame, see Search
	pending  uint32 // a bit for each job whose child survives and has not been visited
	end      int    // end of the order at which the children of the frame fix a job, atFront or atBack
	job      int    // job of the current child
}

// A Pool is a set of permutations that have to be searched. It implements overlay.Bounded and overlay.Accountable. A
// step computes the bounds of a sub-problem's children. The amount of work is the number of permutations that have not
// been ruled out.
type Pool struct {
	search  *Search
	waiting []interval // intervals whose search has not begun
	current interval   // interval that is being searched
	frames  []frame    // path to the current sub-problem, by depth
	depth   int        // depth of the current sub-problem, or -1
	best    int64
	order   []int // an order whose makespan is best, if this pool found it
	nodes   int64 // same as method Nodes
	// limits is the argument of boundFunc. A local variable would be allocated in each call.
	limits limits
}

// NewPool returns an empty pool.
func (s *Search) NewPool() *Pool {
	return &Pool{search: s, best: s.start, frames: make([]frame, s.in.Jobs), depth: -1}
}

// Plant adds all permutations of the search.
func (p *Pool) Plant() {
	p.waiting = append(p.waiting, interval{0, p.search.factorial[p.search.in.Jobs]})
}

// Nodes returns the number of sub-problems that this pool has decomposed since the last call of Result. Several pools
// may decompose a sub-problem on the way to their intervals. Such a sub-problem counts only for the pool whose interval
// contains the sub-problem's first permutation.
func (p *Pool) Nodes() int64 { return p.nodes }

// Bound implements overlay.Bounded. It returns the best known makespan.
func (p *Pool) Bound() int64 { return p.best }

// Improve implements overlay.Bounded.
func (p *Pool) Improve(bound int64) {
	if bound < p.best {
		p.best, p.order = bound, nil
	}
}

// Order returns an order whose makespan is Bound. It returns nil if this pool did not find it.
func (p *Pool) Order() []int { return p.order }

// childSize returns the number of permutations of a child of a sub-problem at this depth.
func (p *Pool) childSize(depth int) uint64 { return p.search.factorial[p.search.in.Jobs-depth-1] }

// firstPermutation returns the number of a child's first permutation. The child fixes this job, in addition to the jobs
// of the sub-problem at this depth.
func (p *Pool) firstPermutation(depth, job int) uint64 {
	f := &p.frames[depth]
	rank := bits.OnesCount32(f.node.free & (1<<job - 1))
	return f.number + uint64(rank)*p.childSize(depth)
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
			p.openInterval()
			done += p.stepCount()
		case p.frames[p.depth].pending == 0:
			p.depth--
		case p.visitNextChild():
			done += p.stepCount()
		}
	}
	return done
}

// stepCount returns how many steps the decomposition of the current sub-problem counts as. It is 0 if the sub-problem
// is only on the path from the root to the beginning of the interval, and 1 otherwise. The number of sub-problems on
// that path is at most the number of jobs.
//
// Vu and others (CLUSTER 2012) fix jobs only at the front of the order. Then the path follows from the interval, and no
// bounds need to be computed for it. Here the bounds of all children decide at which end a sub-problem fixes its next
// job.
func (p *Pool) stepCount() int {
	if p.frames[p.depth].number >= p.current.begin {
		return 1
	}
	return 0
}

// openInterval begins the search of the next waiting interval, at the root.
func (p *Pool) openInterval() {
	p.current, p.waiting = p.waiting[0], p.waiting[1:]
	f := &p.frames[0]
	f.node, f.number = p.search.root, 0
	p.depth = 0
	p.decompose()
}

// visitNextChild visits the next pending child of the current sub-problem, and reports whether it decomposed the child.
// It does not decompose a child that is pruned, is a complete order, or is beyond the interval.
func (p *Pool) visitNextChild() bool {
	f := &p.frames[p.depth]
	job := bits.TrailingZeros32(f.pending)
	number := p.firstPermutation(p.depth, job)
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
		// This is the last job, so the bound is the makespan.
		p.best = bound
		p.order = p.currentOrder()
		return false
	}
	child := &p.frames[p.depth+1]
	f.node.fixJob(f.end, job, &p.search.byJob[job], p.search.in.Machines, &child.node)
	child.number = number
	p.depth++
	p.decompose()
	return true
}

// decompose computes the bounds of the current sub-problem's children, and chooses the end at which the children fix a
// job. It sets pending to the surviving children whose permutations do not all come before the interval.
func (p *Pool) decompose() {
	f, s := &p.frames[p.depth], p.search
	if f.number >= p.current.begin {
		p.nodes++
	}
	p.limits = limits{int16(p.best), s.reference}
	s.bound(&f.node, s.times, &p.limits, &f.children)
	f.end = s.rule.chooseEnd(&f.children, f.node.free)
	f.pending = f.children.surviving[f.end] & f.node.free
	if f.number < p.current.begin {
		for rest := f.pending; rest != 0; rest &= rest - 1 {
			job := bits.TrailingZeros32(rest)
			if p.firstPermutation(p.depth, job)+p.childSize(p.depth) > p.current.begin {
				break
			}
			f.pending &^= 1 << job
		}
	}
}

// currentOrder returns the order of the current path. All its jobs are fixed.
func (p *Pool) currentOrder() []int {
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
	_, any := p.nextPermutation()
	return !any && len(p.waiting) == 0
}
