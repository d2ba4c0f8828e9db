package section

import "lockstep/scenes"

// Memory holds buffers for successive cuts, because allocating memory takes as long as copying a mesh into it. Its zero
// value is ready for use.
type Memory struct {
	coords         [9][]float32
	colors, owners []uint32
	of             *scenes.Mesh // the mesh that was cut last
	box            scenes.Box   // bounding box of that mesh
}

// boundsOf returns the box of a mesh. m may be nil.
func (m *Memory) boundsOf(mesh *scenes.Mesh) scenes.Box {
	if m == nil {
		return mesh.Bounds()
	}
	if m.of != mesh {
		m.of, m.box = mesh, mesh.Bounds()
	}
	return m.box
}

// capacity returns the number of triangles for which the buffers have space. If owned is set, that includes the buffer
// of owners.
func (m *Memory) capacity(owned bool) int {
	n := cap(m.colors)
	for _, column := range m.coords {
		n = min(n, cap(column))
	}
	if owned {
		n = min(n, cap(m.owners))
	}
	return n
}

// reuse returns empty slices for at least n triangles, with one for owners if owned is set. If the buffers of m are too
// small, it allocates new ones for all triangles of the mesh. If m is nil, it allocates slices for n triangles.
func (m *Memory) reuse(n, all int, owned bool) (coords [9][]float32, colors, owners []uint32) {
	if m != nil {
		if m.capacity(owned) >= n {
			return m.coords, m.colors, m.owners
		}
		n = max(n, all) // the next cut may keep more
	}
	made := scenes.MakeBlock(n)
	for k := range 3 {
		coords[3*k], coords[3*k+1], coords[3*k+2] = made.X[k][:0], made.Y[k][:0], made.Z[k][:0]
	}
	if owned {
		owners = make([]uint32, 0, n)
	}
	return coords, make([]uint32, 0, n), owners
}

// store keeps the memory of a finished cut for the next cut. m may be nil.
func (m *Memory) store(b *builder) {
	if m == nil {
		return
	}
	for i, column := range b.coords {
		m.coords[i] = column[:0]
	}
	m.colors, m.owners = b.colors[:0], b.owners[:0]
}
