package partition

import (
	"errors"
	"fmt"
	"math"
)

// Points are the points to divide. All slices are columns over the points.
type Points struct {
	// At holds the coordinates: two columns for the plane, three for space. Coordinates are at most 1e100 in magnitude,
	// velocities at most 1e50.
	At [][]float64
	// Weight holds the work of every point, at least 0, in any unit. If it is nil, every point weighs 1. If all points
	// of a set have weight 0, each counts as 1.
	Weight []float64
	// Velocity holds one column for each column of At, in coordinates per unit of time. nil means that the points are
	// at rest.
	Velocity [][]float64
}

// Len returns the number of points.
func (p Points) Len() int {
	if len(p.At) == 0 {
		return 0
	}
	return len(p.At[0])
}

// A For runs a loop. It calls body(0) to body(n-1), in any order and possibly several at the same time. It returns
// after the last call has ended.
type For func(n int, body func(i int))

// Options says how to partition. The zero value is the default.
type Options struct {
	// For runs independent pieces of work. If it is nil, they run one after the other. The result does not depend on
	// it.
	For For
	// Horizon is the time for which the partition should last, in the unit of time of the velocities. Only Flow and
	// Drift use it. If it is 0 they treat the points as being at rest.
	Horizon float64
	// Fixed makes Flow use only cuts that do not move. By default its cuts move.
	Fixed bool
}

func (o Options) loop() For {
	if o.For != nil {
		return o.For
	}
	return sequential
}

func sequential(n int, body func(i int)) {
	for i := range n {
		body(i)
	}
}

// chunk is the number of points in one piece of parallel work. It must not depend on the number of workers, because the
// rounding of sums over chunks would then depend on that number too. A pass over 32768 points takes some 100
// microseconds, which is long compared with starting a goroutine. The keys of a chunk fit into a second-level cache.
const chunk = 1 << 15

func chunks(n int) int { return (n + chunk - 1) / chunk }

// eachChunk calls body for consecutive ranges that together cover lo to hi-1. c is the index of the range.
func eachChunk(loop For, lo, hi int, body func(c, from, to int)) {
	if n := chunks(hi - lo); n == 1 {
		body(0, lo, hi)
	} else if n > 1 {
		loop(n, func(c int) { body(c, lo+c*chunk, min(hi, lo+(c+1)*chunk)) })
	}
}

// check returns an error if the points, the number of parts or the horizon are malformed, in O(n).
func (p Points) check(parts int, o Options) error {
	if parts < 1 || parts > math.MaxInt32 {
		return fmt.Errorf("partition: %d parts: expected at least 1 and at most %d", parts, math.MaxInt32)
	}
	if d := len(p.At); d != 2 && d != 3 {
		return fmt.Errorf("partition: %d columns of coordinates: expected 2 or 3", d)
	}
	n := p.Len()
	if n > math.MaxInt32 {
		return fmt.Errorf("partition: %d points: expected at most %d", n, math.MaxInt32)
	}
	if p.Velocity != nil && len(p.Velocity) != len(p.At) {
		return fmt.Errorf("partition: %d columns of velocities for %d of coordinates", len(p.Velocity), len(p.At))
	}
	if !(o.Horizon >= 0 && o.Horizon <= mostMotion) {
		return fmt.Errorf("partition: horizon %v: expected a time from 0 to %g", o.Horizon, mostMotion)
	}
	var faults []error
	for d, column := range p.At {
		faults = append(faults, checkColumn(o, "coordinate", d, column, n, [2]float64{-mostPlace, mostPlace}))
	}
	for d, column := range p.Velocity {
		faults = append(faults, checkColumn(o, "velocity", d, column, n, [2]float64{-mostMotion, mostMotion}))
	}
	if p.Weight != nil {
		faults = append(faults, checkColumn(o, "weight", 0, p.Weight, n, [2]float64{0, math.MaxFloat64}))
	}
	return errors.Join(faults...)
}

// mostPlace is the largest magnitude of a coordinate, and mostMotion that of a velocity or a time. Within these limits
// squares, and products of three numbers, are finite.
const (
	mostPlace  = 1e100
	mostMotion = 1e50
)

// checkColumn returns an error unless the column has n elements, each of them within the bounds, inclusively.
func checkColumn(o Options, what string, d int, column []float64, n int, bounds [2]float64) error {
	if len(column) != n {
		return fmt.Errorf("partition: %s column %d has %d elements for %d points", what, d, len(column), n)
	}
	bad := make([]int, chunks(n))
	eachChunk(o.loop(), 0, n, func(c, from, to int) {
		bad[c] = -1
		for i, v := range column[from:to] {
			if !(v >= bounds[0] && v <= bounds[1]) {
				bad[c] = from + i
				return
			}
		}
	})
	for _, i := range bad {
		if i >= 0 {
			return fmt.Errorf("partition: %s %d of point %d is %v: expected a number from %g to %g", what, d, i, column[i], bounds[0], bounds[1])
		}
	}
	return nil
}
