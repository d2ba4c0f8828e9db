package normals

import (
	"lockstep/render/internal/float3"
	"math/bits"
)

// A vertexFan holds the triangles that meet at a vertex, in the order of the mesh, and computes the normals of their
// corners there.
type vertexFan struct {
	normals  []float3.Vector
	weights  []float32 // weight of each triangle's corner at this vertex
	packed   []uint32  // packed normals
	nearBits [meetingBits]uint64
	sides    []side
	// soft is the softness of the edge between each pair of sides (sets of triangles that meet smoothly), see the
	// method softness.
	soft   []float32
	sideOf [meetingBits]uint8 // index in sides of each triangle's side
	result []uint32
}

// meetingBits is the largest number of triangles for which nearBits is used: the number of bits of its words. Few
// vertices of any mesh have more triangles.
const meetingBits = 64

func (m *vertexFan) begin() {
	m.normals, m.weights, m.packed = m.normals[:0], m.weights[:0], m.packed[:0]
}

func (m *vertexFan) add(normal float3.Vector, weight float32, packed uint32) {
	m.normals, m.weights, m.packed = append(m.normals, normal), append(m.weights, weight), append(m.packed, packed)
}

// cornerNormals returns the packed normals of the corners at this vertex, see Normals. The next call overwrites the
// slice.
func (m *vertexFan) cornerNormals(c *crease) []uint32 {
	n := len(m.normals)
	m.result = resized(m.result, n)
	if n > maxAround {
		copy(m.result, m.packed)
		return m.result
	}
	if n > meetingBits {
		for a := range m.result {
			var sum float3.Vector
			for b := range n {
				if m.areNear(a, b, c.cos) {
					sum = sum.Add(m.normals[b].Scale(m.weights[b]))
				}
			}
			m.result[a] = m.packedMean(a, sum)
		}
		return m.result
	}
	m.setNearBits(c.cos)
	m.findSides()
	m.findSoftEdges(c)
	for a, around := range m.nearBits[:n] {
		s := &m.sides[m.sideOf[a]]
		if s.bends || around != s.triangles {
			m.result[a] = m.packedMean(a, m.fadedSum(a, c))
			continue
		}
		// On most sides, all triangles are within the crease angle of each other. Their corners have the same normal.
		if first := bits.TrailingZeros64(around); first < a && m.nearBits[first] == around {
			m.result[a] = m.result[first]
			continue
		}
		m.result[a] = m.packedMean(a, m.sum(around))
	}
	return m.result
}

// sum returns the weighted sum of the normals of some triangles. Bit i of `triangles` stands for triangle i.
func (m *vertexFan) sum(triangles uint64) (sum float3.Vector) {
	for ; triangles != 0; triangles &= triangles - 1 {
		b := bits.TrailingZeros64(triangles)
		sum = sum.Add(m.normals[b].Scale(m.weights[b]))
	}
	return sum
}

// areNear reports whether triangles a and b form no crease: the angle between their normals is at most the crease
// angle, whose cosine is crease.
func (m *vertexFan) areNear(a, b int, crease float32) bool {
	return m.packed[a] == m.packed[b] || m.normals[b].Dot(m.normals[a]) >= crease
}

// setNearBits sets nearBits. Bit b of word a is set if areNear(a, b) is true. There must be at most meetingBits
// triangles.
func (m *vertexFan) setNearBits(crease float32) {
	n := len(m.normals)
	clear(m.nearBits[:n])
	for a := range n {
		m.nearBits[a] |= 1 << a
		for b := range a {
			if m.areNear(a, b, crease) {
				m.nearBits[a] |= 1 << b
				m.nearBits[b] |= 1 << a
			}
		}
	}
}

// packedMean packs the direction of sum, or the normal of triangle a if sum has no direction.
func (m *vertexFan) packedMean(a int, sum float3.Vector) uint32 {
	if packed := Pack(sum); packed != 0 {
		return packed
	}
	return m.packed[a]
}

// resized returns a slice of n elements with undefined values, in the memory of s if that is large enough.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/2)
	}
	return s[:n]
}
