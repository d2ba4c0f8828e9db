package partition

import "math"

// A moments holds weighted means over a set of points, with positions x and velocities v.
type moments struct {
	weight float64
	mean   [3]float64    // mean position
	cov    [3][3]float64 // covariance of the positions
	// heading is the mean of v/|v|, in which points at rest count as 0. flow is the mean of v.
	heading, flow [3]float64
	// speed is the mean of the matrix v v', where v' is v as a row. It is not relative to the mean of v.
	speed [3][3]float64
	// rotation is the mean of v (v.x). convergence is the mean of |v|^2 x - v (v.x). In both, x is relative to the mean
	// position.
	rotation, convergence [3]float64
}

// A need is the set of moments that a rule uses.
type need uint8

const (
	needPlaces   need = 1 << iota // mean, cov
	needHeadings                  // heading
	needSpeeds                    // flow, speed
	needCentres                   // rotation, convergence; together with needPlaces and needSpeeds only

	needVelocity = needHeadings | needSpeeds | needCentres
)

// A sums holds sums over the points of a chunk, each point counted by its weight. x is the position of a point relative
// to the first point of the set, which loses few digits. v is its velocity. Of the matrices only the elements on and
// below the diagonal are used.
type sums struct {
	w          float64
	x, head, v [3]float64
	xx, vv     [3][3]float64
	vvx, sqx   [3]float64 // sum of v (v.x), and sum of |v|^2 x
}

func (s *sums) add(t *sums) {
	s.w += t.w
	for i := range 3 {
		s.x[i] += t.x[i]
		s.head[i] += t.head[i]
		s.v[i] += t.v[i]
		s.vvx[i] += t.vvx[i]
		s.sqx[i] += t.sqx[i]
		for j := range i + 1 {
			s.xx[i][j] += t.xx[i][j]
			s.vv[i][j] += t.vv[i][j]
		}
	}
}

// moments computes the moments of a set of at least one point in one pass. weight holds the weights. It computes only
// the moments that `needed` names.
func (b *bisection) moments(n *node, weight []float64, needed need, w *worker) moments {
	c := &b.copies[n.src]
	var near [3]float64
	for d := range b.dim {
		near[d] = c.at[d][n.lo]
	}
	if c.velocity[0] == nil {
		needed &^= needVelocity
	}
	part := make([]sums, chunks(n.hi-n.lo))
	eachChunk(w.loop, n.lo, n.hi, func(k, from, to int) {
		s := &part[k]
		s.w = weightOf(weight, from, to)
		if needed&needPlaces != 0 {
			s.x, s.xx = pointSums(&c.at, weight, near, from, to)
		}
		if needed&needHeadings != 0 {
			s.head = c.headingSums(weight, from, to)
		}
		if needed&needSpeeds != 0 {
			s.v, s.vv = pointSums(&c.velocity, weight, [3]float64{}, from, to)
		}
		if needed&needCentres != 0 {
			s.vvx, s.sqx = c.centreSums(weight, near, from, to)
		}
	})
	var s sums
	for i := range part {
		s.add(&part[i])
	}
	return s.moments(near)
}

// weightOf returns the sum of weight[from:to]. If weight is nil, every point weighs 1.
func weightOf(weight []float64, from, to int) float64 {
	if weight == nil {
		return float64(to - from)
	}
	total := 0.0
	for _, w := range weight[from:to] {
		total += w
	}
	return total
}

// The functions below keep their sums in registers. They test for the third dimension inside the loop. That branch is
// always predicted, because its result never changes.

// pointSums adds up the differences between points (places or velocities) and the point `near`, and the products of the
// differences' coordinates.
func pointSums(points *[3][]float64, weight []float64, near [3]float64, from, to int) (x [3]float64, xx [3][3]float64) {
	var sx, sy, sz, sxx, syx, syy, szx, szy, szz float64
	ax, ay, az := points[0], points[1], points[2]
	for i := from; i < to; i++ {
		wt := weightAt(weight, i)
		dx, dy := ax[i]-near[0], ay[i]-near[1]
		wx, wy := float64(wt*dx), float64(wt*dy)
		sx += wx
		sy += wy
		sxx += float64(wx * dx)
		syx += float64(wy * dx)
		syy += float64(wy * dy)
		if az != nil {
			dz := az[i] - near[2]
			wz := float64(wt * dz)
			sz += wz
			szx += float64(wz * dx)
			szy += float64(wz * dy)
			szz += float64(wz * dz)
		}
	}
	return [3]float64{sx, sy, sz}, [3][3]float64{{sxx}, {syx, syy}, {szx, szy, szz}}
}

