package meshopt

import "encoding/binary"

const (
	triangleHeader = 0xe1
	sequenceHeader = 0xd1
	auxSize        = 16 // bytes in the table at the end of the data
	sequenceTail   = 4
)

// A stream delivers bytes one by one. After the end it delivers zeros and sets `short`.
type stream struct {
	data  []byte
	short bool
}

func (s *stream) next() byte {
	if len(s.data) == 0 {
		s.short = true
		return 0
	}
	b := s.data[0]
	s.data = s.data[1:]
	return b
}

// number reads a number of up to five bytes. Each byte holds seven bits, the lowest bits first.
func (s *stream) number() (v uint32) {
	for shift := 0; shift < 35; shift += 7 {
		b := s.next()
		v |= uint32(b&127) << shift
		if b < 128 {
			return v
		}
	}
	return v
}

// decodeSigned decodes a number whose lowest bit is its sign.
func decodeSigned(v uint32) uint32 { return v>>1 ^ -(v & 1) }

// A triangleDecoder is the state of DecodeTriangles. It remembers the 16 newest edges and the 16 newest vertices.
type triangleDecoder struct {
	codes, more stream
	aux         []byte
	edges       [16][2]uint32
	vertices    [16]uint32
	edge        int // index in edges where the next edge is stored, modulo 16
	vertex      int
	fresh       uint32 // the lowest number of a vertex that is not used yet
	last        uint32 // the newest vertex that was stored as a difference
}

// DecodeTriangles decodes `count` indices, three per triangle. It returns each index as a number of `size` bytes, 2
// or 4.
//
// Each triangle has a code of one byte. The code names one of the 16 newest edges, which is an edge of the triangle.
// It also names the third vertex of the triangle. The third vertex is
//   - a new vertex
//   - one of the 16 newest vertices
//   - a vertex whose index is stored in the data, as a difference from the index stored before it
func DecodeTriangles(data []byte, count, size int) ([]byte, error) {
	if count < 0 || count%3 != 0 || size != 2 && size != 4 {
		return nil, errSize
	}
	if len(data) < 1+auxSize || count/3 > len(data)-1-auxSize {
		return nil, errShort
	}
	if data[0] != triangleHeader {
		return nil, errVersion
	}
	codes := 1 + count/3
	end := len(data) - auxSize
	d := triangleDecoder{codes: stream{data: data[1:codes]}, more: stream{data: data[codes:end]}, aux: data[end:]}
	for i := range d.edges {
		d.edges[i] = [2]uint32{^uint32(0), ^uint32(0)}
		d.vertices[i] = ^uint32(0)
	}
	out := make([]byte, 0, count*size)
	for range count / 3 {
		for _, v := range d.triangle() {
			out = appendIndex(out, v, size)
		}
	}
	return out, d.more.checkEnd()
}

// checkEnd returns an error unless the data was read exactly to its end.
func (s *stream) checkEnd() error {
	switch {
	case s.short:
		return errShort
	case len(s.data) > 0:
		return errLong
	}
	return nil
}

func appendIndex(out []byte, v uint32, size int) []byte {
	if size == 2 {
		return binary.LittleEndian.AppendUint16(out, uint16(v))
	}
	return binary.LittleEndian.AppendUint32(out, v)
}

func (d *triangleDecoder) pushEdge(a, b uint32) {
	d.edges[d.edge&15] = [2]uint32{a, b}
	d.edge++
}

// pushVertex stores a vertex as the newest one. If keep is false, the next vertex overwrites it.
func (d *triangleDecoder) pushVertex(v uint32, keep bool) {
	d.vertices[d.vertex&15] = v
	if keep {
		d.vertex++
	}
}

func (d *triangleDecoder) takeFresh() uint32 {
	d.fresh++
	return d.fresh - 1
}

func (d *triangleDecoder) nextDifference() uint32 {
	d.last += decodeSigned(d.more.number())
	return d.last
}

// triangle decodes the next triangle.
func (d *triangleDecoder) triangle() [3]uint32 {
	code := d.codes.next()
	if code < 0xf0 {
		return d.triangleOnEdge(int(code>>4), int(code&15))
	}
	return d.freeTriangle(code)
}

// triangleOnEdge decodes a triangle on one of the newest edges. `edge` is the number of edges that were stored after
// that edge.
func (d *triangleDecoder) triangleOnEdge(edge, vertex int) [3]uint32 {
	e := d.edges[(d.edge-1-edge)&15]
	a, b := e[0], e[1]
	var c uint32
	keep := true
	switch {
	case vertex == 0:
		c = d.takeFresh()
	case vertex < 13:
		c, keep = d.vertices[(d.vertex-1-vertex)&15], false
	case vertex == 13:
		d.last--
		c = d.last
	case vertex == 14:
		d.last++
		c = d.last
	default:
		c = d.nextDifference()
	}
	d.pushVertex(c, keep)
	d.pushEdge(c, b)
	d.pushEdge(a, c)
	return [3]uint32{a, b, c}
}

// freeTriangle decodes a triangle that shares none of the newest edges. Its first vertex is new, or the data contains
// the indices of its vertices.
func (d *triangleDecoder) freeTriangle(code byte) [3]uint32 {
	aux, first := byte(0), 0
	if code < 0xfe {
		aux = d.aux[code&15]
	} else {
		aux = d.more.next()
		if aux == 0 {
			d.fresh = 0
		}
		if code == 0xff {
			first = 15
		}
	}
	kinds := [3]int{first, int(aux >> 4), int(aux & 15)}
	explicit := code >= 0xfe
	var t [3]uint32
	for k, kind := range kinds {
		switch {
		case kind == 0:
			t[k] = d.takeFresh()
		case kind != 15 || !explicit:
			t[k] = d.vertices[(d.vertex-kind)&15]
		}
	}
	for k, kind := range kinds {
		if kind == 15 && explicit {
			t[k] = d.nextDifference()
		}
	}
	for k, kind := range kinds {
		d.pushVertex(t[k], k == 0 || kind == 0 || kind == 15 && explicit)
	}
	d.pushEdge(t[1], t[0])
	d.pushEdge(t[2], t[1])
	d.pushEdge(t[0], t[2])
	return t
}

// DecodeSequence decodes `count` indices. It returns each index as a number of `size` bytes, 2 or 4. The data stores
// each index as a difference from one of two earlier indices.
func DecodeSequence(data []byte, count, size int) ([]byte, error) {
	if count < 0 || size != 2 && size != 4 {
		return nil, errSize
	}
	if len(data) < 1+sequenceTail || count > len(data)-1-sequenceTail {
		return nil, errShort
	}
	if data[0] != sequenceHeader {
		return nil, errVersion
	}
	s := stream{data: data[1 : len(data)-sequenceTail]}
	out := make([]byte, 0, count*size)
	var last [2]uint32
	for range count {
		v := s.number()
		from := &last[v&1]
		*from += decodeSigned(v >> 1)
		out = appendIndex(out, *from, size)
	}
	return out, s.checkEnd()
}
