package gltf

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// A kind is the numeric type of an accessor.
type kind integer

const (
	int8s    kind = 5120
	uint8s   kind = 5121
	int16s   kind = 5122
	uint16s  kind = 5123
	uint32s  kind = 5125
	float32s kind = 5126
)

// size returns the number of bytes that a number of kind k takes. It returns 0 for an unknown kind.
func (k kind) size() int {
	switch k {
	case int8s, uint8s:
		return 1
	case int16s, uint16s:
		return 2
	case uint32s, float32s:
		return 4
	}
	return 0
}

// isUnsigned reports whether indices may be of kind k.
func (k kind) isUnsigned() bool { return k == uint8s || k == uint16s || k == uint32s }

// valueOfOne returns the integer that means 1 in normalised numbers.
func (k kind) valueOfOne() float64 {
	switch k {
	case int8s:
		return math.MaxInt8
	case uint8s:
		return math.MaxUint8
	case int16s:
		return math.MaxInt16
	case uint16s:
		return math.MaxUint16
	}
	return math.MaxUint32
}

// widths maps the type of an accessor to the number of numbers in an element.
var widths = map[string]int{"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}

// elements holds the numbers of an accessor that was checked. Element i consists of `width` numbers, which start at
// byte i*stride of data.
type elements struct {
	n          int
	width      int
	kind       kind
	normalized bool
	data       []byte // bytes of the elements; nil if all numbers are zero
	stride     int

	// sparseAt and sparseValues replace single elements: element i of sparseValues replaces element sparseAt[i].
	// sparseAt is in ascending order.
	sparseAt     []uint32
	sparseValues *elements
}

// scaled returns e with integers scaled to the range 0 to 1, even if the file does not call them normalised. It is for
// colours and weights, where integers can mean nothing else.
func (e *elements) scaled() *elements {
	s := *e
	s.normalized = true
	if e.sparseValues != nil {
		s.sparseValues = e.sparseValues.scaled()
	}
	return &s
}

// An accessorResult holds the elements of an accessor, or the error of reading them.
type accessorResult struct {
	elements *elements
	err      error
}

// accessor returns the elements of accessor i. The number of numbers in an element must be one of `want`.
func (r *reader) accessor(i integer, want ...int) (*elements, error) {
	a, err := entry(r.doc.Accessors, "accessor", i)
	if err != nil {
		return nil, err
	}
	c, ok := r.accessors[i]
	if !ok {
		if c.elements, c.err = r.checkAccessor(a); c.err != nil {
			c.err = fmt.Errorf("accessor %d: %w", i, c.err)
		}
		r.accessors[i] = c
	}
	if c.err != nil {
		return nil, c.err
	}
	e := c.elements
	if !slices.Contains(want, e.width) {
		return nil, fmt.Errorf("accessor %d has the type %.8q", i, a.Type)
	}
	return e, nil
}

// checkAccessor returns the elements of an accessor. It returns an error if the file has too few bytes for the
// elements.
func (r *reader) checkAccessor(a *claimedAccessor) (*elements, error) {
	e := &elements{width: widths[a.Type], kind: kind(a.ComponentType), normalized: a.Normalized}
	if e.width == 0 {
		return nil, fmt.Errorf("unknown type %.8q", a.Type)
	}
	if e.kind.size() == 0 {
		return nil, fmt.Errorf("unknown type of numbers %d", a.ComponentType)
	}
	if a.Count < 0 {
		return nil, fmt.Errorf("%d elements", a.Count)
	}
	if a.BufferView != nil {
		if err := r.attachView(e, *a.BufferView, a.ByteOffset, a.Count); err != nil {
			return nil, err
		}
	} else if a.Count > integer(r.in.Done()) {
		return nil, fmt.Errorf("%d elements without bytes, more than the file has", a.Count)
	}
	e.n = int(a.Count)
	if a.Sparse == nil {
		return e, nil
	}
	return e, r.checkSparse(e, a.Sparse)
}

// attachView makes e refer to the bytes of `count` elements of a buffer view, which start at `offset`.
func (r *reader) attachView(e *elements, view, offset, count integer) error {
	data, stride, err := r.view(view)
	if err != nil {
		return err
	}
	size := e.width * e.kind.size()
	if stride == 0 {
		stride = size
	}
	if stride < size {
		return fmt.Errorf("elements of %d bytes are %d bytes apart", size, stride)
	}
	if offset < 0 || offset > integer(len(data)) {
		return fmt.Errorf("byte %d of a buffer view of %d", offset, len(data))
	}
	data = data[offset:]
	if count < 0 || count > integer(len(data)) || count > 0 && (count-1)*integer(stride)+integer(size) > integer(len(data)) {
		return fmt.Errorf("%d elements of %d bytes, %d apart, in %d bytes", count, size, stride, len(data))
	}
	e.n, e.data, e.stride = int(count), data, stride
	return nil
}

func (r *reader) checkSparse(e *elements, s *sparse) error {
	if s.Count < 0 || s.Count > integer(e.n) {
		return fmt.Errorf("%d sparse elements of %d", s.Count, e.n)
	}
	indices := &elements{width: 1, kind: kind(s.Indices.ComponentType)}
	if !indices.kind.isUnsigned() {
		return fmt.Errorf("sparse indices of the type %d", indices.kind)
	}
	e.sparseValues = &elements{width: e.width, kind: e.kind, normalized: e.normalized}
	if err := r.attachView(indices, s.Indices.BufferView, s.Indices.ByteOffset, s.Count); err != nil {
		return fmt.Errorf("sparse indices: %w", err)
	}
	if err := r.attachView(e.sparseValues, s.Values.BufferView, s.Values.ByteOffset, s.Count); err != nil {
		return fmt.Errorf("sparse values: %w", err)
	}
	if err := r.sparse.Spend(r.in, int64(s.Count)); err != nil {
		return err
	}
	if err := r.Reserve(4 * int64(s.Count)); err != nil {
		return err
	}
	e.sparseAt = make([]uint32, s.Count)
	indices.decodeIndices(0, e.sparseAt)
	for i, at := range e.sparseAt {
		if int64(at) >= int64(e.n) || i > 0 && at <= e.sparseAt[i-1] {
			return fmt.Errorf("sparse index %d is %d, of %d elements", i, at, e.n)
		}
	}
	return nil
}

// decodeIndices fills `to` with consecutive elements, starting with element lo. The elements must be integers without a
// sparse part.
func (e *elements) decodeIndices(lo int, to []uint32) {
	if e.data == nil {
		clear(to)
		return
	}
	p, stride := e.data[lo*e.stride:], e.stride
	switch e.kind {
	case uint8s:
		for i := range to {
			to[i] = uint32(p[i*stride])
		}
	case uint16s:
		for i := range to {
			to[i] = uint32(binary.LittleEndian.Uint16(p[i*stride:]))
		}
	default:
		if stride == 4 {
			p = p[:4*len(to)]
			for i := range to {
				to[i] = binary.LittleEndian.Uint32(p[4*i:])
			}
			return
		}
		for i := range to {
			to[i] = binary.LittleEndian.Uint32(p[i*stride:])
		}
	}
}

// decodeNumbers fills `to` with the first `width` numbers of consecutive elements, starting with element lo.
func (e *elements) decodeNumbers(lo, width int, to []float64) {
	n := len(to) / width
	if e.data == nil {
		clear(to)
	} else {
		for i := range n {
			e.decodeElement(e.data[(lo+i)*e.stride:], to[i*width:i*width+width])
		}
	}
	if e.sparseValues == nil {
		return
	}
	first, _ := slices.BinarySearch(e.sparseAt, uint32(lo))
	for i := first; i < len(e.sparseAt) && int(e.sparseAt[i]) < lo+n; i++ {
		k := int(e.sparseAt[i]) - lo
		e.sparseValues.decodeNumbers(i, width, to[k*width:k*width+width])
	}
}

// decodeElement decodes the first len(to) numbers of the element whose bytes start at p.
func (e *elements) decodeElement(p []byte, to []float64) {
	for c := range to {
		switch e.kind {
		case float32s:
			to[c] = float64(math.Float32frombits(binary.LittleEndian.Uint32(p[4*c:])))
			continue
		case int8s:
			to[c] = float64(int8(p[c]))
		case uint8s:
			to[c] = float64(p[c])
		case int16s:
			to[c] = float64(int16(binary.LittleEndian.Uint16(p[2*c:])))
		case uint16s:
			to[c] = float64(binary.LittleEndian.Uint16(p[2*c:]))
		default:
			to[c] = float64(binary.LittleEndian.Uint32(p[4*c:]))
		}
		if e.normalized {
			to[c] = max(to[c]/e.kind.valueOfOne(), -1)
		}
	}
}

// decodeVectors fills `to` with consecutive elements, starting with element lo. The elements must have three numbers
// each.
func (e *elements) decodeVectors(lo int, to [][3]float64) {
	if e.kind == float32s && e.sparseValues == nil && e.data != nil {
		p := e.data[lo*e.stride:]
		for i := range to {
			q := p[i*e.stride:][:12]
			to[i] = [3]float64{
				float64(math.Float32frombits(binary.LittleEndian.Uint32(q))),
				float64(math.Float32frombits(binary.LittleEndian.Uint32(q[4:]))),
				float64(math.Float32frombits(binary.LittleEndian.Uint32(q[8:]))),
			}
		}
		return
	}
	var v [3]float64
	for i := range to {
		e.decodeNumbers(lo+i, 3, v[:])
		to[i] = v
	}
}
