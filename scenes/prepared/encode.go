package prepared

import (
	"math"

	"lockstep/scenes"
)

const (
	// indexWords is the number of 32-bit words for the corners of a group: a byte for each corner of GroupTriangles
	// triangles.
	indexWords = 3 * GroupTriangles / 4
	// leafChunk is the greatest number of 32-bit words in a chunk of the section leaves. The largest group has 624
	// words. If the triangles of a mesh share vertices, its groups have about 200.
	leafChunk = 1 << 13
	mostWords = 3*3*GroupTriangles + indexWords
)

// groupWordsOf returns the number of 32-bit words of a group with the given number of vertices.
func groupWordsOf(vertices int) int { return 3*vertices + indexWords }

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

// vertexSlots is the size of the hash table of a group's vertices. It is a power of two, and more than twice the number
// of vertices.
const vertexSlots = 512

// A groupEncoder encodes groups of triangles. Its zero value is ready for use.
type groupEncoder struct {
	slots    [vertexSlots]uint16 // hash table of vertices: base plus the number of a vertex
	base     uint16              // entries of slots below base belong to earlier groups
	vertices [3 * GroupTriangles][3]uint32
	n        int // number of vertices
}

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
		e.group(to, b, lo, hi)
		e.appendBounds(to)
	}
}

// group appends the group of triangles `from` to `end` (exclusive). Vertices are numbered in the order of their first
// corners.
func (e *groupEncoder) group(to *encodedGroups, b *scenes.Block, from, end int) {
	if e.base+3*GroupTriangles < e.base || e.base == 0 {
		clear(e.slots[:])
		e.base = 1
	}
	e.n = 0
	var index [3 * GroupTriangles]uint8
	for t := from; t < end; t++ {
		for k := range 3 {
			vertex := [3]uint32{math.Float32bits(b.X[k][t]), math.Float32bits(b.Y[k][t]), math.Float32bits(b.Z[k][t])}
			index[k*GroupTriangles+t-from] = e.find(vertex)
		}
	}
	e.base += uint16(e.n)
	for axis := range 3 {
		for i := range e.n {
			to.words = append(to.words, e.vertices[i][axis])
		}
	}
	for i := 0; i < len(index); i += 4 {
		to.words = append(to.words, uint32(index[i])|uint32(index[i+1])<<8|uint32(index[i+2])<<16|uint32(index[i+3])<<24)
	}
	to.counts = append(to.counts, uint8(e.n))
}

// The method find returns the number of a vertex, and adds the vertex if it is new.
func (e *groupEncoder) find(vertex [3]uint32) uint8 {
	const odd1, odd2, odd3 = 0x9e3779b1, 0x85ebca77, 0xc2b2ae3d // constants of the hash function
	h := vertex[0]*odd1 + vertex[1]*odd2 + vertex[2]*odd3
	for at := h >> 23 % vertexSlots; ; at = (at + 1) % vertexSlots {
		n := e.slots[at]
		if n < e.base {
			e.slots[at] = e.base + uint16(e.n)
			e.vertices[e.n] = vertex
			e.n++
			return uint8(e.n - 1)
		}
		if e.vertices[n-e.base] == vertex {
			return uint8(n - e.base)
		}
	}
}

// appendBounds appends the box of the current group.
func (e *groupEncoder) appendBounds(to *encodedGroups) {
	var low, high [3]float32
	finite := true
	for axis := range 3 {
		first := math.Float32frombits(e.vertices[0][axis])
		lo, hi, sum := first, first, float32(0)
		for i := range e.vertices[:e.n] {
			v := math.Float32frombits(e.vertices[i][axis])
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
		to.bounds[axis] = append(to.bounds[axis], low[axis])
		to.bounds[3+axis] = append(to.bounds[3+axis], high[axis])
	}
}

// A leafPlaces tells where each group of triangles is in the section leaves.
type leafPlaces struct {
	counts []uint8  // number of vertices of each group
	at     []uint16 // for each group, the index of its first word in its chunk
	firsts []int32  // first group of each chunk; after readPlaces, also the number of groups
	words  int64    // number of words of all chunks
}

// add adds a group with the given number of vertices, and reports whether it begins a new chunk. If it does, padding is
// the number of unused words at the end of the chunk before.
func (p *leafPlaces) add(vertices uint8) (begins bool, padding int) {
	size := groupWordsOf(int(vertices))
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
