package normals

import (
	"math"
	"math/bits"
	"sync"

	"lockstep/render/internal/float3"
	"lockstep/render/internal/kernel/light"
	kernel "lockstep/render/internal/kernel/shape"
	"lockstep/scenes"
	"lockstep/vp/hugepages"
)

// A Run calls do for tasks 0 to n (exclusive), several at a time. If the result is no longer wanted, it skips the
// tasks that have not started.
type Run func(n int, do func(task int))

// Normals returns packed unit normals for the corners of a mesh. The normal of corner k of triangle t is at index
// 3t+k. Corners at the same position are one vertex. A corner's normal is a mean over the triangles around the vertex,
// each weighted by its area times its angle at the vertex. Triangles that are not finite or have no area get 0, and
// are not part of means.
//
// The crease angle, whose cosine is crease, separates a bend from an edge. For each corner, the weights of triangles
// are reduced in two ways:
//
//   - A triangle has its full weight if its normal is within the crease angle of the normal of the corner's own
//     triangle. Between the crease angle and twice that angle, the weight falls to zero.
//   - Edges divide the triangles around a vertex into sides. Two triangles are on the same side if a chain of triangles
//     leads from one to the other in which successive normals are within the crease angle. The weight of triangles on
//     another side is multiplied by the softness of the edge between the sides, see softness.
//
// If more than meetingBits triangles meet, only triangles within the crease angle have a weight.
//
// Weights fall gradually, because a hard limit would make teeth where a scanned surface bends by about the crease
// angle. In a row of triangles across the bend, some triangles would be within the angle, and their neighbours would
// not.
//
// scale is a power of two that scales the mesh to a size of about 1. The result does not depend on how tasks are run.
// Memory:
//
//   - The result has 12 bytes a triangle.
//   - During the call, the filter has 3 bytes a triangle.
//   - During the call, buckets have up to 72 bytes a triangle, but at most maxEntries times 24 bytes.
//   - Each task that runs has 1 MiB.
//
// The normals of small meshes are computed as a whole, see welder.smoothWhole. Large meshes are cut into chunks, which
// are ranges of triangles. Most vertices of most large meshes have all their triangles in one chunk. The normals at
// such vertices are computed chunk by chunk, in a core's cache. The corners at other vertices are distributed to
// buckets by a hash of their position, each with the normal of its triangle. Both methods give the same bits, because
// the normals around a vertex are always added in the order of the mesh.
func Normals(b *scenes.Block, crease, scale float64, run Run) []uint32 {
	return normals(b, crease, scale, run, maxDirect)
}

// normals is like Normals, but computes the normals of a mesh as a whole if it has at most `most` triangles.
func normals(b *scenes.Block, crease, scale float64, run Run, most int) []uint32 {
	w := newWelder(b, crease, scale, run)
	if b.Len() <= most {
		return w.directNormals()
	}
	chunks := (b.Len() + chunk - 1) / chunk
	w.out = hugepages.Make[uint32](3 * b.Len())
	w.places, w.vertexCounts, w.waiting = newFilter(6*b.Len()), make([]uint32, chunks), make([]uint32, chunks)
	if tried := chunks / 2; w.isScattered(tried) {
		run(chunks, w.deferCorners)
	} else {
		run(chunks, func(c int) {
			if c != tried {
				w.weld(c)
			}
		})
		run(chunks, w.smoothChunk)
	}
	corners := 0
	for _, n := range w.waiting {
		corners += int(n)
	}
	w.passes = (corners + maxEntries - 1) / maxEntries
	w.bucketBits = max(bits.Len(uint(corners/max(w.passes, 1)/bucketEntries)), 1)
	for w.pass = range w.passes {
		w.distribute()
		w.smoothBuckets()
	}
	return w.out
}

const (
	// maxEntries is the largest number of corners in all buckets at a time: 48 MiB.
	maxEntries = 2 << 20
	// bucketEntries is about the number of corners in a bucket: 48 KiB.
	bucketEntries = 2048
	// chunk is the number of triangles in a task. The vertices of a chunk of this size can be numbered with 16 bits.
	chunk = 8192
	// maxAround is the largest number of triangles around a vertex that are compared with each other. If there are
	// more, each corner gets the normal of its triangle.
	maxAround = 512
)

// An entry is a corner in a bucket.
type entry struct {
	place  [3]uint32 // bits of the corner's coordinates
	corner uint32    // number of the corner, 3t+k
	normal uint32    // packed normal of its triangle
	weight float32
}

