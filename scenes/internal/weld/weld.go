// Package weld numbers the vertices of a mesh, for formats in which triangles refer to vertices by number. Several
// corners become one vertex if all data that the format stores for them is equal, bit for bit. A positive and a
// negative zero count as equal.
package weld

import (
	"math"

	"lockstep/scenes"
)

// Split tells which data must be equal, in addition to the position, for corners to become one vertex.
type Split struct {
	Normals, Colors, TexCoords, TexCoords2 bool
	// FaceColors requires equal colours of the triangles (Block.Colors). It is for formats that can give colours to
	// vertices but not to triangles.
	FaceColors bool
}

// Vertices holds the numbered vertices of a mesh.
type Vertices struct {
	Index  []uint32 // the vertex at each corner, three for each triangle
	Corner []uint32 // for each vertex, its first corner: 3t + k is corner k of triangle t
}

// Len returns the number of vertices.
func (v *Vertices) Len() int { return len(v.Corner) }

// At returns the first corner of vertex i: corner k of triangle t.
func (v *Vertices) At(i int) (k, t int) { return int(v.Corner[i] % 3), int(v.Corner[i] / 3) }

// Of numbers the vertices of m, which has at most 2^30 triangles. If the vertex numbers in the attributes of m can be
// used, vertices keep their order. Otherwise vertices are numbered in the order of the triangles. Of takes 12 bytes
// for each triangle and about 16 bytes for each vertex.
func Of(m *scenes.Mesh, split Split) Vertices {
	columns := keyColumns(m, split)
	if a := m.Attributes; a != nil && len(columns) == 1 && !split.FaceColors {
		return compact(a)
	}
	w := welder{m: m, columns: columns, faceColors: split.FaceColors && m.Colors != nil}
	w.Index = make([]uint32, 0, 3*m.Len())
	w.resize(1 << 10)
	for t := range m.Len() {
		for k := range 3 {
			w.Index = append(w.Index, w.vertexNumber(uint32(3*t+k)))
		}
	}
	return w.Vertices
}

// Memory returns the least number of bytes that Of needs for a mesh of this size.
func Memory(triangles, vertices int) int64 { return 12*int64(triangles) + 8*int64(vertices) }

// keyColumns returns the indices that must be equal for corners to become one vertex. It returns nil if coordinates are
// compared instead.
func keyColumns(m *scenes.Mesh, split Split) (columns [][3][]uint32) {
	a := m.Attributes
	if a == nil {
		return nil
	}
	columns = append(columns, a.Index)
	add := func(wanted, has bool, index [3][]uint32) {
		if !wanted || !has || m.Len() == 0 {
			return
		}
		for _, c := range columns {
			if &c[0][0] == &index[0][0] {
				return // the column is in the list already
			}
		}
		columns = append(columns, index)
	}
	add(split.Normals, a.Normals.Has(), a.Normals.Index)
	add(split.Colors, a.Colors.Has(), a.Colors.Index)
	add(split.TexCoords, a.TexCoords.Has(), a.TexCoords.Index)
	add(split.TexCoords2, a.TexCoords2.Has(), a.TexCoords2.Index)
	return columns
}

// compact numbers the vertices of a and leaves out those that no triangle uses.
func compact(a *scenes.Attributes) (v Vertices) {
	const unused = math.MaxUint32
	n := len(a.Index[0])
	first := make([]uint32, a.Vertices) // first corner of each vertex, replaced later by its new number
	for i := range first {
		first[i] = unused
	}
	for t := range n {
		for k := range 3 {
			if at := &first[a.Index[k][t]]; *at == unused {
				*at = uint32(3*t + k)
			}
		}
	}
	for i, corner := range first {
		if corner != unused {
			first[i] = uint32(len(v.Corner))
			v.Corner = append(v.Corner, corner)
		}
	}
	v.Index = make([]uint32, 0, 3*n)
	for t := range n {
		for k := range 3 {
			v.Index = append(v.Index, first[a.Index[k][t]])
		}
	}
	return v
}

// A welder finds vertices by their keys in a hash table with open addressing.
type welder struct {
	Vertices
	m          *scenes.Mesh
	columns    [][3][]uint32
	faceColors bool
	table      []uint32 // 1 + the number of a vertex; 0: free
}

// A key identifies a vertex by the bits of its coordinates, or by its indices.
type key [6]uint32

func (w *welder) key(corner uint32) (key key) {
	k, t := corner%3, corner/3
	if w.columns == nil {
		for c, v := range [3]float32{w.m.X[k][t], w.m.Y[k][t], w.m.Z[k][t]} {
			if v != 0 { // -0 gets the key of 0
				key[c] = math.Float32bits(v)
			}
		}
	}
	for i, c := range w.columns {
		key[i] = c[k][t]
	}
	if w.faceColors {
		key[len(key)-1] = w.m.Colors[t]
	}
	return key
}

// hash mixes all bits of a key into the high bits of the result. The multiplier is that of Fibonacci hashing (Knuth,
// The Art of Computer Programming 3, section 6.4).
func (k key) hash() uint64 {
	const golden = 0x9E3779B97F4A7C15
	h := uint64(0)
	for _, v := range k {
		h = (h ^ uint64(v)) * golden
		h ^= h >> 29
	}
	return h * golden
}

// vertexNumber returns the number of the vertex of a corner. It adds the vertex if it is new.
func (w *welder) vertexNumber(corner uint32) uint32 {
	key := w.key(corner)
	mask := uint64(len(w.table) - 1)
	for at := key.hash() >> 20 & mask; ; at = (at + 1) & mask {
		if w.table[at] == 0 {
			w.Corner = append(w.Corner, corner)
			w.table[at] = uint32(len(w.Corner))
			if 2*len(w.Corner) > len(w.table) {
				w.resize(2 * len(w.table))
			}
			return uint32(len(w.Corner) - 1)
		}
		if i := w.table[at] - 1; w.key(w.Corner[i]) == key {
			return i
		}
	}
}

// resize rebuilds the table with n entries. n must be a power of two.
func (w *welder) resize(n int) {
	w.table = make([]uint32, n)
	mask := uint64(n - 1)
	for i, corner := range w.Corner {
		at := w.key(corner).hash() >> 20 & mask
		for w.table[at] != 0 {
			at = (at + 1) & mask
		}
		w.table[at] = uint32(i) + 1
	}
}
