package x3d

import (
	"bytes"

	"lockstep/scenes/internal/text"
	"lockstep/scenes/internal/xmltree"
)

// A node is a node of the scene, in any form of the format. It may be the child of several nodes, because it may be
// used several times.
type node struct {
	kind   string
	at     int
	field  string       // field of the first parent that contains the node; empty: the default field
	xml    xmltree.Node // element of the node; none in a classic form
	fields []field      // only in a classic form
	below  []*node
	name   string
	orders orders // only in VRML 1
}

// A field is a field of a node whose value is not a node. value is the text of the value.
type field struct {
	name  string
	value []byte
}

// Memory in bytes of a node, of a field, and of a reference to a node (USE), including the unused capacity of lists.
const (
	nodeBytes  = 256
	fieldBytes = 96
	useBytes   = 32
)

// maxLevels is the greatest depth of nodes.
const maxLevels = 256

// raw returns the text of a field, or nil if it does not exist.
func (n *node) raw(name string) []byte {
	if n == nil {
		return nil
	}
	if n.xml.Exists() {
		return n.xml.Raw(name)
	}
	for i := range n.fields {
		if n.fields[i].name == name {
			return n.fields[i].value
		}
	}
	return nil
}

// workBytes returns an upper bound of the work to read all fields of n, in bytes.
func (n *node) workBytes() (size int64) {
	for i := range n.fields {
		size += 1 + int64(len(n.fields[i].value))
	}
	return size + int64(n.xml.TagLen()+len(n.below))
}

// numbers returns the numbers of a field.
func (n *node) numbers(name string) text.Numbers { return text.NumbersOf(n.raw(name)) }

// vector fills `to` with the numbers of a field. If there are too few numbers, `to` is not changed.
func (n *node) vector(name string, to []float64) {
	var v [16]float64
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

// number returns the first number of a field, or `other` if the field is missing.
func (n *node) number(name string, other float64) float64 {
	v := [1]float64{other}
	n.vector(name, v[:])
	return v[0]
}

// flag returns the value of a boolean field, or `other` if the field is missing.
func (n *node) flag(name string, other bool) bool {
	switch word := string(bytes.ToLower(bytes.TrimSpace(n.raw(name)))); word {
	case "true":
		return true
	case "false":
		return false
	}
	return other
}

// strings returns the strings of a field: the parts in quotes or, without quotes, the whole text.
func (n *node) strings(name string) (all []string) {
	raw := n.raw(name)
	if n != nil && n.xml.Exists() {
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

// childCount returns the number of child nodes of n. n may be nil.
func (n *node) childCount() int {
	if n == nil {
		return 0
	}
	return len(n.below)
}

// child returns the first child node of n that has one of the kinds, or nil.
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

// parse reads the nodes of a file, and returns a node that contains all of them.
func (r *reader) parse(data []byte) (*node, error) {
	top := &node{kind: "Scene"}
	if head := bytes.TrimLeft(data, " \t\r\n"); bytes.HasPrefix(head, []byte("#")) {
		r.old = bytes.HasPrefix(head, []byte(vrml1))
		p := &parser{reader: r, data: data, old: r.old}
		return top, p.readAll(top)
	}
	tree, err := xmltree.Read(r.in, data, &r.Memory, r.warn)
	if err != nil {
		return nil, err
	}
	return top, r.addElements(top, tree.Root().Child("X3D", "Scene"))
}

// addElements adds nodes for the XML elements below an element. It is recursive; package xmltree limits the depth of
// the tree.
func (r *reader) addElements(to *node, of xmltree.Node) error {
	for e := range of.All() {
		if use := e.Attr("USE"); use != "" {
			if err := r.addUse(to, use, e.Offset()); err != nil {
				return err
			}
			continue
		}
		kind := e.Name()
		if kind == "ProtoDeclare" {
			continue
		}
		if err := r.Reserve(nodeBytes); err != nil {
			return err
		}
		n := &node{kind: kind, at: e.Offset(), field: e.Attr("containerField"), xml: e}
		to.below = append(to.below, n)
		if err := r.define(n, e.Attr("DEF")); err != nil {
			return err
		}
		if err := r.addElements(n, e); err != nil {
			return err
		}
	}
	return nil
}

// define gives node n a name. If several nodes have the same name, later uses of the name mean the last of them.
func (r *reader) define(n *node, name string) error {
	if name == "" {
		return nil
	}
	if err := r.Reserve(int64(64 + 2*len(name))); err != nil {
		return err
	}
	n.name = name
	r.named[name] = n
	return nil
}

// addUse adds the node called name to `to`. The node must have been defined before.
func (r *reader) addUse(to *node, name string, at int) error {
	n := r.named[name]
	if n == nil {
		return r.warn.Add(bytePlace(at), "USE %s left out: it is not there", text.Short(name))
	}
	if err := r.Reserve(useBytes); err != nil {
		return err
	}
	to.below = append(to.below, n)
	return nil
}

func hasIndex(kind string) bool { return len(kind) > 7 && kind[:7] == "Indexed" }
