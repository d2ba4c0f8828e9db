package surface

import (
	"math/bits"
	"unsafe"

	"lockstep/vp/hugepages"
)

const (
	// directMost bounds the triangles of meshes whose corners are dealt at once: while they
	// stay in a second-level cache, 36 bytes each. Chunks would have most vertices in common.
	directMost = 1 << 17
	// partCorners is about how many corners a part of such a mesh has, at most. Its table of
	// vertices takes half a megabyte. With parts a quarter as large the bunny took 1.05 times as
	// long, and 70 thousand triangles of scene:bumpy 1.17 times: every part reads all triangles.
	partCorners = 1 << 16
)

// direct are the vertices of a small mesh: its corners are dealt into parts by a hash of
// their place, and the vertices of a part are found and averaged by one task.
type direct struct {
	*welder
	shapes []shape    // by triangle
	hashes []uint32   // by corner
	bits   int        // of the number of parts
	next   [][]uint32 // by chunk and part: first the number of corners, then where the next goes
	starts []uint32   // by part, into corners
	order  []uint32   // corners by part, in the order of the mesh
}

// direct sets all normals.
func (w *welder) direct() {
	n := w.block.Len()
	chunks := (n + directChunk - 1) / directChunk
	const words = int(unsafe.Sizeof(shape{}) / 4)
	all := hugepages.Make[uint32](n * (words + 9)) // one block, most of which lies in whole huge pages
	d := direct{
		welder: w, shapes: unsafe.Slice((*shape)(unsafe.Pointer(unsafe.SliceData(all))), n),
		bits: bits.Len(uint(3 * n / partCorners)), next: make([][]uint32, chunks),
	}
	all = all[words*n:]
	d.hashes, d.order, w.out = all[:3*n], all[3*n:6*n], all[6*n:]
	parts := 1 << d.bits
	counts := make([]uint32, chunks*parts)
	for c := range d.next {
		d.next[c] = counts[c*parts : (c+1)*parts]
	}
	w.run(chunks, d.measure)
	d.starts = make([]uint32, parts+1)
	total := uint32(0)
	for p := range parts {
		d.starts[p] = total
		for _, next := range d.next {
			next[p], total = total, total+next[p]
		}
	}
	d.starts[parts] = total
	w.run(chunks, d.dealOrder)
	w.run(parts, d.part)
}

// directChunk is the number of triangles that are measured by a task.
const directChunk = 2048

func (d *direct) bounds(c int) (from, to int) {
	return c * directChunk, min((c+1)*directChunk, d.block.Len())
}

// measure finds the shapes of a chunk and the parts of its corners. Triangles without a normal
// have none: their corners keep 0.
func (d *direct) measure(c int) {
	from, to := d.bounds(c)
	counts, shift := d.next[c], 32-d.bits
	d.welder.measure(d.shapes[from:to], from)
	for t := from; t < to; t++ {
		if d.shapes[t].packed == 0 {
			continue
		}
		for k := range 3 {
			h := uint32(hash(d.place(k, t)) >> 32)
			d.hashes[3*t+k] = h
			counts[h>>shift]++
		}
	}
}

// dealOrder brings the corners of a chunk to their parts.
func (d *direct) dealOrder(c int) {
	from, to := d.bounds(c)
	next, shift := d.next[c], 32-d.bits
	for t := from; t < to; t++ {
		if d.shapes[t].packed == 0 {
			continue
		}
		for i, h := range d.hashes[3*t : 3*t+3] {
			at := &next[h>>shift]
			d.order[*at] = uint32(3*t + i)
			*at++
		}
	}
}

// partScratch is the memory of a part.
type partScratch struct {
	slots    []uint32 // hash table: vertex + 1, or 0
	vertex   []uint32 // by corner
	vertices []partVertex
	torn     tornCorners
}

// A partVertex is a place, and the sum of the normals around it; then their mean, packed too
// or torn.
type partVertex struct {
	place  [3]uint32
	sum    vec
	packed uint32
}

// part sets the normals of the corners of a part.
func (d *direct) part(p int) {
	corners := d.order[d.starts[p]:d.starts[p+1]]
	s, ok := d.parts.Get().(*partScratch)
	if !ok {
		s = new(partScratch)
	}
	defer d.parts.Put(s)
	d.find(s, corners)
	for v := range s.vertices {
		at := &s.vertices[v]
		at.sum = at.sum.unit()
		at.packed = pack(at.sum)
	}
	for i, corner := range corners {
		at := &s.vertices[s.vertex[i]]
		if d.shapes[corner/3].normal.dot(at.sum) < d.half {
			at.packed = torn
		}
	}
	d.settle(s, corners)
}

// find finds the vertices of corners, and adds up the normals around each in the order of
// the mesh.
func (d *direct) find(s *partScratch, corners []uint32) {
	n := len(corners)
	mask := uint32(1)<<bits.Len(uint(n+n/2)) - 1
	if cap(s.slots) <= int(mask) {
		s.slots = make([]uint32, mask+1)
	}
	if cap(s.vertex) < n {
		s.vertex = make([]uint32, n)
	}
	if s.vertices == nil {
		s.vertices = make([]partVertex, 0, n/4) // six triangles meet at most vertices, and some have two
	}
	s.slots, s.vertex, s.vertices = s.slots[:mask+1], s.vertex[:n], s.vertices[:0]
	clear(s.slots)
	for i, corner := range corners {
		t, k := int(corner/3), int(corner%3)
		place := d.place(k, t)
		slot := d.hashes[corner] & mask
		for s.slots[slot] != 0 && s.vertices[s.slots[slot]-1].place != place {
			slot = (slot + 1) & mask
		}
		if s.slots[slot] == 0 {
			s.vertices = append(s.vertices, partVertex{place: place})
			s.slots[slot] = uint32(len(s.vertices))
		}
		v := s.slots[slot] - 1
		s.vertex[i] = v
		shape, at := &d.shapes[t], &s.vertices[v]
		at.sum = at.sum.add(shape.normal.scale(shape.weights[k]))
	}
}

// settle writes the normals of a part.
func (d *direct) settle(s *partScratch, corners []uint32) {
	s.torn.begin(len(s.vertices))
	for i, corner := range corners {
		v := s.vertex[i]
		packed := s.vertices[v].packed
		d.out[corner] = packed
		if packed == torn {
			s.torn.add(v, corner, &d.shapes[corner/3], int(corner%3))
		}
	}
	d.mend(&s.torn)
}
