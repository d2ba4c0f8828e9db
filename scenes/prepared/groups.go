package prepared

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"unsafe"

	"lockstep/scenes"
)

// findGroups finds where the groups of triangles are in the section leaves. If the file is damaged there, it stores the
// error in ungrouped, so that the records can still be read. With scenes.ReadOptions.Strict it returns the error.
func (f *File) findGroups() error {
	err := f.readPlaces()
	if isDamage(err) && !f.in.Options.Strict {
		f.ungrouped, err = err, nil
	}
	return err
}

// readPlaces computes where each group of triangles is, from their numbers of vertices.
func (f *File) readPlaces() error {
	n := groupsOf(f.Len())
	if err := f.reserveMemory(int64(f.Len()), 8*int64(n)); err != nil {
		return err
	}
	all, err := f.all(countsIndex)
	if err != nil {
		return err
	}
	p := &f.leaves
	p.counts, p.at = make([]uint8, 0, n), make([]uint16, 0, n)
	for i := range n {
		count := uint8(all[i/4] >> (i % 4 * 8))
		if count == 0 || count > 3*GroupTriangles {
			return f.in.Damage(fmt.Sprintf("byte %d", f.starts[countsIndex]), "group %d of leaves has %d vertices", i, count)
		}
		p.add(count)
	}
	if want := f.d.Sections[leavesIndex].Words; p.words != want {
		return f.in.Damage(fmt.Sprintf("byte %d", f.starts[countsIndex]), "the vertices of leaves take %d words, not %d", p.words, want)
	}
	p.firsts = append(p.firsts, int32(n))
	return nil
}

// A decoder holds the vertices of a group, by axis. Entries after the last vertex are NaN. So a triangle with a wrong
// index gets NaN coordinates and is not drawn.
type decoder struct {
	vertices [3][256]float32
	n        int
}

// ReadGroups reads groups of triangles into memory of dst. If numbers is not nil, it also writes the number of each
// triangle in the mesh. groups must be in ascending order. They may have at most as many triangles as dst can hold, see
// scenes.Block.Resize.
//
// A triangle gets NaN coordinates and the number 0 if its chunk is damaged (see Damage) or if its number is not below
// Len. So all numbers are below Len.
func (f *File) ReadGroups(groups []int32, dst *scenes.Block, numbers []uint32) error {
	if f.ungrouped != nil {
		return f.ungrouped
	}
	n := 0
	for _, g := range groups {
		n += f.sizeOf(g)
	}
	dst.Resize(n, f.HasColors())
	scratch := f.scratch(dst)
	if err := f.readLeaves(groups, dst, scratch[:leafChunk]); err != nil {
		return err
	}
	if dst.Colors != nil {
		err := f.eachRun(groups, leafColorsIndex, scratch, func(at int, words []uint32, damaged bool) {
			if copy(dst.Colors[at:], words); damaged {
				setAll(dst.Colors[at:at+len(words)], scenes.DefaultColor)
			}
		})
		if err != nil {
			return err
		}
	}
	if numbers == nil {
		return nil
	}
	return f.eachRun(groups, numbersIndex, scratch, func(at int, words []uint32, damaged bool) {
		end := at + len(words)
		if damaged {
			setAll(numbers[at:end], 0)
			dropTriangles(dst, at, end)
		} else if copy(numbers[at:], words); int64(slices.Max(words)) >= int64(f.Len()) {
			f.dropForeign(dst, numbers[:end], at)
		}
	})
}

func setAll(words []uint32, to uint32) {
	for i := range words {
		words[i] = to
	}
}

// sizeOf returns the number of triangles of a group.
func (f *File) sizeOf(group int32) int {
	return min(GroupTriangles, f.Len()-int(group)*GroupTriangles)
}

// readLeaves reads the corners of groups.
func (f *File) readLeaves(groups []int32, dst *scenes.Block, scratch []uint32) error {
	p := &f.leaves
	var d decoder
	d.n = len(d.vertices[0])
	chunk, n := -1, 0
	var words []uint32
	for _, g := range groups {
		if chunk < 0 || g >= p.firsts[chunk+1] {
			chunk = sort.Search(len(p.firsts)-1, func(i int) bool { return p.firsts[i+1] > g })
			var err error
			words, err = f.chunk(leavesIndex, chunk, scratch)
			if isDamage(err) {
				words = nil
			} else if err != nil {
				return err
			}
		}
		size := f.sizeOf(g)
		if words == nil {
			dropTriangles(dst, n, n+size)
		} else {
			vertices := int(p.counts[g])
			d.decode(dst, n, size, words[p.at[g]:][:groupWordsOf(vertices)], vertices)
		}
		n += size
	}
	return nil
}

