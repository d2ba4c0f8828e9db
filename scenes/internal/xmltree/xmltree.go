// Package xmltree represents an XML document as a tree of offsets into its bytes. Texts and attributes are extracted
// only when they are requested. So long lists of numbers are never copied.
//
// It supports as much of XML as mesh files use. It skips document types and opens nothing outside the document. Only
// the five predefined entities and numbered characters are replaced; other entities stay as they are. Prefixes of names
// are ignored.
package xmltree

import (
	"bytes"
	"fmt"

	"lockstep/scenes/format"
	"lockstep/scenes/internal/text"
)

// Limits of a document, which are far above what programs write. A tree is at most MaxDepth deep, so readers may walk
// it recursively.
const (
	MaxDepth = 256
	maxTag   = 64 << 20 // large, because an attribute in X3D may hold all coordinates of a mesh
)

// A node describes an element by three offsets: of its tag, of its body, and of the end of its body.
type node struct {
	tag, body, end int
	child, next    int32 // indices of the first child and of the next sibling; 0: none
}

// nodeBytes is the size in bytes of a node.
const nodeBytes = 3*8 + 2*4

// A Tree is a parsed document. Node 0 is the parent of all top-level elements.
type Tree struct {
	data  []byte
	nodes []node
	// Bad is the reason why parsing stopped at offset At, before the end of the document. It is empty if the whole
	// document was parsed.
	Bad string
	At  int
}

// A Node is an element of a document, the document itself, or no element.
type Node struct {
	tree *Tree
	i    int32 // 0 for the document itself, -1 for no element
}

// Parse parses a document, which must not change while the tree is used. held is the number of bytes that the reader
// itself holds. If the document is damaged, the tree contains everything before the damage. The error is a
// *scenes.LimitError or the error of the context of in.
func Parse(in *format.Input, data []byte, held int64) (*Tree, error) {
	t := &Tree{data: data, nodes: make([]node, 1, 64)}
	p := parser{Tree: t, in: in, held: held, last: []int32{0}}
	t.nodes[0] = node{end: len(data)}
	p.open = append(p.open, 0)
	if err := p.parse(); err != nil {
		return nil, err
	}
	for _, i := range p.open {
		t.nodes[i].end = min(len(data), max(p.pos, t.nodes[i].body))
	}
	return t, nil
}

// Read is Parse for a reader. It counts the tree in the reader's memory and warns of damage.
func Read(in *format.Input, data []byte, memory *format.Memory, warn *format.Warnings) (*Tree, error) {
	t, err := Parse(in, data, memory.Held)
	if err != nil {
		return nil, err
	}
	memory.Held += t.Memory()
	if t.Bad != "" {
		return t, warn.Add(fmt.Sprintf("byte %d", t.At), "the XML is damaged: %s", t.Bad)
	}
	return t, nil
}

// Memory returns the number of bytes of the tree, not counting those of the document.
func (t *Tree) Memory() int64 { return nodeBytes * int64(cap(t.nodes)) }

// Root returns the node for the document itself, the parent of all top-level elements.
func (t *Tree) Root() Node { return Node{t, 0} }

// A parser is the state of Parse.
type parser struct {
	*Tree
	in   *format.Input
	held int64
	pos  int
	open []int32 // elements that have begun but not ended, outermost first
	last []int32 // newest child of each open element; 0: none
}

// parse reads all tags.
func (p *parser) parse() error {
	for {
		i := bytes.IndexByte(p.data[p.pos:], '<')
		if i < 0 {
			if len(p.open) > 1 {
				p.fail(len(p.data), "the document ends within an element")
			}
			p.pos = len(p.data)
			return nil
		}
		p.pos += i
		if done, err := p.parseTag(); err != nil || done {
			return err
		}
	}
}

func (p *parser) fail(at int, format string, args ...any) bool {
	if p.Bad == "" {
		p.Bad, p.At = fmt.Sprintf(format, args...), at
	}
	return true
}