// headingSums adds up v/|v|. Points at rest count as 0.
func (c *columns) headingSums(weight []float64, from, to int) [3]float64 {
	var sx, sy, sz float64
	vx, vy, vz := c.velocity[0], c.velocity[1], c.velocity[2]
	for i := from; i < to; i++ {
		x, y, z := vx[i], vy[i], 0.0
		if vz != nil {
			z = vz[i]
		}
		square := float64(x*x) + float64(y*y) + float64(z*z)
		if square > 0 {
			norm := weightAt(weight, i) / math.Sqrt(square)
			sx += float64(norm * x)
			sy += float64(norm * y)
			sz += float64(norm * z)
		}
	}
	return [3]float64{sx, sy, sz}
}

// centreSums adds up the terms from which centres of motion are computed.
func (c *columns) centreSums(weight []float64, near [3]float64, from, to int) (vvx, sqx [3]float64) {
	for i := from; i < to; i++ {
		x, y := c.at[0][i]-near[0], c.at[1][i]-near[1]
		vx, vy := c.velocity[0][i], c.velocity[1][i]
		along, square := float64(vx*x)+float64(vy*y), float64(vx*vx)+float64(vy*vy)
		var z, vz float64
		if c.at[2] != nil {
			z, vz = c.at[2][i]-near[2], c.velocity[2][i]
			along += float64(vz * z)
			square += float64(vz * vz)
		}
		wt := weightAt(weight, i)
		along, square = float64(wt*along), float64(wt*square)
		vvx[0] += float64(along * vx)
		vvx[1] += float64(along * vy)
		vvx[2] += float64(along * vz)
		sqx[0] += float64(square * x)
		sqx[1] += float64(square * y)
		sqx[2] += float64(square * z)
	}
	return vvx, sqx
}

// moments divides the sums by the weight, and makes positions relative to the mean.
func (s *sums) moments(near [3]float64) (m moments) {
	m.weight = s.w
	if s.w == 0 {
		return m
	}
	var x [3]float64
	for d := range 3 {
		x[d] = s.x[d] / s.w
		m.mean[d] = near[d] + x[d]
		m.heading[d] = s.head[d] / s.w
		m.flow[d] = s.v[d] / s.w
	}
	for d := range 3 {
		for e := range 3 {
			m.cov[d][e] = s.xx[max(d, e)][min(d, e)]/s.w - float64(x[d]*x[e])
			m.speed[d][e] = s.vv[max(d, e)][min(d, e)] / s.w
		}
	}
	square := m.speed[0][0] + m.speed[1][1] + m.speed[2][2]
	across := mulMatVec(m.speed, x)
	for d := range 3 {
		m.rotation[d] = s.vvx[d]/s.w - across[d]
		m.convergence[d] = s.sqx[d]/s.w - float64(square*x[d]) - m.rotation[d]
	}
	return m
}

func dot(a, b [3]float64) float64 {
	return float64(float64(a[0]*b[0])+float64(a[1]*b[1])) + float64(a[2]*b[2])
}

func cross(a, b [3]float64) [3]float64 {
	return [3]float64{
		float64(a[1]*b[2]) - float64(a[2]*b[1]),
		float64(a[2]*b[0]) - float64(a[0]*b[2]),
		float64(a[0]*b[1]) - float64(a[1]*b[0]),
	}
}

// unit returns a vector of length 1 in the direction of a, and a's length. If a is too short to have a direction, it
// returns a and 0.
func unit(a [3]float64) ([3]float64, float64) {
	big := max(math.Abs(a[0]), math.Abs(a[1]), math.Abs(a[2]))
	if !(big >= 0x1p-1000) {
		return a, 0
	}
	u := [3]float64{a[0] / big, a[1] / big, a[2] / big}
	length := math.Sqrt(dot(u, u))
	for d := range u {
		u[d] /= length
	}
	return u, length * big
}

func mulMatVec(m [3][3]float64, a [3]float64) (r [3]float64) {
	for i := range r {
		r[i] = dot(m[i], a)
	}
	return r
}
