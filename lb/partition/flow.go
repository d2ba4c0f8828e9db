package partition

import "math"

// Flow is recursive bisection that tries several cuts of every set and takes the one that lasts longest. It rates a cut
// by the weight of the points that are expected to pass the cut before Options.Horizon, plus the imbalance of its sides
// at that time. The candidates are
//
//   - the cuts of RCB, RIB and Spokes,
//   - a cut like that of NoRCB, but along the mean velocity,
//   - a ring about the set's centre of rotation; in space, a cylinder about the axis of rotation.
//
// If points rotate about a centre, each stays between two rings, but all of them pass any straight cut.
//
// Cuts move unless Options.Fixed is set. A moving cut starts where it divides the weight now, and reaches the horizon
// where it divides the weight then, if points go on straight. So if all points move alike, the cuts move with them, and
// no point passes a cut.
func Flow(p Points, parts int, o Options) (*Partition, error) {
	if err := p.check(parts, o); err != nil {
		return nil, err
	}
	return bisect(p, parts, o, true, flowRule), nil
}

// probeSize is the number of points on which cuts are tried. From a larger set, evenly spaced points are taken. A
// fraction that is measured on 512 points has a standard error of at most 2.2 percentage points. That is little
// compared with scores, which are some tens of per cent.
const probeSize = 512

// trialDivisor decides for which sets cuts are tried: those with at least 1/trialDivisor of all parts. A smaller set is
// cut in the same way as the larger set from which it comes. A small set moves like its surroundings, so the scores of
// cuts would differ by noise alone. Trials of all small sets would take most of the time.
const trialDivisor = 16

// probe returns a bisection of up to probeSize points of a set, on which cuts can be tried. It also returns the node of
// all these points.
func (b *bisection) probe(n *node, w *worker) (*bisection, *node) {
	size := min(probeSize, n.hi-n.lo)
	if w.trial == nil {
		w.trial = newProbe(b)
	}
	t := w.trial
	for k, column := range b.copies[n.src].all {
		for i := range size {
			t.copies[0].all[k][i] = column[n.lo+i*(n.hi-n.lo)/size]
		}
	}
	few := *n
	few.lo, few.hi, few.src = 0, size, 0
	return t, &few
}

func newProbe(b *bisection) *bisection {
	t := &bisection{dim: b.dim, opts: b.opts, key: make([]float64, probeSize), laterKey: make([]float64, probeSize)}
	like := &b.copies[0]
	t.copies[0].alloc(probeSize, b.dim, like.velocity[0] != nil, like.weight != nil)
	return t
}

// A choice says how Flow cuts a set.
type choice struct {
	made  bool
	kind  kind
	moves bool
}

// A kind is a way to find a cut.
type kind uint8

const (
	asRCB kind = iota
	asRIB
	asNoRCB
	asRing
	asSpokes
	kinds
)

// flowRule returns the cut with the lowest score. Of equal scores it takes the first. If the cut is to move, flowRule
// sets the cut's rate to 1, and the caller replaces 1 by the actual rate.
func flowRule(b *bisection, n *node, w *worker) cut {
	if n.lo == n.hi {
		return axis(0)
	}
	t, few := b.probe(n, w)
	trial := worker{loop: sequential}
	weight, total := t.weights(few, &trial)
	m := t.moments(few, weight, needPlaces|needSpeeds|needCentres, &trial)
	moving := t.copies[0].velocity[0] != nil && b.opts.Horizon > 0
	if !n.choice.made || n.parts*trialDivisor > b.parts {
		n.choice = choice{made: true}
		if moving {
			n.choice = t.best(few, &m, weight, total, !b.opts.Fixed, &trial)
		}
	}
	c, ok := t.cutOf(n.choice.kind, few, &m, &trial)
	if !ok {
		c, _ = t.cutOf(asRCB, few, &m, &trial)
	}
	if n.choice.moves {
		c.rate = 1
	}
	return c
}

// best returns the kind of cut with the lowest score.
func (b *bisection) best(n *node, m *moments, weight []float64, total float64, move bool, w *worker) choice {
	best, least := choice{made: true}, math.Inf(1)
	for k := range kinds {
		c, ok := b.cutOf(k, n, m, w)
		if !ok {
			continue
		}
		fixed, moving := b.score(n, &c, weight, total, &w.sel)
		if fixed < least {
			best, least = choice{made: true, kind: k}, fixed
		}
		if move && moving < least {
			best, least = choice{made: true, kind: k, moves: true}, moving
		}
	}
	return best
}

