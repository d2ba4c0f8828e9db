package isosurface

import (
	"math"

	"lockstep/scenes/internal/vector"
)

// Remove deletes the triangles t for which removed[t] is set.
func (s *Surface) Remove(removed []bool) {
	kept := s.Triangles[:0]
	for t, tri := range s.Triangles {
		if !removed[t] {
			kept = append(kept, tri)
		}
	}
	s.Triangles = kept
}

// Rims returns the closed lines of edges around the triangles that are to be removed. Each edge has the direction that
// it has in the removed triangle. Rims returns nil if a line touches itself.
func (s *Surface) Rims(removed []bool) (loops [][]int32) {
	type side struct{ from, to int32 }
	open := make(map[side]bool)
	for t, tri := range s.Triangles {
		for k := range tri {
			if removed[t] {
				open[side{tri[k], tri[(k+1)%3]}] = true
			}
		}
	}
	next := make(map[int32]int32)
	var order []int32
	for t, tri := range s.Triangles {
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

// Zip fills the gap between two closed lines of points with triangles. Both lines must turn the same way. In the new
// triangles, edges of `loop` have the direction of loop, and edges of `ring` have the opposite direction to ring.
func (s *Surface) Zip(loop, ring []int32) {
	gap := func(a, b int32) float64 {
		d := vector.Sub(s.Points[a], s.Points[b])
		return vector.Dot(d, d)
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
			s.Triangles = append(s.Triangles, [3]int32{a, nextA, b})
			i++
		} else {
			s.Triangles = append(s.Triangles, [3]int32{a, nextB, b})
			j++
		}
	}
}
