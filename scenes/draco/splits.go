package draco

// A split belongs to a triangle with symbol S. It states which boundary the triangle joins. The boundary starts at an
// edge of an earlier triangle, the source.
type split struct {
	source int  // number of the symbol of the source triangle, in the order of encoding
	at     int  // number of the symbol S, in the order of encoding
	right  bool // the boundary starts at the right edge of the source, not the left
}

// readSplits reads all splits.
func (u *unzipper) readSplits() {
	n := u.readCount("splits", 2, 1)
	if u.version < version12 {
		u.readPlainSplits(n)
		return
	}
	if !u.reserveMemory(32 * int64(n)) {
		return
	}
	u.splits, u.waiting = make([]split, n), make(map[int]int32)
	source := uint64(0)
	for i := range u.splits {
		source += u.varint()
		back := u.varint()
		if source >= uint64(u.symbolCount) || back > source {
			u.fail("split %d: symbol %d, %d back, of %d", i, source, back, u.symbolCount)
			return
		}
		u.splits[i] = split{source: int(source), at: int(source - back)}
	}
	width := 1
	if u.version < version22 {
		width = 2 // the second bit of each split has no meaning
	}
	bits := bitReader{data: u.take(uint64(n*width+7) / 8)}
	for i := range u.splits {
		u.splits[i].right = bits.read(uint(width))&1 == 1
	}
}

// readPlainSplits reads the splits of version 1.1, whose numbers have a fixed size.
func (u *unzipper) readPlainSplits(n int) {
	if n > u.left()/9 {
		u.fail("%d splits in %d bytes", n, u.left())
	}
	if !u.reserveMemory(32 * int64(n)) {
		return
	}
	u.splits, u.waiting = make([]split, n), make(map[int]int32)
	for i := range u.splits {
		at, source := u.u32(), u.u32()
		if source >= uint32(u.symbolCount) || at > source {
			u.fail("split %d: symbol %d after %d, of %d", i, source, at, u.symbolCount)
			return
		}
		u.splits[i] = split{source: int(source), at: int(at), right: u.u8()&1 == 1}
	}
}

// readEvents reads the splits. Before version 2.2, the splits come after the symbols. Then readEvents moves back to the
// start of the symbols, and `behind` is the offset of the end of the splits.
func (u *unzipper) readEvents() (behind int) {
	if u.version >= version22 {
		u.readSplits()
		return 0
	}
	size := u.versionedUint(version20)
	symbols := u.at
	u.take(size)
	u.readSplits()
	if u.version < version21 { // skip the list of holes; it is not needed, because the triangles determine the holes
		width := uint64(1)
		if u.version < version12 {
			width = 4
		}
		for n := u.readCount("holes", width, 1); n > 0 && u.err == nil; n-- {
			if width == 4 {
				u.u32()
			} else {
				u.varint()
			}
		}
	}
	behind, u.at = u.at, symbols
	return behind
}

// recordEdges notes the edges of triangle i that later triangles with symbol S join.
func (u *unzipper) recordEdges(i int) {
	for len(u.splits) > 0 && u.err == nil {
		s := &u.splits[len(u.splits)-1]
		if s.source > u.symbolCount-1-i {
			u.fail("a split at symbol %d is not one", s.source)
		}
		if s.source != u.symbolCount-1-i {
			return
		}
		u.splits = u.splits[:len(u.splits)-1]
		top := u.active[len(u.active)-1]
		if s.right {
			top = next(top)
		} else {
			top = previous(top)
		}
		at := u.symbolCount - 1 - s.at
		if _, ok := u.waiting[at]; ok {
			u.fail("two boundaries for symbol %d", s.at)
		}
		u.waiting[at] = top
	}
}
