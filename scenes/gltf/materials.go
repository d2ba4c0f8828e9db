package gltf

import (
	"fmt"
	"math"
	"slices"

	"lockstep/scenes"
	"lockstep/scenes/internal/assembly"
	"lockstep/scenes/internal/text"
)

// materialBytes is about the memory in bytes of a material with its finish.
const materialBytes = 1024

// readMaterials reads all materials and the textures of their base colours.
func (r *reader) readMaterials() error {
	if err := r.Reserve(int64(len(r.doc.Materials)) * materialBytes); err != nil {
		return err
	}
	r.decodeAhead()
	for i := range r.doc.Materials {
		from := &r.doc.Materials[i]
		m := scenes.Material{
			Name:        from.Name[:min(len(from.Name), text.MaxName)],
			BaseColor:   [4]float32{1, 1, 1, 1},
			OneSided:    !from.DoubleSided,
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
			m.AlphaCutoff = finite(*from.AlphaCutoff)
		}
		factor, info := from.baseColor()
		for c, v := range factor[:min(len(factor), 4)] {
			m.BaseColor[c] = float32(max(0, min(v, 1)))
		}
		if info != nil {
			t, err := r.texture(info.Index)
			if err != nil {
				if err := r.warnUnlessFatal(fmt.Sprintf("material %d", i), err); err != nil {
					return err
				}
			}
			m.Texture = t
		}
		if err := r.setEmission(&m, from, i); err != nil {
			return err
		}
		if err := r.setFinish(&m, from, i); err != nil {
			return err
		}
		r.materials = append(r.materials, m)
	}
	return nil
}

// setEmission reads the emission of material i.
func (r *reader) setEmission(m *scenes.Material, from *claimedMaterial, i int) error {
	if m.Emission = from.emissionColor(); m.Emission == ([3]float32{}) || from.EmissiveTexture == nil {
		return nil
	}
	at := from.layout()
	t, err := r.placedTexture(from.EmissiveTexture, &at)
	if err != nil {
		m.Emission = [3]float32{} // without its texture, the emission would make the whole surface glow
		return r.warnUnlessFatal(fmt.Sprintf("material %d", i), err)
	}
	if m.Glow = t; t == nil {
		m.Emission = [3]float32{}
	}
	return nil
}

// emissionColor returns the emission of a material in linear light.
func (m *claimedMaterial) emissionColor() (light [3]float32) {
	strength := 1.0
	if s := m.Extensions.Emissive.Strength; s != nil {
		strength = max(*s, 0)
	}
	if m.Extensions.Unlit != nil || m.EmissiveTexture != nil && !m.fits(m.EmissiveTexture) {
		return light
	}
	for c, v := range m.EmissiveFactor[:min(len(m.EmissiveFactor), 3)] {
		light[c] = finite(max(v, 0) * strength)
	}
	return light
}

// baseColor returns the base colour and its texture. If the material has neither, it returns the diffuse colour and
// texture of the older specular-glossiness workflow.
func (m *claimedMaterial) baseColor() ([]float64, *textureInfo) {
	factor, info := m.PBR.BaseColorFactor, m.PBR.BaseColorTexture
	if old := m.Extensions.Specular; old != nil && factor == nil && info == nil {
		return old.DiffuseFactor, old.DiffuseTexture
	}
	return factor, info
}

