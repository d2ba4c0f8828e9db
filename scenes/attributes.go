package scenes

import "math"

// Attributes holds the data of a surface besides its corners: shared vertices, normals, colours, texture coordinates,
// materials, and fields of numbers. Everything except Index may be missing.
//
// The base colour of a point is a product in linear light: the interpolated corner colours (Colors), the texture of its
// material, and the colour of its material. If a mesh has Colors or materials, Block.Colors holds the mean base colour
// of each triangle, for flat shading. Otherwise Block.Colors holds the base colours themselves.
type Attributes struct {
	// Index[k][t] is the index of the vertex at corner k of triangle t. Vertices is the number of vertices. Two corners
	// have the same index only if they share a vertex in the file. A file may store several vertices at one position,
	// for example at a seam of a texture.
	Index    [3][]uint32
	Vertices int

	// Normals holds unit vectors in the coordinate axes of the mesh. A normal is zero if the file has no valid normal
	// for the corner.
	Normals Attribute[[3]float32]
	// Colors holds colours of corners.
	Colors Attribute[RGBA]
	// TexCoords holds (u, v): (0, 0) is the upper left corner of a picture, (1, 1)
	// the lower right one.
	TexCoords Attribute[[2]float32]
	// TexCoords2 holds a second set of texture coordinates, for textures whose field Second is set.
	TexCoords2 Attribute[[2]float32]

	Materials []Material
	// MaterialOf[t] is the material of triangle t: an index in Materials, or -1 if the triangle has no material.
	// MaterialOf is nil if no triangle has a material.
	MaterialOf []int32

	// Fields holds numbers that pictures can show as colours, such as temperatures.
	Fields []Field
}

// Material returns the material of triangle t, or nil if the triangle has no material.
func (a *Attributes) Material(t int) *Material {
	if a.MaterialOf == nil || a.MaterialOf[t] < 0 {
		return nil
	}
	return &a.Materials[a.MaterialOf[t]]
}

// An Attribute gives a value to every corner. The value of corner k of triangle t is Values[Index[k][t]]. If Values
// is empty, the mesh does not have the attribute. Otherwise every entry of Index is less than len(Values). Several
// attributes may share the slices of one Index.
type Attribute[T any] struct {
	Values []T
	Index  [3][]uint32
}

// Has reports whether the mesh has the attribute.
func (a *Attribute[T]) Has() bool { return len(a.Values) > 0 }

// At returns the value of corner k of triangle t. The mesh must have the
// attribute.
func (a *Attribute[T]) At(k, t int) T { return a.Values[a.Index[k][t]] }

// A Field has one number for each vertex or, if OfTriangles is set, for each triangle.
type Field struct {
	Name        string
	OfTriangles bool
	// Values has one number for each vertex (see Attributes.Index) or, if OfTriangles is set, for each triangle. A
	// number is NaN if the file states no number for this vertex or triangle. Vertices or triangles on parts of the
	// surface that do not have this field have the number NoField.
	Values []float32
	// Symmetric, if positive, makes Range return a range from -x to x, where x is at least Symmetric. It is meant for
	// numbers whose sign matters, such as signed distances.
	Symmetric float64
}

// Range returns the least and the greatest finite number of the field, or 0 and 0 if no number is finite. If Symmetric
// is positive, Range extends this range, so that low is -high and high is at least Symmetric.
func (f *Field) Range() (low, high float64) {
	low, high = f.extremes()
	if f.Symmetric > 0 {
		high = max(high, -low, f.Symmetric)
		low = -high
	}
	return low, high
}

func (f *Field) extremes() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range f.Values {
		if v-v == 0 {
			low, high = min(low, float64(v)), max(high, float64(v))
		}
	}
	if low > high {
		return 0, 0
	}
	return low, high
}

// Field returns the first field called name, or nil if there is none.
func (m *Mesh) Field(name string) *Field {
	if m.Attributes == nil {
		return nil
	}
	for i := range m.Attributes.Fields {
		if f := &m.Attributes.Fields[i]; f.Name == name {
			return f
		}
	}
	return nil
}

// noField holds the bits of NoField: a quiet NaN that arithmetic never produces.
const noField = 0x7fe0f1e1

// NoField returns the NaN that marks surfaces without a field. One example is a face that was made when a mesh was
// cut. Another is a mesh without the field that was joined to a mesh with the field. Pictures show such surfaces in
// their own colours. Any other NaN means a missing number.
func NoField() float32 { return math.Float32frombits(noField) }

// IsNoField reports whether a value is NoField.
func IsNoField(v float32) bool { return math.Float32bits(v) == noField }

// RGBA is an sRGB colour with straight alpha.
type RGBA [4]uint8

// Opaque returns the colour 0x00RRGGBB.
func Opaque(rgb uint32) RGBA { return RGBA{uint8(rgb >> 16), uint8(rgb >> 8), uint8(rgb), 255} }

// RGB returns the colour as 0x00RRGGBB, without its alpha.
func (c RGBA) RGB() uint32 { return uint32(c[0])<<16 | uint32(c[1])<<8 | uint32(c[2]) }
