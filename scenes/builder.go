package scenes

// builder grows a mesh of unknown size: blocks of growing length that are
// copied together at the end, so that memory never exceeds 72 bytes a triangle
// plus the free part of the last block, which is never touched.
type builder struct {
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

// grow returns a block with n free triangles, 0 < n <= minPart, from index at
// on. commit adds them.
func (b *builder) grow(n int) (block *Block, at int) {
	if b.last.Len()-b.used < n {
		b.close()
		b.last = MakeBlock(min(max(b.n/4, minPart), maxPart))
		b.parts = append(b.parts, b.last)
	}
	return &b.last, b.used
}

// commit adds the first n triangles that grow made free.
func (b *builder) commit(n int) {
	b.used += n
	b.n += n
}

// close cuts the last part to what was committed.
func (b *builder) close() {
	if len(b.parts) > 0 {
		b.parts[len(b.parts)-1] = b.last.Slice(0, b.used)
	}
	b.last, b.used = Block{}, 0
}

// finish returns all triangles in one block and empties b.
func (b *builder) finish() Block {
	b.close()
	all := MakeBlock(b.n)
	lo := 0
	for i := range b.parts {
		all.copyAt(lo, &b.parts[i])
		lo += b.parts[i].Len()
		b.parts[i] = Block{}
	}
	*b = builder{}
	return all
}
