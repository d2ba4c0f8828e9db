package x3d

import (
	"bytes"

	"lockstep/scenes/internal/text"
	"lockstep/scenes/internal/xmltree"
)

// A node is one of the scene, of either form. A node that is used again is below several.
type node struct {
	kind   string
	at     int
	field  string       // of the node above that it was first written in; empty: the usual one
	xml    xmltree.Node // its element; none in the classic forms
	fields []field      // of the classic forms
	below  []*node
	name   string
}

// A field is one that is no node: the text of its value.
type field struct {
	name  string
	value []byte
}

// Memory of a node and of a field, with what lists of them waste.
const (
	nodeBytes  = 256
	fieldBytes = 96
	useBytes   = 32
)

// maxLevels bounds the nodes within each other.
const maxLevels = 256

// raw returns the text of a field; nil without it.
func (n *node) raw(name string) []byte {
	if n == nil {
		return nil
	}
	if n.xml.Is() {
		return n.xml.Raw(name)
	}
	for i := range n.fields {
		if n.fields[i].name == name {
			return n.fields[i].value
		}
	}
	return nil
}

// numbers returns the numbers of a field.
func (n *node) numbers(name string) text.Numbers { return text.NumbersOf(withoutComments(n.raw(name))) }

// withoutComments returns the numbers of a classic form without comments, which end with the line.
func withoutComments(words []byte) []byte {
	if bytes.IndexByte(words, '#') < 0 {
		return words
	}
	var out []byte
	for line := range bytes.Lines(words) {
		before, _, _ := bytes.Cut(line, []byte("#"))
		out = append(append(out, before...), '\n')
	}
	return out
}

// vector fills to with the numbers of a field, if all of them are there.
func (n *node) vector(name string, to []float64) {
	var v [4]float64
	numbers := n.numbers(name)
	for i := range to {
		x, ok := numbers.Float()
		if !ok {
			return
		}
		v[i] = x
	}
	copy(to, v[:])
}

// number returns a field of one number.
func (n *node) number(name string, other float64) float64 {
	v := [1]float64{other}
	n.vector(name, v[:])
	return v[0]
}

// flag returns a field that is true or false.
func (n *node) flag(name string, other bool) bool {
	switch word := string(bytes.ToLower(bytes.TrimSpace(n.raw(name)))); word {
	case "true":
		return true
	case "false":
		return false
	}
	return other
}

// strings returns the texts of a field: those in quotes, or all of it.
func (n *node) strings(name string) (all []string) {
	raw := n.raw(name)
	if n != nil && n.xml.Is() {
		raw = []byte(n.xml.Attr(name))
	}
	raw = bytes.TrimSpace(raw)
	if len(raw) > 0 && raw[0] != '"' {
		return []string{string(raw[:min(len(raw), text.MaxName)])}
	}
	for len(raw) > 0 && len(all) < 16 {
		i := bytes.IndexByte(raw, '"')
		if i < 0 {
			return all
		}
		raw = raw[i+1:]
		end := bytes.IndexByte(raw, '"')
		if end < 0 {
			return all
		}
		all = append(all, string(raw[:min(end, text.MaxName)]))
		raw = raw[end+1:]
	}
	return all
}

// child returns the first node right below n of one of some kinds; nil where there is none.
func (n *node) child(kinds ...string) *node {
	if n == nil {
		return nil
	}
	for _, c := range n.below {
		for _, kind := range kinds {
			if c.kind == kind {
				return c
			}
		}
	}
	return nil
}

// parse reads the nodes of a file: the result is around all of them.
func (r *reader) parse(data []byte) (*node, error) {
	top := &node{kind: "Scene"}
	if bytes.HasPrefix(data, []byte(vrml1)) {
		return nil, r.in.Damage(place(0), "VRML 1, of which 2 is read")
	}
	if bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("#")) {
		p := &parser{reader: r, data: data}
		return top, p.all(top)
	}
	tree, err := xmltree.Parse(r.in, data, r.held)
	if err != nil {
		return nil, err
	}
	r.held += tree.Memory()
	if tree.Bad != "" {
		if err := r.warn.Add(place(tree.At), "the XML is damaged: %s", tree.Bad); err != nil {
			return nil, err
		}
	}
	return top, r.elements(top, tree.Root().Child("X3D", "Scene"))
}

// elements appends the nodes of the elements below one. The depth of a tree is bounded.
func (r *reader) elements(to *node, of xmltree.Node) error {
	for e := range of.All() {
		if use := e.Attr("USE"); use != "" {
			if err := r.use(to, use, e.Offset()); err != nil {
				return err
			}
			continue
		}
		kind := e.Name()
		if kind == "ProtoDeclare" {
			continue
		}
		if err := r.hold(nodeBytes); err != nil {
			return err
		}
		n := &node{kind: kind, at: e.Offset(), field: e.Attr("containerField"), xml: e}
		to.below = append(to.below, n)
		if err := r.define(n, e.Attr("DEF")); err != nil {
			return err
		}
		if err := r.elements(n, e); err != nil {
			return err
		}
	}
	return nil
}

// define names a node: of several of one name the last counts.
func (r *reader) define(n *node, name string) error {
	if name == "" {
		return nil
	}
	if err := r.hold(int64(64 + 2*len(name))); err != nil {
		return err
	}
	n.name = name
	r.named[name] = n
	return nil
}

// use appends a node that was named before.
func (r *reader) use(to *node, name string, at int) error {
	n := r.named[name]
	if n == nil {
		return r.warn.Add(place(at), "USE %s left out: it is not there", text.Short(name))
	}
	if err := r.hold(useBytes); err != nil {
		return err
	}
	to.below = append(to.below, n)
	return nil
}

func hasIndex(kind string) bool { return len(kind) > 7 && kind[:7] == "Indexed" }
