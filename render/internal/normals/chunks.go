package normals

import (
	"lockstep/render/internal/float3"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"
)

// waitFlag and tornFlag stand for a packed normal that is not known yet. No packed normal has these values, because the
// lower half of a packed normal is never 0.
const (
	// waitFlag marks a corner whose vertex may be in several chunks. Its normal is computed later, by welder.distribute
	// and welder.smoothBuckets.
	waitFlag = 1 << packBits
	// tornFlag marks a corner whose vertex has a crease, so that its corners have different normals.
	tornFlag = 2 << packBits
)

// A filter tells whether several chunks may have a vertex at a position. It is a blocked Bloom filter: the hash of a
// position selects two pairs of bits in one word. The first bit of a pair is set if a chunk has added the position,
// and the second bit if another chunk has added it too.
//
// Other positions may set the same bits. The filter may then report a position that only one chunk has, which costs
// time but changes no result. Source: Putze, Sanders and Singler, Cache-, Hash- and Space-Efficient Bloom Filters,
// section 3.
type filter struct {
	pairs []uint32 // 16 pairs in a word
	shift int
}

// newFilter makes a filter with at least n pairs of bits.
func newFilter(n int) filter {
	wordBits := bits.Len(uint(n / 16))
	return filter{make([]uint32, 1<<wordBits), 64 - wordBits}
}

// wordOf returns the word of a hash, and a mask of the bits in it that mean "added by a chunk".
func (f *filter) wordOf(h uint64) (word *uint32, met uint32) {
	return &f.pairs[h>>f.shift], 1<<(h%16*2) | 1<<(h/16%16*2)
}

// add marks the positions of a chunk as added, or as added again if another chunk has added them. It reads several
// words before it writes the first one, because most reads miss the caches. A read after an atomic write would have to
// wait for the write.
func (f *filter) add(places [][3]uint32) {
	var hashes [32]uint64
	var before [32]uint32
	for len(places) > 0 {
		some := places[:min(len(places), len(hashes))]
		places = places[len(some):]
		for i, p := range some {
			hashes[i] = hash(p)
			word, _ := f.wordOf(hashes[i])
			before[i] = atomic.LoadUint32(word)
		}
		for i := range some {
			word, met := f.wordOf(hashes[i])
			if before[i]&met == met || atomic.OrUint32(word, met)&met == met {
				atomic.OrUint32(word, met*2)
			}
		}
	}
}

// metTwice reports whether several chunks may have a position with hash h.
func (f *filter) metTwice(h uint64) bool {
	word, met := f.wordOf(h)
	return *word&(met*2) == met*2
}

// A shape holds the normal of a triangle and its weight at each corner.
type shape struct {
	normal  float3.Vector // unpacked from packed; set only by measure
	weights [3]float32
	packed  uint32
}

// chunkScratch is the scratch memory of a task. It has 1 MiB for a whole chunk, and less for a small mesh.
type chunkScratch struct {
	// slots is a hash table: the number of a vertex plus 1, or 0 if free. Its size is a power of two, at least 4/3 of
	// the number of corners.
	slots  []uint16
	places [][3]uint32     // position of each vertex
	shapes []shape         // shape of each triangle
	sums   []float3.Vector // sum of the normals around each vertex; later their mean
	packed []uint32        // normal of each vertex, or waitFlag or tornFlag
	firsts []uint32        // for each vertex, the triangle of its first corner
	torn   tornCorners
}

func (w *welder) scratch() *chunkScratch {
	if s, ok := w.chunks.Get().(*chunkScratch); ok {
		return s
	}
	n := min(chunk, w.block.Len())
	return &chunkScratch{
		slots:  make([]uint16, 1<<bits.Len(uint(4*n-1))),
		places: make([][3]uint32, 3*n), shapes: make([]shape, n), sums: make([]float3.Vector, 3*n),
		packed: make([]uint32, 3*n), firsts: make([]uint32, 3*n+1),
	}
}

// bounds returns the range of triangles of chunk c; `to` is exclusive.
func (w *welder) bounds(c int) (from, to int) { return c * chunk, min((c+1)*chunk, w.block.Len()) }

