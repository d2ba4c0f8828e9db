package isosurface

import (
	"container/heap"
	"math"
	"slices"

	"lockstep/scenes/internal/vector"
)

// A Rule decides whether the end `from` of an edge may be moved onto the end `to`, and returns the cost of this
// collapse. The cheapest collapse is done first.
//
// deviation is the root mean square distance of `to` from the planes of original triangles: those around the two ends,
// and those around all points that were moved onto an end before. length is the length of the edge. reach is the length
// of the longest edge after the collapse.
type Rule func(from, to int32, deviation, length, reach float64) (cost float64, ok bool)

// A Metric returns the length of the edge between two points.
type Metric func(a, b [3]float64) float64

// Collapse removes points of s by collapsing edges, the cheapest first, as long as the rule allows it. It needs O(n log
// n) time.
//
// A closed manifold stays a closed manifold. An edge collapses only if no triangle turns over and if its ends have no
// common neighbours except the two that complete its triangles (Dey et al., "Topology preserving edge contraction",
// 1999). Distances are measured by quadrics (Garland and Heckbert, SIGGRAPH 1997). The remaining points do not move, so
// they are points of the original surface. Equal costs are ordered by the numbers of points, so the result is the same
// on every machine.
func (s *Surface) Collapse(length Metric, rule Rule) {
	c := newCollapser(s, rule)
	c.length = length
	for u := range s.Points {
		c.push(int32(u))
	}
	for len(c.queue) > 0 {
		e := heap.Pop(&c.queue).(candidate)
		if e.version != c.version[e.from] {
			continue
		}
		if !c.isLegal(e.from, e.to) { // another collapse has changed the surroundings
			c.push(e.from)
			continue
		}
		c.contract(e.from, e.to)
	}
	c.compact()
}

// A collapser is the state of Collapse.
type collapser struct {
	*Surface
	length   Metric
	rule     Rule
	fans     [][]int32 // triangles around each point; empty: the point was removed
	gone     []bool    // whether each triangle was removed
	quadrics []quadric
	version  []int32 // version of each point; a candidate with an older version is outdated
	queue    candidates
}

func newCollapser(s *Surface, rule Rule) *collapser {
	n := len(s.Points)
	c := &collapser{
		Surface: s, rule: rule,
		fans: make([][]int32, n), gone: make([]bool, len(s.Triangles)),
		quadrics: make([]quadric, n), version: make([]int32, n),
	}
	for t, tri := range s.Triangles {
		q := planeQuadric(s.normal(tri), s.Points[tri[0]])
		for _, p := range tri {
			c.fans[p] = append(c.fans[p], int32(t))
			c.quadrics[p].add(&q)
		}
	}
	return c
}

// normal returns a normal of a triangle, whose length is twice the triangle's area.
func (s *Surface) normal(tri [3]int32) [3]float64 {
	a := s.Points[tri[0]]
	return vector.Cross(vector.Sub(s.Points[tri[1]], a), vector.Sub(s.Points[tri[2]], a))
}

// neighbors appends to `found` the points that share an edge with u, in the order of the triangles around u.
func (c *collapser) neighbors(u int32, found []int32) []int32 {
	for _, t := range c.fans[u] {
		for _, p := range c.Triangles[t] {
			if p != u && !slices.Contains(found, p) {
				found = append(found, p)
			}
		}
	}
	return found
}

// push adds the cheapest allowed collapse of point u to the queue, if there is one.
func (c *collapser) push(u int32) {
	c.version[u]++
	best := candidate{cost: math.Inf(1), from: u, version: c.version[u]}
	var room [16]int32
	around := c.neighbors(u, room[:0])
	for _, v := range around {
		q := c.quadrics[u]
		q.add(&c.quadrics[v])
		reach := 0.0
		for _, p := range around {
			reach = math.Max(reach, c.length(c.Points[p], c.Points[v]))
		}
		cost, ok := c.rule(u, v, q.deviation(c.Points[v]), c.length(c.Points[u], c.Points[v]), reach)
		if ok && (cost < best.cost || cost == best.cost && v < best.to) && c.isLegal(u, v) {
			best.cost, best.to = cost, v
		}
	}
	if best.cost < math.Inf(1) {
		heap.Push(&c.queue, best)
	}
}

// leastTurn is the cosine of the largest angle by which a collapse may turn a triangle. The angle is 60 degrees. A
// triangle that turns less is far from being folded.
const leastTurn = 0.5

