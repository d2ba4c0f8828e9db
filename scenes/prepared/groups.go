package prepared

import (
	"fmt"
	"math"
	"slices"

	"lockstep/scenes"
)

// ReadGroups reads groups of leaves into memory of dst, and the numbers of their triangles into numbers. groups must be
// in ascending order, and may have at most as many triangles as dst can hold, see scenes.Block.Resize. If a chunk is
// damaged, or a number is not one of the mesh, the coordinates of the triangle become NaN and its number 0, see Damage.
// So all numbers are less than Len.
func (f *File) ReadGroups(groups []int32, dst *scenes.Block, numbers []uint32) error {
	const perChunk = ChunkTriangles / GroupTriangles
	dst.Resize(len(groups)*GroupTriangles, f.HasColors())
	scratch := f.scratch(dst)
	at, n, c := -1, 0, []uint32(nil)
	for _, g := range groups {
		if chunk := int(g) / perChunk; chunk != at {
			var err error
			if c, err = f.chunkOrNaN(0, chunk, scratch); err != nil {
				return err
			}
			at = chunk
		}
		copied := f.copyGroup(dst, numbers, n, c, int(g)%perChunk*GroupTriangles)
		if copied > 0 && int64(slices.Max(numbers[n:n+copied])) >= int64(f.Len()) {
			f.dropForeign(dst, numbers[:n+copied], n, at)
		}
		n += copied
	}
	dst.Resize(n, dst.Colors != nil)
	return nil
}

// copyGroup copies the triangles of a group, which start at triangle lo of a chunk, to dst from index n on. It returns
// their number.
func (f *File) copyGroup(dst *scenes.Block, numbers []uint32, n int, chunk []uint32, lo int) int {
	size := len(chunk) / leafWords
	if dst.Colors != nil {
		size = len(chunk) / (leafWords + 1)
		copy(dst.Colors[n:], chunk[10*size+lo:min(10*size+lo+GroupTriangles, 11*size)])
	}
	hi := min(lo+GroupTriangles, size)
	for axis, columns := range [3]*[3][]float32{&dst.X, &dst.Y, &dst.Z} {
		for k := range 3 {
			column := floats(chunk[(3*axis+k)*size:][:size])
			copy(columns[k][n:], column[lo:hi])
		}
	}
	copy(numbers[n:], chunk[9*size+lo:9*size+hi])
	return hi - lo
}

// dropForeign removes the triangles, from index from on, whose numbers are not in the mesh, because they have no record
// and no colour. The checksum cannot detect them if the writer of the file was wrong.
func (f *File) dropForeign(dst *scenes.Block, numbers []uint32, from, chunk int) {
	none := math.Float32frombits(notNumber)
	for t := from; t < len(numbers); t++ {
		if int64(numbers[t]) < int64(f.Len()) {
			continue
		}
		if numbers[t] != notNumber || dst.X[0][t] == dst.X[0][t] { // otherwise the chunk is damaged, which was recorded
			off := f.starts[0] + 4*int64(chunk)*f.d.Sections[0].Chunk
			f.note(f.in.Damage(fmt.Sprintf("byte %d", off), "chunk %d of %s has triangle %d of %d", chunk, leavesSection, numbers[t], f.Len()))
		}
		numbers[t] = 0
		for k := range 3 {
			dst.X[k][t], dst.Y[k][t], dst.Z[k][t] = none, none, none
		}
	}
}

// GroupBounds returns the boxes of all groups of leaves as six columns: the least x, y and z, and the greatest.
func (f *File) GroupBounds() (columns [6][]float32, err error) {
	all, err := f.all(2)
	if err != nil {
		return columns, err
	}
	n := len(all) / 6
	for i := range columns {
		columns[i] = floats(all[i*n : (i+1)*n])
	}
	return columns, nil
}
