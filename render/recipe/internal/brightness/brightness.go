// Package brightness finds how much light the surface of a mesh reflects, by its colours, materials and textures.
package brightness

import (
	"lockstep/render/internal/surface"
	"lockstep/scenes"
)

const (
	// maxSamples is the number of triangles that are sampled, at equal intervals over the mesh. Their mean brightness
	// differs from the mean of all triangles by a few hundredths.
	maxSamples = 10_000
	// textureSamples is the number of sampled pixels along each side of a texture.
	textureSamples = 32
)

// Pale is the least mean brightness at which a surface counts as nearly white. In linear light, it is the brightness
// of the colour e5e5e5.
const Pale = 0.78

// Mean returns the average fraction of linear light, from 0 to 1, that the first n triangles of a mesh reflect. body
// is the fraction for triangles without a colour.
func Mean(mesh *scenes.Mesh, n int, body float32, tables *surface.Colors) float64 {
	textures := map[*scenes.Texture]float32{}
	sum, some := 0.0, min(n, maxSamples)
	for i := range some {
		t := int(int64(i) * int64(n) / int64(some))
		sum += float64(triangleLight(mesh, t, body, textures, tables))
	}
	return sum / float64(some)
}

// triangleLight returns the fraction of linear light that triangle t reflects, or body if the triangle has no colour.
func triangleLight(mesh *scenes.Mesh, t int, body float32, textures map[*scenes.Texture]float32, tables *surface.Colors) float32 {
	a := mesh.Attributes
	if a == nil || !a.Colors.Has() && a.Material(t) == nil {
		if mesh.Colors == nil {
			return body
		}
		return OfColor(tables.Linear(mesh.Colors[t]))
	}
	light := float32(1)
	if a.Colors.Has() {
		light = 0
		for k := range 3 {
			light += OfColor(tables.Linear(a.Colors.At(k, t).RGB())) / 3
		}
	}
	if m := a.Material(t); m != nil {
		light *= OfColor([3]float32(m.BaseColor[:3]))
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

// textureLight returns the fraction of linear light that a texture reflects on average.
func textureLight(t *scenes.Texture, tables *surface.Colors) float32 {
	size, sum := t.Picture.Bounds().Size(), float32(0)
	for i := range textureSamples * textureSamples {
		c := t.Picture.NRGBAAt((i%textureSamples)*size.X/textureSamples, (i/textureSamples)*size.Y/textureSamples)
		sum += OfColor(tables.Linear(uint32(c.R)<<16 | uint32(c.G)<<8 | uint32(c.B)))
	}
	return sum / (textureSamples * textureSamples)
}

// OfColor returns the smallest of the three components of a colour. A colour is white only if it reflects all three
// components.
func OfColor(linear [3]float32) float32 { return min(linear[0], linear[1], linear[2]) }
