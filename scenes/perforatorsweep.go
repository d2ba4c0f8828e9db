package scenes

import (
	"math"
	"slices"
)

// The part of the stem that a mesher covers by strips from end to end: it ends
// short of the slug and of the tip. A straight strip departs from a cone only
// by what a chord departs from its arc.
const (
	sweepFirst  = -0.17
	sweepLast   = jetLast - 0.17
	sweepStrips = 20
)

// sweepStem replaces the triangles of the stem by strips of two triangles each,
// which it joins to the rest at both ends. cell is the size of a cell. It does
// nothing if what lies between is not a tube, such as where debris touches it.
func (f *perforatorField) sweepStem(s *surface, cell float64) {
	inside := func(p int32) bool {
		j := f.place(s.points[p])
		return j.along > sweepFirst && j.along < sweepLast && j.radius < 1.3*jetRadius0
	}
	removed := make([]bool, len(s.triangles))
	for t, tri := range s.triangles {
		removed[t] = inside(tri[0]) && inside(tri[1]) && inside(tri[2])
	}
	rims := s.rims(removed)
	if len(rims) != 2 {
		return
	}
	along := func(rim []int32) float64 { return f.place(s.points[rim[0]]).along }
	if along(rims[0]) > along(rims[1]) {
		rims[0], rims[1] = rims[1], rims[0]
	}
	if along(rims[1])-along(rims[0]) < 0.9*(sweepLast-sweepFirst) {
		return
	}
	s.drop(removed)
	// The new ends stay off the rims, which may lie a cell further in than the
	// part that they bound.
	gap := math.Min(0.04, float64(0.7*cell))
	low, high := f.ring(s, sweepFirst+gap), f.ring(s, sweepLast-float64(0.75*gap))
	if f.turning(s, rims[0]) < 0 {
		slices.Reverse(low)
		slices.Reverse(high)
	}
	s.zip(rims[0], low)
	for k := range low {
		l := (k + 1) % len(low)
		s.triangles = append(s.triangles, [3]int32{low[k], low[l], high[l]}, [3]int32{low[k], high[l], high[k]})
	}
	slices.Reverse(high)
	s.zip(rims[1], high)
}

// drop removes triangles.
func (s *surface) drop(removed []bool) {
	kept := s.triangles[:0]
	for t, tri := range s.triangles {
		if !removed[t] {
			kept = append(kept, tri)
		}
	}
	s.triangles = kept
}

// rims returns the closed lines around the triangles that are removed, in the
// direction of their edges; nil if a line meets itself.
func (s *surface) rims(removed []bool) (loops [][]int32) {
	type side struct{ from, to int32 }
	open := make(map[side]bool)
	for t, tri := range s.triangles {
		for k := range tri {
			if removed[t] {
				open[side{tri[k], tri[(k+1)%3]}] = true
			}
		}
	}
	next := make(map[int32]int32)
	var order []int32
	for t, tri := range s.triangles {
		for k := range tri {
			a, b := tri[k], tri[(k+1)%3]
			if !removed[t] || open[side{b, a}] {
				continue
			}
			if _, twice := next[a]; twice {
				return nil
			}
			next[a] = b
			order = append(order, a)
		}
	}
	for _, start := range order {
		var loop []int32
		for p, ok := start, true; ok; {
			q, more := next[p]
			if !more {
				break
			}
			delete(next, p)
			loop = append(loop, p)
			p = q
		}
		if len(loop) > 0 {
			loops = append(loops, loop)
		}
	}
	return loops
}

// ring adds the ends of the strips around the stem.
func (f *perforatorField) ring(s *surface, along float64) (ring []int32) {
	t := (along - jetFirst) / (jetLast - jetFirst)
	radius := mix(t, jetRadius0, jetRadius1)
	center := add(perforatorHole, scale(along, f.ahead))
	for k := range sweepStrips {
		c, sn := turn(k, sweepStrips)
		p := add(center, add(scale(float64(radius*c), f.side), scale(float64(radius*sn), f.rise)))
		ring = append(ring, int32(len(s.points)))
		s.points = append(s.points, p)
	}
	return ring
}

// turning is positive if a loop turns from side to rise.
func (f *perforatorField) turning(s *surface, loop []int32) (sum float64) {
	for k := range loop {
		a, b := f.place(s.points[loop[k]]), f.place(s.points[loop[(k+1)%len(loop)]])
		sum += float64(a.side*b.rise) - float64(a.rise*b.side)
	}
	return sum
}

// zip joins two loops that turn alike. The triangles have the edges of loop in
// its direction and those of ring against it.
func (s *surface) zip(loop, ring []int32) {
	gap := func(a, b int32) float64 {
		d := minus(s.points[a], s.points[b])
		return dot(d, d)
	}
	start := 0
	for j := range ring {
		if gap(loop[0], ring[j]) < gap(loop[0], ring[start]) {
			start = j
		}
	}
	n, m := len(loop), len(ring)
	for i, j := 0, 0; i < n || j < m; {
		a, b := loop[i%n], ring[(start+j)%m]
		nextA, nextB := loop[(i+1)%n], ring[(start+j+1)%m]
		ahead, behind := math.Inf(1), math.Inf(1)
		if i < n {
			ahead = gap(nextA, b)
		}
		if j < m {
			behind = gap(a, nextB)
		}
		if ahead <= behind {
			s.triangles = append(s.triangles, [3]int32{a, nextA, b})
			i++
		} else {
			s.triangles = append(s.triangles, [3]int32{a, nextB, b})
			j++
		}
	}
}
