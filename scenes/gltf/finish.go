package gltf

import (
	"fmt"

	"lockstep/scenes"
)

// claimedFinish is what a material says of how it mirrors, by extensions. Sources: KHR_materials_clearcoat, _ior, _specular,
// _transmission and _pbrSpecularGlossiness.
type claimedFinish struct {
	Transmission struct {
		Factor  float64      `json:"transmissionFactor"`
		Texture *textureInfo `json:"transmissionTexture"`
	} `json:"KHR_materials_transmission"`
	Coat struct {
		Factor    float64 `json:"clearcoatFactor"`
		Roughness float64 `json:"clearcoatRoughnessFactor"`
	} `json:"KHR_materials_clearcoat"`
	Index struct {
		Refraction *float64 `json:"ior"`
	} `json:"KHR_materials_ior"`
	Reflection struct {
		Factor *float64  `json:"specularFactor"`
		Color  []float64 `json:"specularColorFactor"`
	} `json:"KHR_materials_specular"`
	Specular *struct {
		DiffuseFactor  []float64    `json:"diffuseFactor"`
		DiffuseTexture *textureInfo `json:"diffuseTexture"`
		SpecularFactor []float64    `json:"specularFactor"`
		Glossiness     *float64     `json:"glossinessFactor"`
	} `json:"KHR_materials_pbrSpecularGlossiness"`
}

// A scaledTexture is a texture of normals or of occlusion, and how much of it counts.
type scaledTexture struct {
	textureInfo
	Scale    *float64 `json:"scale"`
	Strength *float64 `json:"strength"`
}

// finish gives material i its finish. Textures that lie otherwise than that of the colour are left out, which undrawn says.
func (r *reader) finish(m *scenes.Material, from *claimedMaterial, i int) error {
	if m.Unlit || from.saysNothing() {
		return nil
	}
	f := &scenes.Finish{
		Metallic: part(from.PBR.Metallic, 1), Roughness: part(from.PBR.Roughness, 1), NormalScale: 1, OcclusionAmount: 1,
		Coat: clamped(from.Extensions.Coat.Factor), CoatRoughness: clamped(from.Extensions.Coat.Roughness),
		Transmission: clamped(from.Extensions.Transmission.Factor),
	}
	f.Specular = from.reflects()
	if old := from.Extensions.Specular; old != nil && from.isOld() {
		f.Metallic, f.Roughness = 0, 1-part(old.Glossiness, 1)
		f.Specular = [3]float32{1, 1, 1}
		for c, v := range old.SpecularFactor[:min(len(old.SpecularFactor), 3)] {
			f.Specular[c] = clamped(v)
		}
	}
	m.Finish = f
	if r.in.Options.Flat {
		return nil
	}
	infos := from.finishTextures()
	for k, to := range []**scenes.Texture{&f.Surface, &f.Normals, &f.Occlusion, &f.Through} {
		if infos[k] == nil || !from.sharesPlace(infos[k]) {
			continue
		}
		t, err := r.texture(infos[k].Index)
		if err != nil {
			if err := r.note(fmt.Sprintf("material %d", i), err); err != nil {
				return err
			}
		}
		*to = t
	}
	if from.Normal != nil && from.Normal.Scale != nil {
		f.NormalScale = float32(min(max(*from.Normal.Scale, -maxNormalScale), maxNormalScale))
	}
	if from.Occlusion != nil {
		f.OcclusionAmount = part(from.Occlusion.Strength, 1)
	}
	return nil
}

// maxNormalScale bounds how much steeper a normal may be than its texture says: beyond that all of them lie in the surface.
const maxNormalScale = 1000

// saysNothing reports whether a material says nothing of how it mirrors. By the specification one that says nothing of metal
// is metal, and one that says nothing of roughness is as rough as can be: their writers had neither in mind.
func (m *claimedMaterial) saysNothing() bool {
	e := &m.Extensions
	return (m.PBR.Metallic == nil || *m.PBR.Metallic == 0) && m.PBR.Roughness == nil && m.PBR.Surface == nil &&
		m.Normal == nil && m.Occlusion == nil && e.Transmission.Factor == 0 && e.Coat.Factor == 0 &&
		e.Index.Refraction == nil && e.Reflection.Factor == nil && e.Reflection.Color == nil && (e.Specular == nil || !m.isOld())
}

// isOld reports whether a material is one of the specular-glossiness workflow alone.
func (m *claimedMaterial) isOld() bool {
	return m.PBR.BaseColorFactor == nil && m.PBR.BaseColorTexture == nil && m.PBR.Metallic == nil && m.PBR.Roughness == nil
}

// reflects returns how much of light from straight before it a surface of no metal mirrors.
func (m *claimedMaterial) reflects() (specular [3]float32) {
	part := scenes.PlasticSpecular
	if n := m.Extensions.Index.Refraction; n != nil && *n >= 0 {
		r := (*n - 1) / (*n + 1)
		part = float64(r * r) // 1 for 0, which the extension wants
	}
	if f := m.Extensions.Reflection.Factor; f != nil {
		part *= max(*f, 0)
	}
	for c := range specular {
		tint := 1.0
		if color := m.Extensions.Reflection.Color; c < len(color) {
			tint = max(color[c], 0)
		}
		specular[c] = clamped(part * tint)
	}
	return specular
}

// finishTextures returns the textures of metal and roughness, of normals, of occlusion and of transmission; nil: none.
func (m *claimedMaterial) finishTextures() (infos [4]*textureInfo) {
	if !m.isOld() || m.Extensions.Specular == nil {
		infos[0] = m.PBR.Surface
	}
	if m.Normal != nil {
		infos[1] = &m.Normal.textureInfo
	}
	if m.Occlusion != nil {
		infos[2] = &m.Occlusion.textureInfo
	}
	if m.Extensions.Transmission.Factor > 0 {
		infos[3] = m.Extensions.Transmission.Texture
	}
	return infos
}

// finishNames are what finishTextures are of. Nothing is said of occlusion that was baked for other coordinates: pictures
// have their own.
var finishNames = [4]string{"roughness", "the relief", "", "transmission"}

// places returns the texture that says where those of the material lie: a mesh has texture coordinates for one of them.
func (m *claimedMaterial) places() *textureInfo {
	if _, base := m.base(); base != nil {
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

// sharesPlace reports whether a texture has the same texture coordinates and transform as those that are drawn.
func (m *claimedMaterial) sharesPlace(info *textureInfo) bool {
	set, at := m.places().texCoords()
	own, ownAt := info.texCoords()
	return set == own && at == ownAt
}

// part returns a number from 0 to 1 that may be missing.
func part(v *float64, missing float32) float32 {
	if v == nil {
		return missing
	}
	return clamped(*v)
}

func clamped(v float64) float32 { return float32(min(max(v, 0), 1)) }
