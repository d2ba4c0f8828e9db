package prepared

import (
	"math"

	"lockstep/scenes"
	"lockstep/scenes/leaves"
)

// leafChunk is the greatest number of 32-bit words in a chunk of the section leaves. It has room for some 40 groups of a
// mesh whose triangles share vertices, and for 13 groups of leaves.PackedBytes, the largest that there are.
const leafChunk = 1 << 13

// groupsOf returns how many groups n triangles form.
func groupsOf(n int) int { return (n + GroupTriangles - 1) / GroupTriangles }

// encodedGroups holds consecutive groups of triangles in the form of the file.
type encodedGroups struct {
	words   []uint32
	counts  []uint8      // number of vertices of each group
	bounds  [6][]float32 // boxes of the groups
	numbers []uint32     // for each triangle, its number in the mesh
	colors  []uint32     // colour of each triangle; nil if the mesh has none
}

// A groupEncoder encodes groups. The zero value is ready for use.
type groupEncoder struct{ leaves.Packer }

// encode replaces the contents of `to` by the groups of the triangles of b. numbers holds the number of each triangle
// in the mesh.
func (e *groupEncoder) encode(to *encodedGroups, b *scenes.Block, numbers []uint32) {
	to.words, to.counts = to.words[:0], to.counts[:0]
	to.numbers, to.colors = append(to.numbers[:0], numbers...), append(to.colors[:0], b.Colors...)
	for i := range to.bounds {
		to.bounds[i] = to.bounds[i][:0]
	}
	for lo := 0; lo < b.Len(); lo += GroupTriangles {
		hi := min(lo+GroupTriangles, b.Len())
		to.words = e.Append(to.words, b, lo, hi)
		to.counts = append(to.counts, uint8(len(e.Vertices())))
		to.appendBounds(e.Vertices())
	}
}

// appendBounds appends the box of a group with the given vertices.
func (g *encodedGroups) appendBounds(vertices [][3]uint32) {
	var low, high [3]float32
	finite := true
	for axis := range 3 {
		first := math.Float32frombits(vertices[0][axis])
		lo, hi, sum := first, first, float32(0)
		for i := range vertices {
			v := math.Float32frombits(vertices[i][axis])
			lo, hi = min(lo, v), max(hi, v)
			sum += v - v // NaN if v is not finite
		}
		finite = finite && sum == 0
		low[axis], high[axis] = lo, hi
	}
	for axis := range 3 {
		if !finite {
			low[axis], high[axis] = float32(math.Inf(-1)), float32(math.Inf(1))
		}
		g.bounds[axis] = append(g.bounds[axis], low[axis])
		g.bounds[3+axis] = append(g.bounds[3+axis], high[axis])
	}
}

// A leafPlaces tells where each group of triangles is in the section leaves.
type leafPlaces struct {
	counts []uint8  // number of vertices of each group
	at     []uint16 // for each group, the index of its first word in its chunk
	firsts []int32  // first group of each chunk; readPlaces appends the number of groups
	words  int64    // number of words of all chunks
}

// addGroup adds a group with the given number of vertices, and reports whether it begins a new chunk. If it does,
// padding is the number of unused words at the end of the chunk before.
func (p *leafPlaces) addGroup(vertices uint8) (begins bool, padding int) {
	size := leaves.PackedWords(int(vertices))
	used := int(p.words % leafChunk)
	begins = used == 0
	if used+size > leafChunk {
		begins, padding = true, leafChunk-used
		p.words += int64(padding)
		used = 0
	}
	if begins {
		p.firsts = append(p.firsts, int32(len(p.counts)))
	}
	p.counts, p.at = append(p.counts, vertices), append(p.at, uint16(used))
	p.words += int64(size)
	return begins, padding
}

// place returns where the words of a group begin and end in their chunk.
func (p *leafPlaces) place(group int32) (from, end int) {
	from = int(p.at[group])
	return from, from + leaves.PackedWords(int(p.counts[group]))
}
