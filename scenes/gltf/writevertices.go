package gltf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image/png"
	"math"
	"slices"

	"lockstep/scenes"
	"lockstep/scenes/internal/surface"
)

// writeVertices writes the attributes of the vertices.
func (e *encoder) writeVertices() {
	if e.vertices.Len() == 0 {
		return
	}
	e.writePositions()
	if e.a.Normals.Has() {
		e.writeColumn("NORMAL", accessor{ComponentType: typeFloat, Type: "VEC3"}, func(k, t int) {
			for _, v := range e.a.Normals.At(k, t) {
				e.appendFloat(v)
			}
		})
	}
	e.writeTexCoords("TEXCOORD_0", &e.a.TexCoords)
	e.writeTexCoords("TEXCOORD_1", &e.a.TexCoords2)
	if e.a.Colors.Has() || e.usesFaceColors() {
		// Linear light needs 16 bits, because 8 bits would make different sRGB values equal.
		e.writeColumn("COLOR_0", accessor{ComponentType: typeUint16, Normalized: true, Type: "VEC4"}, func(k, t int) {
			var c scenes.RGBA
			if e.a.Colors.Has() {
				c = e.a.Colors.At(k, t)
			} else {
				c = scenes.Opaque(e.mesh.Colors[t])
			}
			for _, v := range c[:3] {
				e.data = binary.LittleEndian.AppendUint16(e.data, uint16(surface.Linear(v)*65535+0.5))
			}
			e.data = binary.LittleEndian.AppendUint16(e.data, uint16(c[3])*257)
		})
	}
}

// writeTexCoords writes a set of texture coordinates, if the mesh has it.
func (e *encoder) writeTexCoords(name string, set *scenes.Attribute[[2]float32]) {
	if !set.Has() {
		return
	}
	e.writeColumn(name, accessor{ComponentType: typeFloat, Type: "VEC2"}, func(k, t int) {
		for _, v := range set.At(k, t) {
			e.appendFloat(v)
		}
	})
}

// writePositions writes the coordinates and their box. Coordinates that are not finite become zero.
func (e *encoder) writePositions() {
	inf := float32(math.Inf(1))
	lo, hi := []float32{inf, inf, inf}, []float32{-inf, -inf, -inf}
	e.writeColumn("POSITION", accessor{ComponentType: typeFloat, Type: "VEC3", Min: lo, Max: hi}, func(k, t int) {
		for c, v := range [3]float32{e.mesh.X[k][t], e.mesh.Y[k][t], e.mesh.Z[k][t]} {
			if v-v != 0 {
				v = 0
			}
			lo[c], hi[c] = min(lo[c], v), max(hi[c], v)
			e.appendFloat(v)
		}
	})
}

// writeMaterials writes the materials and their textures.
func (e *encoder) writeMaterials() {
	images := map[any]int{}
	for i := range e.a.Materials {
		from := &e.a.Materials[i]
		to := material{Name: from.Name, PBR: pbr{BaseColor: from.BaseColor}, DoubleSided: !from.OneSided}
		switch from.Alpha {
		case scenes.AlphaMask:
			to.AlphaMode, to.AlphaCutoff = "MASK", &from.AlphaCutoff
		case scenes.AlphaBlend:
			to.AlphaMode = "BLEND"
		}
		if from.Unlit {
			e.addExtension(&to, "KHR_materials_unlit", struct{}{})
		}
		to.PBR.Texture = e.writeTexture(from.Texture, images)
		e.writeEmission(&to, from, images)
		e.writeFinish(&to, from.Finish, images)
		e.Materials = append(e.Materials, to)
	}
}

// addExtension adds an extension to a material.
func (e *encoder) addExtension(m *material, name string, value any) {
	e.addExtensionTo(&m.Extensions, name, value)
}

// addExtensionTo adds an extension to the extensions of an object.
func (e *encoder) addExtensionTo(all *map[string]any, name string, value any) {
	if *all == nil {
		*all = map[string]any{}
	}
	(*all)[name] = value
	if !slices.Contains(e.ExtensionsUsed, name) {
		e.ExtensionsUsed = append(e.ExtensionsUsed, name)
	}
}

// writeTexture writes a texture. It writes its picture too, unless `images` already has it. It returns nil if x is nil.
func (e *encoder) writeTexture(x *scenes.Texture, images map[any]int) *textureRef {
	if x == nil {
		return nil
	}
	if _, ok := images[x.Picture]; !ok {
		images[x.Picture] = len(e.Images)
		e.writeImage(x)
	}
	ref := &textureRef{Index: len(e.Textures)}
	if x.Second {
		ref.TexCoord = 1
	}
	if x.Placement != nil {
		e.addExtensionTo(&ref.Extensions, "KHR_texture_transform", transformOf(x.Placement))
	}
	e.Textures = append(e.Textures, texture{x.Name, len(e.Samplers), images[x.Picture]})
	wraps := [...]int{scenes.Repeat: 10497, scenes.Clamp: 33071, scenes.Mirror: 33648}
	s := sampler{Mag: linear, WrapS: wraps[x.WrapU], WrapT: wraps[x.WrapV]}
	if x.Nearest {
		s.Mag = nearest
	}
	switch x.Minify {
	case scenes.MinifyLinear:
		s.Min = linear
	case scenes.MinifyNearest:
		s.Min = nearest
	}
	e.Samplers = append(e.Samplers, s)
	return ref
}

// writeEmission writes the emission of a material. The emissive factor of the format is at most 1. A stronger emission
// needs an extension.
func (e *encoder) writeEmission(to *material, from *scenes.Material, images map[any]int) {
	light := from.Emission
	most := max(light[0], light[1], light[2])
	if !(most > 0) {
		return
	}
	if most > 1 {
		e.addExtension(to, "KHR_materials_emissive_strength", map[string]float32{"emissiveStrength": most})
		for c := range light {
			light[c] /= most
		}
	}
	to.Emission, to.Glow = &light, e.writeTexture(from.Glow, images)
}

func (e *encoder) writeImage(x *scenes.Texture) {
	var b bytes.Buffer
	if err := png.Encode(&b, x.Picture); err != nil && e.err == nil {
		e.err = fmt.Errorf("texture %q: %w", x.Name, err)
	}
	from := len(e.data)
	e.data = append(e.data, b.Bytes()...)
	e.Images = append(e.Images, embedded{"image/png", e.addView(from, 0)})
}
