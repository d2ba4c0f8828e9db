package prepared

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sort"

	"lockstep/scenes"
	"lockstep/scenes/leaves"
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

// readPlaces computes where each group of triangles is, from the number of vertices of each group.
func (f *File) readPlaces() error {
	n := groupsOf(f.Len())
	if err := f.reserveMemory(int64(f.Len()), 8*int64(n)); err != nil {
		return err
	}
	all, err := f.readSection(countsIndex)
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
		p.addGroup(count)
	}
	if want := f.d.Sections[leavesIndex].Words; p.words != want {
		return f.in.Damage(fmt.Sprintf("byte %d", f.starts[countsIndex]), "the vertices of leaves take %d words, not %d", p.words, want)
	}
	p.firsts = append(p.firsts, int32(n))
	return nil
}

// cornersExist reports whether the vertices of all corners in a chunk of leaves exist in the corners' groups. bytes are
// those of the whole chunk. Loops that leave out triangles between samples do not see whether a vertex exists. Without
// this check, such a triangle would count as culled in one frame, and as dropped in another.
func (f *File) cornersExist(bytes []byte, chunk int) bool {
	const ones = 0x0001_0001_0001_0001 // eight bytes are compared at a time, as four even and four odd ones
	p, over := &f.leaves, uint64(0)
	for g := p.firsts[chunk]; g < p.firsts[chunk+1]; g++ {
		_, end := p.place(g)
		carry := (256 - uint64(p.counts[g])) * ones // added to a byte, it sets bit 8 if the vertex does not exist
		corners := (*[3 * GroupTriangles]byte)(bytes[4*end-3*GroupTriangles:])
		for i := 0; i < len(corners); i += 8 {
			w := binary.LittleEndian.Uint64(corners[i:])
			over |= (w&(255*ones) + carry) | (w>>8&(255*ones) + carry)
		}
	}
	return over&(256*ones) == 0
}

