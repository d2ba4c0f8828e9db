package render

import (
	"lockstep/render/internal/surface"
	"lockstep/scenes"
)

// Light says which lights there are.
type Light uint8

const (
	// LightHeadlight is one light at the eye: 0.15 + 0.85 |n.v| for a normal n and the
	// direction v to the eye.
	LightHeadlight Light = iota
	// LightStudio are a key from above to the left, a fill from the right, a light at the eye, a rim
	// from behind, a sky about the up axis, and a highlight of the key. All but the sky stay with the
	// camera.
	LightStudio
)

// Studio returns the options with the surfaces of the command's pictures: studio lights on a
// smooth surface with occlusion, four samples a pixel, and a plain light background. Package recipe
// draws what the command does: with a shadow on the ground, before a gradient.
func (o Options) Studio() Options {
	o.Light, o.Shading, o.Occlusion = LightStudio, ShadingSmooth, true
	o.Samples, o.Background = 4, StudioBackground
	return o
}

// A Field says which numbers of a mesh, of scenes.Attributes, colour it. The zero value
// is none.
type Field struct {
	Name string
	Map  string // one of ColorMaps; "" means viridis
	// Low and High are where the map begins and ends; where they are equal, the least and
	// the greatest number of the mesh.
	Low, High float64
}

// ColorMaps returns the names of the colour maps.
func ColorMaps() []string { return surface.MapNames() }

func (f *Field) mapName() string {
	if f.Map == "" {
		return "viridis"
	}
	return f.Map
}

// of prepares the field of a surface; nil if it has none of the name.
func (f *Field) of(s *Surface) *surface.Field {
	found := s.Mesh.Field(f.Name)
	if found == nil {
		return nil
	}
	low, high := f.Low, f.High
	if low == high {
		low, high = found.Range()
	}
	p := &surface.Field{
		Values: found.Values, OfTriangles: found.OfTriangles, Index: s.Mesh.Attributes.Index,
		Low: float32(low), High: float32(high), None: surface.NoNumber,
	}
	p.Map, _ = surface.NewMap(f.mapName())
	return p
}

// checkFinish finds what is wrong with a finish.
func checkFinish(f *scenes.Finish, faults *faults) {
	for _, part := range []struct {
		name  string
		value float32
	}{
		{"metallic", f.Metallic}, {"roughness", f.Roughness}, {"specular", f.Specular[0]}, {"specular", f.Specular[1]}, {"specular", f.Specular[2]},
		{"coat", f.Coat}, {"coat roughness", f.CoatRoughness}, {"transmission", f.Transmission},
	} {
		if !(part.value >= 0 && part.value <= 1) {
			faults.add("finish: %s %g: expected 0 to 1", part.name, part.value)
		}
	}
}
