package gltf

import (
	"fmt"

	"lockstep/scenes"
)

// A claimedFinish holds the extensions of a material that say how it mirrors: KHR_materials_clearcoat, _ior, _specular,
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

// A scaledTexture is a texture of normals or of occlusion, with its scale or strength.
type scaledTexture struct {
	textureInfo
	Scale    *float64 `json:"scale"`
	Strength *float64 `json:"strength"`
}

// setFinish sets the finish of material i. It leaves out textures that use other texture coordinates than the base
// colour; warnUndrawn warns about them.
func (r *reader) setFinish(m *scenes.Material, from *claimedMaterial, i int) error {
	if m.Unlit || from.lacksReflection() {
		return nil
	}
	f := &scenes.Finish{
		Metallic: clampedOr(from.PBR.Metallic, 1), Roughness: clampedOr(from.PBR.Roughness, 1), NormalScale: 1, OcclusionAmount: 1,
		Coat: clamped(from.Extensions.Coat.Factor), CoatRoughness: clamped(from.Extensions.Coat.Roughness),
		Transmission: clamped(from.Extensions.Transmission.Factor),
	}
	f.Specular = from.specularColor()
	if old := from.Extensions.Specular; old != nil && from.isSpecularGlossiness() {
		f.Metallic, f.Roughness = 0, 1-clampedOr(old.Glossiness, 1)
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
			if err := r.warnUnlessFatal(fmt.Sprintf("material %d", i), err); err != nil {
				return err
			}
		}
		*to = t
	}
	if from.Normal != nil && from.Normal.Scale != nil {
		f.NormalScale = float32(min(max(*from.Normal.Scale, -maxNormalScale), maxNormalScale))
	}
	if from.Occlusion != nil {
		f.OcclusionAmount = clampedOr(from.Occlusion.Strength, 1)
	}
	return nil
}

// maxNormalScale is the greatest factor of normal maps. With a greater factor, all normals would lie in the surface.
const maxNormalScale = 1000

// lacksReflection reports whether a material does not say how it mirrors. According to the specification it is then a
// rough metal, but the programs that write such files do not mean that.
func (m *claimedMaterial) lacksReflection() bool {
	e := &m.Extensions
	return (m.PBR.Metallic == nil || *m.PBR.Metallic == 0) && m.PBR.Roughness == nil && m.PBR.Surface == nil &&
		m.Normal == nil && m.Occlusion == nil && e.Transmission.Factor == 0 && e.Coat.Factor == 0 &&
		e.Index.Refraction == nil && e.Reflection.Factor == nil && e.Reflection.Color == nil && (e.Specular == nil || !m.isSpecularGlossiness())
}

// isSpecularGlossiness reports whether a material has none of the properties of the metallic-roughness workflow, so
// that it may use the older specular-glossiness workflow.
func (m *claimedMaterial) isSpecularGlossiness() bool {
	return m.PBR.BaseColorFactor == nil && m.PBR.BaseColorTexture == nil && m.PBR.Metallic == nil && m.PBR.Roughness == nil
}

// specularColor returns the share of light at perpendicular incidence that the material mirrors if it is not metallic.
func (m *claimedMaterial) specularColor() (specular [3]float32) {
	part := scenes.PlasticSpecular
	if n := m.Extensions.Index.Refraction; n != nil && *n >= 0 {
		r := (*n - 1) / (*n + 1)
		part = float64(r * r) // 1 if *n is 0, which the extension requires
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

// finishTextures returns the textures of metal and roughness, of normals, of occlusion and of transmission. A texture
// that is missing is nil.
func (m *claimedMaterial) finishTextures() (infos [4]*textureInfo) {
	if !m.isSpecularGlossiness() || m.Extensions.Specular == nil {
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

// finishNames holds the names of the finishTextures for warnings. Occlusion has no name, because it needs no warning:
// pictures compute their own occlusion.
var finishNames = [4]string{"roughness", "the relief", "", "transmission"}

// texCoordTexture returns the texture that determines the texture coordinates of the mesh. The mesh gets only one set,
// so a texture of the material is drawn only if it uses this set.
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

// sharesPlace reports whether a texture uses the texture coordinates of the mesh, see texCoordTexture.
func (m *claimedMaterial) sharesPlace(info *textureInfo) bool {
	set, at := m.texCoordTexture().texCoords()
	own, ownAt := info.texCoords()
	return set == own && at == ownAt
}

// clampedOr returns *v clamped to the range 0 to 1. It returns `missing` if v is nil.
func clampedOr(v *float64, missing float32) float32 {
	if v == nil {
		return missing
	}
	return clamped(*v)
}

func clamped(v float64) float32 { return float32(min(max(v, 0), 1)) }
