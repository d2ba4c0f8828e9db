package x3d

import (
	"bytes"
	"fmt"
	"strings"

	"lockstep/scenes/internal/corners"
)

// An order says which entry of a list belongs to a corner, for bindings of VRML 1 that VRML 2 does not have.
type order int

const (
	asIndexed  order = iota
	byCorner         // entries belong to the corners in their order
	bySegment        // entries belong to the segments of lines in their order
	bySegments       // entries belong to segments; the field of indices has an index for each segment
)

// orders maps the names of fields of indices to their orders. Fields with the order asIndexed are missing.
type orders map[string]order

// An oldKey identifies a shape of VRML 1 by its node and by all that applies to it.
type oldKey struct {
	node *node
	properties
}

// shapeNode returns a Shape node, as in VRML 2, for a shape of VRML 1. It makes only one Shape node for each key.
func (r *reader) shapeNode(n *node, p *properties) (*node, error) {
	key := oldKey{n, *p}
	if shape, ok := r.oldShapes[key]; ok {
		return shape, nil
	}
	if err := r.reserveMemory(6 * nodeBytes); err != nil {
		return nil, err
	}
	fields := 0 // each node is searched for its fields
	for _, one := range []*node{n, p.material, p.hints, p.materialBinding, p.normalBinding} {
		if one != nil {
			fields += len(one.fields)
		}
	}
	if err := r.reading.Spend(r.in, int64(fields)); err != nil {
		return nil, err
	}
	geometry := &node{kind: n.kind, at: n.at, fields: n.fields}
	switch n.kind {
	case "Box", "Cone", "Cylinder":
		geometry.fields = n.solidFields()
	case "IndexedFaceSet", "IndexedLineSet", "PointSet":
		geometry.bind(n, p)
	}
	appearance := &node{kind: "Appearance", at: n.at}
	for _, one := range []*node{p.material, p.texture, p.textureTransform} {
		if one != nil {
			appearance.below = append(appearance.below, one)
		}
	}
	shape := &node{kind: "Shape", at: n.at, below: []*node{appearance, geometry}}
	r.oldShapes[key] = shape
	return shape, nil
}

