package partition

import "math"

// A rule chooses the cut of a set, but not the cut's offset.
type rule func(b *bisection, n *node, w *worker) cut

// A node is a set that is still to be cut: points lo to hi-1 of the columns in copy src. Its points go to the parts
// with the numbers `first` to `first+parts-1`.
type node struct {
	lo, hi, src  int
	first, parts int
	at           int // index of the node's own cut in bisection.cuts
	// from and to are the corners of the box that RCB halves.
	from, to [3]float64
	// choice says how Flow cut the larger set of which this set is a part.
	choice choice
}

// A bisection is the state while a partition is made. The columns have two copies. A cut reads a set in one copy and
// writes its sides into the same range of the other. So every pass reads memory in order.
type bisection struct {
	dim    int
	parts  int
	choose rule
	opts   Options
	cuts   []cut
	owner  []int32
	copies [2]columns
	key    []float64
	// laterKey holds the points' keys at the horizon, the time for which the partition should last. It is nil unless
	// the rule needs velocities.
	laterKey []float64
	moveTo   []int32 // by point: its index after the cut
}

// A columns holds the properties of the points. Unneeded columns are nil.
type columns struct {
	at, velocity [3][]float64
	weight       []float64
	id           []int32
	all          [][]float64 // every column except id
}

// A worker holds scratch memory for dividing sets of points. Only one goroutine may use it at a time.
type worker struct {
	loop  For
	sel   selector
	trial *bisection // bisection of a sample of points, see probe
}

// bisect cuts the points recursively. moving is true if the rule needs velocities.
func bisect(p Points, parts int, o Options, moving bool, choose rule) *Partition {
	n := p.Len()
	b := &bisection{
		dim: len(p.At), parts: parts, choose: choose, opts: o,
		cuts: make([]cut, parts-1), owner: make([]int32, n),
		key: make([]float64, n), moveTo: make([]int32, n),
	}
	if moving {
		b.laterKey = make([]float64, n)
	}
	for k := range b.copies {
		b.copies[k].alloc(n, len(p.At), moving && p.Velocity != nil, p.Weight != nil)
	}
	loop := o.loop()
	b.load(p, loop)
	w := &worker{loop: loop}
	root := node{hi: n, parts: parts}
	root.from, root.to = b.bounds(&root, w)
	b.run(root, w)
	label := make([]int32, parts)
	for i := range label {
		label[i] = int32(i)
	}
	return &Partition{Owner: b.owner, parts: parts, dim: len(p.At), cuts: b.cuts, label: label}
}

func (c *columns) alloc(n, dim int, moving, weighted bool) {
	column := func() []float64 {
		s := make([]float64, n)
		c.all = append(c.all, s)
		return s
	}
	for d := range dim {
		c.at[d] = column()
		if moving {
			c.velocity[d] = column()
		}
	}
	if weighted {
		c.weight = column()
	}
	c.id = make([]int32, n)
}

// load copies the points into the first copy of the columns.
func (b *bisection) load(p Points, loop For) {
	c := &b.copies[0]
	eachChunk(loop, 0, p.Len(), func(_, from, to int) {
		for d := range p.At {
			copy(c.at[d][from:to], p.At[d][from:to])
			if c.velocity[d] != nil {
				copy(c.velocity[d][from:to], p.Velocity[d][from:to])
			}
		}
		if c.weight != nil {
			copy(c.weight[from:to], p.Weight[from:to])
		}
		for i := from; i < to; i++ {
			c.id[i] = int32(i)
		}
	})
}

// smallDivisor decides which sets are small: those with at most 1/smallDivisor of all points. Small sets are cut at the
// same time, each by one worker. Larger sets are cut one after the other, each by all workers in chunks. With 64 there
// are enough small sets for many workers, and every larger set still has enough chunks for all workers.
const smallDivisor = 64

// run cuts the large sets one after the other, and then the small sets at the same time. See smallDivisor.
func (b *bisection) run(root node, w *worker) {
	small := max(chunk, (root.hi-root.lo)/smallDivisor)
	open, ready := []node{root}, []node(nil)
	for len(open) > 0 {
		n := open[0]
		open = open[1:]
		if n.parts == 1 || n.hi-n.lo <= small {
			ready = append(ready, n)
			continue
		}
		left, right := b.split(n, w)
		open = append(open, left, right)
	}
	w.loop(len(ready), func(i int) { b.finish(ready[i], &worker{loop: sequential}) })
}

// finish cuts a set recursively until each subset is one part.
func (b *bisection) finish(n node, w *worker) {
	if n.parts > 1 {
		left, right := b.split(n, w)
		b.finish(left, w)
		b.finish(right, w)
		return
	}
	eachChunk(w.loop, n.lo, n.hi, func(_, from, to int) {
		for _, id := range b.copies[n.src].id[from:to] {
			b.owner[id] = int32(n.first)
		}
	})
}

// weights returns the column of weights to balance, and its sum over the set. The column is nil if there are no weights
// or all are 0. Each point then counts as 1.
func (b *bisection) weights(n *node, w *worker) (column []float64, total float64) {
	column = b.copies[n.src].weight
	if column != nil {
		if total = sum(w.loop, column, n.lo, n.hi); total > 0 {
			return column, total
		}
	}
	return nil, float64(n.hi - n.lo)
}

