package render

import (
	"math"

	"lockstep/render/internal/surface"
	"lockstep/scenes"
)

// A Field says which numbers of a mesh, of scenes.Attributes, colour it. The zero value
// is none.
type Field struct {
	Name string
	Map  string // one of ColorMaps; "" means viridis
	// Low and High are where the map begins and ends; where they are equal, the least and
	// the greatest number of the mesh.
	Low, High float64
}

// NoNumber is the colour, in linear light, of what has no number of a field.
var NoNumber = [3]float32{0.5, 0.5, 0.5}

// ColorMaps returns the names of the colour maps.
func ColorMaps() []string { return surface.MapNames() }

func (f *Field) mapName() string {
	if f.Map == "" {
		return "viridis"
	}
	return f.Map
}

// FieldOf returns the field of a mesh with a name, nil if there is none.
func FieldOf(m *scenes.Mesh, name string) *scenes.Field {
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

// FieldRange returns the least and the greatest finite number of a field; 0 and 0 where
// there is none.
func FieldRange(f *scenes.Field) (low, high float64) {
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

// of prepares the field of a surface; nil if it has none of the name.
func (f *Field) of(s *Surface) *surface.Field {
	found := FieldOf(s.Mesh, f.Name)
	if found == nil {
		return nil
	}
	low, high := f.Low, f.High
	if low == high {
		low, high = FieldRange(found)
	}
	p := &surface.Field{
		Values: found.Values, OfTriangles: found.OfTriangles, Index: s.Mesh.Attributes.Index,
		Low: float32(low), High: float32(high), None: NoNumber,
	}
	p.Map, _ = surface.NewMap(f.mapName())
	return p
}
