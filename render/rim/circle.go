package rim

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// What counts as a circle. The corners of a tessellated one lie on it, but for the rounding of files. A quarter of a circle
// of 16 corners has five; on a shorter arc, many a piece of an ellipse would be one.
const (
	mostDeviation = 0.002 // of the radius
	leastCorners  = 5
	leastArc      = 0.99 * math.Pi / 2
	// maxSideRatio is how many times as long as the mean of the others a side may be. Sides of a circle that other edges meet
	// are cut in pieces; the straight side of a slot is much longer than those of its ends, which would pass for a piece of a
	// large circle with it.
	maxSideRatio = 4
)

// circle returns the circle on which the chain lies around its start, as far as it does.
func (c *chain) circle() (Circle, bool) {
	if c.closed && len(c.at) >= leastCorners {
		if found, ok := fit(c.at); ok && found.spans(c.at[len(c.at)-1], c.at[0]) {
			found.Arc, found.Corners = 2*math.Pi, len(c.at)
			return found, true
		}
	}
	at, start := c.unrolled()
	lo, hi := start, start+2 // the side from which the chain grew
	var found Circle
	for grown := true; grown && hi-lo < len(at); {
		grown = false
		for _, ahead := range [2]bool{true, false} {
			to := [2]int{max(lo-step(hi-lo), 0), hi}
			if ahead {
				to = [2]int{lo, min(hi+step(hi-lo), len(at))}
			}
			if to, circle, ok := extendArc(at, lo, hi, to); ok {
				lo, hi, found, grown = to[0], to[1], circle, true
			}
		}
	}
	if hi-lo < leastCorners || found.Diameter == 0 {
		return Circle{}, false
	}
	found.Arc, found.Corners = found.covered(at[lo:hi]), hi-lo
	return found, found.Arc >= leastArc
}

// unrolled returns the corners of the chain, from the opposite of its start to there again if it is closed, so that it can
// grow from its start in both directions.
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

// step is by how many corners a piece of n corners grows at once.
func step(n int) int { return max(1, n/4) }

// extendArc returns a piece between lo, hi and to that lies on a circle, and the circle: that of to, or of as little as is
// needed of halves of what to has more. Pieces of fewer than
// four corners do, unless a side is much longer than the others.
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

// covered returns the angle between the first and the last of some corners of the circle, by way of all.
func (c *Circle) covered(at []mgl64.Vec3) (sum float64) {
	for i := 1; i < len(at); i++ {
		u, v := at[i-1].Sub(c.Center), at[i].Sub(c.Center)
		sum += math.Atan2(u.Cross(v).Len(), u.Dot(v))
	}
	return sum
}

// isEven reports whether no side between some corners is much longer than the others.
func isEven(at []mgl64.Vec3) bool {
	longest, sum := 0.0, 0.0
	for i := 1; i < len(at); i++ {
		side := at[i].Sub(at[i-1]).Len()
		longest, sum = max(longest, side), sum+side
	}
	return longest*float64(len(at)-2) <= maxSideRatio*(sum-longest)
}

// fit returns the circle that passes some corners by least squares: Kasa's fit in their plane. It returns
// false if there are fewer than four, if one of them is off by more than mostDeviation, or if
// one side is much longer than the others.
func fit(at []mgl64.Vec3) (c Circle, ok bool) {
	if len(at) < 4 || !isEven(at) {
		return c, false
	}
	var middle mgl64.Vec3
	for _, p := range at {
		middle = middle.Add(p.Mul(1 / float64(len(at))))
	}
	// Twice the area vector of the polygon is normal to its plane, whatever its shape.
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
	// Minimise the sum of (x^2 + y^2 - 2 a x - 2 b y - d)^2 about the mean, where the sums of x and y are 0.
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

// spans reports whether the side between two corners may be one of the circle: it spans no more of it than sides turn. The
// corners of a square plate whose corners are cut off lie on a circle, and its sides span 80 degrees.
func (c *Circle) spans(a, b mgl64.Vec3) bool {
	return b.Sub(a).Len() <= c.Diameter*math.Sin(mostTurn/2*math.Pi/180)
}