// weld numbers the vertices of chunk c and writes the numbers to w.out, where normals replace them later. Vertices at
// first corners of triangles come first, then new ones at second corners, then new ones at third corners.
func (w *welder) weld(c int) {
	s := w.scratch()
	defer w.chunks.Put(s)
	clear(s.slots)
	slots, places := s.slots, s.places
	mask := uint64(len(slots) - 1)
	from, to := w.bounds(c)
	numbers := w.out[3*from : 3*to]
	n := 0
	for k := range 3 {
		x, y, z := w.block.X[k][from:to], w.block.Y[k][from:to], w.block.Z[k][from:to]
		y, z = y[:len(x)], z[:len(x)]
		for i := range x {
			p := [3]uint32{math.Float32bits(x[i] + 0), math.Float32bits(y[i] + 0), math.Float32bits(z[i] + 0)}
			slot := hash(p) >> 8 & mask
			for slots[slot] != 0 && places[slots[slot]-1] != p {
				slot = (slot + 1) & mask
			}
			if slots[slot] == 0 {
				places[n] = p
				n++
				slots[slot] = uint16(n)
			}
			numbers[3*i+k] = uint32(slots[slot] - 1)
		}
	}
	w.vertexCounts[c] = uint32(n)
	w.places.add(places[:n])
}

// scatteredVertices is the number of vertices per triangle above which a chunk counts as scattered. A chunk of
// neighbouring triangles has about 0.6 vertices per triangle. A chunk of triangles in random order has almost 3.
const scatteredVertices = 1.5

// isScattered welds chunk c, and reports whether few triangles of the chunk are neighbours. If so, almost all vertices
// of the mesh are in several chunks, and computing normals chunk by chunk would take longer. If the mesh has a single
// chunk, isScattered returns false.
func (w *welder) isScattered(c int) bool {
	if c >= len(w.vertexCounts) {
		return false
	}
	w.run(1, func(int) { w.weld(c) })
	from, to := w.bounds(c)
	return len(w.vertexCounts) > 1 && float64(w.vertexCounts[c]) > scatteredVertices*float64(to-from)
}

// deferCorners marks the corners of chunk c with waitFlag. Corners of triangles without a normal become 0.
func (w *welder) deferCorners(c int) {
	from, to := w.bounds(c)
	for t := from; t < to; t++ {
		word := uint32(0)
		if w.hasArea(t) {
			word = waitFlag
			w.waiting[c] += 3
		}
		w.out[3*t], w.out[3*t+1], w.out[3*t+2] = word, word, word
	}
}

// smoothChunk sets the normals at vertices that only chunk c has. It marks the corners at other vertices with waitFlag.
func (w *welder) smoothChunk(c int) {
	s := w.scratch()
	defer w.chunks.Put(s)
	from, to := w.bounds(c)
	corners := w.out[3*from : 3*to]
	sums, packed, shapes, half := s.sums[:w.vertexCounts[c]], s.packed[:w.vertexCounts[c]], s.shapes[:len(corners)/3], w.crease.cosHalf
	w.sumNormals(shapes, sums, from, corners)
	for v, sum := range sums {
		sums[v] = sum.Unit()
		packed[v] = Pack(sums[v])
	}
	for i := range shapes {
		n := shapes[i].normal
		if shapes[i].packed == 0 {
			continue
		}
		for _, v := range corners[3*i : 3*i+3] {
			if n.Dot(sums[v]) < half {
				packed[v] = tornFlag
			}
		}
	}
	w.markShared(s, from, corners)
	w.waiting[c] = w.writeNormals(s, from, corners)
}

// sumNormals adds up the weighted normals around each vertex of a chunk, in the order of the mesh, and writes the
// results to `sums`. It also sets `shapes`.
func (w *welder) sumNormals(shapes []shape, sums []float3.Vector, from int, corners []uint32) {
	clear(sums)
	w.measure(shapes, from)
	for i := range shapes {
		shape := &shapes[i]
		for k, v := range corners[3*i : 3*i+3] {
			sums[v] = sums[v].Add(shape.normal.Scale(shape.weights[k]))
		}
	}
}

// markShared marks with waitFlag the vertices of a chunk that may also be in other chunks.
func (w *welder) markShared(s *chunkScratch, from int, corners []uint32) {
	next, firsts := 0, s.firsts
	for k := range 3 {
		start := next
		for i := range len(corners) / 3 {
			firsts[next] = uint32(i)
			if corners[3*i+k] == uint32(next) { // this is the first corner at its vertex
				next++
			}
		}
		for v := start; v < next; v++ {
			packed := s.packed[v]
			if w.places.metTwice(hash(w.place(k, from+int(firsts[v])))) {
				packed = waitFlag
			}
			s.packed[v] = packed
		}
	}
}