// decode writes the triangles of a group to dst, starting at index n. size is the number of these triangles.
func (d *decoder) decode(dst *scenes.Block, n, size int, words []uint32, vertices int) {
	none := math.Float32frombits(notNumber)
	for axis := range 3 {
		to := d.vertices[axis][:]
		copy(to, floats(words[axis*vertices:][:vertices]))
		for i := vertices; i < d.n; i++ {
			to[i] = none
		}
	}
	d.n = vertices
	index := (*[3 * GroupTriangles]uint8)(unsafe.Pointer(unsafe.SliceData(words[3*vertices:][:indexWords])))
	if !littleEndian {
		index = reordered(index)
	}
	for k := range 3 {
		x, y, z := dst.X[k][n:n+size], dst.Y[k][n:n+size], dst.Z[k][n:n+size]
		y, z = y[:len(x)], z[:len(x)]
		for t, v := range index[k*GroupTriangles:][:len(x)] {
			x[t], y[t], z[t] = d.vertices[0][v], d.vertices[1][v], d.vertices[2][v]
		}
	}
}

// reordered returns the bytes of 32-bit words in the order that they have on a little-endian machine.
func reordered(index *[3 * GroupTriangles]uint8) *[3 * GroupTriangles]uint8 {
	to := *index
	for i := range to {
		to[i] = index[i^3]
	}
	return &to
}

// eachRun calls the function do for each run of consecutive groups in the same chunk. `words` holds the words of the
// section for the triangles of the run. `at` is the index of the first of them among the triangles of all given groups.
// If `damaged` is set, the chunk is damaged and the words are meaningless.
func (f *File) eachRun(groups []int32, section int, scratch []uint32, do func(at int, words []uint32, damaged bool)) error {
	const perChunk = numbersChunk / GroupTriangles
	at := 0
	for i := 0; i < len(groups); {
		chunk := int(groups[i]) / perChunk
		words, err := f.chunk(section, chunk, scratch)
		damaged := isDamage(err)
		if damaged {
			words = scratch[:f.words(section, chunk)]
		} else if err != nil {
			return err
		}
		for i < len(groups) && int(groups[i])/perChunk == chunk {
			k := i + 1
			for k < len(groups) && groups[k] == groups[k-1]+1 && int(groups[k])/perChunk == chunk {
				k++
			}
			from := int(groups[i]) % perChunk * GroupTriangles
			end := min((int(groups[k-1])%perChunk+1)*GroupTriangles, len(words))
			do(at, words[from:end], damaged)
			at, i = at+end-from, k
		}
	}
	return nil
}

// dropTriangles sets the coordinates of triangles `from` to `end` (exclusive) to NaN.
func dropTriangles(dst *scenes.Block, from, end int) {
	none := math.Float32frombits(notNumber)
	for t := from; t < end; t++ {
		for k := range 3 {
			dst.X[k][t], dst.Y[k][t], dst.Z[k][t] = none, none, none
		}
	}
}

// dropForeign removes triangles from index `from` on whose numbers are not below Len. They have no record and no
// colour. Checksums do not detect them if the program that wrote the file was wrong.
func (f *File) dropForeign(dst *scenes.Block, numbers []uint32, from int) {
	for t := from; t < len(numbers); t++ {
		if int64(numbers[t]) < int64(f.Len()) {
			continue
		}
		f.recordError(f.in.Damage(numbersSection, "triangle %d of %d", numbers[t], f.Len()))
		numbers[t] = 0
		dropTriangles(dst, t, t+1)
	}
}

// GroupBounds returns the boxes of all groups of triangles as six columns: the least x, y and z, and the greatest. If
// it returns a *scenes.DamageError, ReadGroups does not work, but the records and colours can still be read.
func (f *File) GroupBounds() (columns [6][]float32, err error) {
	if f.ungrouped != nil {
		return columns, f.ungrouped
	}
	all, err := f.all(boundsIndex)
	if err != nil {
		return columns, err
	}
	n := len(all) / 6
	for i := range columns {
		columns[i] = floats(all[i*n : (i+1)*n])
	}
	return columns, nil
}
