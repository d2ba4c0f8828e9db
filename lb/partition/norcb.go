package partition

import "math"

// minHeading is the length of the mean heading below which a set counts as having no direction of motion. Source:
// Boulmier et al., arXiv:2108.11099, Section 2.2. Their program also applies it to the mean of unit vectors.
const minHeading = 1e-3

// NoRCB is non-orthogonal recursive bisection. Every cut goes along the mean direction of motion of its set, so points
// stay on their side for longer. The mean is taken over velocities that are scaled to length 1, without weights. A set
// without a mean direction is cut across the longest side of its bounding box.
//
// In the plane this determines the cut. In space the cut may still be turned about the direction of motion; Boulmier et
// al. do not say how. Here it is turned so that the fewest points cross it. Let S be the mean of v v' over the
// velocities v, C the covariance of the positions, and n the normal of the cut. A prime denotes the transpose. N points
// that fill a volume V and spread by s along n meet an area of about V/s. The flow across it is N/V times the area
// times the mean of |v.n|, about N sqrt(n'Sn / n'Cn). The least value of n'Sn / n'Cn is an eigenvalue of a 2 by 2
// problem. If the motion across the mean direction is zero, or the same in all transverse directions, this is the cut
// among those along the motion that RIB would choose.
//
// Source: Boulmier, Abdennadher and Chopard, "Towards informed partitioning for load balancing: a proof-of-concept",
// arXiv:2108.11099, Algorithm 1; the choice of the turn is ours.
func NoRCB(p Points, parts int, o Options) (*Partition, error) {
	if err := p.check(parts, o); err != nil {
		return nil, err
	}
	return bisect(p, parts, o, true, alongMotion), nil
}

func alongMotion(b *bisection, n *node, w *worker) cut {
	if n.lo == n.hi {
		return axis(0)
	}
	what := needHeadings
	if b.dim == 3 {
		what |= needPlaces | needSpeeds
	}
	m := b.moments(n, nil, what, w)
	heading, length := unit(m.heading)
	if length < minHeading {
		return axis(b.longest(b.bounds(n, w)))
	}
	if b.dim == 2 {
		// Points to the right of the direction of motion get larger keys, as in the program of Boulmier et al., which
		// rotates the points.
		return cut{shape: plane, normal: [3]float64{heading[1], -heading[0], 0}}
	}
	return cut{shape: plane, normal: b.flat(leastFlow(m, heading))}
}

// leastFlow returns the normal n, orthogonal to heading, for which n'Sn / n'Cn is least. See NoRCB for S and C.
func leastFlow(m moments, heading [3]float64) [3]float64 {
	first, second := orthogonalAxes(heading)
	// C is diagonal in the axes u and v of the plane. If these are scaled so that C becomes the unit matrix, the
	// quotients n'Sn / n'Cn are the eigenvalues of S.
	_, axes := eigen(project(m.cov, first, second))
	u := combine(axes[0], first, second)
	v := combine(axes[1], first, second)
	cu, cv := dot(u, mulMatVec(m.cov, u)), dot(v, mulMatVec(m.cov, v))
	if !(cu > 0) {
		return u
	}
	// cu and cv are the variances along u and v. cv is 0 if the set has no extent along v. The lower limit keeps the
	// ratio cu/cv finite.
	cv = max(cv, cu*0x1p-40)
	s := project(m.speed, u, v)
	ratio := cu / cv
	// The eigenvalues of scaled are the quotients times cu, in coordinates n = a u + b math.Sqrt(cu/cv) v.
	root := math.Sqrt(ratio)
	scaled := [3][3]float64{{s[0][0], s[0][1] * root, 0}, {s[1][0] * root, s[1][1] * ratio, 0}, {0, 0, 0}}
	return combine(leastOf(scaled, root), u, v)
}

// leastOf returns the eigenvector of the least eigenvalue of the upper left 2 by 2 block of a, with the second
// component multiplied by root. If all directions are equal to within rounding, it returns the first axis.
func leastOf(a [3][3]float64, root float64) [3]float64 {
	half, off := (a[0][0]-a[1][1])/2, a[0][1]
	if math.Hypot(half, off) <= 1e-9*(a[0][0]+a[1][1]) {
		return [3]float64{1, 0, 0}
	}
	// The third row and column are 0 and would add an eigenvalue of 0. Replace it by a large one, because only the
	// eigenvalues of the block count.
	a[2][2] = 2 * (a[0][0] + a[1][1])
	_, vector := eigen(a)
	return [3]float64{vector[2][0], vector[2][1] * root, 0}
}

// project returns the quadratic form m in the axes u and v. The third diagonal element is -1, which makes eigen put it
// last.
func project(m [3][3]float64, u, v [3]float64) [3][3]float64 {
	mu, mv := mulMatVec(m, u), mulMatVec(m, v)
	off := dot(u, mv)
	return [3][3]float64{{dot(u, mu), off, 0}, {off, dot(v, mv), 0}, {0, 0, -1}}
}

func combine(c, u, v [3]float64) (r [3]float64) {
	for d := range r {
		r[d] = float64(c[0]*u[d]) + float64(c[1]*v[d])
	}
	return r
}

// orthogonalAxes returns two unit vectors that are orthogonal to the unit vector a and to each other. The first is also
// orthogonal to the coordinate axis that is farthest from a.
func orthogonalAxes(a [3]float64) (u, v [3]float64) {
	least := 0
	for d := 1; d < 3; d++ {
		if a[d]*a[d] < a[least]*a[least] {
			least = d
		}
	}
	var e [3]float64
	e[least] = 1
	u, _ = unit(cross(a, e))
	return u, cross(a, u)
}
