package normals

import (
	"lockstep/render/internal/float3"
	"math/bits"
)

// A meeting holds the triangles that meet at a vertex, in the order of the mesh.
type meeting struct {
	normals  []float3.Vector
	weights  []float32 // of the triangles' corners at the vertex
	packed   []uint32  // the normals, packed
	together [meetingBits]uint64
	result   []uint32
}

// meetingBits is the most triangles for which together is used, because its words have as many bits. Few vertices of
// any mesh have more.
const meetingBits = 64

func (m *meeting) begin() {
	m.normals, m.weights, m.packed = m.normals[:0], m.weights[:0], m.packed[:0]
}

func (m *meeting) add(normal float3.Vector, weight float32, packed uint32) {
	m.normals, m.weights, m.packed = append(m.normals, normal), append(m.weights, weight), append(m.packed, packed)
}

// creased returns the packed normal of each corner: the mean over the triangles whose normals are within the crease of
// the normal of the corner's own triangle. crease is the cosine of that angle. The next call overwrites the slice.
func (m *meeting) creased(crease float32) []uint32 {
	n := len(m.normals)
	m.result = resized(m.result, n)
	if n > mostAround {
		copy(m.result, m.packed)
		return m.result
	}
	if n > meetingBits {
		for a := range m.result {
			var sum float3.Vector
			for b := range n {
				if m.near(a, b, crease) {
					sum = sum.Add(m.normals[b].Scale(m.weights[b]))
				}
			}
			m.result[a] = m.packedMean(a, sum)
		}
		return m.result
	}
	m.compare(crease)
	for a, around := range m.together[:n] {
		// All corners on one side of a crease have the same mean, with the same bits.
		if first := m.before(a); first < a {
			m.result[a] = m.result[first]
			continue
		}
		var sum float3.Vector
		for ; around != 0; around &= around - 1 {
			b := bits.TrailingZeros64(around)
			sum = sum.Add(m.normals[b].Scale(m.weights[b]))
		}
		m.result[a] = m.packedMean(a, sum)
	}
	return m.result
}

// near reports whether the normals of triangles a and b are within the crease of each other.
func (m *meeting) near(a, b int, crease float32) bool {
	return m.packed[a] == m.packed[b] || m.normals[b].Dot(m.normals[a]) >= crease
}

// compare sets together: bit b of word a says that triangles a and b are near each other. There must be at most
// meetingBits triangles.
func (m *meeting) compare(crease float32) {
	n := len(m.normals)
	clear(m.together[:n])
	for a := range n {
		m.together[a] |= 1 << a
		for b := range a {
			if m.near(a, b, crease) {
				m.together[a] |= 1 << b
				m.together[b] |= 1 << a
			}
		}
	}
}

// before returns the first triangle that is near the same triangles as a.
func (m *meeting) before(a int) int {
	// The search starts at the first triangle near a, because such a triangle is near a itself.
	for b := bits.TrailingZeros64(m.together[a]); b < a; b++ {
		if m.together[b] == m.together[a] {
			return b
		}
	}
	return a
}

// packedMean packs the direction of sum. If sum has no direction, it returns the packed normal of triangle a.
func (m *meeting) packedMean(a int, sum float3.Vector) uint32 {
	if packed := Pack(sum); packed != 0 {
		return packed
	}
	return m.packed[a]
}

// resized returns a slice of n elements with undefined values. It reuses s if s is large enough.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/2)
	}
	return s[:n]
}
