package x3d

import (
	"math"

	"lockstep/scenes/internal/corners"
)

// An attribute tells which entry of a list of normals, colours or texture coordinates each corner has.
type attribute struct {
	n     int  // number of entries of the list
	faces bool // entries belong to faces, not to corners
	index []int32
	order order
}

// invalidEntry is an index beyond the end of every list.
const invalidEntry = math.MaxInt32

// entry returns the index of the entry for a corner. Its arguments are the index of the corner, of the corner's
// position, and of the face.
func (a *attribute) entry(corner int, at int32, face int) int32 {
	if a.n == 0 {
		return corners.None
	}
	i := corner
	if a.faces {
		i = face
	}
	switch {
	case a.index == nil && a.faces:
		return int32(face)
	case a.index == nil:
		return at
	case i >= len(a.index):
		return invalidEntry
	}
	return a.index[i]
}

// readIndices reads a field of indices. It returns nil if the field does not exist.
func (m *meshReader) readIndices(field string) (all []int32, err error) {
	raw := m.node.raw(field)
	if len(raw) == 0 {
		return nil, nil
	}
	if err := m.Reserve(8 * int64(len(raw)/2+1)); err != nil {
		return nil, err
	}
	for numbers := m.node.numbers(field); numbers.More(); {
		v, ok := numbers.Int()
		if !ok || v > invalidEntry || v < math.MinInt32 {
			v = invalidEntry
		}
		all = append(all, int32(v))
	}
	return all, nil
}

// readAttribute reads which of n entries each corner or face has. perVertex and index are the names of the two fields
// that determine this.
func (m *meshReader) readAttribute(n int, perVertex, index string) (a attribute, err error) {
	if n == 0 {
		return a, nil
	}
	a = attribute{n: n, faces: perVertex != "" && !m.node.flag(perVertex, true)}
	a.index, err = m.readIndices(index)
	a.order = m.node.orders[index]
	return a, err
}
