package normals

import (
	"math/bits"
	"unsafe"

	"lockstep/render/internal/float3"
	"lockstep/render/internal/kernel/light"
	"lockstep/vp/hugepages"
)

const (
	// maxDirect is the largest number of triangles of a mesh that welder.smoothWhole handles. The corners of such a
	// mesh, at 36 bytes a triangle, fit into a second-level cache. If the mesh were cut into chunks, most of its
	// vertices would be in several chunks.
	maxDirect = 1 << 17
	// partCorners is about the largest number of corners in a part, see directWelder. The vertex table of a part has a
	// quarter of a megabyte. With smaller parts the normals take longer, because every part reads triangles from all of
	// the mesh. With 1<<14 corners, the bunny took 1.05 times as long, and scene:bumpy of 70 thousand triangles 1.17
	// times.
	partCorners = 1 << 16
	// directChunk is the number of triangles whose shapes a task computes.
	directChunk = 2048
)

// directWelder computes the vertices of a small mesh. It distributes the corners to parts by a hash of the corner's
// position. One task finds the vertices of a part and their normals.
type directWelder struct {
	*welder
	shapes []shape        // shape of each triangle
	bits   int            // log2 of the number of parts
	next   [][]uint32     // for each chunk and part, first the number of corners, later the index in byPart for the next corner
	starts []uint32       // index in byPart of the first corner of each part
	byPart []hashedCorner // corners, sorted by part, and within a part in the order of the mesh
}

// hashedCorner is a corner with the hash of its position. findVertices replaces the hash by the number of the corner's
// vertex in the part.
type hashedCorner struct{ corner, hash uint32 }

// smoothWhole sets the records of all triangles of a small mesh, without cutting it into chunks.
func (w *welder) smoothWhole() {
	n := w.block.Len()
	chunks := (n + directChunk - 1) / directChunk
	const words = int(unsafe.Sizeof(shape{}) / 4)
	all := hugepages.Make[uint32](n * (words + 6)) // one allocation, most of it in whole huge pages
	d := directWelder{
		welder: w, shapes: unsafe.Slice((*shape)(unsafe.Pointer(unsafe.SliceData(all))), n),
		bits: bits.Len(uint(3 * n / partCorners)), next: make([][]uint32, chunks),
	}
	d.byPart = unsafe.Slice((*hashedCorner)(unsafe.Pointer(unsafe.SliceData(all[words*n:]))), 3*n)
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
	w.run(chunks, d.distribute)
	w.run(parts, d.smoothPart)
}

func (d *directWelder) bounds(c int) (from, to int) {
	return c * directChunk, min((c+1)*directChunk, d.block.Len())
}

// measure computes the shapes (normal and weights) of the triangles in chunk c, and counts the chunk's corners by
// part. In the records it stores the positions of the corners and, in place of normals, the hashes of these positions.
// The normals of a triangle without area stay 0.
func (d *directWelder) measure(c int) {
	from, to := d.bounds(c)
	counts, shift := d.next[c], 32-d.bits
	shapes, records := d.shapes[from:to], d.records[from:to]
	d.welder.measure(shapes, from)
	copyPositions(records, d.block, from)
	for i := range records {
		r := &records[i]
		if shapes[i].packed == 0 {
			continue
		}
		for k := range 3 {
			h := uint32(hash(noNegativeZero(r[3*k], r[3*k+1], r[3*k+2])) >> 32)
			r[9+k] = h
			counts[h>>shift]++
		}
	}
}

// noNegativeZero returns the bits of a position with zero in place of minus zero.
func noNegativeZero(x, y, z uint32) [3]uint32 {
	const minusZero = 1 << 31
	if x == minusZero {
		x = 0
	}
	if y == minusZero {
		y = 0
	}
	if z == minusZero {
		z = 0
	}
	return [3]uint32{x, y, z}
}

// distribute copies the corners of chunk c to their parts.
func (d *directWelder) distribute(c int) {
	from, to := d.bounds(c)
	next, shift := d.next[c], 32-d.bits
	for i := range d.shapes[from:to] {
		if d.shapes[from+i].packed == 0 {
			continue
		}
		corner := uint32(3 * (from + i))
		for k, h := range d.records[from+i][9:] {
			at := &next[h>>shift]
			d.byPart[*at] = hashedCorner{corner + uint32(k), h}
			*at++
		}
	}
}

// partScratch is the scratch memory for a part.
type partScratch struct {
	slots    []uint32 // hash table: number of a vertex plus 1, or 0 if free
	vertices []partVertex
	// torn holds the torn corners, which lie at a vertex with a crease, in the order of the mesh. Their field hash
	// holds the number of the vertex among the torn vertices.
	torn   []hashedCorner
	starts []uint32 // index, in the slice `order`, of the first corner of each torn vertex
	order  []uint32 // torn corners, sorted by vertex
	fan    vertexFan
}

// A partVertex is a position with the sum of the normals around it; later their mean. packed is the packed mean, or
// tornFlag if the vertex has a crease.
type partVertex struct {
	place  [3]uint32 // position of its first corner
	hash   uint32    // hash of the position; later 1 plus the number of the vertex among the torn vertices, or 0
	sum    float3.Vector
	packed uint32
}

