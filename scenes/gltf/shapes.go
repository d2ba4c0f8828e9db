package gltf

import (
	"fmt"
	"slices"

	"lockstep/scenes"
	"lockstep/scenes/internal/assembly"
	"lockstep/scenes/internal/surface"
)

// A shapesKey identifies the shapes of one mesh. The shapes depend on the mesh and on the skin. They also depend on
// the node if the node has its own weights. An index is -1 if the shapes do not depend on it.
type shapesKey struct{ mesh, skin, node integer }

// meshShapes returns the shapes of the mesh of node i. It makes them only once for each shapesKey.
func (r *reader) meshShapes(i integer, pose *pose) ([]*assembly.Shape, error) {
	n := &r.doc.Nodes[i]
	key := shapesKey{*n.Mesh, -1, -1}
	if pose != nil {
		key.skin = *n.Skin
	}
	m := &r.doc.Meshes[key.mesh]
	weights := m.Weights
	if n.Weights != nil {
		key.node, weights = i, n.Weights
	}
	if all, ok := r.shapes[key]; ok {
		return all, nil
	}
	if err := r.checkShapes(len(m.Primitives)); err != nil {
		return nil, err
	}
	b := meshBuilder{reader: r, pose: pose, weights: weights, points: make(map[pointsKey]*assembly.Points)}
	var all []*assembly.Shape
	for p := range m.Primitives {
		b.place = fmt.Sprintf("mesh %d, primitive %d", key.mesh, p)
		s, err := b.newShape(&m.Primitives[p])
		if err != nil {
			if err := r.warnUnlessFatal(b.place, err); err != nil {
				return nil, err
			}
		} else if s != nil && (s.N > 0 || s.Thin != nil) {
			all = append(all, s)
		}
	}
	r.shapes[key] = all
	return all, nil
}

// shapeBytes is roughly the memory in bytes of a shape, its points and their functions.
const shapeBytes = 512

// checkShapes returns an error if the file needs more shapes than its size allows. Any number of nodes may deform the
// same mesh by skins or weights of their own. Each of these nodes needs its own shapes.
func (r *reader) checkShapes(primitives int) error {
	if err := r.shaping.Spend(r.in, int64(primitives)); err != nil {
		return err
	}
	return r.Reserve(shapeBytes * int64(primitives))
}

// A meshBuilder makes the shapes of one mesh.
type meshBuilder struct {
	*reader
	pose    *pose
	weights []float64
	points  map[pointsKey]*assembly.Points
	place   string   // name of the primitive for warnings
	indices []uint32 // buffer of indices for countBad
}

// A pointsKey holds the accessors of the points of a primitive, or -1 for a missing accessor. Primitives with equal
// keys share vertices.
type pointsKey struct {
	position, normal, color, texCoord, joints, weights integer
	texCoord2                                          integer
	layout                                             layout
	target                                             *map[string]integer // address of the first morph target
	packed                                             *dracoPrimitive
}

// newShape returns a shape that draws the triangles, points or lines of a primitive.
func (b *meshBuilder) newShape(p *claimedPrimitive) (*assembly.Shape, error) {
	mode := integer(triangles)
	if p.Mode != nil {
		mode = *p.Mode
	}
	if mode < 0 || mode > fans {
		return nil, fmt.Errorf("unknown mode %d", mode)
	}
	packed, err := b.unpackDraco(p, mode)
	if err != nil {
		return nil, err
	}
	if names := p.Extensions.unreadNames(); packed == nil && names != "" && b.lacksData(p) {
		return nil, fmt.Errorf("it is compressed by %s, which is not read", names)
	}
	s := &assembly.Shape{Material: -1}
	key, err := b.pointsKey(p, s)
	if err != nil {
		return nil, err
	}
	key.packed = packed
	points, ok := b.points[key]
	if !ok {
		if points, err = b.newPoints(&key, p.Targets); err != nil {
			return nil, err
		}
		b.points[key] = points
	}
	s.Points = points
	if mode < triangles {
		return s, b.setThin(s, p.Indices, mode)
	}
	if packed != nil {
		return s, b.setUnpackedCorners(s, packed)
	}
	return s, b.setCorners(s, p.Indices, mode)
}

