package gltf

import (
	"errors"
	"fmt"
	"slices"

	"lockstep/scenes/draco"
	"lockstep/scenes/internal/assembly"
)

// dracoName is the name of the extension for primitives that Draco has compressed.
const dracoName = "KHR_draco_mesh_compression"

// A claimedDraco is the content of the extension dracoName in a primitive, as the document states it.
type claimedDraco struct {
	BufferView *integer           `json:"bufferView"`
	Attributes map[string]integer `json:"attributes"` // for each attribute, its ID in the Draco data
}

// An unpackedMesh is the Draco mesh of a buffer view, or the error of decoding it.
type unpackedMesh struct {
	mesh *draco.Mesh
	err  error
}

// A dracoPrimitive is the Draco mesh of a primitive, with the IDs of its attributes by their names.
type dracoPrimitive struct {
	*draco.Mesh
	ids map[string]integer
}

// unpackDraco returns the Draco mesh of a primitive, or nil if it has none. If decoding fails but the primitive also
// has uncompressed data, unpackDraco adds a warning and returns nil.
func (b *meshBuilder) unpackDraco(p *claimedPrimitive, mode integer) (*dracoPrimitive, error) {
	var c claimedDraco
	if !p.Extensions.get(dracoName, &c) {
		return nil, nil
	}
	if c.BufferView == nil {
		if b.lacksData(p) {
			return nil, fmt.Errorf("%s names no buffer view", dracoName)
		}
		return nil, nil
	}
	mesh, err := b.unpackMesh(*c.BufferView)
	if err == nil && (mesh.Cloud || mode != triangles && mode != strips) {
		err = errors.New("it holds no triangles")
	}
	if err == nil {
		return &dracoPrimitive{mesh, c.Attributes}, nil
	}
	err = fmt.Errorf("%s: buffer view %d: %w", dracoName, *c.BufferView, err)
	if b.lacksData(p) {
		return nil, err
	}
	return nil, b.warnUnlessFatal(b.place, err)
}

// unpackMesh returns the Draco mesh of a buffer view. It decodes the view only once, even if several primitives name
// it.
func (r *reader) unpackMesh(view integer) (*draco.Mesh, error) {
	u, ok := r.dracos[view]
	if !ok {
		u.mesh, u.err = r.decodeMesh(view)
		r.dracos[view] = u
	}
	return u.mesh, u.err
}

func (r *reader) decodeMesh(view integer) (*draco.Mesh, error) {
	data, _, err := r.view(view)
	if err != nil {
		return nil, err
	}
	if r.dracoLimits.Hold == nil {
		r.dracoLimits = draco.FileLimits(r.in, func() int64 { return r.Held })
	}
	mesh, err := draco.Decode(data, r.dracoLimits)
	if err != nil {
		return nil, err
	}
	kept := 12 * int64(len(mesh.Triangles))
	for i := range mesh.Attributes {
		kept += int64(len(mesh.Attributes[i].Data))
	}
	return mesh, r.Reserve(kept)
}

// numbers returns the elements of an attribute. It takes them from the Draco mesh if that has the attribute, and
// otherwise from accessor i. The number of numbers in an element must be one of `want`.
func (b *meshBuilder) numbers(from *dracoPrimitive, name string, i integer, want ...int) (*elements, error) {
	id, ok := integer(0), false
	if from != nil {
		id, ok = from.ids[name]
	}
	if !ok {
		return b.accessor(i, want...)
	}
	a, err := entry(b.doc.Accessors, "accessor", i)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(from.Attributes, func(a draco.Attribute) bool { return integer(a.ID) == id })
	if at < 0 {
		return nil, fmt.Errorf("%s: there is no attribute %d", dracoName, id)
	}
	e, err := unpackedElements(&from.Attributes[at], from.Points)
	if err == nil && !slices.Contains(want, e.width) {
		err = fmt.Errorf("%s: attribute %d has %d numbers", dracoName, id, e.width)
	}
	if err != nil {
		return nil, err
	}
	e.normalized = e.normalized || a.Normalized
	return e, nil
}

// unpackedElements converts a Draco attribute into elements, which otherwise come from an accessor.
func unpackedElements(a *draco.Attribute, points int) (*elements, error) {
	e := &elements{n: points, width: a.Width, normalized: a.Normalized, data: a.Data, stride: a.Width * a.Kind.Size()}
	switch a.Kind {
	case draco.Int8:
		e.kind = int8s
	case draco.Uint8, draco.Bool:
		e.kind = uint8s
	case draco.Int16:
		e.kind = int16s
	case draco.Uint16:
		e.kind = uint16s
	case draco.Uint32:
		e.kind = uint32s
	case draco.Float32:
		e.kind = float32s
	default:
		return nil, fmt.Errorf("%s: attribute %d has numbers of the kind %d, which glTF does not have", dracoName, a.ID, a.Kind)
	}
	return e, nil
}

// setUnpackedCorners gives shape s the triangles of a Draco mesh.
func (b *meshBuilder) setUnpackedCorners(s *assembly.Shape, from *dracoPrimitive) error {
	s.N = len(from.Triangles)
	s.Corners = func(lo, hi int, to [][3]uint32) { copy(to, from.Triangles[lo:hi]) }
	b.cornerCount += 3 * int64(s.N)
	return b.in.Repeated(b.cornerCount / 3)
}
