package edges

import (
	"math"
	"math/bits"

	"lockstep/scenes"
)

// weld numbers the vertices of a mesh and returns the number at each corner 3*t+k. Corners at the same position are
// one vertex. Corners with a coordinate that is not finite get None.
func weld(mesh *scenes.Mesh) []uint32 {
	n := 3 * mesh.Len()
	vertices := make([]uint32, n)
	shift := 64 - bits.Len(uint(max(n, 1)))
	// slots is a hash table: the first corner at a position plus 1, or 0 if the slot is free.
	slots := make([]uint32, 1<<(64-shift))
	for i := range uint32(n) {
		x, y, z := positionOf(mesh, i)
		if x-x != 0 || y-y != 0 || z-z != 0 {
			vertices[i] = None
			continue
		}
		at := hash(math.Float32bits(x), math.Float32bits(y), math.Float32bits(z)) >> shift
		for ; ; at = (at + 1) % uint64(len(slots)) {
			first := slots[at]
			if first == 0 {
				slots[at], vertices[i] = i+1, i
				break
			}
			if u, v, w := positionOf(mesh, first-1); u == x && v == y && w == z {
				vertices[i] = first - 1
				break
			}
		}
	}
	return vertices
}

// positionOf returns the position of corner i = 3*t+k. Coordinates that are minus zero are returned as zero.
func positionOf(mesh *scenes.Mesh, i uint32) (x, y, z float32) {
	t, k := i/3, i%3
	return mesh.X[k][t] + 0, mesh.Y[k][t] + 0, mesh.Z[k][t] + 0
}

// hash mixes three words. The upper bits of the result are evenly distributed. The constants are odd numbers, from the
// golden ratio and from the mixer of MurmurHash3.
func hash(a, b, c uint32) uint64 {
	h := (uint64(a)<<32 | uint64(b)) * 0x9e3779b97f4a7c15
	h = (h ^ h>>32 ^ uint64(c)) * 0xff51afd7ed558ccd
	return (h ^ h>>33) * 0xc4ceb9fe1a85ec53
}

// An edgeTable finds edges by their vertices.
type edgeTable struct {
	slots []edgeSlot
	shift int
}

type edgeSlot struct{ a, b, edge uint32 } // edge is the number of the edge plus 1, or 0 if the slot is free

// newEdgeTable makes a table that can hold the edges of the given number of triangles. There are at most three edges
// per triangle, and one and a half in closed surfaces.
func newEdgeTable(triangles int) *edgeTable {
	n := bits.Len(uint(max(3*triangles, 1)))
	return &edgeTable{make([]edgeSlot, 1<<n), 64 - n}
}

// findOrAdd returns the number of the edge between vertices a and b, and whether the table had the edge already
// (`found`). A new edge is added and gets the number `next`.
func (t *edgeTable) findOrAdd(a, b, next uint32) (edge uint32, found bool) {
	for at := hash(a, b, 0) >> t.shift; ; at = (at + 1) % uint64(len(t.slots)) {
		s := &t.slots[at]
		if s.edge == 0 {
			*s = edgeSlot{a, b, next + 1}
			return next, false
		}
		if s.a == a && s.b == b {
			return s.edge - 1, true
		}
	}
}