// isLegal reports whether point u may be moved onto its neighbour v. That must not change the topology or turn a
// triangle too far.
func (c *collapser) isLegal(u, v int32) bool {
	var roomU, roomV [16]int32
	around := c.neighbors(v, roomV[:0])
	common := 0
	for _, p := range c.neighbors(u, roomU[:0]) {
		if !slices.Contains(around, p) {
			continue
		}
		common++
		if len(c.fans[p]) <= 3 {
			return false
		}
	}
	if common != 2 {
		return false
	}
	for _, t := range c.fans[u] {
		tri := c.Triangles[t]
		if slices.Contains(tri[:], v) {
			continue
		}
		before := c.normal(tri)
		after := c.normal(replacePoint(tri, u, v))
		if d := vector.Dot(before, after); !(d > 0) || float64(d*d) < float64(leastTurn*leastTurn)*float64(vector.Dot(before, before)*vector.Dot(after, after)) {
			return false
		}
	}
	return true
}

// replacePoint returns tri with u replaced by v.
func replacePoint(tri [3]int32, u, v int32) [3]int32 {
	for k := range tri {
		if tri[k] == u {
			tri[k] = v
		}
	}
	return tri
}

// contract moves point u onto its neighbour v, and removes the triangles between them.
func (c *collapser) contract(u, v int32) {
	for _, t := range c.fans[u] {
		tri := c.Triangles[t]
		if slices.Contains(tri[:], v) {
			c.gone[t] = true
			for _, p := range tri {
				if p != u {
					at := slices.Index(c.fans[p], t)
					c.fans[p] = slices.Delete(c.fans[p], at, at+1)
				}
			}
			continue
		}
		c.Triangles[t] = replacePoint(tri, u, v)
		c.fans[v] = append(c.fans[v], t)
	}
	c.fans[u] = nil
	c.version[u]++
	c.quadrics[v].add(&c.quadrics[u])
	var room [32]int32
	ring := c.neighbors(v, room[:0])
	for _, p := range ring {
		c.push(p)
	}
	c.push(v)
}

// compact deletes the removed points and triangles. The others get new numbers in the same order.
func (c *collapser) compact() {
	s := c.Surface
	index := make([]int32, len(s.Points))
	points := s.Points[:0]
	for u, p := range s.Points {
		if len(c.fans[u]) > 0 {
			index[u] = int32(len(points))
			points = append(points, p)
		}
	}
	triangles := s.Triangles[:0]
	for t, tri := range s.Triangles {
		if !c.gone[t] {
			triangles = append(triangles, [3]int32{index[tri[0]], index[tri[1]], index[tri[2]]})
		}
	}
	s.Points, s.Triangles = points, triangles
}

// A quadric is a weighted sum of the squared distances of a point from planes. The weights are the areas of their
// triangles. It is stored as a polynomial of the point's coordinates.
type quadric struct {
	xx, yy, zz, xy, xz, yz, x, y, z, one float64
	weight                               float64
}

// planeQuadric returns the quadric of the plane through p with normal n. Its weight is the length of n.
func planeQuadric(n, p [3]float64) quadric {
	w := math.Sqrt(vector.Dot(n, n))
	if w == 0 {
		return quadric{}
	}
	u := vector.Scale(1/w, n)
	d := -vector.Dot(u, p)
	wn := vector.Scale(w, u)
	return quadric{
		float64(wn[0] * u[0]), float64(wn[1] * u[1]), float64(wn[2] * u[2]),
		float64(wn[0] * u[1]), float64(wn[0] * u[2]), float64(wn[1] * u[2]),
		float64(wn[0] * d), float64(wn[1] * d), float64(wn[2] * d), float64(float64(w*d) * d), w,
	}
}

func (q *quadric) add(r *quadric) {
	q.xx, q.yy, q.zz = q.xx+r.xx, q.yy+r.yy, q.zz+r.zz
	q.xy, q.xz, q.yz = q.xy+r.xy, q.xz+r.xz, q.yz+r.yz
	q.x, q.y, q.z = q.x+r.x, q.y+r.y, q.z+r.z
	q.one, q.weight = q.one+r.one, q.weight+r.weight
}

// deviation returns the root mean square distance of p from the planes of q.
func (q *quadric) deviation(p [3]float64) float64 {
	if q.weight == 0 {
		return 0
	}
	half := [3]float64{
		float64(q.xy*p[1]) + float64(q.xz*p[2]) + q.x,
		float64(q.yz*p[2]) + q.y,
		q.z,
	}
	square := float64(q.xx*float64(p[0]*p[0])) + float64(q.yy*float64(p[1]*p[1])) + float64(q.zz*float64(p[2]*p[2]))
	return math.Sqrt(math.Max(0, square+float64(2*vector.Dot(half, p))+q.one) / q.weight)
}

// candidate is a possible collapse of an edge.
type candidate struct {
	cost     float64
	from, to int32
	version  int32
}

// candidates is a heap ordered by cost.
type candidates []candidate

func (h candidates) Len() int { return len(h) }
func (h candidates) Less(i, j int) bool {
	if h[i].cost != h[j].cost {
		return h[i].cost < h[j].cost
	}
	return h[i].from < h[j].from
}
func (h candidates) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *candidates) Push(x any)   { *h = append(*h, x.(candidate)) }
func (h *candidates) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}