// cutOf returns the cut of kind k. It returns false if the set has no such cut.
func (b *bisection) cutOf(k kind, n *node, m *moments, w *worker) (cut, bool) {
	switch k {
	case asRIB:
		_, spread := eigen(m.cov)
		return cut{shape: plane, normal: b.flat(spread[0])}, true
	case asNoRCB:
		heading, length := unit(m.flow)
		if b.dim == 2 {
			return cut{shape: plane, normal: [3]float64{heading[1], -heading[0], 0}}, length > 0
		}
		return cut{shape: plane, normal: b.flat(leastFlow(*m, heading))}, length > 0
	case asRing:
		return ringCut(m, b.dim)
	case asSpokes:
		return b.spokes(m)
	}
	return axis(b.longest(b.bounds(n, w))), true
}

// ringCut returns the ring about the centre of rotation of the set. The centre is the place c for which the mean of
// ((x-c).v)^2 is least. Here x is the position and v the velocity of a point. The mean is 0 if all points rotate about
// c, at any speed. In space the axis is the direction of least motion.
func ringCut(m *moments, dim int) (cut, bool) {
	var axis [3]float64
	s := m.speed
	if dim == 3 {
		// The centre may be anywhere along the axis. Adding a multiple of the projection onto the axis to s makes s
		// invertible, and so selects one point of the axis.
		_, vector := eigen(s)
		axis = vector[2]
		addOuterProduct(&s, axis)
	}
	inverse, ok := invert(s, dim)
	if !ok {
		return cut{}, false
	}
	origin := addVec(m.mean, mulMatVec(inverse, m.rotation))
	return cut{shape: ring, normal: axis, origin: origin}, inRange(origin)
}

// addOuterProduct adds size * a a' to m. size is about as large as m's largest elements.
func addOuterProduct(m *[3][3]float64, a [3]float64) {
	size := m[0][0] + m[1][1] + m[2][2]
	for i := range 3 {
		for j := range 3 {
			m[i][j] += float64(size * a[i] * a[j])
		}
	}
}

// inRange reports whether the coordinates of a are numbers, and so small that squares of distances are finite.
func inRange(a [3]float64) bool {
	return max(math.Abs(a[0]), math.Abs(a[1]), math.Abs(a[2])) <= mostPlace*mostMotion // false for NaN
}