// pointsKey returns the accessors of the points of a primitive. It also sets the material of shape s.
func (b *meshBuilder) pointsKey(p *claimedPrimitive, s *assembly.Shape) (pointsKey, error) {
	key := pointsKey{position: -1, normal: -1, color: -1, texCoord: -1, texCoord2: -1, joints: -1, weights: -1}
	key.layout = new(claimedMaterial).layout()
	if p.Material != nil {
		from, err := entry(b.doc.Materials, "material", *p.Material)
		if err != nil {
			if err := b.warnUnlessFatal(b.place, err); err != nil {
				return key, err
			}
		} else {
			s.Material = int32(*p.Material)
			key.layout = from.layout()
		}
	}
	for name, to := range map[string]*integer{
		"POSITION": &key.position, "NORMAL": &key.normal, "COLOR_0": &key.color, "JOINTS_0": &key.joints, "WEIGHTS_0": &key.weights,
		texCoordName(key.layout.first): &key.texCoord,
	} {
		if i, ok := p.Attributes[name]; ok {
			*to = i
		}
	}
	if i, ok := p.Attributes[texCoordName(key.layout.second)]; ok && key.layout.second >= 0 {
		key.texCoord2 = i
	}
	if len(p.Targets) > 0 {
		key.target = &p.Targets[0]
	}
	if key.position < 0 {
		return key, errNoPositions
	}
	return key, nil
}

// lacksData reports whether positions or indices of a primitive have no bytes, because only an extension contains them.
func (b *meshBuilder) lacksData(p *claimedPrimitive) bool {
	position, ok := p.Attributes["POSITION"]
	if !ok {
		return true
	}
	for _, i := range []*integer{&position, p.Indices} {
		if i == nil {
			continue
		}
		if a, err := entry(b.doc.Accessors, "accessor", *i); err == nil && a.BufferView == nil && a.Sparse == nil {
			return true
		}
	}
	return false
}

// newPoints returns the points whose accessors are in key.
func (b *meshBuilder) newPoints(key *pointsKey, targets []map[string]integer) (*assembly.Points, error) {
	position, err := b.numbers(key.packed, "POSITION", key.position, 3)
	if err != nil {
		return nil, err
	}
	p := &assembly.Points{N: position.n}
	p.Positions = func(lo, _ int, to [][3]float64) { position.decodeVectors(lo, to) }
	attribute := func(name string, i integer, want ...int) (*elements, error) {
		return b.attribute(key.packed, name, i, p.N, want...)
	}
	normal, err := attribute("NORMAL", key.normal, 3)
	if err != nil {
		return nil, err
	}
	if normal != nil {
		p.Normals = func(lo, _ int, to [][3]float64) { normal.decodeVectors(lo, to) }
	}
	if err := b.applyTargets(p, targets); err != nil {
		return nil, err
	}
	if b.pose != nil {
		joints, err := attribute("JOINTS_0", key.joints, 4)
		if err != nil {
			return nil, err
		}
		weights, err := attribute("WEIGHTS_0", key.weights, 4)
		if err != nil {
			return nil, err
		}
		if joints != nil && weights != nil {
			b.pose.moveVertices(p, joints, weights)
		}
	}
	color, err := attribute("COLOR_0", key.color, 3, 4)
	if err != nil {
		return nil, err
	}
	if color != nil {
		p.Colors = color.writeColors
	}
	return p, b.setTexCoords(p, key)
}

// attribute returns the elements of an attribute of n points. It returns nil if the primitive lacks the attribute, or
// if the attribute is damaged.
func (b *meshBuilder) attribute(packed *dracoPrimitive, name string, i integer, n int, want ...int) (*elements, error) {
	if i < 0 {
		return nil, nil
	}
	e, err := b.numbers(packed, name, i, want...)
	if err == nil && e.n != n {
		err = fmt.Errorf("%d elements for %d vertices", e.n, n)
	}
	if err != nil {
		return nil, b.warnUnlessFatal(b.place, fmt.Errorf("%s: %w", name, err))
	}
	return e, nil
}

// writeColors converts colours from linear light, as in the file, to sRGB and writes them to `to`.
func (e *elements) writeColors(lo, _ int, to []scenes.RGBA) {
	scaled := e.scaled()
	v := [4]float64{3: 1}
	for i := range to {
		scaled.decodeNumbers(lo+i, e.width, v[:e.width])
		for c := range 3 {
			to[i][c] = surface.SRGB(float32(v[c]))
		}
		to[i][3] = uint8(max(0, min(v[3]*255+0.5, 255)))
	}
}

// Modes of primitives with triangles.
const (
	triangles = 4
	strips    = 5
	fans      = 6
)

