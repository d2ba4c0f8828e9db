package xmltree

import (
	"bytes"
	"iter"
	"strconv"
	"strings"

	"lockstep/scenes/internal/text"
)

// None returns a node that is no element. It has no name, no text and no children.
func None() Node { return Node{new(Tree), -1} }

// Exists reports whether n is an element.
func (n Node) Exists() bool { return n.i > 0 }

// Key returns a number that identifies the element within its document.
func (n Node) Key() int32 { return n.i }

// Offset returns the offset of the tag of n in the document.
func (n Node) Offset() int {
	if !n.Exists() {
		return 0
	}
	return n.tree.nodes[n.i].tag
}

// Name returns the name of the element without its prefix.
func (n Node) Name() string { return string(n.name()) }

// name is like Name, but returns bytes of the document.
func (n Node) name() []byte {
	if !n.Exists() {
		return nil
	}
	tag := n.tree.data[n.tree.nodes[n.i].tag+1:]
	end := 0
	for end < len(tag) && !text.IsSpace(tag[end]) && tag[end] != '>' && tag[end] != '/' {
		end++
	}
	return localName(tag[:end])
}

// All returns the children of n.
func (n Node) All() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		if n.i < 0 {
			return
		}
		for i := n.tree.nodes[n.i].child; i != 0; i = n.tree.nodes[i].next {
			if !yield(Node{n.tree, i}) {
				return
			}
		}
	}
}

// Each returns the children of n that are called name.
func (n Node) Each(name string) iter.Seq[Node] {
	return func(yield func(Node) bool) {
		for c := range n.All() {
			if string(c.name()) == name && !yield(c) {
				return
			}
		}
	}
}

// Child returns the node at the end of a path of names: the first child of n called names[0], then the first child of
// that node called names[1], and so on. It returns None if a node of the path does not exist.
func (n Node) Child(names ...string) Node {
	for _, name := range names {
		found := None()
		for c := range n.Each(name) {
			found = c
			break
		}
		n = found
	}
	return n
}

// Raw returns the value of an attribute as it is in the document, without decoding entities. It returns nil if n does
// not have the attribute.
func (n Node) Raw(name string) []byte {
	if !n.Exists() {
		return nil
	}
	at := n.tree.nodes[n.i]
	tag := n.tree.data[at.tag+1 : at.body-1]
	for i := 0; i < len(tag); {
		for i < len(tag) && !text.IsSpace(tag[i]) {
			i++ // skips the element's name, or the byte after a value
		}
		for i < len(tag) && text.IsSpace(tag[i]) {
			i++
		}
		start := i
		for i < len(tag) && tag[i] != '=' && !text.IsSpace(tag[i]) {
			i++
		}
		found := string(localName(tag[start:i])) == name
		for i < len(tag) && (text.IsSpace(tag[i]) || tag[i] == '=') {
			i++
		}
		if i == len(tag) || tag[i] != '"' && tag[i] != '\'' {
			continue
		}
		end := bytes.IndexByte(tag[i+1:], tag[i])
		if end < 0 {
			return nil
		}
		if found {
			return tag[i+1 : i+1+end]
		}
		i += end + 2
	}
	return nil
}

// Attr returns the value of an attribute, at most text.MaxName bytes of it. It returns "" if n does not have the
// attribute.
func (n Node) Attr(name string) string { return decodeText(n.Raw(name)) }

// TagLen returns the length in bytes of the start tag of n with all its attributes.
func (n Node) TagLen() int {
	if !n.Exists() {
		return 0
	}
	at := n.tree.nodes[n.i]
	return int(at.body - at.tag)
}

// Int returns an attribute as a number. ok is true only for a whole number that is not negative.
func (n Node) Int(name string) (v int, ok bool) {
	v, err := strconv.Atoi(strings.TrimSpace(n.Attr(name)))
	return v, err == nil && v >= 0
}

// Body returns everything between the start and end tags of an element, as it is in the document.
func (n Node) Body() []byte {
	if !n.Exists() {
		return nil
	}
	at := n.tree.nodes[n.i]
	return n.tree.data[at.body:at.end]
}

// Words returns the text of an element without comments and tags. If the element contains neither, the result is a part
// of the document and not a copy.
func (n Node) Words() []byte {
	b := n.Body()
	if bytes.IndexByte(b, '<') < 0 {
		return b
	}
	var out []byte
	for len(b) > 0 {
		i := bytes.IndexByte(b, '<')
		if i < 0 {
			return append(out, b...)
		}
		out, b = append(append(out, b[:i]...), ' '), b[i:]
		switch {
		case bytes.HasPrefix(b, []byte("<![CDATA[")):
			end := bytes.Index(b, []byte("]]>"))
			if end < 0 {
				return out
			}
			out, b = append(out, b[9:end]...), b[end+3:]
		case bytes.HasPrefix(b, []byte("<!--")):
			end := bytes.Index(b, []byte("-->"))
			if end < 0 {
				return out
			}
			b = b[end+3:]
		default:
			end := bytes.IndexByte(b, '>')
			if end < 0 {
				return out
			}
			b = b[end+1:]
		}
	}
	return out
}

// Text returns the text of an element without the white space around it, at most text.MaxName bytes.
func (n Node) Text() string { return strings.TrimSpace(decodeText(bytes.TrimSpace(n.Words()))) }

// decodeText returns at most text.MaxName bytes of v with entities replaced by their characters.
func decodeText(v []byte) string {
	v = v[:min(len(v), text.MaxName)]
	if bytes.IndexByte(v, '&') < 0 {
		return string(v)
	}
	var b strings.Builder
	for s := string(v); s != ""; {
		before, after, ok := strings.Cut(s, "&")
		b.WriteString(before)
		if !ok {
			break
		}
		name, rest, ended := strings.Cut(after, ";")
		if one, known := entity(name); ended && known {
			b.WriteString(one)
			s = rest
			continue
		}
		b.WriteByte('&')
		s = after
	}
	return b.String()
}

// entity returns the character for the name of an entity. ok is false if the entity is unknown.
func entity(name string) (string, bool) {
	switch name {
	case "lt":
		return "<", true
	case "gt":
		return ">", true
	case "amp":
		return "&", true
	case "quot":
		return `"`, true
	case "apos":
		return "'", true
	}
	number, ok := strings.CutPrefix(name, "#")
	if !ok {
		return "", false
	}
	base := 10
	if hex, ok := strings.CutPrefix(strings.ToLower(number), "x"); ok {
		number, base = hex, 16
	}
	v, err := strconv.ParseInt(number, base, 32)
	if err != nil || v <= 0 {
		return "", false
	}
	return string(rune(v)), true
}