func addVec(a, b [3]float64) [3]float64 { return [3]float64{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }

// spokes returns the fan about the place that all points fly to or come from: the place with the least mean square
// distance, weighted by speed, from the lines on which the points move.
func (b *bisection) spokes(m *moments) (cut, bool) {
	var s [3][3]float64
	square := m.speed[0][0] + m.speed[1][1] + m.speed[2][2]
	for i := range b.dim {
		for j := range b.dim {
			s[i][j] = -m.speed[i][j]
		}
		s[i][i] += square
	}
	inverse, ok := invert(s, b.dim)
	if !ok {
		return cut{}, false
	}
	origin := addVec(m.mean, mulMatVec(inverse, m.convergence))
	if !inRange(origin) {
		return cut{}, false
	}
	// The angle is taken in a plane of two directions: from the origin to the set, and the direction across it in which
	// the set is widest.
	toward := [3]float64{m.mean[0] - origin[0], m.mean[1] - origin[1], m.mean[2] - origin[2]}
	normal, length := unit(toward)
	if length == 0 {
		normal = [3]float64{1, 0, 0}
	}
	if b.dim == 2 {
		return cut{shape: fan, normal: normal, turn: [3]float64{-normal[1], normal[0], 0}, origin: origin}, true
	}
	return cut{shape: fan, normal: normal, turn: widestAcross(m.cov, normal), origin: origin}, true
}

// widestAcross returns the direction of largest spread orthogonal to the unit vector normal.
func widestAcross(cov [3][3]float64, normal [3]float64) [3]float64 {
	u, v := orthogonalAxes(normal)
	_, axes := eigen(project(cov, u, v))
	return combine(axes[0], u, v)
}

// score rates a cut. The score is the weight that is expected to pass the cut before the horizon, plus the imbalance at
// the horizon, as a fraction of the total weight. Lower is better. It returns two scores: one if the cut does not move,
// and one if it does.
func (b *bisection) score(n *node, c *cut, weight []float64, total float64, s *selector) (fixed, moving float64) {
	w := &worker{loop: sequential}
	share := total * float64(n.parts/2) / float64(n.parts)
	key := b.keys(n, c, w)
	now := s.find(sequential, key, weight, n.lo, n.hi, share)
	b.laterKeys(n, c, b.laterKey, w)
	later := s.find(sequential, b.laterKey, weight, n.lo, n.hi, share)
	return b.crossingWeight(n, key, now, now, weight, share) / total, b.crossingWeight(n, key, now, later, weight, share) / total
}

// crossingWeight returns the weight of the points that change sides until the horizon, plus the weight by which the
// left side then differs from its share. cutNow and cutLater are the cut's places in the order of the keys now and at
// the horizon.
func (b *bisection) crossingWeight(n *node, key []float64, cutNow, cutLater place, weight []float64, share float64) float64 {
	passed, left := 0.0, 0.0
	for i := n.lo; i < n.hi; i++ {
		was, will := cutNow.before(key[i], i), cutLater.before(b.laterKey[i], i)
		wt := weightAt(weight, i)
		passed += float64(wt * float64(was^will))
		left += float64(wt * float64(will))
	}
	return passed + math.Abs(left-share)
}

// laterKeys fills key[lo:hi] with the points' keys at the horizon.
func (b *bisection) laterKeys(n *node, c *cut, key []float64, w *worker) {
	at, v := &b.copies[n.src].at, &b.copies[n.src].velocity
	h := b.opts.Horizon
	eachChunk(w.loop, n.lo, n.hi, func(_, from, to int) {
		for i := from; i < to; i++ {
			z := 0.0
			if b.dim == 3 {
				z = at[2][i] + float64(v[2][i]*h)
			}
			key[i] = c.key(at[0][i]+float64(v[0][i]*h), at[1][i]+float64(v[1][i]*h), z)
		}
	})
}

// invert inverts a matrix of the given dimensions by cofactors. It returns false if the matrix is nearly singular.
func invert(m [3][3]float64, dim int) (r [3][3]float64, ok bool) {
	if dim == 2 {
		m[2] = [3]float64{0, 0, 1}
		m[0][2], m[1][2] = 0, 0
	}
	size := 0.0
	for i := range dim {
		for j := range dim {
			size = max(size, math.Abs(m[i][j]))
		}
	}
	if size == 0 || math.IsInf(size, 1) {
		return r, false
	}
	for i := range dim {
		for j := range dim {
			m[i][j] /= size
		}
	}
	c := [3][3]float64{cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])}
	det := dot(m[0], c[0])
	if !(math.Abs(det) > 1e-12) {
		return r, false
	}
	for i := range 3 {
		for j := range 3 {
			r[i][j] = c[j][i] / det / size
		}
	}
	if dim == 2 {
		r[2] = [3]float64{}
	}
	return r, true
}

// laterOffset returns the offset with which the cut divides the weight at the horizon.
func (b *bisection) laterOffset(n *node, c *cut, weight []float64, share float64, w *worker) float64 {
	b.laterKeys(n, c, b.laterKey, w)
	return w.sel.find(w.loop, b.laterKey, weight, n.lo, n.hi, share).key
}

// Spokes cuts a set by half lines (in space, half planes) from the place that all points fly to or come from. That is
// the place nearest to the lines on which the points move. Points that fly straight to or from it stay on their side at
// any speed, even if some come while others go. The cuts do not move.
func Spokes(p Points, parts int, o Options) (*Partition, error) {
	if err := p.check(parts, o); err != nil {
		return nil, err
	}
	return bisect(p, parts, o, true, spokesRule), nil
}

func spokesRule(b *bisection, n *node, w *worker) cut {
	if n.lo == n.hi {
		return axis(0)
	}
	if b.copies[n.src].velocity[0] != nil {
		weight, _ := b.weights(n, w)
		m := b.moments(n, weight, needPlaces|needSpeeds|needCentres, w)
		if c, ok := b.spokes(&m); ok {
			return c
		}
	}
	return axis(b.longest(b.bounds(n, w)))
}

// Drift is RCB with cuts that move. Each cut divides the weight both now and at Options.Horizon, if points go on
// straight. So a region moves with its points, as long as the points near a cut move across it at the same speed.
func Drift(p Points, parts int, o Options) (*Partition, error) {
	if err := p.check(parts, o); err != nil {
		return nil, err
	}
	moves := p.Velocity != nil && o.Horizon > 0
	return bisect(p, parts, o, true, func(b *bisection, n *node, w *worker) cut {
		c := longestSide(b, n, w)
		if moves && n.lo < n.hi {
			c.rate = 1
		}
		return c
	}), nil
}
