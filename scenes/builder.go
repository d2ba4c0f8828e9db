package scenes

// A Builder grows a mesh of unknown size: blocks of growing length that are
// copied together at the end, so that memory never exceeds 72 bytes a triangle
// plus the free part of the last block, which is never touched.
type Builder struct {
	parts []Block
	last  Block // the last of parts
	used  int   // triangles of last that are filled
	n     int   // triangles of all parts that are filled
}

// Parts grow with the mesh, so that there are few, but by less than a
// quarter, so that what is not filled stays small.
const (
	minPart = BlockSize
	maxPart = 1 << 18
)

// Len returns the number of triangles that were committed.
func (b *Builder) Len() int { return b.n }

// Grow returns a block with n free triangles, 0 < n <= minPart, from index at
// on. Commit adds them.
func (b *Builder) Grow(n int) (block *Block, at int) {
	if b.last.Len()-b.used < n {
		b.close()
		b.last = MakeBlock(min(max(b.n/4, minPart), maxPart))
		b.parts = append(b.parts, b.last)
	}
	return &b.last, b.used
}

// Commit adds the first n triangles that Grow made free.
func (b *Builder) Commit(n int) {
	b.used += n
	b.n += n
}

// close cuts the last part to what was committed.
func (b *Builder) close() {
	if len(b.parts) > 0 {
		b.parts[len(b.parts)-1] = b.last.Slice(0, b.used)
	}
	b.last, b.used = Block{}, 0
}

// Finish returns all triangles in one block and empties b.
func (b *Builder) Finish() Block {
	b.close()
	all := MakeBlock(b.n)
	lo := 0
	for i := range b.parts {
		all.CopyAt(lo, &b.parts[i])
		lo += b.parts[i].Len()
		b.parts[i] = Block{}
	}
	*b = Builder{}
	return all
}