// setCorners gives shape s the triangles of a primitive. i is the accessor of its indices, or nil.
func (b *meshBuilder) setCorners(s *assembly.Shape, i *integer, mode integer) error {
	n, index, err := b.cornerIndices(s.Points.N, i)
	if err != nil {
		return err
	}
	if rest := n % 3; mode == triangles && rest != 0 || n < 3 {
		if err := b.warn.Add(b.place, "%d corners are not the corners of triangles", n); err != nil {
			return err
		}
	}
	bad, err := b.countBad(n, s.Points.N, index)
	if err != nil {
		return err
	}
	if mode == triangles && bad == 0 {
		s.N = n / 3
		s.Corners = func(lo, _ int, to [][3]uint32) { consecutiveCorners(index, lo, to) }
		return nil
	}
	return b.setTriangles(s, n, index, mode)
}

// cornerIndices returns the number of corners of a primitive, and a function that fills `to` with the indices of
// consecutive corners, starting with corner lo. n is the number of points. i is the accessor of the indices, or nil if
// corners are in the order of the points.
func (b *meshBuilder) cornerIndices(n int, i *integer) (int, func(lo int, to []uint32), error) {
	index := func(lo int, to []uint32) {
		for k := range to {
			to[k] = uint32(lo + k)
		}
	}
	if i != nil {
		e, err := b.accessor(*i, 1)
		if err != nil {
			return 0, nil, err
		}
		if !e.kind.isUnsigned() || e.sparseValues != nil {
			return 0, nil, fmt.Errorf("accessor %d: indices of the type %d, or sparse ones", *i, e.kind)
		}
		n, index = e.n, e.decodeIndices
	}
	b.cornerCount += int64(n) // counted for each primitive, although primitives may share indices
	return n, index, b.in.Repeated(b.cornerCount / 3)
}

// consecutiveCorners writes triangles to `to`, each with three consecutive indices as its corners.
func consecutiveCorners(index func(lo int, to []uint32), lo int, to [][3]uint32) {
	var buffer [3 * 128]uint32
	for len(to) > 0 {
		n := min(len(to), len(buffer)/3)
		index(3*lo, buffer[:3*n])
		for i := range n {
			to[i] = [3]uint32(buffer[3*i:])
		}
		lo, to = lo+n, to[n:]
	}
}

// countBad returns how many of n indices do not name a vertex.
func (b *meshBuilder) countBad(n, vertices int, index func(lo int, to []uint32)) (bad int, err error) {
	const most = 1 << 12
	if b.indices == nil {
		b.indices = make([]uint32, most)
	}
	for lo := 0; lo < n; lo += most {
		if err := b.in.Context().Err(); err != nil {
			return 0, err
		}
		part := b.indices[:min(most, n-lo)]
		index(lo, part)
		if uint64(slices.Max(part)) < uint64(vertices) {
			continue
		}
		for _, v := range part {
			if uint64(v) >= uint64(vertices) {
				bad++
			}
		}
	}
	return bad, nil
}

// setTriangles gives shape s a list of triangles. These are the triangles of a strip or fan, or the intact triangles
// of a damaged primitive. A triangle of a strip or fan with two equal corners is left out, because it only connects
// parts of the strip.
func (b *meshBuilder) setTriangles(s *assembly.Shape, n int, index func(lo int, to []uint32), mode integer) error {
	most := n / 3
	if mode != triangles {
		most = max(n-2, 0)
	}
	if err := b.Reserve(16 * int64(n)); err != nil {
		return err
	}
	all := make([]uint32, n)
	index(0, all)
	list := make([][3]uint32, 0, most)
	dropped := 0
	for i := range most {
		var c [3]uint32
		switch {
		case mode == triangles:
			c = [3]uint32(all[3*i:])
		case mode == fans:
			c = [3]uint32{all[0], all[i+1], all[i+2]}
		case i%2 == 0:
			c = [3]uint32(all[i:])
		default:
			c = [3]uint32{all[i+1], all[i], all[i+2]}
		}
		switch {
		case int64(max(c[0], c[1], c[2])) >= int64(s.Points.N):
			dropped++
		case mode == triangles || c[0] != c[1] && c[1] != c[2] && c[2] != c[0]:
			list = append(list, c)
		}
	}
	s.N = len(list)
	s.Corners = func(lo, hi int, to [][3]uint32) { copy(to, list[lo:hi]) }
	if dropped > 0 {
		return b.warn.Add(b.place, "%d triangles left out that refer to vertices which do not exist: there are %d", dropped, s.Points.N)
	}
	return nil
}