// writeNormals writes the normals of a chunk and returns the number of corners that wait. Corners of triangles without
// a normal become 0; they neither wait nor count as torn. So a file of zeros needs no memory for them, although all
// its corners have the same position.
func (w *welder) writeNormals(s *chunkScratch, from int, corners []uint32) (waiting uint32) {
	s.torn.begin(int(w.vertexCounts[from/chunk]))
	words, shapes := s.packed, s.shapes
	for at, v := range corners {
		packed, shape, k := words[v], &shapes[at/3], at%3
		if shape.packed == 0 {
			packed = 0
		}
		corners[at] = packed
		if packed == waitFlag {
			waiting++
		} else if packed == tornFlag {
			if len(s.torn.entries) == 0 {
				s.roomForTorn(corners[at+1:])
			}
			s.torn.add(v, uint32(3*from+at), shape, k)
		}
	}
	w.smoothTorn(&s.torn)
	return waiting
}

// tornCorners holds the torn corners of a chunk: those at a vertex with a crease, where normals differ.
type tornCorners struct {
	numbers []uint32 // for each vertex, its number plus 1 among the torn vertices, or 0 if it is not torn
	entries []entry
	sets    vertexSets
}

// begin empties t and prepares it for the given number of vertices.
func (t *tornCorners) begin(vertices int) {
	t.entries = t.entries[:0]
	t.sets.reset(nil)
	if len(t.numbers) < vertices {
		t.numbers = make([]uint32, vertices)
	}
}

// add adds corner k of the triangle with shape s. `corner` is the number of the corner in the mesh. The corner lies at
// vertex v.
func (t *tornCorners) add(v, corner uint32, s *shape, k int) {
	t.entries = append(t.entries, entry{corner: corner, normal: s.packed, weight: s.weights[k]})
	if t.numbers[v] == 0 {
		t.numbers[v] = t.sets.addVertex(len(t.entries)-1) + 1
	}
	t.sets.assign(t.numbers[v] - 1)
}

// smoothTorn sets the normals of the torn corners.
func (w *welder) smoothTorn(t *tornCorners) {
	clear(t.numbers)
	t.sets.entries = t.entries
	t.sets.sort()
	w.smoothVertices(&t.sets)
}

// roomForTorn makes room in s.torn for those of the given corners that are torn, and for one more corner. One
// allocation takes less time than many.
func (s *chunkScratch) roomForTorn(corners []uint32) {
	n := 1
	for _, v := range corners {
		if s.packed[v] == tornFlag {
			n++
		}
	}
	s.torn.entries = slices.Grow(s.torn.entries, n)
	s.torn.sets.vertex = slices.Grow(s.torn.sets.vertex, n)
}

// hasArea reports whether triangle t is finite and has an area, so that w.shapeOf can compute its normal.
func (w *welder) hasArea(t int) bool {
	b := w.block
	p0 := float3.New(b.X[0][t], b.Y[0][t], b.Z[0][t]).Scale(w.scale)
	p1 := float3.New(b.X[1][t], b.Y[1][t], b.Z[1][t]).Scale(w.scale)
	p2 := float3.New(b.X[2][t], b.Y[2][t], b.Z[2][t]).Scale(w.scale)
	area := p1.Sub(p0).Cross(p2.Sub(p1)).Length()
	return area > 0 && area-area == 0
}

// shapeOf returns the packed normal of triangle t, and the weight of each corner: the triangle's area times the angle
// at the corner. It returns zeros if the triangle has no area or is not finite.
func (w *welder) shapeOf(t int) (s shape) {
	b := w.block
	p0 := float3.New(b.X[0][t], b.Y[0][t], b.Z[0][t]).Scale(w.scale)
	p1 := float3.New(b.X[1][t], b.Y[1][t], b.Z[1][t]).Scale(w.scale)
	p2 := float3.New(b.X[2][t], b.Y[2][t], b.Z[2][t]).Scale(w.scale)
	e0, e1, e2 := p1.Sub(p0), p2.Sub(p1), p0.Sub(p2) // edges from each corner to the next
	n := e0.Cross(e1)
	area := n.Length()
	if !(area > 0) || area-area != 0 {
		return s
	}
	e0, e1, e2 = e0.Unit(), e1.Unit(), e2.Unit()
	s.weights = [3]float32{float32(area * acos(-e0.Dot(e2))), float32(area * acos(-e1.Dot(e0))), float32(area * acos(-e2.Dot(e1)))}
	s.packed = Pack(n)
	return s
}
