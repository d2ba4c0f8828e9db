package partition

import "math"

// A shape says how to compute the key of a point, a number that tells on which side of a cut the point is.
type shape uint8

const (
	axisX shape = iota // the key is the coordinate
	axisY
	axisZ
	plane // a cut along a plane: the key is the distance along normal
	ring  // the key is the distance from origin; in space, from the line along normal
	fan   // the key is the angle about origin, from normal towards turn
)

// A cut divides a set in two. A point is on the left if its key is at most offset + rate*age. The age is the time since
// the partition was made.
type cut struct {
	shape                shape
	normal, turn, origin [3]float64 // normal and turn have length 1
	offset, rate         float64
}

// axis returns a cut across axis d.
func axis(d int) cut { return cut{shape: axisX + shape(d)} }

// key returns the number that decides on which side a point is. For axes and planes the key is monotone in each
// coordinate, in spite of rounding. Method keyRange needs this.
func (c *cut) key(x, y, z float64) float64 {
	switch c.shape {
	case axisX:
		return x
	case axisY:
		return y
	case axisZ:
		return z
	case plane:
		return float64(float64(c.normal[0]*x)+float64(c.normal[1]*y)) + float64(c.normal[2]*z)
	}
	dx, dy, dz := x-c.origin[0], y-c.origin[1], z-c.origin[2]
	if c.shape == fan {
		return angle(
			float64(float64(c.normal[0]*dx)+float64(c.normal[1]*dy))+float64(c.normal[2]*dz),
			float64(float64(c.turn[0]*dx)+float64(c.turn[1]*dy))+float64(c.turn[2]*dz))
	}
	along := float64(float64(c.normal[0]*dx)+float64(c.normal[1]*dy)) + float64(c.normal[2]*dz)
	square := float64(float64(dx*dx)+float64(dy*dy)) + float64(dz*dz)
	return math.Sqrt(max(0, square-float64(along*along)))
}

// angle returns a number from -2 to 2 that grows with the angle of (x, y) from -pi to pi and is 0 at (1, 0). It is a
// length along the square |x|+|y| = 1, and needs no trigonometric function. Opposite directions differ by 2.
func angle(x, y float64) float64 {
	sum := math.Abs(x) + math.Abs(y)
	switch {
	case sum == 0:
		return 0
	case x >= 0:
		return y / sum
	case y >= 0:
		return 2 - y/sum
	}
	return -2 - y/sum
}

// threshold returns the largest key on the left at this age.
func (c *cut) threshold(age float64) float64 { return c.offset + float64(c.rate*age) }

// keyRange returns bounds of the keys of all points in a box.
func (c *cut) keyRange(lo, hi [3]float64) (least, most float64) {
	if c.shape == fan {
		return c.angleRange(lo, hi)
	}
	if c.shape != ring {
		near, far := lo, hi
		for d, n := range c.normal {
			if n < 0 {
				near[d], far[d] = far[d], near[d]
			}
		}
		return c.key(near[0], near[1], near[2]), c.key(far[0], far[1], far[2])
	}
	// If a point moves by d, its distance from another point or a line changes by at most d. So the key at the middle
	// of the box, plus and minus half of the box's diagonal, gives bounds.
	var mid, half [3]float64
	for d := range lo {
		mid[d] = lo[d] + (hi[d]-lo[d])/2
		half[d] = max(hi[d]-mid[d], mid[d]-lo[d])
	}
	way := math.Sqrt(float64(half[0]*half[0]) + float64(half[1]*half[1]) + float64(half[2]*half[2]))
	k := c.key(mid[0], mid[1], mid[2])
	// The key of a ring is the root of a difference of squares. The difference loses digits if a point is near the
	// ring's axis but far from origin. So the bounds are widened by the rounding error.
	scale := 0.0
	for d := range lo {
		scale = max(scale, math.Abs(lo[d]-c.origin[d]), math.Abs(hi[d]-c.origin[d]))
	}
	const rounding = 1e-7 // relative to scale: the root of 2^-50, the relative rounding error of the squares
	return k - way - scale*rounding, k + way + scale*rounding
}

// midway returns the offset of a cut between two neighbouring keys. The key `lower` is on the left of the cut. The key
// `upper` is on the right if it is larger.
func midway(lower, upper float64) float64 {
	m := lower + (upper-lower)/2
	if !(m >= lower && m < upper) {
		return lower
	}
	return m
}

// angleRange returns bounds of the angles of all points in a box. They are the angles of its corners if the box is on
// one side of the origin, and otherwise all angles.
func (c *cut) angleRange(lo, hi [3]float64) (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	for k := range 8 {
		x := lo
		for d := range x {
			if k>>d&1 != 0 {
				x[d] = hi[d]
			}
		}
		a := c.key(x[0], x[1], x[2])
		least, most = min(least, a), max(most, a)
	}
	// Angles run from -2 to 2, so half a turn is 2. Seen from the origin, a convex set without the origin spans less
	// than half a turn. If the angles of the corners differ by more, the box contains the origin or crosses the ray
	// where the angle jumps from 2 to -2. The range of all angles is then returned.
	const rounding = 1e-9
	if most-least >= 2-rounding {
		return -2, 2
	}
	return least - rounding, most + rounding
}