// texture returns texture i with its picture. If an earlier call failed for this texture, texture returns nil without
// an error, so that there is only one warning.
func (r *reader) texture(i integer) (*scenes.Texture, error) {
	if t, ok := r.textures[i]; ok {
		return t, nil
	}
	r.textures[i] = nil
	t, err := entry(r.doc.Textures, "texture", i)
	if err != nil {
		return nil, err
	}
	source := t.source()
	if names := t.Extensions.unreadNames(); source == nil && names != "" {
		return nil, fmt.Errorf("texture %d is compressed by %s, which is not read", i, names)
	}
	if source == nil {
		return nil, fmt.Errorf("texture %d has no PNG, JPEG, WebP or KTX 2", i)
	}
	from, err := entry(r.doc.Images, "image", *source)
	if err != nil {
		return nil, err
	}
	x := &scenes.Texture{Name: from.Name}
	if x.Name == "" && len(from.URI) <= text.MaxName {
		x.Name = from.URI
	}
	if x.Picture, err = r.picture(*source, from); err != nil {
		return nil, fmt.Errorf("image %d: %w", *source, err)
	}
	if t.Sampler != nil {
		s, err := entry(r.doc.Samplers, "sampler", *t.Sampler)
		if err != nil {
			return nil, err
		}
		x.WrapU, x.WrapV, x.Nearest, x.Minify = wrap(s.WrapS), wrap(s.WrapT), s.MagFilter == nearest, s.minify()
	}
	r.textures[i] = x
	return x, nil
}

// minify returns how the pixels of a texture are averaged if the texture appears small. The sampler names a filter of
// OpenGL. All filters with several levels of detail become MinifyMean.
func (s *claimedSampler) minify() scenes.Minify {
	switch s.MinFilter {
	case nearest:
		return scenes.MinifyNearest
	case linear:
		return scenes.MinifyLinear
	}
	return scenes.MinifyMean
}

// wrap returns how a texture continues beyond the edges of its picture. mode is a constant of OpenGL.
func wrap(mode integer) scenes.Wrap {
	switch mode {
	case 33071:
		return scenes.Clamp
	case 33648:
		return scenes.Mirror
	}
	return scenes.Repeat
}

// warnUndrawn warns about properties of the materials in use that are not drawn. Each kind of property causes one
// warning.
func (r *reader) warnUndrawn(instances []assembly.Instance) error {
	used := make([]bool, len(r.doc.Materials))
	for i := range instances {
		for _, s := range instances[i].Shapes {
			if s.Material >= 0 && int(s.Material) < len(used) {
				used[s.Material] = true
			}
		}
	}
	for of := range r.scaled {
		used[of.material] = true
	}
	var all flaws
	for i := range used {
		m := &r.doc.Materials[i]
		where := fmt.Sprintf("material %d", i)
		if !used[i] || m.Extensions.Unlit != nil {
			continue
		}
		if slices.ContainsFunc(m.EmissiveFactor, func(v float64) bool { return v > 0 }) && m.EmissiveTexture != nil && !m.fits(m.EmissiveTexture) {
			all.add("emissive", where, "the light that it emits is not drawn: its texture has a third set of coordinates")
		}
		for k, info := range m.finishTextures() {
			if name := finishNames[k]; name != "" && info != nil && !m.fits(info) {
				all.add(name, where, "%s is not drawn by its texture, which has a third set of coordinates", name)
			}
		}
	}
	return all.report(r)
}

// A uvMap is an affine map of texture coordinates, see KHR_texture_transform.
type uvMap [2][3]float64

// plainMap is the identity.
var plainMap = uvMap{{1, 0, 0}, {0, 1, 0}}

// A layout states which sets of texture coordinates the vertices of a material get. The file may have more sets. The
// first set of the layout is the set of the texture that texCoordTexture returns. The map of that texture has been
// applied to it. The second set exists only if other textures need it, and no map is applied to it.
type layout struct {
	first, second integer // numbers of the sets in the file; -1: none
	at            uvMap   // map of the first set
}

// layout returns the layout of the material.
func (m *claimedMaterial) layout() layout {
	l := layout{first: 0, second: -1, at: plainMap}
	of := m.texCoordTexture()
	if of == nil {
		return l
	}
	l.first, l.at = of.texCoords()
	if m.Extensions.Unlit != nil {
		return l
	}
	finish := m.finishTextures()
	for _, info := range append(finish[:], m.EmissiveTexture) {
		if info == nil {
			continue
		}
		if _, _, ok := l.place(info); !ok && l.second < 0 {
			l.second, _ = info.texCoords()
		}
	}
	return l
}

