package recipe

import (
	"lockstep/render"
	"lockstep/render/internal/surface"
	"lockstep/scenes"
)

const (
	// paleFrom is the mean of linear light that a surface reflects from which on it is nearly white: that of e5e5e5.
	paleFrom = 0.78
	// paleLooks is how many triangles are looked at, evenly over the mesh: their mean is that of all to a few hundredths.
	paleLooks = 10_000
	// paleTexels is how many pixels of a texture are looked at along each side.
	paleTexels = 32
)

// pale reports whether the mesh of an input is nearly white in pictures of a recipe.
func (in *Input) pale(p *Picture) bool {
	l := p.full().Look
	tables := surface.NewColors()
	mesh := in.colored()
	switch rgb, given := l.Color.RGB(); {
	case l.Field != "" || l.Color == "facing":
		return false
	case given && !p.Edited(): // else the mesh has it
		return lightOf(tables.Linear(uint32(rgb))) >= paleFrom
	case mesh == nil || in.Source.Len() == 0:
		return false
	}
	body := lightOf(tables.Linear(uint32(p.BodyColor())))
	textures := map[*scenes.Texture]float32{}
	sum, n := 0.0, min(in.Source.Len(), paleLooks)
	for i := range n {
		t := int(int64(i) * int64(in.Source.Len()) / int64(n))
		sum += float64(triangleLight(mesh, t, body, textures, tables))
	}
	return sum/float64(n) >= paleFrom
}

// colored returns a mesh with the colours of an input, nil where they are not in memory.
func (in *Input) colored() *scenes.Mesh {
	if s, ok := in.Source.(*render.Stored); ok {
		return s.Colored()
	}
	return in.Mesh()
}

// triangleLight returns how much light a triangle reflects: body where it has no colour.
func triangleLight(mesh *scenes.Mesh, t int, body float32, textures map[*scenes.Texture]float32, tables *surface.Colors) float32 {
	a := mesh.Attributes
	if a == nil || !a.Colors.Has() && a.Material(t) == nil {
		if mesh.Colors == nil {
			return body
		}
		return lightOf(tables.Linear(mesh.Colors[t]))
	}
	light := float32(1)
	if a.Colors.Has() {
		light = 0
		for k := range 3 {
			light += lightOf(tables.Linear(a.Colors.At(k, t).RGB())) / 3
		}
	}
	if m := a.Material(t); m != nil {
		light *= lightOf([3]float32(m.BaseColor[:3]))
		if m.Texture != nil {
			mean, known := textures[m.Texture]
			if !known {
				mean = textureLight(m.Texture, tables)
				textures[m.Texture] = mean
			}
			light *= mean
		}
	}
	return light
}

// textureLight returns how much light a texture reflects on average.
func textureLight(t *scenes.Texture, tables *surface.Colors) float32 {
	size, sum := t.Picture.Bounds().Size(), float32(0)
	for i := range paleTexels * paleTexels {
		c := t.Picture.NRGBAAt((i%paleTexels)*size.X/paleTexels, (i/paleTexels)*size.Y/paleTexels)
		sum += lightOf(tables.Linear(uint32(c.R)<<16 | uint32(c.G)<<8 | uint32(c.B)))
	}
	return sum / (paleTexels * paleTexels)
}

// lightOf returns the least of the three: white reflects all of them.
func lightOf(linear [3]float32) float32 { return min(linear[0], linear[1], linear[2]) }
