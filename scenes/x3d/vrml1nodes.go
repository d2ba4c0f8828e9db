package x3d

import (
	"bytes"
	"fmt"
	"strings"
)

// An oldNode holds the values of a property or a shape of VRML 1 that are needed to draw it. It is read once per node,
// because a node may be visited very often, very many shapes may use it, and its fields may be long.
type oldNode struct {
	word   string // value of a binding, or the order of vertices of a ShapeHints
	absent bool   // a texture without a picture
	colors *node  // several colours of a Material, as a Color node of VRML 2
	solid  *node  // geometry of a solid or a text, as in VRML 2
	// fields holds the fields of a set of faces, lines or points that do not depend on properties. The two fields after
	// it are used with some bindings. A binding tells what a list of colours or normals belongs to.
	fields                  []field
	colorIndex, normalIndex []byte
}

// oldNodeOf returns the oldNode of node n, which may be nil. It sets the kind of n to that of VRML 2 if this depends on
// the fields of n.
func (r *reader) oldNodeOf(n *node) (*oldNode, error) {
	if n == nil {
		return &oldNode{}, nil
	}
	if old, ok := r.oldNodes[n]; ok {
		return old, nil
	}
	old := &oldNode{}
	if err := r.Reserve(4 * nodeBytes); err != nil {
		return old, err
	}
	switch n.kind {
	case "MaterialBinding", "NormalBinding":
		old.word = n.fieldWord("value")
	case "ShapeHints":
		old.word = n.fieldWord("vertexOrdering")
	case "Material":
		if n.isPrecomputed() {
			n.kind = "UnlitMaterial"
		}
		if colors := n.colors(); colors != nil {
			old.colors = &node{kind: "Color", at: n.at, fields: []field{{"color", colors}}}
		}
	case "ImageTexture":
		if len(bytes.Trim(n.raw("url"), " \t\r\n\"")) == 0 {
			n.kind = "PixelTexture" // the file contains the picture of the texture
			old.absent = !(n.number("image", 0) > 0)
		}
	case "IndexedFaceSet", "IndexedLineSet", "PointSet":
		for _, name := range []string{"coordIndex", "texCoordIndex", "startIndex", "numPoints"} {
			if raw := n.indexText(name); raw != nil {
				old.fields = append(old.fields, field{name, raw})
			}
		}
		old.colorIndex, old.normalIndex = n.indexText("colorIndex"), n.indexText("normalIndex")
	case "Box", "Cone", "Cylinder":
		old.solid = &node{kind: n.kind, at: n.at, fields: n.solidFields()}
	case "Sphere", "Text":
		old.solid = n
	}
	r.oldNodes[n] = old
	return old, nil
}

// solidFields returns the fields of a solid in the form of VRML 2.
func (n *node) solidFields() []field {
	if n.kind == "Box" {
		size := fmt.Sprint(n.number("width", 2), n.number("height", 2), n.number("depth", 2))
		return []field{{"size", []byte(size)}}
	}
	all := []field{{"radius", n.raw("radius")}, {"bottomRadius", n.raw("bottomRadius")}, {"height", n.raw("height")}}
	parts := n.fieldWord("parts")
	if parts == "" || strings.Contains(parts, "ALL") {
		return all
	}
	for _, part := range [][2]string{{"side", "SIDES"}, {"top", "TOP"}, {"bottom", "BOTTOM"}} {
		if !strings.Contains(parts, part[1]) {
			all = append(all, field{part[0], no})
		}
	}
	return all
}

// The variable no is the value of a false boolean field.
var no = []byte("FALSE")

// indexText returns the text of a field of indices. It returns nil for the default, a single -1.
func (n *node) indexText(name string) []byte {
	raw := n.raw(name)
	if len(raw) == 0 || string(raw) == "-1" {
		return nil
	}
	return raw
}

// isPrecomputed reports whether all colours of a material are emissive. Such a material needs no lamp, because its
// light was computed before the file was written.
func (n *node) isPrecomputed() bool {
	diffuse := n.raw("diffuseColor")
	return diffuse != nil && len(diffuse) == 0 && n.raw("emissiveColor") != nil
}

// colors returns the text of the colours of a material of VRML 1, or nil if there is only one colour.
func (n *node) colors() []byte {
	name := "diffuseColor"
	if n.kind == "UnlitMaterial" {
		name = "emissiveColor"
	}
	numbers := n.numbers(name)
	for range 4 {
		if !numbers.More() {
			return nil
		}
		numbers.Word()
	}
	return n.raw(name)
}
