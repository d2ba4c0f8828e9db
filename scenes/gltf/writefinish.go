package gltf

import (
	"math"

	"lockstep/scenes"
)

// A scaledRef refers to a texture of normals or of occlusion, with its scale or strength.
type scaledRef struct {
	Index    int      `json:"index"`
	Scale    *float32 `json:"scale,omitempty"`
	Strength *float32 `json:"strength,omitempty"`
}

// writeFinish writes how a material mirrors. If f is nil, it only writes that the material is not a metal.
func (e *encoder) writeFinish(to *material, f *scenes.Finish, images map[any]int) {
	if f == nil {
		return
	}
	to.PBR.Metallic, to.PBR.Roughness = f.Metallic, &f.Roughness
	to.PBR.Surface = e.texture(f.Surface, images)
	if ref := e.texture(f.Normals, images); ref != nil {
		to.Normal = &scaledRef{Index: ref.Index, Scale: &f.NormalScale}
	}
	if ref := e.texture(f.Occlusion, images); ref != nil {
		to.Occlusion = &scaledRef{Index: ref.Index, Strength: &f.OcclusionAmount}
	}
	if f.Transmission > 0 {
		value := map[string]any{"transmissionFactor": f.Transmission}
		if ref := e.texture(f.Through, images); ref != nil {
			value["transmissionTexture"] = ref
		}
		e.extend(to, "KHR_materials_transmission", value)
	}
	if f.Coat > 0 {
		e.extend(to, "KHR_materials_clearcoat", map[string]float32{"clearcoatFactor": f.Coat, "clearcoatRoughnessFactor": f.CoatRoughness})
	}
	e.writeSpecular(to, f.Specular)
}

// writeSpecular writes the share of light at perpendicular incidence that a non-metallic surface mirrors. If the share
// is greater than what plastic mirrors (4 percent), it also writes a refractive index for which a material mirrors this
// share.
func (e *encoder) writeSpecular(to *material, specular [3]float32) {
	most := max(specular[0], specular[1], specular[2])
	value := map[string]any{}
	if most > scenes.PlasticSpecular {
		root := math.Sqrt(float64(min(most, 0.9999)))
		e.extend(to, "KHR_materials_ior", map[string]float64{"ior": (1 + root) / (1 - root)})
	} else if most < scenes.PlasticSpecular {
		value["specularFactor"] = most / scenes.PlasticSpecular
	}
	if most > 0 && (specular[0] != most || specular[1] != most || specular[2] != most) {
		value["specularColorFactor"] = [3]float32{specular[0] / most, specular[1] / most, specular[2] / most}
	}
	if len(value) > 0 {
		e.extend(to, "KHR_materials_specular", value)
	}
}
