package rim

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Limits that decide which corners form a circle. The corners of a tessellated circle lie on it, except for rounding
// errors in files. A quarter of a circle with 16 corners has 5 corners. Shorter arcs are not accepted, because many
// pieces of ellipses would be mistaken for them.
const (
	mostDeviation = 0.002 // largest deviation, as a fraction of the radius
	leastCorners  = 5
	leastArc      = 0.99 * math.Pi / 2
	// maxSideRatio is the largest permitted ratio of a side's length to the mean length of the other sides. It is
	// above 1 because edges that meet a circle divide some of its sides into short pieces. The limit excludes the
	// straight side of a slot. Together with one round end of the slot, that side would be mistaken for an arc of a
	// large circle.
	maxSideRatio = 4
)

// circle returns the circle on which the corners around the chain's start lie. Circle.Arc is the angle of the circle
// that the chain covers. circle returns false if too few corners lie on the circle, or if the arc is too short.
func (c *chain) circle() (Circle, bool) {
	if c.closed && len(c.at) >= leastCorners {
		if found, ok := fit(c.at); ok && found.spans(c.at[len(c.at)-1], c.at[0]) {
			found.Arc, found.Corners = 2*math.Pi, len(c.at)
			return found, true
		}
	}
	at, start := c.unrolled()
	lo, hi := start, start+2 // begin with the side from which the chain grew
	var found Circle
	for grown := true; grown && hi-lo < len(at); {
		grown = false
		for _, ahead := range [2]bool{true, false} {
			to := [2]int{max(lo-growth(hi-lo), 0), hi}
			if ahead {
				to = [2]int{lo, min(hi+growth(hi-lo), len(at))}
			}
			if to, circle, ok := extendArc(at, lo, hi, to); ok {
				lo, hi, found, grown = to[0], to[1], circle, true
			}
		}
	}
	if hi-lo < leastCorners || found.Diameter == 0 {
		return Circle{}, false
	}
	found.Arc, found.Corners = found.coveredAngle(at[lo:hi]), hi-lo
	return found, found.Arc >= leastArc
}

// unrolled returns the corners of the chain and the index of the start among them. A closed chain is cut opposite its
// start, so that an arc can grow from the start in both directions.
func (c *chain) unrolled() (at []mgl64.Vec3, start int) {
	if !c.closed {
		return c.at, c.start
	}
	half := (len(c.at) - 2) / 2
	for i := range c.at {
		at = append(at, c.at[(c.start-half+i+len(c.at))%len(c.at)])
	}
	return at, half
}

// growth returns the number of corners that extendArc tries to add to a piece of n corners.
func growth(n int) int { return max(1, n/4) }

// extendArc tries to enlarge the piece at[lo:hi] of a chain to at[to[0]:to[1]]. While the larger piece does not lie on
// a circle, it halves the number of added corners. It returns the enlarged piece and its circle, or false if no corner
// can be added. A piece of fewer than four corners has no circle yet. It is accepted if no side is much longer than
// the others.
func extendArc(at []mgl64.Vec3, lo, hi int, to [2]int) ([2]int, Circle, bool) {
	for to != [2]int{lo, hi} {
		if piece := at[to[0]:to[1]]; len(piece) < 4 && isEven(piece) {
			return to, Circle{}, true
		}
		if circle, ok := fit(at[to[0]:to[1]]); ok {
			return to, circle, true
		}
		to[1], to[0] = hi+(to[1]-hi)/2, lo-(lo-to[0])/2
	}
	return to, Circle{}, false
}

// coveredAngle returns the angle in radians that the corners cover, measured along the circle from the first corner to
// the last.
func (c *Circle) coveredAngle(at []mgl64.Vec3) (sum float64) {
	for i := 1; i < len(at); i++ {
		u, v := at[i-1].Sub(c.Center), at[i].Sub(c.Center)
		sum += math.Atan2(u.Cross(v).Len(), u.Dot(v))
	}
	return sum
}

// isEven reports whether all sides between successive corners are about equally long, as maxSideRatio requires.
func isEven(at []mgl64.Vec3) bool {
	longest, sum := 0.0, 0.0
	for i := 1; i < len(at); i++ {
		side := at[i].Sub(at[i-1]).Len()
		longest, sum = max(longest, side), sum+side
	}
	return longest*float64(len(at)-2) <= maxSideRatio*(sum-longest)
}

// fit returns the circle that fits the corners best by least squares (Kasa's method, in the plane of the corners). It
// returns false in these cases:
//
//   - There are fewer than four corners.
//   - A corner is off the circle by more than mostDeviation.
//   - One side is much longer than the others, or spans too large an angle.
func fit(at []mgl64.Vec3) (c Circle, ok bool) {
	if len(at) < 4 || !isEven(at) {
		return c, false
	}
	var middle mgl64.Vec3
	for _, p := range at {
		middle = middle.Add(p.Mul(1 / float64(len(at))))
	}
	// The sum of these cross products is normal to the plane of the polygon, whatever its shape.
	var normal mgl64.Vec3
	for i, p := range at {
		normal = normal.Add(p.Sub(middle).Cross(at[(i+1)%len(at)].Sub(middle)))
	}
	if !(normal.Len() > 0) {
		return c, false
	}
	normal = normal.Normalize()
	u := at[0].Sub(at[1])
	u = u.Sub(normal.Mul(u.Dot(normal))).Normalize()
	v := normal.Cross(u)
	// Minimise the sum of (x^2 + y^2 - 2 a x - 2 b y - d)^2. x and y are relative to middle, so their sums are 0.
	var xx, xy, yy, xr, yr float64
	for _, p := range at {
		q := p.Sub(middle)
		x, y := q.Dot(u), q.Dot(v)
		r := x*x + y*y
		xx, xy, yy, xr, yr = xx+x*x, xy+x*y, yy+y*y, xr+x*r, yr+y*r
	}
	det := xx*yy - xy*xy
	if !(det > 1e-12*(xx+yy)*(xx+yy)) {
		return c, false
	}
	a, b := (xr*yy-yr*xy)/det/2, (yr*xx-xr*xy)/det/2
	radius := math.Sqrt((xx+yy)/float64(len(at)) + a*a + b*b)
	center := middle.Add(u.Mul(a)).Add(v.Mul(b))
	for _, p := range at {
		q := p.Sub(center)
		height := q.Dot(normal)
		if off := math.Hypot(math.Hypot(q.Dot(u), q.Dot(v))-radius, height); !(off <= mostDeviation*radius) {
			return c, false
		}
	}
	c = Circle{Center: center, Axis: normal, Diameter: 2 * radius}
	for i := 1; i < len(at); i++ {
		if !c.spans(at[i-1], at[i]) {
			return Circle{}, false
		}
	}
	return c, true
}

// spans reports whether the side between corners a and b is short enough to be a side of the circle: it spans at most
// mostTurn degrees. The limit excludes a square plate with cut corners. Its eight corners lie on a circle, but its
// long sides span 80 degrees.
func (c *Circle) spans(a, b mgl64.Vec3) bool {
	return b.Sub(a).Len() <= c.Diameter*math.Sin(mostTurn/2*math.Pi/180)
}