// The method place states how a texture uses the layout. second tells whether the texture uses the second set. at is
// the map that the texture applies to its set. ok is false if the texture uses neither set.
func (l *layout) place(info *textureInfo) (second bool, at uvMap, ok bool) {
	set, at := info.texCoords()
	switch {
	case set == l.first && at == l.at:
		return false, plainMap, true
	case set == l.first && l.at == plainMap:
		return false, at, true
	}
	return true, at, set == l.second
}

// texCoordTexture returns the texture that determines the first set of texture coordinates. This is the texture of the
// base colour if there is one. It returns nil if the material has no textures.
func (m *claimedMaterial) texCoordTexture() *textureInfo {
	if _, base := m.baseColor(); base != nil {
		return base
	}
	if m.EmissiveTexture != nil {
		return m.EmissiveTexture
	}
	if m.Extensions.Unlit != nil {
		return nil
	}
	for _, info := range m.finishTextures() {
		if info != nil {
			return info
		}
	}
	return nil
}

// fits reports whether a texture uses one of the sets of texture coordinates that the vertices of the material have.
func (m *claimedMaterial) fits(info *textureInfo) bool {
	l := m.layout()
	_, _, ok := l.place(info)
	return ok
}

// placedTexture returns a texture for vertices of layout l. It returns nil if the texture uses neither set of the
// layout, or if it cannot be read, see reader.texture.
func (r *reader) placedTexture(info *textureInfo, l *layout) (*scenes.Texture, error) {
	second, at, ok := l.place(info)
	if !ok {
		return nil, nil
	}
	t, err := r.texture(info.Index)
	if t == nil || !second && at == plainMap {
		return t, err
	}
	own := *t
	own.Second = second
	if at != plainMap {
		own.Placement = new(scenes.Placement)
		for i := range at {
			for k, v := range at[i] {
				own.Placement[i][k] = finite(v)
			}
		}
	}
	return &own, err
}

// texCoords returns which set of texture coordinates a texture uses, and the map that is applied to it.
func (info *textureInfo) texCoords() (set integer, at uvMap) {
	at = plainMap
	set = info.TexCoord
	t := info.Extensions.Transform
	if t == nil {
		return set, at
	}
	if t.TexCoord != nil {
		set = *t.TexCoord
	}
	offset, scale := [2]float64{}, [2]float64{1, 1}
	if !copyIfFits(offset[:], t.Offset) || !copyIfFits(scale[:], t.Scale) {
		return set, at
	}
	sin, cos := math.Sincos(t.Rotation)
	return set, uvMap{
		{float64(cos * scale[0]), float64(sin * scale[1]), offset[0]},
		{float64(-sin * scale[0]), float64(cos * scale[1]), offset[1]},
	}
}

// texCoordName returns the name of the attribute that holds a set of texture coordinates.
func texCoordName(set integer) string { return fmt.Sprintf("TEXCOORD_%d", set) }

// setTexCoords sets the texture coordinates of points that the layout of their material requires.
func (b *meshBuilder) setTexCoords(p *assembly.Points, key *pointsKey) error {
	l := &key.layout
	first, err := b.attribute(key.packed, texCoordName(l.first), key.texCoord, p.N, 2)
	if err != nil {
		return err
	}
	if first != nil {
		p.TexCoords = first.mappedTexCoords(l.at)
	}
	second, err := b.attribute(key.packed, texCoordName(l.second), key.texCoord2, p.N, 2)
	if second != nil {
		p.TexCoords2 = second.mappedTexCoords(plainMap)
	}
	return err
}

// mappedTexCoords returns a function that writes texture coordinates after applying `at` to them.
func (e *elements) mappedTexCoords(at uvMap) func(lo, hi int, to [][2]float64) {
	plain := at == plainMap
	return func(lo, _ int, to [][2]float64) {
		for i := range to {
			e.decodeNumbers(lo+i, 2, to[i][:])
			if plain {
				continue
			}
			u, v := to[i][0], to[i][1]
			for c := range 2 {
				to[i][c] = float64(at[c][0]*u) + float64(at[c][1]*v) + at[c][2]
			}
		}
	}
}