// ReadGroups reads groups of leaves into memory of dst, and the numbers of their triangles into `numbers`, unless
// `numbers` is nil. groups must be in ascending order, and may have at most as many triangles as dst can hold, see
// scenes.Block.Resize. A triangle has NaN coordinates and the number 0 if its chunk is damaged (see Damage) or its
// number is not below Len. So all numbers returned are below Len.
func (f *File) ReadGroups(groups []int32, dst *scenes.Block, numbers []uint32) error {
	if f.ungrouped != nil {
		return f.ungrouped
	}
	n := 0
	for _, g := range groups {
		n += f.groupSize(g)
	}
	dst.Resize(n, f.HasColors())
	scratch := f.scratchOf(dst)
	if err := f.readLeaves(groups, dst); err != nil {
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

// groupSize returns the number of triangles of a group.
func (f *File) groupSize(group int32) int {
	return min(GroupTriangles, f.Len()-int(group)*GroupTriangles)
}

// readLeaves reads the corners of groups.
func (f *File) readLeaves(groups []int32, dst *scenes.Block) error {
	n := 0
	list, _ := f.lists.Get().(*[maxRun]leaves.Group)
	if list == nil {
		list = new([maxRun]leaves.Group)
	}
	defer f.lists.Put(list)
	return f.EachRun(groups, list[:], dst, func(run []int32, packed []leaves.Group) {
		for i, g := range run {
			size := f.groupSize(g)
			if packed == nil {
				dropTriangles(dst, n, n+size)
			} else {
				packed[i].Unpack(dst, n, math.MaxUint64>>(GroupTriangles-size))
			}
			n += size
		}
	})
}

// maxRun is the largest number of groups that readLeaves unpacks at a time.
const maxRun = 64

// EachRun passes the given groups of leaves to the function visit in runs. The groups must be in ascending order. A run
// consists of at most len(list) groups, all in the same chunk. packed holds the packed groups of the run, in the first
// entries of list. It is valid until visit returns, and its words must not be changed. packed is nil if the chunk is
// damaged. Memory of the block `memory` may be used for reading, see scenes.Block.Scratch.
func (f *File) EachRun(groups []int32, list []leaves.Group, memory *scenes.Block, visit func(run []int32, packed []leaves.Group)) error {
	if f.ungrouped != nil {
		return f.ungrouped
	}
	p, scratch := &f.leaves, f.scratchOf(memory)
	for len(groups) > 0 {
		chunk := sort.Search(len(p.firsts)-1, func(i int) bool { return p.firsts[i+1] > groups[0] })
		n := 1
		for n < min(len(list), len(groups)) && groups[n] < p.firsts[chunk+1] {
			n++
		}
		from, _ := p.place(groups[0])
		_, end := p.place(groups[n-1])
		words, err := f.readPart(leavesIndex, chunk, from, end, scratch[:leafChunk])
		damaged := isDamage(err)
		if err != nil && !damaged {
			return err
		}
		for i, g := range groups[:n] {
			if from, end := p.place(g); !damaged {
				list[i] = leaves.Group{Words: words[from:end], Vertices: int(p.counts[g])}
			}
		}
		if damaged {
			visit(groups[:n], nil)
		} else {
			visit(groups[:n], list[:n])
		}
		groups = groups[n:]
	}
	return nil
}

// eachRun calls `do` for each run of consecutive groups in a chunk. `words` holds the words of the section for the
// triangles of the run. `at` is the index of the first triangle of the run among all triangles of the given groups. If
// `damaged` is set, the chunk is damaged and the words are meaningless.
func (f *File) eachRun(groups []int32, section int, scratch []uint32, do func(at int, words []uint32, damaged bool)) error {
	const perChunk = numbersChunk / GroupTriangles
	at := 0
	for i := 0; i < len(groups); {
		chunk := int(groups[i]) / perChunk
		words, err := f.readChunk(section, chunk, scratch)
		damaged := isDamage(err)
		if damaged {
			words = scratch[:f.wordsInChunk(section, chunk)]
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

// Pick reads the colours and numbers of some triangles of leaves. numbers holds the positions of these triangles in the
// order of leaves. The positions must ascend. Pick sets the colours of b, if b has colours. If numbered is true, it
// replaces each position by the triangle's number in the mesh, which is below Len. Triangles whose numbers are damaged
// get NaN coordinates. Memory of `memory` may be used for reading.
func (f *File) Pick(b *scenes.Block, numbers []uint32, numbered bool, memory *scenes.Block) error {
	scratch := f.scratchOf(memory)
	if b.Colors != nil {
		err := f.eachWord(numbers, leafColorsIndex, scratch, func(i int, word uint32, damaged bool) {
			if b.Colors[i] = word; damaged {
				b.Colors[i] = scenes.DefaultColor
			}
		})
		if err != nil {
			return err
		}
	}
	if !numbered {
		return nil
	}
	err := f.eachWord(numbers, numbersIndex, scratch, func(i int, word uint32, damaged bool) {
		if numbers[i] = word; damaged {
			numbers[i] = 0
			dropTriangles(b, i, i+1)
		}
	})
	f.dropForeign(b, numbers, 0)
	return err
}

// eachWord calls `do` with the word of a section for each of the given triangles of leaves.
func (f *File) eachWord(triangles []uint32, section int, scratch []uint32, do func(i int, word uint32, damaged bool)) error {
	chunk, damaged := -1, false
	var words []uint32
	for i, t := range triangles {
		if at := int(t / numbersChunk); at != chunk {
			var err error
			chunk = at
			words, err = f.readChunk(section, chunk, scratch)
			if damaged = isDamage(err); err != nil && !damaged {
				return err
			}
		}
		if damaged {
			do(i, 0, true)
		} else {
			do(i, words[t%numbersChunk], false)
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
	all, err := f.readSection(boundsIndex)
	if err != nil {
		return columns, err
	}
	n := len(all) / 6
	for i := range columns {
		columns[i] = floatsOf(all[i*n : (i+1)*n])
	}
	return columns, nil
}
