package partition

import "math"

// moments are weighted sums over a set of points.
type moments struct {
	weight float64
	mean   [3]float64    // of the places
	cov    [3][3]float64 // of the places, over the weight
	// heading is the mean of v/|v|, in which points at rest count as 0, and flow
	// the mean of v.
	heading, flow [3]float64
	// speed is the mean of v v', about 0.
	speed [3][3]float64
	// For bisections with centres: lever is the mean of v (v.x), and swing that of |v|^2 x - v (v.x), both
	// with x from the mean.
	lever, swing [3]float64
}

// sums is what a chunk contributes: the sums of 1, x, x x', v/|v|, v and v v', weighted, with x taken from a point near the set so that nothing
// cancels.
type sums struct {
	w          float64
	x, head, v [3]float64
	xx, vv     [3][3]float64
	vvx, sqx   [3]float64 // sums of v (v.x) and |v|^2 x
}

func (s *sums) add(t *sums) {
	s.w += t.w
	for i := range 3 {
		s.x[i] += t.x[i]
		s.head[i] += t.head[i]
		s.v[i] += t.v[i]
		s.vvx[i] += t.vvx[i]
		s.sqx[i] += t.sqx[i]
		for j := range 3 {
			s.xx[i][j] += t.xx[i][j]
			s.vv[i][j] += t.vv[i][j]
		}
	}
}

// moments takes one pass over the set, with the given weights.
func (b *bisection) moments(n *node, weight []float64, w *worker) moments {
	from, to := b.bounds(n, w)
	var near [3]float64
	for d := range near {
		near[d] = from[d]/2 + to[d]/2
	}
	part := make([]sums, chunks(n.hi-n.lo))
	eachChunk(w.loop, n.lo, n.hi, func(c, from, to int) {
		b.copies[n.src].sums(&part[c], weight, near, from, to, b.dim)
		if b.centres {
			b.copies[n.src].centreSums(&part[c], weight, near, from, to, b.dim)
		}
	})
	var s sums
	for i := range part {
		s.add(&part[i])
	}
	return s.moments(near)
}

// sums adds up points from to to-1.
func (c *columns) sums(s *sums, weight []float64, near [3]float64, from, to, dim int) {
	moving := c.velocity[0] != nil
	for i := from; i < to; i++ {
		wt := weightAt(weight, i)
		s.w += wt
		var x, v [3]float64
		for d := range dim {
			x[d] = c.at[d][i] - near[d]
		}
		for d := range dim {
			wx := float64(wt * x[d])
			s.x[d] += wx
			for e := range d + 1 {
				s.xx[d][e] += float64(wx * x[e])
			}
		}
		if !moving {
			continue
		}
		square := 0.0
		for d := range dim {
			v[d] = c.velocity[d][i]
			square += float64(v[d] * v[d])
		}
		norm := 0.0
		if square > 0 {
			norm = wt / math.Sqrt(square)
		}
		for d := range dim {
			wv := float64(wt * v[d])
			s.v[d] += wv
			s.head[d] += float64(norm * v[d])
			for e := range d + 1 {
				s.vv[d][e] += float64(wv * v[e])
			}
		}
	}
}

// centreSums adds up what centres of motion are found from.
func (c *columns) centreSums(s *sums, weight []float64, near [3]float64, from, to, dim int) {
	if c.velocity[0] == nil {
		return
	}
	for i := from; i < to; i++ {
		var x, v [3]float64
		for d := range dim {
			x[d], v[d] = c.at[d][i]-near[d], c.velocity[d][i]
		}
		wt := weightAt(weight, i)
		along, square := float64(wt*dot(v, x)), float64(wt*dot(v, v))
		for d := range dim {
			s.vvx[d] += float64(along * v[d])
			s.sqx[d] += float64(square * x[d])
		}
	}
}

// moments divides by the weight and shifts to the mean.
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
	across := times(m.speed, x)
	for d := range 3 {
		m.lever[d] = s.vvx[d]/s.w - across[d]
		m.swing[d] = s.sqx[d]/s.w - float64(square*x[d]) - m.lever[d]
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

// unit returns a vector of length 1 with the direction of a, and a's length. A
// vector too short to have a direction is returned as it is, with 0.
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

func times(m [3][3]float64, a [3]float64) (r [3]float64) {
	for i := range r {
		r[i] = dot(m[i], a)
	}
	return r
}
