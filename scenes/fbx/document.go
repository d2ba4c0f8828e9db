package fbx

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"strconv"

	"lockstep/scenes/internal/text"
)

// A document holds the records of a file. Records store only offsets into the bytes of the file. Values are decoded
// when they are used, so arrays are not copied.
type document struct {
	data  []byte
	ascii bool
	wide  bool // records have 64-bit lengths
	order binary.ByteOrder
	nodes []record // node 0 is the root, which contains all other nodes
	// bad is the reason why the document ends early, at offset badAt. It is empty if the document is complete.
	bad   string
	badAt int
}

// A record holds the offsets of its name and its values, and links to other records.
type record struct {
	name, values, end int // byte offsets; end is where the values end
	length            int32
	child, next       int32 // indices of the first child and of the next sibling; 0: none
}

// recordBytes is the memory of a record in bytes.
const recordBytes = 40

// A node refers to a record of a document. If i is -1, it refers to none.
type node struct {
	doc *document
	i   int32 // index of the record; 0 is the root, -1 is none
}

func (d *document) root() node { return node{d, 0} }

// bytePlace returns the text for an offset in messages.
func bytePlace(at int) string { return fmt.Sprintf("byte %d", at) }

// exists reports whether n refers to a record that is not the root.
func (n node) exists() bool { return n.i > 0 }

func (n node) offset() int {
	if n.i < 0 {
		return 0
	}
	return n.doc.nodes[n.i].name
}

func (n node) name() string {
	if !n.exists() {
		return ""
	}
	r := &n.doc.nodes[n.i]
	return string(n.doc.data[r.name : r.name+int(r.length)])
}

// children returns the child records of n.
func (n node) children() iter.Seq[node] {
	return func(yield func(node) bool) {
		if n.i < 0 {
			return
		}
		for i := n.doc.nodes[n.i].child; i != 0; i = n.doc.nodes[i].next {
			if !yield(node{n.doc, i}) {
				return
			}
		}
	}
}

// child returns the first child record of n called name. If there is none, the result does not exist.
func (n node) child(name string) node {
	for c := range n.children() {
		if c.name() == name {
			return c
		}
	}
	return node{n.doc, -1}
}

// A value is one of the values of a record.
type value struct {
	kind byte   // in a binary file the letter of the type; in a text 'S': quoted, '*': a count, 'N': other
	raw  []byte // bytes of the value; for an array, the bytes after its header
	n    int    // number of entries of an array
	zlib bool
}

// values returns the values of a record one by one.
func (n node) values() iter.Seq[value] {
	return func(yield func(value) bool) {
		if !n.exists() {
			return
		}
		r := &n.doc.nodes[n.i]
		next := n.doc.binaryValue
		if n.doc.ascii {
			next = n.doc.textValue
		}
		for at := r.values; at < r.end; {
			v, to, ok := next(at, r.end)
			if !ok || !yield(v) {
				return
			}
			at = to
		}
	}
}

// value returns value i of a record. If the record has fewer values, the kind of the result is 0.
func (n node) value(i int) value {
	k := 0
	for v := range n.values() {
		if k == i {
			return v
		}
		k++
	}
	return value{}
}

// sizeOf returns the number of bytes of a number of the given kind, or of an entry of an array of that kind. It returns
// 0 for all other kinds.
func sizeOf(kind byte) int {
	switch kind {
	case 'Y':
		return 2
	case 'C', 'B', 'b', 'c':
		return 1
	case 'I', 'F', 'i', 'f':
		return 4
	case 'D', 'L', 'd', 'l':
		return 8
	}
	return 0
}

// arrayHead is the size in bytes of the header of an array: number of entries, encoding, and length.
const arrayHead = 12

// binaryValue returns the value at the offset `at` of a binary file, and the offset of the next value. end is the end
// of the record. ok is false if the value is damaged.
func (d *document) binaryValue(at, end int) (v value, next int, ok bool) {
	v.kind = d.data[at]
	at++
	length := 0
	switch v.kind {
	case 'S', 'R':
		if end-at < 4 {
			return v, 0, false
		}
		length = int(d.order.Uint32(d.data[at:]))
		at += 4
	case 'f', 'd', 'l', 'i', 'b', 'c':
		if end-at < arrayHead {
			return v, 0, false
		}
		v.n = int(d.order.Uint32(d.data[at:]))
		v.zlib = d.order.Uint32(d.data[at+4:]) != 0
		length = int(d.order.Uint32(d.data[at+8:]))
		if !v.zlib && length > sizeOf(v.kind)*v.n {
			length = sizeOf(v.kind) * v.n
		}
		at += arrayHead
	default:
		if length = sizeOf(v.kind); length == 0 {
			return v, 0, false
		}
	}
	if length < 0 || length > end-at {
		length = end - at // the file ends within the value
		if sizeOf(v.kind) > length || v.kind == 'S' {
			return v, 0, false
		}
	}
	v.raw = d.data[at : at+length]
	return v, at + length, true
}

// number decodes the number of the given kind at the start of b.
func (d *document) number(kind byte, b []byte) float64 {
	switch kind {
	case 'Y':
		return float64(int16(d.order.Uint16(b)))
	case 'C', 'B', 'b', 'c':
		return float64(b[0])
	case 'I', 'i':
		return float64(int32(d.order.Uint32(b)))
	case 'F', 'f':
		return float64(math.Float32frombits(d.order.Uint32(b)))
	case 'D', 'd':
		return math.Float64frombits(d.order.Uint64(b))
	default:
		return float64(int64(d.order.Uint64(b)))
	}
}

// float returns a value as a number. The bool is false if the value is not a number.
func (n node) float(v value) (float64, bool) {
	if v.kind == 'N' {
		numbers := text.NumbersOf(v.raw)
		x, ok := numbers.Float()
		return x, ok
	}
	if sizeOf(v.kind) == 0 || v.kind >= 'a' {
		return 0, false
	}
	return n.doc.number(v.kind, v.raw), true
}

// key returns v as a string that can identify an object.
func (n node) key(v value) string {
	switch v.kind {
	case 'S', 'N':
		return string(v.raw[:min(len(v.raw), text.MaxName)])
	case 'L':
		return strconv.FormatInt(int64(n.doc.order.Uint64(v.raw)), 10)
	case 'I':
		return strconv.FormatInt(int64(int32(n.doc.order.Uint32(v.raw))), 10)
	}
	return ""
}

// text returns value i as a string. It returns "" if the value is missing or of another type.
func (n node) text(i int) string {
	v := n.value(i)
	if v.kind != 'S' && v.kind != 'N' {
		return ""
	}
	return string(v.raw[:min(len(v.raw), text.MaxName)])
}

// A property is a named list of values that describes an object.
type property struct {
	name string
	of   node
	from int // index of the first number of the property among the record's values
}

// number returns number i of a property. The bool is false if the property has fewer numbers.
func (p *property) number(i int) (float64, bool) { return p.of.float(p.of.value(p.from + i)) }

// vector returns the first three numbers of a property. ok is false if any of them is missing.
func (p *property) vector() (v [3]float64, ok bool) {
	for i := range v {
		if v[i], ok = p.number(i); !ok {
			return v, false
		}
	}
	return v, true
}

// properties returns the properties of an object.
func properties(of node) iter.Seq[property] {
	return func(yield func(property) bool) {
		for list := range of.children() {
			from := 0
			switch list.name() {
			case "Properties70":
				from = 4
			case "Properties60":
				from = 3
			default:
				continue
			}
			for p := range list.children() {
				if !yield(property{p.text(0), p, from}) {
					return
				}
			}
		}
	}
}
