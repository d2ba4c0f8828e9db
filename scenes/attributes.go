package scenes

import "math"

// Attributes holds the data of a surface besides its corners: shared vertices,
// normals, colours, texture coordinates, materials, and numbers to colour by.
// Everything may be missing but Index.
//
// The base colour of a point is the product of the colour between its corners
// (Colors), the texture of its material and the colour of its material, in linear
// light. A mesh with neither has the colours of Block.Colors. Where attributes have
// colours, Block.Colors holds their mean over each triangle, for flat pictures.
type Attributes struct {
	// Index[k][t] is the vertex of corner k of triangle t, below Vertices. It is
	// the sharing of the file: where a file splits a vertex, at seams of a texture
	// for example, several vertices lie at one place.
	Index    [3][]uint32
	Vertices int

	// Normals holds unit vectors, in the axes of the coordinates; zero where the
	// file has none or a damaged one.
	Normals Attribute[[3]float32]
	// Colors holds colours of corners.
	Colors Attribute[RGBA]
	// TexCoords holds (u, v): (0, 0) is the upper left corner of a picture, (1, 1)
	// the lower right one.
	TexCoords Attribute[[2]float32]

	Materials []Material
	// MaterialOf holds the material of each triangle, -1 for none; nil if no
	// triangle has one.
	MaterialOf []int32

	// Fields holds numbers without a meaning of their own, such as temperatures.
	Fields []Field
}

// Material returns the material of triangle t; nil if it has none.
func (a *Attributes) Material(t int) *Material {
	if a.MaterialOf == nil || a.MaterialOf[t] < 0 {
		return nil
	}
	return &a.Materials[a.MaterialOf[t]]
}

// An Attribute gives corners values: corner k of triangle t has
// Values[Index[k][t]]. Without values the mesh lacks the attribute; else every
// entry of Index is the index of one. Attributes may share their columns.
type Attribute[T any] struct {
	Values []T
	Index  [3][]uint32
}

// Has reports whether the mesh has the attribute.
func (a *Attribute[T]) Has() bool { return len(a.Values) > 0 }

// At returns the value of corner k of triangle t. The mesh must have the
// attribute.
func (a *Attribute[T]) At(k, t int) T { return a.Values[a.Index[k][t]] }

// A Field is one number a vertex, or one a triangle.
type Field struct {
	Name        string
	OfTriangles bool
	// Values has one entry a vertex, see Attributes.Index, or one a triangle; NaN
	// where the file has none, and NoField where the surface has no such field.
	Values []float32
	// Symmetric, if above 0, makes the range of the field one about 0, that reaches at least so far: that of numbers
	// whose sign counts, such as signed distances.
	Symmetric float64
}

// Range returns the least and the greatest finite number of the field, or a symmetric range; 0 and 0 where there is
// none.
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

// Field returns the field of the mesh with a name, nil if there is none.
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

// noField are the bits of NoField: a quiet NaN that no arithmetic makes.
const noField = 0x7fe0f1e1

// NoField returns the value, a NaN, of surfaces that do not have the field: those of a mesh joined to one
// that has it, and caps of cuts. Pictures show their own colours, where other NaNs mean a missing number.
func NoField() float32 { return math.Float32frombits(noField) }

// IsNoField reports whether a value is NoField.
func IsNoField(v float32) bool { return math.Float32bits(v) == noField }

// RGBA is an sRGB colour with straight alpha.
type RGBA [4]uint8

// Opaque returns the colour 0x00RRGGBB.
func Opaque(rgb uint32) RGBA { return RGBA{uint8(rgb >> 16), uint8(rgb >> 8), uint8(rgb), 255} }

// RGB returns the colour as 0x00RRGGBB, without its alpha.
func (c RGBA) RGB() uint32 { return uint32(c[0])<<16 | uint32(c[1])<<8 | uint32(c[2]) }
