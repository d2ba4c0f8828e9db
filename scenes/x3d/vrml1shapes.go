package x3d

import (
	"strings"

	"lockstep/scenes/internal/corners"
)

// An order tells which entry of a list a corner has. It is for bindings of VRML 1 that VRML 2 does not have.
type order int

const (
	asIndexed  order = iota
	byCorner         // entry i belongs to corner i
	bySegment        // entry i belongs to segment i of the lines
	bySegments       // the field of indices has an entry for each segment
)

// orders maps names of fields of indices to orders. A missing field has the order asIndexed.
type orders map[string]order

// An oldKey identifies a shape of VRML 1 by its node and by the properties that apply to it.
type oldKey struct {
	node *node
	properties
}

// shapeNode returns a Shape node, as in VRML 2, for a shape of VRML 1. It makes one for each oldKey.
func (r *reader) shapeNode(n *node, p *properties) (*node, error) {
	key := oldKey{n, *p}
	if shape, ok := r.oldShapes[key]; ok {
		return shape, nil
	}
	if err := r.Reserve(4 * nodeBytes); err != nil {
		return nil, err
	}
	old, err := r.oldNodeOf(n)
	if err != nil {
		return nil, err
	}
	geometry := old.solid
	if geometry == nil {
		if geometry, err = r.setNode(n, old, p); err != nil {
			return nil, err
		}
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

// An oldSet identifies a set of faces, lines or points by its node and by the properties that affect its geometry.
type oldSet struct {
	node, coordinates, texCoords, colors, normals *node
	colorBinding, normalBinding                   string
	clockwise                                     bool
}

// setNode returns the geometry of a set of faces, lines or points as in VRML 2. It makes one for each oldSet. So a set
// that occurs with several materials is read only once.
func (r *reader) setNode(n *node, old *oldNode, p *properties) (*node, error) {
	var of [4]*oldNode
	for i, one := range []*node{p.hints, p.material, p.materialBinding, p.normalBinding} {
		var err error
		if of[i], err = r.oldNodeOf(one); err != nil {
			return nil, err
		}
	}
	hints, material, colorBinding, normalBinding := of[0], of[1], of[2], of[3]
	set := oldSet{node: n, coordinates: p.coordinates, clockwise: hints.word == "CLOCKWISE"}
	if p.texture != nil {
		set.texCoords = p.texCoords
	}
	if b := bindingOf(colorBinding, "OVERALL"); material.colors != nil && strings.HasPrefix(b, "PER_") {
		set.colors, set.colorBinding = material.colors, b
	}
	if b := bindingOf(normalBinding, "PER_VERTEX_INDEXED"); p.normals != nil && strings.HasPrefix(b, "PER_") {
		set.normals, set.normalBinding = p.normals, b
	}
	if geometry, ok := r.oldSets[set]; ok {
		return geometry, nil
	}
	if err := r.Reserve(4 * nodeBytes); err != nil {
		return nil, err
	}
	r.oldSets[set] = set.newGeometry(old)
	return r.oldSets[set], nil
}

// bindingOf returns the value of a binding. The default is `usual`.
func bindingOf(of *oldNode, usual string) string {
	if of.word == "" || of.word == "DEFAULT" {
		return usual
	}
	return of.word
}

// newGeometry returns a node of VRML 2 with the lists and the bindings of set.
func (set *oldSet) newGeometry(old *oldNode) *node {
	n := &node{kind: set.node.kind, at: set.node.at, orders: orders{}}
	n.fields = append(n.fields, old.fields...)
	if set.clockwise {
		n.fields = append(n.fields, field{"ccw", no})
	}
	if set.colors != nil {
		n.addBinding(set.colorBinding, "colorPerVertex", "colorIndex", old.colorIndex)
	}
	if set.normals != nil {
		n.addBinding(set.normalBinding, "normalPerVertex", "normalIndex", old.normalIndex)
	}
	for _, one := range []*node{set.coordinates, set.texCoords, set.colors, set.normals} {
		if one != nil {
			n.below = append(n.below, one)
		}
	}
	return n
}

// addBinding adds the fields of VRML 2 for a binding, which tells what colours or normals belong to. indexed is the
// text of the field of indices called index, or nil.
func (n *node) addBinding(binding, perVertex, index string, indexed []byte) {
	lines := n.kind == "IndexedLineSet"
	if n.kind == "PointSet" { // the first point has the first entry, whatever startIndex is
		n.fields = append(n.fields, field{perVertex, no})
		return
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
}

// indexByCorner computes the index of an attribute whose entries belong to the corners in their order. positions holds
// the indices of positions, with a negative one at the end of each face or line.
func (m *meshReader) indexByCorner(a *attribute, positions []int32) error {
	if a.order != byCorner || a.n < cornersOf(positions) {
		return nil // with fewer entries than corners, programs mean an entry for each position
	}
	if err := m.Reserve(4 * int64(len(positions))); err != nil {
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

// splitSegments makes each segment of a line a line of its own if colours belong to segments. The ends of segments that
// meet then differ in colour. It returns the indices of the positions of the new lines.
func (m *meshReader) splitSegments(a *attribute, positions []int32) ([]int32, error) {
	if a.n == 0 || a.order != bySegment && a.order != bySegments {
		return positions, nil
	}
	size := 3 * len(positions) // two corners, and the mark of the end
	if err := m.Reserve(8 * int64(size)); err != nil {
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

// pointRange returns the first position of a PointSet and the number of its points. Only VRML 1 has fields for these.
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
