package normals

import (
	"math"
	"math/bits"

	"lockstep/render/internal/float3"
)

// A crease is the largest angle between the normals of neighbouring triangles at which the surface still counts as
// bent. At a larger angle, the surface has an edge.
type crease struct {
	cos, cosHalf float32 // cosines of the crease angle and of half that angle
	angle        float32 // the crease angle in radians
	cosTwice     float32 // cosine of twice the crease angle, which is limited to 180 degrees
}

func newCrease(cos float64) crease {
	c := crease{cos: float32(cos), cosHalf: float32(math.Sqrt((1 + cos) / 2)), cosTwice: -1}
	c.angle = acos(c.cos)
	if c.cos > 0 {
		c.cosTwice = float32(float32(2*c.cos)*c.cos) - 1
	}
	return c
}

// A side holds those triangles around a vertex that no edge separates. Two triangles are on the same side if a chain of
// triangles leads from one to the other in which successive normals are within the crease angle.
type side struct {
	triangles uint64 // one bit for each triangle
	flat      bool   // all normals are equal
	bends     bool   // an edge between this side and another is soft
	mean      float3.Vector
}

// findSides divides the triangles around the vertex into sides, and sets sides and sideOf. It must be called after
// compare.
func (m *vertexFan) findSides() {
	m.sides = m.sides[:0]
	left := uint64(math.MaxUint64) >> (meetingBits - len(m.normals))
	for left != 0 {
		first := bits.TrailingZeros64(left)
		all := m.nearBits[first]
		for next := all; next != 0; {
			near := m.nearBits[bits.TrailingZeros64(next)]
			next = next&(next-1) | near&^all
			all |= near
		}
		left &^= all
		flat := true
		for rest := all; rest != 0; rest &= rest - 1 {
			b := bits.TrailingZeros64(rest)
			m.sideOf[b] = uint8(len(m.sides))
			flat = flat && m.packed[b] == m.packed[first]
		}
		m.sides = append(m.sides, side{triangles: all, flat: flat})
	}
}

// bendWidth limits soft edges. The sides of an edge may themselves bend, in the direction in which the edge bends. The
// edge is hard if its angle exceeds the crease by at least bendWidth times the angle by which its sides bend.
//
// With bendWidth 3, the bunny's ear still has teeth. With 6, pictures of five mechanical parts look as they do with 0:
// pixels differ by at most 5 of 255 greys.
const bendWidth = 6

// findSoftEdges finds the soft edges between sides. It sets m.soft, and for each side the fields `bends` and `mean`.
func (m *vertexFan) findSoftEdges(c *crease) {
	n := len(m.sides)
	m.soft = resized(m.soft, n*n)
	clear(m.soft)
	for i := range m.sides {
		a := &m.sides[i]
		if a.flat {
			continue
		}
		a.mean = m.sum(a.triangles).Unit()
		for j := range i {
			b := &m.sides[j]
			if b.flat {
				continue
			}
			if soft := m.softness(a, b, c); soft > 0 {
				m.soft[i*n+j], m.soft[j*n+i] = soft, soft
				a.bends, b.bends = true, true
			}
		}
	}
}

// softness returns the softness of the edge between sides a and b, from 0 for a hard edge to 1 for a mere bend. An
// edge of a scanned surface is a row of triangles in a wide bend, so its sides also bend across the edge. The sides of
// a constructed edge are flat, or bend along the edge.
func (m *vertexFan) softness(a, b *side, c *crease) float32 {
	nearest := m.greatestCosine(a, b)
	if nearest <= c.cosTwice {
		return 0 // hard, because width is at most the crease angle
	}
	u := a.mean
	v := b.mean.Sub(u.Scale(u.Dot(b.mean))).Unit()
	across := float3.Sqrt(float32(m.bend(a, u, v) * m.bend(b, u, v)))
	width := min(float32(bendWidth*across), c.angle)
	if !(width > 0) {
		return 0
	}
	return min(max(1-float32((acos(nearest)-c.angle)/width), 0), 1)
}

// bend returns the angle, below 180 degrees, by which side s bends in the plane of the unit vectors u and v.
func (m *vertexFan) bend(s *side, u, v float3.Vector) float32 {
	var left, right [2]float32 // normals farthest to the left and to the right in the plane
	for rest := s.triangles; rest != 0; rest &= rest - 1 {
		n := m.normals[bits.TrailingZeros64(rest)]
		at := [2]float32{n.Dot(u), n.Dot(v)}
		if rest == s.triangles || turn(right, at) < 0 {
			right = at
		}
		if rest == s.triangles || turn(left, at) > 0 {
			left = at
		}
	}
	sin, cos := turn(right, left), float32(right[0]*left[0])+float32(right[1]*left[1])
	length := float3.Sqrt(float32(sin*sin) + float32(cos*cos))
	if !(length > 0) {
		return 0
	}
	return acos(float32(cos / length))
}

// turn returns the sine of the angle from a to b, times the lengths of a and b.
func turn(a, b [2]float32) float32 { return float32(a[0]*b[1]) - float32(a[1]*b[0]) }

// greatestCosine returns the greatest cosine between a normal of side a and a normal of side b.
func (m *vertexFan) greatestCosine(a, b *side) float32 {
	cos := float32(-1)
	for i := a.triangles; i != 0; i &= i - 1 {
		n := m.normals[bits.TrailingZeros64(i)]
		for j := b.triangles; j != 0; j &= j - 1 {
			cos = max(cos, n.Dot(m.normals[bits.TrailingZeros64(j)]))
		}
	}
	return cos
}

// fadedSum returns the weighted sum of the normals around the vertex, for the corner of triangle a. Normals within the
// crease angle of a's normal have full weight. From there to twice the angle, the weight falls to zero. Normals on
// another side are also multiplied by the softness of the edge between the sides.
func (m *vertexFan) fadedSum(a int, c *crease) (sum float3.Vector) {
	own := int(m.sideOf[a])
	for b, n := range m.normals {
		weight := m.weights[b]
		if m.nearBits[a]>>b&1 == 0 {
			weight = float32(weight * max(float32((n.Dot(m.normals[a])-c.cosTwice)/(c.cos-c.cosTwice)), 0))
		}
		if to := int(m.sideOf[b]); to != own {
			weight = float32(weight * m.soft[own*len(m.sides)+to])
		}
		sum = sum.Add(n.Scale(weight))
	}
	return sum
}
