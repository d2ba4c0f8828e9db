package gltf

import (
	"math"

	"lockstep/scenes"
)

// writeFinish writes how a material reflects and transmits light. If f is nil, it only writes that the material is not
// a metal.
func (e *encoder) writeFinish(to *material, f *scenes.Finish, images map[any]int) {
	if f == nil {
		return
	}
	to.PBR.Metallic, to.PBR.Roughness = f.Metallic, &f.Roughness
	to.PBR.Surface = e.writeTexture(f.Surface, images)
	if to.Normal = e.writeTexture(f.Normals, images); to.Normal != nil {
		to.Normal.Scale = &f.NormalScale
	}
	if to.Occlusion = e.writeTexture(f.Occlusion, images); to.Occlusion != nil {
		to.Occlusion.Strength = &f.OcclusionAmount
	}
	w := finishWriter{e, to, images}
	if f.Transmission > 0 {
		w.writeExtension("KHR_materials_transmission", "transmissionFactor", f.Transmission,
			"transmissionTexture", f.Through)
		w.writeVolume(f)
	}
	if f.Coat > 0 {
		normals := e.writeTexture(f.CoatNormals, images)
		if normals != nil {
			normals.Scale = &f.CoatNormalScale
		}
		w.writeExtension("KHR_materials_clearcoat", "clearcoatFactor", f.Coat, "clearcoatTexture", f.CoatPart,
			"clearcoatRoughnessFactor", f.CoatRoughness, "clearcoatRoughnessTexture", f.CoatRough, "clearcoatNormalTexture", normals)
	}
	if f.Sheen != ([3]float32{}) {
		w.writeExtension("KHR_materials_sheen", "sheenColorFactor", f.Sheen, "sheenColorTexture", f.SheenTint,
			"sheenRoughnessFactor", f.SheenRoughness, "sheenRoughnessTexture", f.SheenRough)
	}
	w.writeSpecular(f)
}

// A finishWriter writes extensions of a material.
type finishWriter struct {
	*encoder
	to     *material
	images map[any]int
}

// writeExtension writes an extension. pairs holds names and values in turn. A value that is a nil texture is left out.
func (w *finishWriter) writeExtension(name string, pairs ...any) {
	value := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		v := pairs[i+1]
		if x, ok := v.(*scenes.Texture); ok {
			v = w.writeTexture(x, w.images)
		}
		if ref, ok := v.(*textureRef); !ok || ref != nil {
			value[pairs[i].(string)] = v
		}
	}
	w.addExtension(w.to, name, value)
}

// writeVolume writes the refractive index, the thickness and the absorption of the body behind a transparent surface.
// The thickness is in units of the mesh, which the root node scales. The attenuation distance is in metres. At this
// distance, the fraction exp(-1) remains of the channel that loses the most light. So the fraction that remains of a
// channel is never rounded to 0.
func (w *finishWriter) writeVolume(f *scenes.Finish) {
	if f.Refraction >= 1 {
		w.writeExtension("KHR_materials_ior", "ior", f.Refraction)
	}
	if !(f.Thickness > 0) {
		return
	}
	value := []any{"thicknessFactor", f.Thickness, "thicknessTexture", f.Thick}
	if most := float64(max(f.Absorption[0], f.Absorption[1], f.Absorption[2])); most > 0 {
		var color [3]float64
		for c, v := range f.Absorption {
			color[c] = math.Exp(-float64(v) / most)
		}
		value = append(value, "attenuationDistance", w.unit()/most, "attenuationColor", color)
	}
	w.writeExtension("KHR_materials_volume", value...)
}

// transformOf returns the KHR_texture_transform for a placement. The placement must scale first and rotate afterwards,
// as all placements from readers do.
func transformOf(p *scenes.Placement) map[string]any {
	angle := math.Atan2(-float64(p[1][0]), float64(p[0][0]))
	if p[0][0] == 0 && p[1][0] == 0 {
		angle = math.Atan2(float64(p[0][1]), float64(p[1][1]))
	}
	sin, cos := math.Sincos(angle)
	return map[string]any{
		"offset": [2]float32{p[0][2], p[1][2]}, "rotation": angle,
		"scale": [2]float64{
			float64(float64(p[0][0])*cos) - float64(float64(p[1][0])*sin),
			float64(float64(p[0][1])*sin) + float64(float64(p[1][1])*cos),
		},
	}
}

// writeSpecular writes the fraction of light that a non-metallic surface reflects at perpendicular incidence. A
// fraction above that of plastic (4 percent) needs a refractive index. If the surface has none, writeSpecular writes
// the index at which a material reflects this fraction.
func (w *finishWriter) writeSpecular(f *scenes.Finish) {
	most := max(f.Specular[0], f.Specular[1], f.Specular[2])
	plain := float32(scenes.PlasticSpecular) // fraction at the refractive index that is written
	if n := f.Refraction; n >= 1 && f.Transmission > 0 {
		plain = (n - 1) / (n + 1) * ((n - 1) / (n + 1))
	} else if most > plain && f.GrazingLoss == 0 && f.SpecularTint == nil {
		root := math.Sqrt(float64(min(most, 0.9999)))
		w.writeExtension("KHR_materials_ior", "ior", (1+root)/(1-root))
		plain = most
	}
	part, color := 1-f.GrazingLoss, f.Specular
	for c := range color {
		if color[c] = 0; part*plain > 0 {
			color[c] = f.Specular[c] / (part * plain)
		}
	}
	if part == 1 && color == [3]float32{1, 1, 1} && f.SpecularTint == nil && f.SpecularPart == nil {
		return
	}
	w.writeExtension("KHR_materials_specular", "specularFactor", part, "specularTexture", f.SpecularPart, "specularColorFactor", color,
		"specularColorTexture", f.SpecularTint)
}
