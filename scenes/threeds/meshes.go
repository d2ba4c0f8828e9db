package threeds

import (
	"lockstep/scenes"
	"lockstep/scenes/internal/assembly"
	"lockstep/scenes/internal/corners"
)

// A mesh holds the triangles of an object.
type mesh struct {
	name   string
	shapes []*assembly.Shape
	frame  scenes.Affine // local coordinate axes of the object; positions are already those of the scene
	used   bool          // a node places the mesh
}

// findMeshes reads all meshes in chunk c and the chunks inside it.
func (r *reader) findMeshes(c chunk) error {
	switch c.id {
	case idMain, idEditor:
		return r.eachChunk(c, r.findMeshes)
	case idObject:
		name, at := r.name(c)
		return r.eachChunk(chunk{c.id, c.at, at, c.end}, func(c chunk) error {
			if c.id != idMesh {
				return nil
			}
			return r.readMesh(c, name)
		})
	}
	return nil
}

// meshBytes is the memory in bytes of a mesh without its lists.
const meshBytes = 1024

// A meshReader reads one mesh.
type meshReader struct {
	*reader
	lists     corners.Lists
	faces     chunk
	frame     scenes.Affine
	finish    []int32         // material of each face; -1: none
	texCoords map[int32]int32 // by material, index of the first texture coordinates that it transforms
}

func (r *reader) readMesh(c chunk, name string) error {
	if err := r.Reserve(meshBytes); err != nil {
		return err
	}
	m := &meshReader{reader: r, frame: scenes.Identity(), texCoords: make(map[int32]int32)}
	if err := r.eachChunk(c, m.readPart); err != nil {
		return err
	}
	if m.faces.id == 0 || len(m.lists.Positions) == 0 {
		return nil // no triangles; some programs write such meshes for other objects
	}
	b, err := m.makeBuilder()
	if err != nil {
		return err
	}
	if b.Dropped > 0 {
		if err := r.warn.Add(bytePlace(c.at), "%d triangles left out that have corners which do not exist", b.Dropped); err != nil {
			return err
		}
	}
	one := &mesh{name: name, frame: m.frame, shapes: b.Shapes(func(i int32) int32 { return i }, nil)}
	r.meshes = append(r.meshes, one)
	if r.byName[name] == nil {
		r.byName[name] = one
	}
	return nil
}

// readPart reads a chunk inside a mesh.
func (m *meshReader) readPart(c chunk) error {
	switch c.id {
	case idVertices:
		n, at := m.count(c.body, c.end, 12)
		if err := m.Reserve(24 * int64(n)); err != nil {
			return err
		}
		m.lists.Positions = make([][3]float64, n)
		for i := range m.lists.Positions {
			m.floats(at+12*i, c.end, m.lists.Positions[i][:])
		}
		return m.warnShort(c, c.body, n)
	case idCoordinates:
		n, at := m.count(c.body, c.end, 8)
		if err := m.Reserve(16 * int64(n)); err != nil {
			return err
		}
		m.lists.TexCoords = make([][2]float64, n)
		for i := range m.lists.TexCoords {
			m.floats(at+8*i, c.end, m.lists.TexCoords[i][:])
		}
		return m.warnShort(c, c.body, n)
	case idFaces:
		m.faces = c
	case idFrame:
		var v [12]float64
		if m.floats(c.body, c.end, v[:]) {
			for axis := range 4 {
				for row := range 3 {
					m.frame[row][axis] = v[3*axis+row]
				}
			}
		}
	}
	return nil
}

// faceBytes is the size in bytes of a face: three corners, and flags that tell which edges are visible.
const faceBytes = 8

// makeBuilder returns a builder that has the triangles of the mesh.
func (m *meshReader) makeBuilder() (*corners.Builder, error) {
	n, at := m.count(m.faces.body, m.faces.end, faceBytes)
	if err := m.warnShort(m.faces, m.faces.body, n); err != nil {
		return nil, err
	}
	if err := m.Reserve(4 * int64(n)); err != nil {
		return nil, err
	}
	m.finish = make([]int32, n)
	for i := range m.finish {
		m.finish[i] = -1
	}
	if err := m.eachChunk(chunk{idFaces, m.faces.at, at + faceBytes*n, m.faces.end}, m.readFaceMaterial); err != nil {
		return nil, err
	}
	plain := int32(len(m.lists.TexCoords))
	for _, material := range m.finish {
		if err := m.addTransformed(material, plain); err != nil {
			return nil, err
		}
	}
	for i := range plain {
		m.lists.TexCoords[i][1] = 1 - m.lists.TexCoords[i][1]
	}
	b, err := corners.New(m.in, m.lists, &m.Held)
	if err != nil {
		return nil, err
	}
	to, last := b.Slot(-1), int32(-1)
	for i, material := range m.finish {
		if material != last {
			to, last = b.Slot(material), material
		}
		var one [3]corners.Corner
		for k := range one {
			v := int32(m.uint16At(at + faceBytes*i + 2*k))
			one[k] = corners.Corner{Position: v, Normal: corners.None, Color: corners.None, TexCoord: corners.None}
			if v < plain {
				one[k].TexCoord = m.texCoords[material] + v
			}
		}
		if err := b.Add(to, one[:]); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// readFaceMaterial reads a chunk that lists the faces with one material.
func (m *meshReader) readFaceMaterial(c chunk) error {
	if c.id != idFaceMaterial {
		return nil
	}
	name, at := m.name(c)
	n, first := m.count(at, c.end, 2)
	material, ok := m.materialOf[name]
	if !ok {
		return m.warn.Add(bytePlace(c.at), "%d triangles refer to a material that does not exist", n)
	}
	strange := 0
	for i := range n {
		if face := m.uint16At(first + 2*i); face < len(m.finish) {
			m.finish[face] = material
		} else {
			strange++
		}
	}
	if strange > 0 {
		return m.warn.Add(bytePlace(c.at), "a material is assigned to %d triangles that do not exist", strange)
	}
	return m.warnShort(c, at, n)
}

// addTransformed appends a copy of all texture coordinates for a material that transforms its texture. `plain` is the
// number of texture coordinates in the file.
func (m *meshReader) addTransformed(material, plain int32) error {
	if material < 0 || plain == 0 {
		return nil
	}
	if _, ok := m.texCoords[material]; ok {
		return nil
	}
	m.texCoords[material] = 0
	by := &m.materials[material]
	if !by.hasTransform {
		return nil
	}
	if err := m.Reserve(2 * 16 * int64(plain)); err != nil { // doubled, because the list is copied as it grows
		return err
	}
	m.texCoords[material] = int32(len(m.lists.TexCoords))
	for _, uv := range m.lists.TexCoords[:plain] {
		m.lists.TexCoords = append(m.lists.TexCoords, [2]float64{
			float64(uv[0]*by.scale[0]) + by.offset[0], 1 - (float64(uv[1]*by.scale[1]) + by.offset[1]),
		})
	}
	return nil
}
