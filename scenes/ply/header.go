package ply

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lockstep/scenes/internal/text"
)

// encoding is the form in which the rows of elements are stored.
type encoding uint8

const (
	ascii encoding = iota
	littleEndian
	bigEndian
)

var encodings = map[string]encoding{
	"ascii": ascii, "binary_little_endian": littleEndian, "binary_big_endian": bigEndian,
}

// kind is a numeric type.
type kind uint8

const (
	none kind = iota
	int8s
	uint8s
	int16s
	uint16s
	int32s
	uint32s
	int64s
	uint64s
	float32s
	float64s
)

// sizes holds the number of bytes of a number of each kind.
var sizes = [...]int{0, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8}

// kinds maps names of numeric types to kinds. It has the original names and those that came later.
var kinds = map[string]kind{
	"char": int8s, "int8": int8s, "uchar": uint8s, "uint8": uint8s, "short": int16s, "int16": int16s,
	"ushort": uint16s, "uint16": uint16s, "int": int32s, "int32": int32s, "uint": uint32s, "uint32": uint32s,
	"long": int64s, "int64": int64s, "ulong": uint64s, "uint64": uint64s,
	"float": float32s, "float32": float32s, "double": float64s, "float64": float64s,
}

// A property is a number or a list of numbers. Each row of an element has one value of each property.
type property struct {
	name  string
	kind  kind
	count kind // numeric type of the length of a list; `none`: the property is a single number
}

// An element is a table of the file, such as the table of vertices.
type element struct {
	name       string
	count      uint64 // number of rows, as the header claims
	properties []property
}

// index returns the index of the property that has one of the names, or -1. If several properties match, index chooses
// the one whose name comes first in `names`. The property must be a list if list is set, and a single number otherwise.
func (e *element) index(list bool, names ...string) int {
	for _, name := range names {
		for i, p := range e.properties {
			if p.name == name && (p.count != none) == list {
				return i
			}
		}
	}
	return -1
}

// A header is the text before the elements.
type header struct {
	encoding encoding
	elements []element
	textures []string // files named by comments
	notes    []string // warnings about unknown lines and unusual names of lists of corners
	size     int      // size in bytes, including the end of the last line
	lines    int
}

// A fault is what is wrong in one line of the header.
type fault struct {
	line int
	text string
}

// Limits of a header. Without them, a short file could claim much memory. No known program writes so many elements and
// properties.
const (
	maxElements   = 256
	maxProperties = 4096
	maxTextures   = 256
	maxNotes      = 16
)

// parseHeader parses the header at the start of a file.
func parseHeader(p []byte) (*header, *fault) {
	h := &header{encoding: 255}
	eol := byte('\n')
	if first := bytes.IndexAny(p, "\r\n"); first >= 0 && p[first] == '\r' && (first+1 == len(p) || p[first+1] != '\n') {
		eol = '\r'
	}
	for rest := p; ; {
		at := bytes.IndexByte(rest, eol)
		if at < 0 {
			return nil, &fault{h.lines + 1, "the file ends, or goes on too long, without end_header"}
		}
		words := strings.Fields(string(rest[:min(at, text.MaxName)]))
		rest = rest[at+1:]
		h.lines++
		h.size += at + 1
		if len(words) == 0 || h.lines == 1 { // empty, or the first line, which holds the mark
			continue
		}
		words[0] = strings.ToLower(words[0])
		if len(words) > 2 && words[0] == "comment" && words[1] == "TextureFile" && len(h.textures) < maxTextures {
			h.textures = append(h.textures, strings.Join(words[2:], " "))
		}
		if words[0] == "end_header" {
			h.nameCorners()
			return h, h.check()
		}
		if problem := h.parseLine(words); problem != "" {
			return nil, &fault{h.lines, problem}
		}
	}
}

