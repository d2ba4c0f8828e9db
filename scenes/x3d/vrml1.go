package x3d

import (
	"bytes"
	"strings"

	"lockstep/scenes"
	"lockstep/scenes/internal/assembly"
	"lockstep/scenes/internal/text"
	"lockstep/scenes/internal/tree"
)

// newNames maps the kinds of nodes and the fields of VRML 1 that have another name in VRML 2 to that name.
var newNames = map[string]string{
	"Coordinate3": "Coordinate", "TextureCoordinate2": "TextureCoordinate", "Texture2": "ImageTexture", "Cube": "Box", "AsciiText": "Text", "WWWAnchor": "Anchor",
	"WWWInline": "Inline", "filename": "url", "scaleFactor": "scale", "whichChild": "whichChoice", "materialIndex": "colorIndex", "textureCoordIndex": "texCoordIndex",
}

// newName returns the name of VRML 2 for a name of VRML 1.
func newName(old string) string {
	if name, ok := newNames[old]; ok {
		return name
	}
	return old
}

// readMember reads a node or a field inside node n in VRML 1, where nodes are directly in other nodes. The caller has
// read its first word.
func (p *parser) readMember(n *node, level int) error {
	word := string(p.word[:min(len(p.word), text.MaxName)])
	if at := p.skipBlank(p.at); word == "DEF" || word == "USE" || at < len(p.data) && p.data[at] == '{' {
		return p.readNodeOrStatement(n, "", level+1)
	}
	name, start := newName(word), p.at
	value := p.next()
	switch {
	case len(value) == 0:
		return p.fail("the file ends within a node")
	case string(value) == "[" && (name == "fields" || name == "isA"): // description of a node's fields
		if !p.skipTo("[", "]") {
			return p.fail("the file ends within a list")
		}
		return nil
	case value[0] == '[':
		return p.readNumbers(n, name)
	case value[0] == '}':
		p.at -= len(value)
		return nil
	case value[0] == '(': // several words of an enumeration, in brackets
		end := bytes.IndexAny(p.data[start:], ")}")
		if end < 0 || p.data[start+end] == '}' {
			return p.fail("a value without a closing parenthesis")
		}
		p.at = start + end + 1
		return p.addField(n, name, p.data[start:p.at])
	case isName(value):
		if at := p.skipBlank(p.at); at < len(p.data) && p.data[at] == '{' {
			return p.readNodeOrStatement(n, name, level+1)
		}
		return p.addField(n, name, value)
	}
	return p.readWords(n, name, start)
}

// properties holds the nodes of VRML 1 that apply to a shape: the last node of each kind before the shape.
type properties struct {
	coordinates, normals, texCoords, material, texture, textureTransform *node
	hints, materialBinding, normalBinding                                *node
}

// A scope holds the transform and the properties that apply at a place in a VRML 1 file. A node may change them for all
// nodes that follow in the same scope.
type scope struct {
	world *scenes.Affine
	props *properties
	name  string
}

// oldGroups holds the kinds of nodes of VRML 1 that have children but no scope of their own.
var oldGroups = map[string]bool{"Group": true, "Switch": true, "LOD": true, "TransformSeparator": true}

// drawOld appends everything that a VRML 1 file draws to s.
func (r *reader) drawOld(s *assembly.Scene, top *node) error {
	w := &tree.Walk[*node, scope, *node]{In: r.in, Unit: "nodes", Most: maxVisits, Levels: maxLevels + 2}
	w.Find = func(_ scope, n *node) (*node, []*node, bool, error) {
		all, ok := r.shown[n]
		if !ok {
			all = n.drawnChildrenOld()
			r.shown[n] = all
		}
		return n, all, true, nil
	}
	w.Visit = func(above scope, n *node, _ *node) (scope, error) { return r.visitOld(s, above, n) }
	w.Skip = func(_ scope, n *node, _ tree.Reason) error {
		return r.warn.Add(bytePlace(n.at), "node %s left out: it is below itself, or below too many levels", text.Short(n.name))
	}
	world := scenes.Identity()
	return w.From(scope{world: &world, props: &properties{}}, top.below)
}

// drawnChildrenOld returns the children of n that are drawn. A Switch may choose all of its children (-3), which is not
// possible in VRML 2.
func (n *node) drawnChildrenOld() []*node {
	switch n.kind {
	case "LOD":
		return n.below[:min(1, len(n.below))]
	case "Switch":
		choice := n.number("whichChoice", -1)
		if choice == -3 {
			return n.below
		}
		if !(choice >= 0 && choice < float64(len(n.below))) {
			return nil
		}
		return n.below[int(choice):][:1]
	}
	return n.below
}

// visitOld applies node n to the scope around it, and returns the scope of its children.
func (r *reader) visitOld(s *assembly.Scene, above scope, n *node) (scope, error) {
	if n.name != "" {
		above.name = n.name
	}
	if to := above.props.propertyOf(n.kind); to != nil {
		old, err := r.oldNodeOf(n)
		*to = n
		if old.absent {
			*to = nil // a texture without a picture ends the use of the texture before
		}
		return above, err
	}
	switch n.kind {
	case "Transform", "Translation", "Rotation", "Scale", "MatrixTransform":
		local, err := r.transformOf(n)
		if err == nil {
			*above.world = above.world.Mul(&local)
		}
		return above, err
	case "IndexedFaceSet", "IndexedLineSet", "PointSet", "Box", "Sphere", "Cone", "Cylinder", "Text":
		shape, err := r.shapeNode(n, above.props)
		if err != nil {
			return above, err
		}
		return above, r.addShape(s, shape, state{*above.world, above.name})
	case "Inline":
		return above, r.countUndrawn(n)
	}
	if len(n.below) == 0 {
		return above, nil
	}
	world := *above.world
	if n.kind == "TransformSeparator" || !oldGroups[n.kind] {
		above.world = &world
	}
	if !oldGroups[n.kind] { // a Separator, an Anchor, or a node of unknown kind
		props := *above.props
		above.props = &props
	}
	return above, nil
}

// propertyOf returns a pointer to the property that nodes of this kind set, or nil.
func (p *properties) propertyOf(kind string) **node {
	switch kind {
	case "Coordinate":
		return &p.coordinates
	case "Normal":
		return &p.normals
	case "TextureCoordinate":
		return &p.texCoords
	case "Material", "UnlitMaterial":
		return &p.material
	case "ImageTexture", "PixelTexture":
		return &p.texture
	case "Texture2Transform":
		return &p.textureTransform
	case "ShapeHints":
		return &p.hints
	case "MaterialBinding":
		return &p.materialBinding
	case "NormalBinding":
		return &p.normalBinding
	}
	return nil
}

// matrixTransform returns the transform of a MatrixTransform. Its numbers are a matrix that multiplies row vectors from
// the right.
func (n *node) matrixTransform() scenes.Affine {
	m := [16]float64{0: 1, 5: 1, 10: 1, 15: 1}
	n.vector("matrix", m[:])
	var a scenes.Affine
	for i := range 3 {
		for k := range 4 {
			a[i][k] = m[4*k+i]
		}
	}
	return a
}

// fieldWord returns the value of a field that is a word, or "".
func (n *node) fieldWord(name string) string {
	raw := bytes.TrimSpace(n.raw(name))
	return strings.Trim(string(raw[:min(len(raw), text.MaxName)]), "\"")
}