// solidFields returns the fields of a solid as VRML 2 has them.
func (n *node) solidFields() []field {
	if n.kind == "Box" {
		size := fmt.Sprint(n.number("width", 2), n.number("height", 2), n.number("depth", 2))
		return []field{{"size", []byte(size)}}
	}
	all := []field{{"radius", n.raw("radius")}, {"bottomRadius", n.raw("bottomRadius")}, {"height", n.raw("height")}}
	parts := n.word("parts")
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

// The variable no is the value of a boolean field that is false.
var no = []byte("FALSE")

// bind gives a geometry the lists of p and the bindings of its colours and normals. `from` is the node in the file.
func (n *node) bind(from *node, p *properties) {
	n.fields = nil
	for _, name := range []string{"coordIndex", "texCoordIndex", "startIndex", "numPoints"} {
		if raw := from.indexText(name); raw != nil {
			n.fields = append(n.fields, field{name, raw})
		}
	}
	if p.hints.word("vertexOrdering") == "CLOCKWISE" {
		n.fields = append(n.fields, field{"ccw", no})
	}
	if p.coordinates != nil {
		n.below = append(n.below, p.coordinates)
	}
	if p.texCoords != nil && p.texture != nil {
		n.below = append(n.below, p.texCoords)
	}
	n.orders = orders{}
	colors := p.material.colors()
	if binding := p.materialBinding.word("value"); len(colors) > 0 && n.addBinding(from, binding, "OVERALL", "colorPerVertex", "colorIndex") {
		n.below = append(n.below, &node{kind: "Color", at: p.material.at, fields: []field{{"color", colors}}})
	}
	if binding := p.normalBinding.word("value"); p.normals != nil && n.addBinding(from, binding, "PER_VERTEX_INDEXED", "normalPerVertex", "normalIndex") {
		n.below = append(n.below, p.normals)
	}
}

// indexText returns the text of a field of indices, or nil if it is the default, a single -1.
func (n *node) indexText(name string) []byte {
	raw := n.raw(name)
	if word := bytes.TrimSpace(raw); len(word) == 0 || string(word) == "-1" {
		return nil
	}
	return raw
}

// addBinding adds the fields of VRML 2 for a binding of colours or normals. It returns false if all corners have the
// same entry.
func (n *node) addBinding(from *node, binding, usual, perVertex, index string) bool {
	if binding == "" || binding == "DEFAULT" {
		binding = usual
	}
	indexed := from.indexText(index)
	lines := n.kind == "IndexedLineSet"
	switch {
	case !strings.HasPrefix(binding, "PER_"):
		return false
	case n.kind == "PointSet": // the first point has the first entry, whatever startIndex is
		n.fields = append(n.fields, field{perVertex, no})
		return true
	}
	switch binding {
	case "PER_VERTEX":
		n.orders[index] = byCorner
	case "PER_PART", "PER_PART_INDEXED", "PER_FACE", "PER_FACE_INDEXED":
		if lines && strings.HasPrefix(binding, "PER_PART") {
			n.orders[index] = bySegment
			if binding == "PER_PART_INDEXED" && indexed != nil {
				n.orders[index] = bySegments
			}
			break
		}
		n.fields = append(n.fields, field{perVertex, no})
	}
	if strings.HasSuffix(binding, "_INDEXED") && indexed != nil {
		n.fields = append(n.fields, field{index, indexed})
	}
	return true
}

// precomputed reports whether the only colours of a material are emissive. Such a material needs no lamp, because its
// light was computed before the file was written.
func (n *node) precomputed() bool {
	diffuse := n.raw("diffuseColor")
	return diffuse != nil && len(bytes.TrimSpace(diffuse)) == 0 && n.raw("emissiveColor") != nil
}

// colors returns the text of the colours of a material of VRML 1, or nil if the material has only one colour.
func (n *node) colors() []byte {
	name := "diffuseColor"
	if n != nil && n.kind == "UnlitMaterial" {
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

// count computes the index of an attribute whose entries belong to the corners in their order. It is given the indices
// of the positions, with a negative one at the end of each face or line.
func (m *meshReader) count(a *attribute, positions []int32) error {
	if a.order != byCorner || a.n < cornersOf(positions) {
		return nil // if there is not one for each corner, programs mean one for each position
	}
	if err := m.reserveMemory(4 * int64(len(positions))); err != nil {
		return err
	}
	index := make([]int32, len(positions))
	next := int32(0)
	for i, at := range positions {
		index[i] = corners.None
		if at >= 0 {
			index[i] = next
			next++
		}
	}
	a.index = index
	return nil
}

// splitSegments makes each segment of lines a line of its own if colours belong to segments, because the ends of
// segments that meet have different colours. It returns the indices of the positions of the new lines.
func (m *meshReader) splitSegments(a *attribute, positions []int32) ([]int32, error) {
	if a.n == 0 || a.order != bySegment && a.order != bySegments {
		return positions, nil
	}
	size := 3 * len(positions) // two corners and the end
	if err := m.reserveMemory(8 * int64(size)); err != nil {
		return nil, err
	}
	lines, colors := make([]int32, 0, size), make([]int32, 0, size)
	for i := 1; i < len(positions); i++ {
		if positions[i-1] < 0 || positions[i] < 0 {
			continue
		}
		color := int32(len(lines) / 3)
		switch {
		case a.order == bySegment:
		case int(color) < len(a.index):
			color = a.index[color]
		default:
			color = invalidEntry
		}
		lines = append(lines, positions[i-1], positions[i], corners.None)
		colors = append(colors, color, color, corners.None)
	}
	a.index = colors
	return lines, nil
}

// cornersOf returns the number of indices that are not negative.
func cornersOf(index []int32) (n int) {
	for _, at := range index {
		if at >= 0 {
			n++
		}
	}
	return n
}

// pointRange returns the first position of a PointSet and the number of its points. Only VRML 1 has fields for them.
func (m *meshReader) pointRange() (first, n int) {
	all := float64(len(m.lists.Positions))
	start := m.node.number("startIndex", 0)
	if !(start >= 0 && start <= all) {
		return 0, 0
	}
	if count := m.node.number("numPoints", -1); count >= 0 && count < all-start {
		return int(start), int(count)
	}
	return int(start), int(all) - int(start)
}