// parseLine parses a line of the header. problem is empty, or describes what is wrong with the line.
func (h *header) parseLine(words []string) (problem string) {
	switch words[0] {
	case "ply", "comment", "obj_info":
		return ""
	case "format":
		if len(words) < 2 {
			return "format without a name"
		}
		e, ok := encodings[strings.ToLower(words[1])]
		if !ok {
			return "unknown format " + text.Short(words[1])
		}
		h.encoding = e
		return ""
	case "element":
		return h.parseElement(words[1:])
	case "property":
		return h.parseProperty(words[1:])
	}
	problem = "unexpected " + text.Short(words[0])
	if len(h.elements) > 0 || h.encoding == 255 {
		return problem
	}
	if len(h.notes) < maxNotes { // an unknown line before the first element is taken for a remark
		h.notes = append(h.notes, fmt.Sprintf("line %d: %s", h.lines, problem))
	}
	return ""
}

func (h *header) parseElement(words []string) (problem string) {
	if len(words) < 2 {
		return "element without name and number"
	}
	n, err := strconv.ParseUint(words[1], 10, 63)
	if err != nil {
		return "number of elements " + text.Short(words[1])
	}
	if len(h.elements) == maxElements {
		return fmt.Sprintf("more than %d elements", maxElements)
	}
	h.elements = append(h.elements, element{name: strings.ToLower(words[0]), count: n})
	return ""
}

func (h *header) parseProperty(words []string) (problem string) {
	if len(h.elements) == 0 {
		return "property without an element"
	}
	e := &h.elements[len(h.elements)-1]
	if len(e.properties) == maxProperties {
		return fmt.Sprintf("more than %d properties", maxProperties)
	}
	p := property{}
	if len(words) > 0 && strings.EqualFold(words[0], "list") {
		words = words[1:]
		if len(words) > 0 {
			p.count = kinds[strings.ToLower(words[0])]
			words = words[1:]
		}
		if p.count == none {
			return "list without a known type of its length"
		}
	}
	if len(words) < 2 {
		return "property without type and name"
	}
	if p.kind = kinds[strings.ToLower(words[0])]; p.kind == none {
		return "unknown type " + text.Short(words[0])
	}
	p.name = strings.ToLower(words[1])
	e.properties = append(e.properties, p)
	return ""
}

// firstElement returns the first element with one of the names, or nil if there is none.
func (h *header) firstElement(names ...string) *element {
	for i := range h.elements {
		if slices.Contains(names, h.elements[i].name) {
			return &h.elements[i]
		}
	}
	return nil
}

// nameCorners renames lists of corners that have an unusual name. If an element of faces has no list with a usual name,
// but exactly one list of integers, that list must be the corners.
func (h *header) nameCorners() {
	for i := range h.elements {
		e := &h.elements[i]
		if !e.isFaces() || e.count == 0 || e.index(true, "vertex_indices", "vertex_index") >= 0 {
			continue
		}
		lists, last := 0, 0
		for k, p := range e.properties {
			if p.count != none && p.kind < float32s {
				lists, last = lists+1, k
			}
		}
		note := fmt.Sprintf("element %s has no list vertex_indices", text.Short(e.name))
		if lists == 1 {
			note += ": its list " + text.Short(e.properties[last].name) + " is read as the corners"
			e.properties[last].name = "vertex_indices"
		}
		h.notes = append(h.notes, note)
	}
}

func (e *element) isFaces() bool {
	return e.name == "face" || e.name == "polygon" || e.name == "tristrips"
}

// hasFaces reports whether the header promises polygons or strips. Edges do not count.
func (h *header) hasFaces() bool {
	for i := range h.elements {
		if e := &h.elements[i]; e.count > 0 && e.isFaces() {
			return true
		}
	}
	return false
}

// check checks a header of which each line has already been checked alone. It returns the first fault, such as missing
// vertices, or nil.
func (h *header) check() *fault {
	if h.encoding > bigEndian {
		return &fault{h.lines, "the header has no format"}
	}
	if h.firstElement("vertex") == nil {
		return &fault{h.lines, "the header has no vertices"}
	}
	for i := range h.elements { // a damaged header may have several elements of vertices
		for _, name := range []string{"x", "y", "z"} {
			if e := &h.elements[i]; e.name == "vertex" && e.index(false, name) < 0 {
				return &fault{h.lines, "the vertices have no " + name}
			}
		}
	}
	return nil
}