// split cuts a set and returns its two sides.
func (b *bisection) split(n node, w *worker) (left, right node) {
	c := b.choose(b, &n, w)
	leftParts := n.parts / 2
	key := b.keys(&n, &c, w)
	weight, total := b.weights(&n, w)
	share := total * float64(leftParts) / float64(n.parts)
	p := w.sel.find(w.loop, key, weight, n.lo, n.hi, share)
	// Find the keys at the horizon before method move changes the order of the points.
	var later float64
	moves := c.rate != 0
	if moves {
		later = b.laterOffset(&n, &c, weight, share, w)
	}
	offset, mid := b.move(&n, p, key, w)
	if n.lo == n.hi {
		offset = c.key(n.from[0]/2+n.to[0]/2, n.from[1]/2+n.to[1]/2, n.from[2]/2+n.to[2]/2)
	}
	if moves {
		c.rate = (later - offset) / b.opts.Horizon
	}
	c.offset = offset
	b.cuts[n.at] = c
	left, right = n, n
	left.hi, left.src, left.parts, left.at = mid, 1-n.src, leftParts, n.at+1
	right.lo, right.src, right.parts, right.at = mid, 1-n.src, n.parts-leftParts, n.at+leftParts
	right.first = n.first + leftParts
	if c.shape <= axisZ {
		left.to[c.shape], right.from[c.shape] = offset, offset
	}
	return left, right
}

// keys returns a column whose elements lo to hi-1 are the keys of the points.
func (b *bisection) keys(n *node, c *cut, w *worker) []float64 {
	at, key := &b.copies[n.src].at, b.key
	if c.shape <= axisZ {
		return at[c.shape]
	}
	eachChunk(w.loop, n.lo, n.hi, func(_, from, to int) {
		for i := from; i < to; i++ {
			z := 0.0
			if b.dim == 3 {
				z = at[2][i]
			}
			key[i] = c.key(at[0][i], at[1][i], z)
		}
	})
	return key
}

// move copies the points of the set to the other copy of the columns, in the same order. Points that come before the
// place p go to the left side of the set's range, and the others to the right side. move returns the offset of the cut
// and the index of the first point to the right of the cut.
func (b *bisection) move(n *node, p place, key []float64, w *worker) (offset float64, mid int) {
	count := make([]int, chunks(n.hi-n.lo)+1)
	lower, upper := make([]float64, len(count)), make([]float64, len(count))
	eachChunk(w.loop, n.lo, n.hi, func(c, from, to int) {
		left, most, least := 0, math.Inf(-1), math.Inf(1)
		for i := from; i < to; i++ {
			if k := key[i]; p.before(k, i) == 1 {
				left++
				most = max(most, k)
			} else {
				least = min(least, k)
			}
		}
		count[c+1], lower[c+1], upper[c+1] = left, most, least
	})
	most, least := math.Inf(-1), math.Inf(1)
	for c := 1; c < len(count); c++ {
		count[c] += count[c-1]
		most, least = max(most, lower[c]), min(least, upper[c])
	}
	mid = n.lo + count[len(count)-1]
	eachChunk(w.loop, n.lo, n.hi, func(c, from, to int) {
		left := n.lo + count[c]
		right := mid + from - n.lo - count[c]
		for i := from; i < to; i++ {
			b.moveTo[i] = int32(right)
			if p.before(key[i], i) == 1 {
				b.moveTo[i] = int32(left)
				left++
			} else {
				right++
			}
		}
		b.copies[n.src].scatter(&b.copies[1-n.src], b.moveTo, from, to)
	})
	switch {
	case math.IsInf(most, -1): // no point is on the left, so the least key is on the right
		return math.Nextafter(least, math.Inf(-1)), mid
	case math.IsInf(least, 1):
		return most, mid
	}
	return midway(most, least), mid
}

// scatter copies the points c.id[from:to] of c to their new indices in dst.
func (c *columns) scatter(dst *columns, moveTo []int32, from, to int) {
	for k, column := range c.all {
		target := dst.all[k]
		for i := from; i < to; i++ {
			target[moveTo[i]] = column[i]
		}
	}
	for i := from; i < to; i++ {
		dst.id[moveTo[i]] = c.id[i]
	}
}

// bounds returns the corners of the set's bounding box, or zeros if the set is empty.
func (b *bisection) bounds(n *node, w *worker) (from, to [3]float64) {
	if n.lo == n.hi {
		return from, to
	}
	for d := range b.dim {
		from[d], to[d] = w.sel.limits(w.loop, b.copies[n.src].at[d], n.lo, n.hi)
	}
	return from, to
}

// sum adds up column[lo:hi].
func sum(loop For, column []float64, lo, hi int) float64 {
	part := make([]float64, chunks(hi-lo))
	eachChunk(loop, lo, hi, func(c, from, to int) {
		t := 0.0
		for _, v := range column[from:to] {
			t += v
		}
		part[c] = t
	})
	total := 0.0
	for _, v := range part {
		total += v
	}
	return total
}

// longest returns the axis of the box's longest side. Of equal sides it returns the first.
func (b *bisection) longest(from, to [3]float64) int {
	best := 0
	for d := 1; d < b.dim; d++ {
		if to[d]-from[d] > to[best]-from[best] {
			best = d
		}
	}
	return best
}
