package scenes

import "lockstep/vp/hugepages"

// DefaultColor is an sRGB colour, a light grey. If only some triangles of a file have colours, the other triangles get
// DefaultColor. The renderer also draws meshes without any colours in this grey.
const DefaultColor = 0xCCCCCC

// A Block is a run of triangles in structure-of-arrays form, ready for vector instructions. Corner k of triangle t is
// at X[k][t], Y[k][t], Z[k][t].
//
// All nine coordinate slices have the same length. Coordinates are relative to the Origin of the mesh that contains the
// block. They may be NaN or infinite if the file is damaged.
type Block struct {
	X, Y, Z [3][]float32
	// Colors holds the sRGB colour 0x00RRGGBB of each triangle; nil if the source has no colours.
	Colors []uint32

	store *store // memory for Resize and Scratch; nil until the first use
}

// store is memory that a Source fills again for each block. It is separate from the coordinate slices, because these
// slices may be a view of a mesh. A Source must not write into that mesh.
type store struct {
	block  Block
	colors []uint32
	raw    []byte // bytes of the file before they are decoded
}

// floatsPerLine is the number of float32 in a cache line of 64 bytes.
const floatsPerLine = 16

// coordStride returns the distance, in float32 numbers, between the starts of the nine coordinate arrays of a block
// of n triangles. The distance is a whole number of cache lines. So a vector load never touches two lines. The
// distance is never a multiple of a 4 KiB page. Otherwise the nine arrays would compete for one set of an 8-way
// first-level cache.
func coordStride(n int) int {
	stride := (n + floatsPerLine - 1) &^ (floatsPerLine - 1)
	if stride%1024 == 0 {
		stride += floatsPerLine
	}
	return stride
}

// MakeBlock returns a block of n triangles with all corners at the origin. It makes one allocation. The allocation
// has 36 bytes per triangle, at most 1 KiB more, and the padding that hugepages.Make adds to large blocks.
func MakeBlock(n int) Block {
	stride := coordStride(n)
	all := hugepages.Make[float32](9 * stride)
	var b Block
	for k := range 3 {
		b.X[k], all = all[:n:n], all[stride:]
		b.Y[k], all = all[:n:n], all[stride:]
		b.Z[k], all = all[:n:n], all[stride:]
	}
	return b
}

// Len returns the number of triangles.
func (b *Block) Len() int { return len(b.X[0]) }

// Slice returns the triangles from lo to hi (exclusive) as a block that shares memory with b.
func (b *Block) Slice(lo, hi int) Block {
	var s Block
	for k := range 3 {
		s.X[k] = b.X[k][lo:hi]
		s.Y[k] = b.Y[k][lo:hi]
		s.Z[k] = b.Z[k][lo:hi]
	}
	if b.Colors != nil {
		s.Colors = b.Colors[lo:hi]
	}
	return s
}

// Set writes triangle t: the three corners as (x, y, z).
func (b *Block) Set(t int, corners [3][3]float32) {
	for k, c := range corners {
		b.X[k][t], b.Y[k][t], b.Z[k][t] = c[0], c[1], c[2]
	}
}

// Triangle returns the corners of triangle t as (x, y, z).
func (b *Block) Triangle(t int) (corners [3][3]float32) {
	for k := range corners {
		corners[k] = [3]float32{b.X[k][t], b.Y[k][t], b.Z[k][t]}
	}
	return corners
}

// Resize makes b a block of n triangles, at most BlockSize, with undefined contents. It has colours if colors is set.
// The memory belongs to b, and the next call of Resize reuses it. If b was a view of other memory, that memory is not
// overwritten.
func (b *Block) Resize(n int, colors bool) {
	st := b.ownStore()
	if st.block.Len() == 0 {
		st.block = MakeBlock(BlockSize)
	}
	for k := range 3 {
		b.X[k] = st.block.X[k][:n]
		b.Y[k] = st.block.Y[k][:n]
		b.Z[k] = st.block.Z[k][:n]
	}
	b.Colors = nil
	if colors {
		if st.colors == nil {
			st.colors = make([]uint32, BlockSize)
		}
		b.Colors = st.colors[:n]
	}
}

// Scratch returns n bytes that belong to b, for a source to read a file into.
func (b *Block) Scratch(n int) []byte {
	st := b.ownStore()
	if cap(st.raw) < n {
		st.raw = make([]byte, n)
	}
	return st.raw[:n]
}

func (b *Block) ownStore() *store {
	if b.store == nil {
		b.store = new(store)
	}
	return b.store
}

// A Mesh is a whole data set in memory. It is a Source whose blocks are views
// of its own memory.
type Mesh struct {
	Block
	// Origin is the point that the reader subtracted from every vertex, in float64, before it rounded the vertex to
	// float32. So coordinates far from zero keep their precision. Origin is zero for files that store float32.
	Origin [3]float64
	// Up is the up axis of the mesh. It follows from the format or the file.
	Up Axis
	// Unit is the length of a unit of the coordinates in metres; 0 if the file does not state it.
	Unit float64
	// Parts are the named runs of triangles, in order. The list is empty if the file has no names.
	Parts []Part
	// Attributes holds all other data that the file has about the surface. It is nil if the file has none, as in STL,
	// or if ReadOptions.Flat is set.
	Attributes *Attributes
	// Points is a cloud of points that is not drawn as triangles, see ReadOptions.KeepPoints. A mesh with Points has no
	// triangles. In all other meshes, Points is nil.
	Points *Points
}

// A Part is a named run of triangles of a mesh.
type Part struct {
	Name         string
	First, Count int // index of the first triangle and number of triangles
	// Transform maps coordinates of the part in its file to coordinates of the mesh. The reader has already applied it.
	// It is nil if the file does not move the part.
	Transform *Affine
	// Flat means that the triangles are shaded flat, because they do not belong to the smooth surface around them.
	// One example is the faces that were made where a mesh was cut.
	Flat bool
}

// Info describes the coordinates, the colours and the attributes of the mesh.
func (m *Mesh) Info() Info {
	return Info{Origin: m.Origin, Up: m.Up, Unit: m.Unit, Colors: m.Colors != nil, Attributes: m.Attributes}
}

// ReadBlock makes dst a view of block i, see Source. It does not copy and never fails.
func (m *Mesh) ReadBlock(i int, dst *Block) error {
	lo, hi := BlockRange(i, m.Len())
	view := m.Slice(lo, hi)
	view.store = dst.store
	*dst = view
	return nil
}
