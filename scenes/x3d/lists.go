package x3d

import (
	"math"
	"reflect"

	"lockstep/scenes"
)

// A sharedLists holds the lists of a file. Each is read once from its node, and all geometries with that node share it.
type sharedLists struct {
	vectors map[*node][][3]float64 // positions and normals
	uv      map[*node][][2]float64 // texture coordinates as in the file
	colors  map[*node][]scenes.RGBA
	placed  map[placedKey][][2]float64 // texture coordinates after setTexCoords
}

// A placedKey identifies texture coordinates by the node of their list, or of the positions from which they are
// computed, and by their TextureTransform node (moved).
type placedKey struct{ list, moved *node }

// eachRow calls `each` for every entry of a field of node n. An entry has `width` numbers.
func (m *meshReader) eachRow(n *node, field string, width int, each func(row []float64)) error {
	if n == nil {
		return nil
	}
	strange := 0
	var row [4]float64
	k := 0
	for numbers := n.numbers(field); numbers.More(); {
		v, ok := numbers.Float()
		if !ok {
			strange++
			v = math.NaN()
		}
		row[k] = v
		if k++; k == width {
			k = 0
			each(row[:width])
		}
	}
	if strange > 0 {
		return m.warn.Add(bytePlace(n.at), "%d words are no numbers", strange)
	}
	return nil
}

// reserveField counts the memory for a field before it is read. An entry has `width` numbers and takes `bytes` bytes.
func (m *meshReader) reserveField(n *node, field string, width, bytes int) error {
	return m.Reserve(2 * int64(bytes) * int64(len(n.raw(field))/(2*width)+1)) // twice, because the list is copied
}

// listOf returns the entries of a field of node n, each made by the function `of` from `width` numbers. It reads the
// field only once per node, because very many geometries may share a long list.
func listOf[T any](m *meshReader, all map[*node][]T, n *node, field string, width int, of func(v []float64) T) ([]T, error) {
	if n == nil {
		return nil, nil
	}
	if list, ok := all[n]; ok {
		return list, nil
	}
	if err := m.reserveField(n, field, width, int(reflect.TypeFor[T]().Size())); err != nil {
		return nil, err
	}
	var list []T
	err := m.eachRow(n, field, width, func(v []float64) { list = append(list, of(v)) })
	all[n] = list
	return list, err
}

func vectorOf(v []float64) [3]float64 { return [3]float64(v) }

// readPositions reads the positions of corners.
func (m *meshReader) readPositions() (err error) {
	m.coordinates = m.node.child("Coordinate", "CoordinateDouble")
	m.lists.Positions, err = listOf(m, m.shared.vectors, m.coordinates, "point", 3, vectorOf)
	return err
}

// readAttributes reads normals, colours and texture coordinates.
func (m *meshReader) readAttributes() (err error) {
	m.texCoords = m.node.child("TextureCoordinate")
	m.mapped = m.texCoords != nil
	if m.lists.Normals, err = listOf(m, m.shared.vectors, m.node.child("Normal"), "vector", 3, vectorOf); err != nil {
		return err
	}
	m.lists.TexCoords, err = listOf(m, m.shared.uv, m.texCoords, "point", 2, func(v []float64) [2]float64 { return [2]float64(v) })
	if err != nil {
		return err
	}
	colors, width := m.node.child("Color", "ColorRGBA"), 3
	if colors != nil && colors.kind == "ColorRGBA" {
		width = 4
	}
	m.lists.Colors, err = listOf(m, m.shared.colors, colors, "color", width, func(v []float64) scenes.RGBA {
		c := scenes.RGBA{3: 255}
		for i, part := range v {
			c[i] = unit8(part)
		}
		return c
	})
	return err
}

// spendPositions counts the work of a geometry that uses all n positions of a list in order. The fields of the geometry
// may be short, so the work does not follow from their length. It is counted as 6 bytes for each position, the length
// of the shortest text, "0 0 0 ".
func (m *meshReader) spendPositions(n int) error { return m.reading.Spend(m.in, 6*int64(n)) }