type welder struct {
	block  *scenes.Block
	crease crease
	scale  float32
	run    Run
	// out holds the normal of each corner. Before that, it holds the number of the corner's vertex in the chunk, or
	// waitFlag.
	out          []uint32
	records      []light.Record // records with the normals that smoothWhole computes; nil if the normals are in the field `out`
	places       filter         // positions that chunks have added
	vertexCounts []uint32       // number of vertices of each chunk
	waiting      []uint32       // number of waiting corners of each chunk
	chunks       sync.Pool      // pool of *chunkScratch
	parts        sync.Pool      // pool of *partScratch, for smoothWhole
	loop         kernel.Loop
	batches      sync.Pool // pool of *kernel.Batch
	pass, passes int
	bucketBits   int
	counts       [][]uint32 // number of corners for each chunk and bucket; later the index for the next entry
	starts       []uint32   // index, in `entries`, of the first entry of each bucket
	entries      []entry    // entries of the current pass, sorted by bucket
}

func newWelder(b *scenes.Block, crease, scale float64, run Run) *welder {
	return &welder{
		block: b, crease: newCrease(crease), scale: float32(scale), run: run, loop: shapeLoop(),
	}
}

// hash mixes the bits of a position into 64 evenly distributed bits.
func hash(p [3]uint32) uint64 {
	h := (uint64(p[0])<<32 | uint64(p[1])) * 0x9e3779b97f4a7c15
	h ^= h>>32 ^ uint64(p[2])*0xc2b2ae3d27d4eb4f
	h *= 0xff51afd7ed558ccd
	return h ^ h>>29
}

// bucketOf returns the bucket of a hash. A pass over the mesh handles only some of the hashes. bucketOf returns false
// for a hash that the current pass does not handle.
func (w *welder) bucketOf(h uint64) (int, bool) {
	if w.passes > 1 && int(h>>8&0xffff)*w.passes>>16 != w.pass {
		return 0, false
	}
	return int(h >> (64 - w.bucketBits)), true
}

// place returns the bits of the coordinates of corner k of triangle t, with zero for minus zero.
func (w *welder) place(k, t int) [3]uint32 {
	b := w.block
	return [3]uint32{math.Float32bits(b.X[k][t] + 0), math.Float32bits(b.Y[k][t] + 0), math.Float32bits(b.Z[k][t] + 0)}
}

// distribute copies the corners that the current pass handles to their buckets, in the order of the mesh.
func (w *welder) distribute() {
	n := w.block.Len()
	chunks, buckets := (n+chunk-1)/chunk, 1<<w.bucketBits
	if w.counts == nil {
		w.counts = make([][]uint32, chunks)
		w.starts = make([]uint32, buckets+1)
	}
	for c := range w.counts {
		if w.counts[c] == nil { // allocated here because tasks may be skipped
			w.counts[c] = make([]uint32, buckets)
		}
	}
	w.run(chunks, func(c int) {
		counts := w.counts[c]
		clear(counts)
		from, to := w.bounds(c)
		for i, word := range w.out[3*from : 3*to] {
			if word != waitFlag {
				continue
			}
			if at, ok := w.bucketOf(hash(w.place(i%3, from+i/3))); ok {
				counts[at]++
			}
		}
	})
	total := uint32(0)
	for at := range buckets {
		w.starts[at] = total
		for c := range chunks {
			w.counts[c][at], total = total, total+w.counts[c][at]
		}
	}
	w.starts[buckets] = total
	if cap(w.entries) < int(total) {
		w.entries = make([]entry, total)
	}
	w.entries = w.entries[:total]
	w.run(chunks, w.distributeChunk)
}

// distributeChunk copies the waiting corners of chunk c to their buckets.
func (w *welder) distributeChunk(c int) {
	from, to := w.bounds(c)
	next := w.counts[c]
	var s shape
	of := -1 // the triangle that s describes
	for i, word := range w.out[3*from : 3*to] {
		if word != waitFlag {
			continue
		}
		t, k := from+i/3, i%3
		place := w.place(k, t)
		at, ok := w.bucketOf(hash(place))
		if !ok {
			continue
		}
		if of != t {
			s, of = w.shapeOf(t), t
		}
		w.entries[next[at]] = entry{place, uint32(3*t + k), s.packed, s.weights[k]}
		next[at]++
	}
}

// acos returns the angle with cosine x, to within 7e-5. Source: Abramowitz and Stegun, Handbook of Mathematical
// Functions, 4.4.45.
func acos(x float32) float32 {
	a := min(float3.Abs(x), 1)
	p := float32(float32(float32(float32(float32(float32(-0.0187293*a)+0.0742610)*a)-0.2121144)*a) + 1.5707288)
	p = float32(float3.Sqrt(1-a) * p)
	if x < 0 {
		return math.Pi - p
	}
	return p
}

