package gltf

import (
	"fmt"
	"math"
	"sort"
)

// A curve holds values at certain times, and the kind of interpolation between them.
type curve struct {
	times, values    *elements
	kind             string
	elementsPerValue int // number of elements of a value, not counting tangents
}

// Kinds of curves. Cubic curves store a tangent before and after each value.
const (
	straight = "LINEAR"
	step     = "STEP"
	cubic    = "CUBICSPLINE"
)

// readCurve returns the curve of a sampler. Each value has `count` elements of `width` numbers.
func (r *reader) readCurve(s *claimedCurve, width, count int) (*curve, error) {
	c := &curve{kind: s.Interpolation, elementsPerValue: count}
	keys := 1
	switch c.kind {
	case "":
		c.kind = straight
	case straight, step:
	case cubic:
		keys = 3
	default:
		return nil, fmt.Errorf("unknown interpolation %.20q", c.kind)
	}
	var err error
	if c.times, err = r.readTimes(s.Input); err != nil {
		return nil, err
	}
	if c.values, err = r.accessor(s.Output, width); err != nil {
		return nil, err
	}
	if c.values.kind != float32s {
		c.values = c.values.scaled()
	}
	if need := int64(c.times.n) * int64(keys) * int64(count); int64(c.values.n) != need {
		return nil, fmt.Errorf("accessor %d has %d values for %d times, expected %d", s.Output, c.values.n, c.times.n, need)
	}
	return c, nil
}

// readTimes returns the elements of accessor i, which must be times in ascending order. It checks each accessor only
// once.
func (r *reader) readTimes(i integer) (*elements, error) {
	e, err := r.accessor(i, 1)
	if err != nil {
		return nil, err
	}
	if err, ok := r.timesErrors[i]; ok {
		return e, err
	}
	r.timesErrors[i] = checkAscending(i, e)
	return e, r.timesErrors[i]
}

// checkAscending returns an error unless e, the elements of accessor i, holds finite times in ascending order.
func checkAscending(i integer, e *elements) error {
	if e.n == 0 {
		return fmt.Errorf("accessor %d has no times", i)
	}
	last := math.Inf(-1)
	for k := range e.n {
		if t := e.scalar(k); t > last && !math.IsInf(t, 1) {
			last = t
			continue
		}
		return fmt.Errorf("time %d of accessor %d is not behind that before it", k, i)
	}
	return nil
}

// scalar returns the number of element i, which must have one number.
func (e *elements) scalar(i int) float64 {
	var v [1]float64
	e.decodeNumbers(i, 1, v[:])
	return v[0]
}

// writeAt writes the value at time t to `to`. Before the first keyframe, this is the value of the first keyframe. After
// the last keyframe, it is the value of the last keyframe. If `turn` is set, the values are rotations.
func (c *curve) writeAt(t float64, turn bool, to []float64) {
	n := c.times.n
	next := sort.Search(n, func(i int) bool { return c.times.scalar(i) > t })
	if next == 0 || next == n || c.kind == step || c.times.scalar(next-1) == t {
		c.writeKeyframe(max(next-1, 0), to)
		return
	}
	from, until := c.times.scalar(next-1), c.times.scalar(next)
	part := (t - from) / (until - from)
	if c.kind == cubic {
		c.writeSpline(next, part, until-from, to)
		return
	}
	after := make([]float64, len(to))
	c.writeKeyframe(next-1, to)
	c.writeKeyframe(next, after)
	if turn {
		slerp(to, after, part)
		return
	}
	for i := range to {
		to[i] += float64(part * (after[i] - to[i]))
	}
}

// writeKeyframe writes the value of keyframe i to `to`.
func (c *curve) writeKeyframe(i int, to []float64) {
	if c.kind == cubic {
		c.writeEntry(3*i+1, to)
		return
	}
	c.writeEntry(i, to)
}

// writeEntry writes entry i of the values to `to`. An entry of a cubic curve is a value or a tangent.
func (c *curve) writeEntry(i int, to []float64) {
	c.values.decodeNumbers(i*c.elementsPerValue, len(to)/c.elementsPerValue, to)
}

// writeSpline evaluates a cubic curve between keyframes next-1 and next, as a Hermite spline, and writes the value to
// `to`. u is the position between the two, from 0 to 1, and seconds is the time between them.
func (c *curve) writeSpline(next int, u, seconds float64, to []float64) {
	leaves, arrives, after := make([]float64, len(to)), make([]float64, len(to)), make([]float64, len(to))
	c.writeKeyframe(next-1, to)
	c.writeEntry(3*(next-1)+2, leaves)
	c.writeEntry(3*next, arrives)
	c.writeKeyframe(next, after)
	u2, u3 := u*u, u*u*u
	before, behind := float64(2*u3)-float64(3*u2)+1, float64(3*u2)-float64(2*u3)
	out, in := float64(seconds*(u3-float64(2*u2)+u)), float64(seconds*(u3-u2))
	for i := range to {
		to[i] = float64(before*to[i]) + float64(out*leaves[i]) + float64(behind*after[i]) + float64(in*arrives[i])
	}
}

// nearTurns is the cosine of a small angle. If half the angle between two rotations is smaller than this angle, slerp
// interpolates linearly. The result is just as good. Dividing by the sine of a small angle would lose digits.
const nearTurns = 0.9995

// slerp turns the quaternion `from` towards the quaternion `to` along the shorter way, by the fraction `part`. The
// result need not have length 1; the method compose normalises it.
func slerp(from, to []float64, part float64) {
	normalize(from)
	normalize(to)
	cos := 0.0
	for i := range from {
		cos += float64(from[i] * to[i])
	}
	sign := 1.0
	if cos < 0 {
		cos, sign = -cos, -1
	}
	a, b := 1-part, part
	if cos < nearTurns {
		angle := math.Acos(cos)
		sin := math.Sin(angle)
		a, b = math.Sin(float64(a*angle))/sin, math.Sin(float64(b*angle))/sin
	}
	for i := range from {
		from[i] = float64(a*from[i]) + float64(sign*b*to[i])
	}
}

// normalize normalises a quaternion, unless its length is 0.
func normalize(q []float64) {
	sum := 0.0
	for _, v := range q {
		sum += float64(v * v)
	}
	if !(sum > 0) {
		return
	}
	length := math.Sqrt(sum)
	for i := range q {
		q[i] /= length
	}
}
