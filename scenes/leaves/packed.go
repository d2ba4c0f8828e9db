package leaves

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"lockstep/scenes"
)

const (
	// GroupTriangles is the number of triangles of a packed group. The last group of a mesh may have fewer.
	GroupTriangles = 64
	// cornerWords is the number of 32-bit words that hold the corners of a packed group, one byte for each corner.
	cornerWords = 3 * GroupTriangles / 4
	// MostVertices is the number of vertices of a group whose triangles share none.
	MostVertices = 3 * GroupTriangles
	// PackedBytes is the largest size of a packed group in bytes.
	PackedBytes = 4 * (3*MostVertices + cornerWords)
)

// PackedWords returns the number of 32-bit words of a packed group with the given number of vertices. The words hold x
// of all vertices, then y, then z, as float32. Then they hold one byte for each corner: GroupTriangles bytes for the
// first corners of the triangles, as many for the second corners, and as many for the third. The byte is the index of
// the corner's vertex in the group. The first byte of a word is the lowest one.
func PackedWords(vertices int) int { return 3*vertices + cornerWords }

// vertexSlots is the size of the table that finds equal vertices: a power of two, more than twice the vertices of a
// group.
const vertexSlots = 512

// A Packer packs groups of triangles, so that each vertex of a group is stored once. The zero value is ready for use.
type Packer struct {
	slots    [vertexSlots]uint16 // hash table of vertices: base plus the index in vertices
	base     uint16              // entries of slots that are less than base belong to earlier groups
	vertices [MostVertices][3]uint32
	n        int // number of vertices
}

// Append packs triangles `from` to `end` (exclusive) of b, at most GroupTriangles, and appends them to words. Vertices
// are numbered in the order in which corners first refer to them.
func (p *Packer) Append(words []uint32, b *scenes.Block, from, end int) []uint32 {
	if p.base+MostVertices < p.base || p.base == 0 {
		clear(p.slots[:])
		p.base = 1
	}
	p.n = 0
	var index [3 * GroupTriangles]uint8
	for k := range 3 {
		x, y, z := b.X[k][from:end], b.Y[k][from:end], b.Z[k][from:end]
		y, z = y[:len(x)], z[:len(x)]
		for t := range x {
			index[k*GroupTriangles+t] = p.find([3]uint32{math.Float32bits(x[t]), math.Float32bits(y[t]), math.Float32bits(z[t])})
		}
	}
	p.base += uint16(p.n)
	first, size := len(words), PackedWords(p.n)
	words = slices.Grow(words, size)[:first+size]
	x, y, z := words[first:][:p.n], words[first+p.n:][:p.n], words[first+2*p.n:][:p.n]
	for i, v := range p.vertices[:p.n] {
		x[i], y[i], z[i] = v[0], v[1], v[2]
	}
	corners := words[first+3*p.n:]
	for i := range corners {
		corners[i] = binary.LittleEndian.Uint32(index[4*i:])
	}
	return words
}

// The method find returns the number of a vertex, and adds the vertex if it is new.
func (p *Packer) find(vertex [3]uint32) uint8 {
	const odd1, odd2, odd3 = 0x9e3779b1, 0x85ebca77, 0xc2b2ae3d // factors of a hash function
	h := vertex[0]*odd1 + vertex[1]*odd2 + vertex[2]*odd3
	for at := h >> 23 % vertexSlots; ; at = (at + 1) % vertexSlots {
		n := p.slots[at]
		if n < p.base {
			p.slots[at] = p.base + uint16(p.n)
			p.vertices[p.n] = vertex
			p.n++
			return uint8(p.n - 1)
		}
		if p.vertices[n-p.base] == vertex {
			return uint8(n - p.base)
		}
	}
}

// Vertices returns the vertices of the last group, as the bits of x, y and z. They are valid until the next call of
// Append.
func (p *Packer) Vertices() [][3]uint32 { return p.vertices[:p.n] }

// A Group is a packed group.
type Group struct {
	Words    []uint32 // see PackedWords
	Vertices int      // number of vertices
}

// Vertex returns the position of vertex i.
func (g *Group) Vertex(i int) (x, y, z float32) {
	at := func(axis int) float32 { return math.Float32frombits(g.Words[axis*g.Vertices+i]) }
	return at(0), at(1), at(2)
}

// Unpack copies the triangles that mask selects to dst, from index n on, and returns the index after the last of them.
// Bit t of mask selects triangle t of the group. A corner becomes NaN if its vertex does not exist.
func (g *Group) Unpack(dst *scenes.Block, n int, mask uint64) (end int) {
	x, y, z := g.Words[:g.Vertices], g.Words[g.Vertices:2*g.Vertices], g.Words[2*g.Vertices:3*g.Vertices]
	y, z = y[:len(x)], z[:len(x)]
	corners := g.Corners()
	var chosen [GroupTriangles]uint8
	left := chosen[:0]
	for ; mask != 0; mask &= mask - 1 {
		left = append(left, uint8(bits.TrailingZeros64(mask)))
	}
	end = n + len(left)
	for k := range 3 {
		toX, toY, toZ := dst.X[k][n:end], dst.Y[k][n:end], dst.Z[k][n:end]
		toX, toY, toZ = toX[:len(left)], toY[:len(left)], toZ[:len(left)]
		of := (*[GroupTriangles]uint8)(corners[k*GroupTriangles:])
		for i, t := range left {
			if v := int(of[t%GroupTriangles]); v < len(x) {
				toX[i], toY[i], toZ[i] = math.Float32frombits(x[v]), math.Float32frombits(y[v]), math.Float32frombits(z[v])
			} else {
				toX[i], toY[i], toZ[i] = notNumber, notNumber, notNumber
			}
		}
	}
	return end
}

var notNumber = float32(math.NaN())

// littleEndian reports whether this machine is little-endian, as the corners of packed groups are.
var littleEndian = func() bool {
	word := uint32(1)
	return *(*uint8)(unsafe.Pointer(&word)) == 1
}()

// Corners returns the index of the vertex of each corner: for the first corners of all triangles, then for all second
// corners, then for all third corners.
func (g *Group) Corners() *[3 * GroupTriangles]uint8 {
	words := g.Words[3*g.Vertices:][:cornerWords]
	corners := (*[3 * GroupTriangles]uint8)(unsafe.Pointer(unsafe.SliceData(words)))
	if littleEndian {
		return corners
	}
	to := *corners
	for i := range to {
		to[i] = corners[i^3]
	}
	return &to
}