// smoothBuckets finds the vertices in every bucket, and the normals at their corners.
func (w *welder) smoothBuckets() {
	const together = 16 // buckets in a task
	buckets := len(w.starts) - 1
	w.run((buckets+together-1)/together, func(task int) {
		var s vertexSets
		for at := task * together; at < min((task+1)*together, buckets); at++ {
			s.groupByVertex(w.entries[w.starts[at]:w.starts[at+1]])
			w.smoothVertices(&s)
		}
	})
}

// vertexSets holds entries grouped by vertex, for example the entries of a bucket.
type vertexSets struct {
	entries []entry
	slots   []uint32 // hash table: number of a vertex plus 1, or 0 if free
	first   []uint32 // index in entries of the first entry of each vertex; the method sort overwrites it
	vertex  []uint32 // vertex of each entry
	starts  []uint32 // index, in the slice `order`, of the first entry of each vertex
	order   []uint32 // entries sorted by vertex; those of a vertex are in the order of the mesh
	fan     vertexFan
}

// groupByVertex groups entries by vertex. Entries at the same position have the same vertex.
func (s *vertexSets) groupByVertex(entries []entry) {
	s.reset(entries)
	size := 1 << bits.Len(uint(2*len(entries)))
	if cap(s.slots) < size {
		s.slots = make([]uint32, size)
	}
	s.slots = s.slots[:size]
	clear(s.slots)
	for i := range entries {
		slot := int(hash(entries[i].place)>>8) & (size - 1)
		for s.slots[slot] != 0 && entries[s.first[s.slots[slot]-1]].place != entries[i].place {
			slot = (slot + 1) & (size - 1)
		}
		if s.slots[slot] == 0 {
			s.slots[slot] = s.addVertex(i) + 1
		}
		s.assign(s.slots[slot] - 1)
	}
	s.sort()
}

// reset sets the entries, and removes all vertices.
func (s *vertexSets) reset(entries []entry) {
	s.entries = entries
	s.first, s.vertex, s.starts = s.first[:0], s.vertex[:0], append(s.starts[:0], 0)
}

// addVertex adds a vertex and returns its number. Entry i is the first entry of the vertex.
func (s *vertexSets) addVertex(i int) uint32 {
	s.first = append(s.first, uint32(i))
	s.starts = append(s.starts, 0)
	return uint32(len(s.first) - 1)
}

// assign assigns the next entry to vertex v.
func (s *vertexSets) assign(v uint32) {
	s.vertex = append(s.vertex, v)
	s.starts[v+1]++
}

// sort sorts the entries by vertex.
func (s *vertexSets) sort() {
	entries := s.entries
	for v := range s.first {
		s.starts[v+1] += s.starts[v]
		s.first[v] = s.starts[v]
	}
	if cap(s.order) < len(entries) {
		s.order = make([]uint32, len(entries))
	}
	s.order = s.order[:len(entries)]
	for i, v := range s.vertex {
		s.order[s.first[v]] = uint32(i)
		s.first[v]++
	}
}

func (s *vertexSets) around(v int) []uint32 { return s.order[s.starts[v]:s.starts[v+1]] }

// smoothVertices sets the normals of the corners at all vertices.
func (w *welder) smoothVertices(s *vertexSets) {
	for v := range s.first {
		w.smoothVertex(s, s.around(v))
	}
}

// smoothVertex sets the normals of the corners at one vertex. The slice `around` holds the indices of their entries.
func (w *welder) smoothVertex(s *vertexSets, around []uint32) {
	m := &s.fan
	m.begin()
	var sum float3.Vector
	for _, i := range around {
		e := &s.entries[i]
		n := Unpack(e.normal)
		m.add(n, e.weight, e.normal)
		sum = sum.Add(n.Scale(e.weight))
	}
	if mean := sum.Unit(); w.allNear(m.normals, mean) {
		packed := Pack(mean)
		for _, i := range around {
			w.out[s.entries[i].corner] = packed
		}
		return
	}
	for a, packed := range m.cornerNormals(&w.crease) {
		w.out[s.entries[around[a]].corner] = packed
	}
}

// allNear reports whether all normals are within half the crease angle of mean, and so within the crease angle of each
// other.
func (w *welder) allNear(normals []float3.Vector, mean float3.Vector) bool {
	for _, n := range normals {
		if n.Dot(mean) < w.crease.cosHalf {
			return false
		}
	}
	return true
}

// flatNormals returns the normals of the corners of all triangles from number `first` on. Each corner has the normal of
// its triangle's plane. scale is as for Normals.
func flatNormals(b *scenes.Block, first int, scale float64) []uint32 {
	w := welder{block: b, scale: float32(scale)}
	all := make([]uint32, 0, 3*(b.Len()-first))
	for t := first; t < b.Len(); t++ {
		n := w.shapeOf(t).packed
		all = append(all, n, n, n)
	}
	return all
}