// parseTag parses everything from a < to its >. done is true if parsing must stop because of damage.
func (p *parser) parseTag() (done bool, err error) {
	rest := p.data[p.pos:]
	if len(rest) > 1 && rest[1] != '!' && rest[1] != '?' {
		return p.parseElement(rest)
	}
	for _, special := range []struct{ begin, end string }{{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}} {
		if bytes.HasPrefix(rest, []byte(special.begin)) {
			n := bytes.Index(rest[len(special.begin):], []byte(special.end))
			if n < 0 {
				return p.fail(p.pos, "%s without an end", special.begin), nil
			}
			p.pos += len(special.begin) + n + len(special.end)
			return false, nil
		}
	}
	if bytes.HasPrefix(rest, []byte("<!")) {
		n := endOfDoctype(rest)
		if n < 0 {
			return p.fail(p.pos, "a document type without an end"), nil
		}
		p.pos += n
		return false, nil
	}
	return p.parseElement(rest)
}

// parseElement parses the start or end tag of an element.
func (p *parser) parseElement(rest []byte) (done bool, err error) {
	n := endOfTag(rest)
	if n < 0 || n > maxTag {
		return p.fail(p.pos, "a tag without an end"), nil
	}
	at, body := p.pos, p.pos+n
	p.pos = body
	if rest[1] == '/' {
		return p.leave(at, rest[2:n-1]), nil
	}
	return p.enter(at, body, rest[n-2] == '/')
}

// enter adds an element as the last child of the innermost open element, and opens it unless it is empty. done is true
// if parsing must stop because of damage.
func (p *parser) enter(at, body int, empty bool) (done bool, err error) {
	if len(p.open) > MaxDepth {
		return p.fail(at, "elements within each other, more than %d deep", MaxDepth), nil
	}
	if len(p.nodes) == cap(p.nodes) {
		if err := p.in.Context().Err(); err != nil {
			return false, err
		}
		if err := p.in.Allow(0, p.held+3*p.Memory()); err != nil { // both lists exist while the old one is copied
			return false, err
		}
		grown := make([]node, len(p.nodes), 2*cap(p.nodes))
		copy(grown, p.nodes)
		p.nodes = grown
	}
	i := int32(len(p.nodes))
	p.nodes = append(p.nodes, node{tag: at, body: body, end: body})
	top := len(p.open) - 1
	if last := p.last[top]; last != 0 {
		p.nodes[last].next = i
	} else {
		p.nodes[p.open[top]].child = i
	}
	p.last[top] = i
	if !empty {
		p.open, p.last = append(p.open, i), append(p.last, 0)
	}
	return false, nil
}

// leave closes the innermost open element. If its name is not name, leave returns true, which ends parsing.
func (p *parser) leave(at int, name []byte) bool {
	top := len(p.open) - 1
	if top == 0 {
		return p.fail(at, "the end of an element that has not begun")
	}
	name = localName(bytes.TrimRight(name, " \t\r\n"))
	if open := (Node{p.Tree, p.open[top]}); !bytes.Equal(open.name(), name) {
		return p.fail(at, "the end of %s within %s", text.Short(name), text.Short(open.Name()))
	}
	p.nodes[p.open[top]].end = at
	p.open, p.last = p.open[:top], p.last[:top]
	return false
}

// endOfTag returns the index after the > that ends a tag. A > within quotes does not count. It returns -1 if the tag
// has no end.
func endOfTag(b []byte) int {
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '>':
			if i == 1 {
				return -1
			}
			return i + 1
		case '"', '\'':
			n := bytes.IndexByte(b[i+1:], b[i])
			if n < 0 {
				return -1
			}
			i += n + 1
		}
	}
	return -1
}

// endOfDoctype returns the index after a document type with all its declarations. It returns -1 if the document type
// has no end.
func endOfDoctype(b []byte) int {
	depth := 0
	for i := range b {
		switch b[i] {
		case '<', '[':
			depth++
		case ']':
			depth--
		case '>':
			if depth--; depth <= 0 {
				return i + 1
			}
		}
	}
	return -1
}

// localName returns a name without its prefix.
func localName(name []byte) []byte {
	if i := bytes.LastIndexByte(name, ':'); i >= 0 {
		return name[i+1:]
	}
	return name
}