// smoothPart sets the normals of the corners of part p.
func (d *directWelder) smoothPart(p int) {
	corners := d.byPart[d.starts[p]:d.starts[p+1]]
	s, ok := d.parts.Get().(*partScratch)
	if !ok {
		s = new(partScratch)
	}
	defer d.parts.Put(s)
	d.findVertices(s, corners)
	for v := range s.vertices {
		at := &s.vertices[v]
		at.sum, at.hash = at.sum.Unit(), 0
		at.packed = Pack(at.sum)
	}
	vertices, half := s.vertices, d.crease.cosHalf
	for i := range corners {
		at := &vertices[corners[i].hash]
		if d.shapes[corners[i].corner/3].normal.Dot(at.sum) < half {
			at.packed = tornFlag
		}
	}
	d.writeNormals(s, corners)
}

// findVertices finds the vertices of corners, and sums the weighted normals around each vertex in the order of the
// mesh.
func (d *directWelder) findVertices(s *partScratch, corners []hashedCorner) {
	s.begin(len(corners))
	slots, vertices := s.slots, s.vertices
	for i := range corners {
		c := &corners[i]
		t, k := c.corner/3, c.corner%3
		place := *(*[3]uint32)(d.records[t][3*k:])
		mask := uint32(len(slots) - 1)
		slot := c.hash & mask
		for slots[slot] != 0 {
			if at := &vertices[slots[slot]-1]; at.place == place || at.hash == c.hash && noNegativeZero(at.place[0], at.place[1], at.place[2]) == noNegativeZero(place[0], place[1], place[2]) {
				break
			}
			slot = (slot + 1) & mask
		}
		if slots[slot] == 0 {
			vertices = append(vertices, partVertex{place: place, hash: c.hash})
			slots[slot] = uint32(len(vertices))
			if 2*len(vertices) > len(slots) {
				s.vertices = vertices
				s.grow()
				slots = s.slots
			}
			c.hash = uint32(len(vertices) - 1)
		} else {
			c.hash = slots[slot] - 1
		}
		shape, at := &d.shapes[t], &vertices[c.hash]
		at.sum = at.sum.Add(shape.normal.Scale(shape.weights[k]))
	}
	s.vertices = vertices
}

// begin empties the scratch memory and prepares it for the given number of corners. Most vertices have six corners.
// The table starts with that size, and grows for meshes with more vertices.
func (s *partScratch) begin(corners int) {
	n := max(1<<bits.Len(uint(corners/2)), 2)
	if cap(s.slots) < n {
		s.slots = make([]uint32, n)
	}
	if s.vertices == nil {
		s.vertices = make([]partVertex, 0, corners/4+1)
	}
	s.slots, s.vertices = s.slots[:n], s.vertices[:0]
	clear(s.slots)
}

// grow makes the hash table four times as large.
func (s *partScratch) grow() {
	n := 4 * len(s.slots)
	if cap(s.slots) < n {
		s.slots = make([]uint32, n)
	}
	s.slots = s.slots[:n]
	clear(s.slots)
	mask := uint32(n - 1)
	for v := range s.vertices {
		slot := s.vertices[v].hash & mask
		for s.slots[slot] != 0 {
			slot = (slot + 1) & mask
		}
		s.slots[slot] = uint32(v + 1)
	}
}

// writeNormals writes the normals of a part. It collects the torn corners first and finds their normals at the end.
func (d *directWelder) writeNormals(s *partScratch, corners []hashedCorner) {
	s.torn, s.starts = s.torn[:0], append(s.starts[:0], 0)
	for i := range corners {
		corner, at := corners[i].corner, &s.vertices[corners[i].hash]
		if at.packed != tornFlag {
			d.records[corner/3][9+corner%3] = at.packed
			continue
		}
		if at.hash == 0 {
			at.hash = uint32(len(s.starts))
			s.starts = append(s.starts, 0)
		}
		s.starts[at.hash]++
		s.torn = append(s.torn, hashedCorner{corner, at.hash - 1})
	}
	d.smoothTorn(s)
}

// smoothTorn sets the normals of the torn corners.
func (d *directWelder) smoothTorn(s *partScratch) {
	vertices := len(s.starts) - 1
	for v := range vertices {
		s.starts[v+1] += s.starts[v]
	}
	s.order = resized(s.order, len(s.torn))
	for _, c := range s.torn {
		s.order[s.starts[c.hash]] = c.corner
		s.starts[c.hash]++
	}
	from := uint32(0) // starts[v] is now the end of the corners of vertex v
	for _, to := range s.starts[:vertices] {
		around, m := s.order[from:to], &s.fan
		m.begin()
		for _, corner := range around {
			shape := &d.shapes[corner/3]
			m.add(shape.normal, shape.weights[corner%3], shape.packed)
		}
		for i, packed := range m.cornerNormals(&d.crease) {
			d.records[around[i]/3][9+around[i]%3] = packed
		}
		from = to
	}
}

// directNormals returns the normals of the corners of a small mesh, in the same form as Normals.
func (w *welder) directNormals() []uint32 {
	w.records = make([]light.Record, w.block.Len())
	w.smoothWhole()
	out := make([]uint32, 0, 3*len(w.records))
	for i := range w.records {
		out = append(out, w.records[i][9:]...)
	}
	return out
}
