package render

import (
	"lockstep/render/internal/surface"
	"lockstep/scenes"
)

// Light selects the lights of the picture.
type Light uint8

const (
	// LightHeadlight is one light at the eye: 0.15 + 0.85 |n.v| for a normal n and the
	// direction v to the eye.
	LightHeadlight Light = iota
	// LightStudio is a set of lights: a key light from above to the left, a fill light from the right, a light at the
	// eye, a rim light from behind, a sky about the up axis, and a highlight of the key light. All except the sky move
	// with the camera.
	LightStudio
)

// Studio returns the options with the look of the pictures that the program cmd/render draws: studio lights on a
// smooth surface with occlusion, eye-dome light on clouds, four samples a pixel, and a plain light background. Package
// recipe draws the command's pictures, which also have a shadow on the ground and a gradient in the background.
func (o Options) Studio() Options {
	o.Light, o.Shading, o.Occlusion, o.EyeDome = LightStudio, ShadingSmooth, true, true
	o.Samples, o.Background = 4, StudioBackground
	return o
}

// A Field names an attribute of a mesh (see scenes.Attributes) whose numbers colour the mesh. The zero value names no
// attribute.
type Field struct {
	Name string
	Map  string // one of ColorMaps; "" means viridis
	// Low is the number that gets the first colour of the map, and High the number that gets the last colour. If they
	// are equal, the least and the greatest number of the mesh are used instead.
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

// prepare returns the field of s that f names, with the colour map of f. It returns nil if s has no field of that name.
func (f *Field) prepare(s *Surface) *surface.Field {
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

// checkFinish adds a fault for every value of f that is not between 0 and 1.
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
