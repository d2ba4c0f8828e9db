package gltf

import (
	"fmt"
	"math"

	"lockstep/scenes"
	"lockstep/scenes/internal/surface"
	"lockstep/scenes/internal/text"
)

// readMaterials reads all materials and the textures of their base colours.
func (r *reader) readMaterials() error {
	if err := r.hold(int64(len(r.doc.Materials)) * 96); err != nil {
		return err
	}
	for i := range r.doc.Materials {
		from := &r.doc.Materials[i]
		m := scenes.Material{
			Name:        from.Name[:min(len(from.Name), text.MaxName)],
			BaseColor:   [4]float32{1, 1, 1, 1},
			DoubleSided: from.DoubleSided,
			Unlit:       from.Extensions.Unlit != nil,
			AlphaCutoff: 0.5,
		}
		switch from.AlphaMode {
		case "MASK":
			m.Alpha = scenes.AlphaMask
		case "BLEND":
			m.Alpha = scenes.AlphaBlend
		}
		if from.AlphaCutoff != nil {
			m.AlphaCutoff = float32(*from.AlphaCutoff)
		}
		factor, info := from.base()
		for c, v := range factor[:min(len(factor), 4)] {
			m.BaseColor[c] = float32(max(0, min(v, 1)))
		}
		if info != nil {
			t, err := r.texture(info.Index)
			if err != nil {
				if err := r.note(fmt.Sprintf("material %d", i), err); err != nil {
					return err
				}
			}
			m.Texture = t
		}
		r.materials = append(r.materials, m)
	}
	return nil
}

// base returns the base colour and its texture: those of the older specular workflow
// where a material has no others.
func (m *claimedMaterial) base() ([]float64, *textureInfo) {
	factor, info := m.PBR.BaseColorFactor, m.PBR.BaseColorTexture
	if old := m.Extensions.Specular; old != nil && factor == nil && info == nil {
		return old.DiffuseFactor, old.DiffuseTexture
	}
	return factor, info
}

// texture returns a texture with its picture; nil, without an error, if that could not
// be read before.
func (r *reader) texture(i integer) (*scenes.Texture, error) {
	if t, ok := r.pictures[i]; ok {
		return t, nil
	}
	r.pictures[i] = nil
	t, err := entry(r.doc.Textures, "texture", i)
	if err != nil {
		return nil, err
	}
	source := t.source()
	switch {
	case source == nil && t.Extensions.Basis != nil:
		return nil, fmt.Errorf("texture %d is compressed by KHR_texture_basisu, which is not read", i)
	case source == nil:
		return nil, fmt.Errorf("texture %d has no PNG, JPEG or WebP", i)
	}
	from, err := entry(r.doc.Images, "image", *source)
	if err != nil {
		return nil, err
	}
	x := &scenes.Texture{Name: from.Name}
	if x.Name == "" && len(from.URI) <= text.MaxName {
		x.Name = from.URI
	}
	if err := r.picture(x, *source, from); err != nil {
		return nil, fmt.Errorf("image %d: %w", *source, err)
	}
	if t.Sampler != nil {
		s, err := entry(r.doc.Samplers, "sampler", *t.Sampler)
		if err != nil {
			return nil, err
		}
		x.WrapU, x.WrapV, x.Nearest = wrap(s.WrapS), wrap(s.WrapT), s.MagFilter == 9728
	}
	r.pictures[i] = x
	return x, nil
}

// wrap translates the numbers of OpenGL.
func wrap(mode integer) scenes.Wrap {
	switch mode {
	case 33071:
		return scenes.Clamp
	case 33648:
		return scenes.Mirror
	}
	return scenes.Repeat
}

// picture decodes a picture, or finds that of another texture.
func (r *reader) picture(x *scenes.Texture, i integer, from *picture) error {
	for at, other := range r.pictures {
		if other != nil && *r.doc.Textures[at].source() == i {
			x.Picture = other.Picture
			return nil
		}
	}
	var data []byte
	var err error
	if from.BufferView != nil {
		data, _, err = r.view(*from.BufferView)
	} else {
		before := r.held
		data, err = r.resource(from.URI)
		r.held = before // the picture's bytes are dropped
	}
	if err != nil {
		return err
	}
	if x.Picture, err = surface.Decode(r.in, data, r.held); err != nil {
		return err
	}
	r.held += int64(len(x.Picture.Pix))
	return nil
}

// A uvMap maps texture coordinates, see KHR_texture_transform.
type uvMap [2][3]float64

// texCoords returns the set of texture coordinates of a material, and their map.
func (m *claimedMaterial) texCoords() (set integer, at uvMap) {
	at = uvMap{{1, 0, 0}, {0, 1, 0}}
	_, info := m.base()
	if info == nil {
		return 0, at
	}
	set = info.TexCoord
	t := info.Extensions.Transform
	if t == nil {
		return set, at
	}
	if t.TexCoord != nil {
		set = *t.TexCoord
	}
	offset, scale := [2]float64{}, [2]float64{1, 1}
	if !fits(offset[:], t.Offset) || !fits(scale[:], t.Scale) {
		return set, at
	}
	sin, cos := math.Sincos(t.Rotation)
	return set, uvMap{
		{float64(cos * scale[0]), float64(sin * scale[1]), offset[0]},
		{float64(-sin * scale[0]), float64(cos * scale[1]), offset[1]},
	}
}
