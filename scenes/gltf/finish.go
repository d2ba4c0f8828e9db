package gltf

import (
	"fmt"
	"math"
	"slices"

	"lockstep/scenes"
	"lockstep/scenes/internal/assembly"
)

// A claimedFinish holds the extensions of a material that describe reflection: KHR_materials_clearcoat, _ior, _sheen,
// _specular, _transmission, _volume and _pbrSpecularGlossiness.
type claimedFinish struct {
	Transmission struct {
		Factor  float64      `json:"transmissionFactor"`
		Texture *textureInfo `json:"transmissionTexture"`
	} `json:"KHR_materials_transmission"`
	Coat struct {
		Factor    float64        `json:"clearcoatFactor"`
		Part      *textureInfo   `json:"clearcoatTexture"`
		Roughness float64        `json:"clearcoatRoughnessFactor"`
		Rough     *textureInfo   `json:"clearcoatRoughnessTexture"`
		Normal    *scaledTexture `json:"clearcoatNormalTexture"`
	} `json:"KHR_materials_clearcoat"`
	Sheen struct {
		Color     []float64    `json:"sheenColorFactor"`
		Tint      *textureInfo `json:"sheenColorTexture"`
		Roughness float64      `json:"sheenRoughnessFactor"`
		Rough     *textureInfo `json:"sheenRoughnessTexture"`
	} `json:"KHR_materials_sheen"`
	Volume struct {
		Thickness float64      `json:"thicknessFactor"`
		Thick     *textureInfo `json:"thicknessTexture"`
		Distance  float64      `json:"attenuationDistance"`
		Color     []float64    `json:"attenuationColor"`
	} `json:"KHR_materials_volume"`
	Index struct {
		Refraction *float64 `json:"ior"`
	} `json:"KHR_materials_ior"`
	Reflection struct {
		Factor *float64     `json:"specularFactor"`
		Part   *textureInfo `json:"specularTexture"`
		Color  []float64    `json:"specularColorFactor"`
		Tint   *textureInfo `json:"specularColorTexture"`
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

// setFinish sets the finish of material i, which is how it reflects and transmits light. Textures that use a third set
// of texture coordinates are left out; warnUndrawn warns about them.
func (r *reader) setFinish(m *scenes.Material, from *claimedMaterial, i int) error {
	if m.Unlit || from.lacksReflection() {
		return nil
	}
	f := from.finishNumbers()
	m.Finish = f
	if r.in.Options.Flat {
		return nil
	}
	infos, at := from.finishTextures(), from.layout()
	for k, to := range f.Textures() {
		if infos[k] == nil {
			continue
		}
		t, err := r.placedTexture(infos[k], &at)
		if err != nil {
			if err := r.warnUnlessFatal(fmt.Sprintf("material %d", i), err); err != nil {
				return err
			}
		}
		*to = t
	}
	return nil
}

// finishNumbers returns the finish of a material without its textures.
func (m *claimedMaterial) finishNumbers() *scenes.Finish {
	e := &m.Extensions
	f := &scenes.Finish{
		Metallic: clampedOr(m.PBR.Metallic, 1), Roughness: clampedOr(m.PBR.Roughness, 1), NormalScale: m.Normal.normalScale(), OcclusionAmount: 1,
		Coat: clamped(e.Coat.Factor), CoatRoughness: clamped(e.Coat.Roughness), CoatNormalScale: e.Coat.Normal.normalScale(),
		Transmission: clamped(e.Transmission.Factor), Sheen: m.sheen(), SheenRoughness: clamped(e.Sheen.Roughness),
	}
	f.Specular = m.specularColor()
	if e.Reflection.Factor != nil {
		f.GrazingLoss = 1 - clamped(*e.Reflection.Factor)
	}
	if old := e.Specular; old != nil && m.isSpecularGlossiness() {
		f.Metallic, f.Roughness, f.GrazingLoss = 0, 1-clampedOr(old.Glossiness, 1), 0
		f.Specular = [3]float32{1, 1, 1}
		for c, v := range old.SpecularFactor[:min(len(old.SpecularFactor), 3)] {
			f.Specular[c] = clamped(v)
		}
	}
	if m.Occlusion != nil {
		f.OcclusionAmount = clampedOr(m.Occlusion.Strength, 1)
	}
	if f.Transmission > 0 {
		m.setVolume(f)
	}
	return f
}

// setVolume sets the refractive index, the thickness and the absorption of the body behind a transparent surface.
func (m *claimedMaterial) setVolume(f *scenes.Finish) {
	e := &m.Extensions
	if n := e.Index.Refraction; n != nil && *n >= 1 {
		f.Refraction = float32(min(*n, maxRefraction))
	}
	v := &e.Volume
	if !(v.Thickness > 0) {
		return
	}
	f.Thickness = finite(v.Thickness)
	if !(v.Distance > 0) {
		return // with an infinite attenuation distance, the body absorbs nothing
	}
	for c, part := range v.Color[:min(len(v.Color), 3)] {
		f.Absorption[c] = finite(-math.Log(min(max(part, leastPart), 1)) / v.Distance)
	}
}

const (
	// maxRefraction limits refractive indices. At the limit, practically all light inside a body travels
	// perpendicularly to the surface.
	maxRefraction = 1000
	// leastPart is the least fraction of light that remains after the attenuation distance. With a fraction of 0,
	// nothing would be visible behind even the thinnest body.
	leastPart = 1e-6
)

// sheen returns the colour of the sheen, which is zero if there is none.
func (m *claimedMaterial) sheen() (color [3]float32) {
	all := m.Extensions.Sheen.Color
	for c, v := range all[:min(len(all), 3)] {
		color[c] = clamped(v)
	}
	return color
}

// normalScale returns the scale of a normal map. t may be nil.
func (t *scaledTexture) normalScale() float32 {
	if t == nil || t.Scale == nil {
		return 1
	}
	return float32(min(max(*t.Scale, -maxNormalScale), maxNormalScale))
}

// maxNormalScale limits the factors of normal maps. At the limit, normals practically lie in the surface.
const maxNormalScale = 1000

// A scaledMaterial identifies a material of the file together with the scale of a node. If the material describes a
// solid body, the thickness of the body grows with the scale of the node.
type scaledMaterial struct {
	material int32
	scale    float32
}

// A scaledList identifies the shapes of a mesh, by the address of the first shape, together with the scale of a node.
type scaledList struct {
	first **assembly.Shape
	scale float32
}

// scaledShapeBytes is about the memory in bytes of a shape that scaleBodies copies.
const scaledShapeBytes = 192

// scaleBodies gives an instance its own materials if its transform scales shapes whose material has a thickness.
// Instances of the same scale share these materials.
func (r *reader) scaleBodies(at *assembly.Instance) error {
	scale := float32(math.Cbrt(math.Abs(at.Transform.Det())))
	if math.Abs(float64(scale)-1) < 1e-5 || !(scale-scale == 0) || !r.hasBodies(at.Shapes) {
		return nil
	}
	scale, err := r.bodyScale(scale)
	if err != nil {
		return err
	}
	key := scaledList{&at.Shapes[0], scale}
	shapes, ok := r.scaledShapes[key]
	if !ok {
		if shapes, err = r.scaledCopy(at.Shapes, scale); err != nil {
			return err
		}
		r.scaledShapes[key] = shapes
	}
	at.Shapes = shapes
	return nil
}

// hasBodies reports whether the material of one of the shapes has a thickness.
func (r *reader) hasBodies(shapes []*assembly.Shape) bool {
	has, ok := r.bodies[&shapes[0]]
	if !ok {
		has = slices.ContainsFunc(shapes, r.isBody)
		r.bodies[&shapes[0]] = has
	}
	return has
}

func (r *reader) isBody(s *assembly.Shape) bool {
	return s.Material >= 0 && r.doc.Materials[s.Material].isBody()
}

// scaledCopy returns copies of the shapes. Those whose material has a thickness get a material for the given scale.
func (r *reader) scaledCopy(shapes []*assembly.Shape, scale float32) ([]*assembly.Shape, error) {
	if err := r.Reserve(int64(len(shapes)) * scaledShapeBytes); err != nil {
		return nil, err
	}
	shapes = slices.Clone(shapes)
	for i, s := range shapes {
		if !r.isBody(s) {
			continue
		}
		key := scaledMaterial{s.Material, scale}
		number, ok := r.scaled[key]
		if !ok {
			if err := r.Reserve(materialBytes); err != nil {
				return nil, err
			}
			number = int32(len(r.doc.Materials) + len(r.scaled))
			r.scaled[key] = number
		}
		own := *s
		own.Material = number
		shapes[i] = &own
	}
	return shapes, nil
}

const (
	// maxScales limits the number of different scales in a file for materials with a thickness. Each scale needs
	// materials of its own, and all instances may have different scales.
	maxScales = 512
	// exactScales is the number of scales in a file that are not rounded. Scenes rarely have more scales. Further
	// scales are rounded.
	exactScales = 64
	// droppedBits is the number of mantissa bits that rounding removes from a scale. 6 of 23 bits remain, so the
	// thickness is wrong by less than 1 %.
	droppedBits = 17
)

// bodyScale returns the scale for a material with a thickness. It rounds the scale if the file has many scales. If
// there are already maxScales scales, it returns the nearest of them.
func (r *reader) bodyScale(scale float32) (float32, error) {
	at, ok := slices.BinarySearch(r.scales, scale)
	if !ok && len(r.scales) >= exactScales {
		bits := (math.Float32bits(scale) + 1<<(droppedBits-1)) >> droppedBits << droppedBits
		scale = min(math.Float32frombits(bits), math.MaxFloat32)
		at, ok = slices.BinarySearch(r.scales, scale)
	}
	if ok {
		return scale, nil
	}
	if len(r.scales) < maxScales {
		r.scales = slices.Insert(r.scales, at, scale)
		return scale, nil
	}
	if !r.manyScales {
		r.manyScales = true
		err := r.warn.Add("its bodies", "they have more than %d scales; further bodies have the thickness of the nearest scale", maxScales)
		if err != nil {
			return 0, err
		}
	}
	if at == len(r.scales) || at > 0 && float64(scale)/float64(r.scales[at-1]) < float64(r.scales[at])/float64(scale) {
		at--
	}
	return r.scales[at], nil
}

// isBody reports whether a material has a thickness, and so describes a solid body and not a thin wall.
func (m *claimedMaterial) isBody() bool {
	e := &m.Extensions
	return m.Extensions.Unlit == nil && e.Transmission.Factor > 0 && e.Volume.Thickness > 0
}

// addScaledMaterials adds the materials for scaled bodies, in the order of the numbers that scaleBodies gave them.
func (r *reader) addScaledMaterials() {
	if len(r.materials) == 0 {
		return
	}
	first := len(r.materials)
	r.materials = append(r.materials, make([]scenes.Material, len(r.scaled))...)
	for of, number := range r.scaled {
		m := r.materials[of.material]
		if m.Finish != nil {
			f := *m.Finish
			f.Thickness = finite(float64(f.Thickness) * float64(of.scale))
			m.Finish = &f
		}
		r.materials[first+int(number)-len(r.doc.Materials)] = m
	}
}

// lacksReflection reports whether a material states nothing about reflection. By the specification, such a material
// is a rough metal. But the programs that write such files do not mean a metal.
func (m *claimedMaterial) lacksReflection() bool {
	e := &m.Extensions
	return (m.PBR.Metallic == nil || *m.PBR.Metallic == 0) && m.PBR.Roughness == nil && m.PBR.Surface == nil &&
		m.Normal == nil && m.Occlusion == nil && e.Transmission.Factor == 0 && e.Coat.Factor == 0 &&
		e.Index.Refraction == nil && e.Reflection.Factor == nil && e.Reflection.Color == nil && e.Reflection.Part == nil &&
		e.Reflection.Tint == nil && m.sheen() == [3]float32{} && (e.Specular == nil || !m.isSpecularGlossiness())
}

// isSpecularGlossiness reports whether a material may use the older specular-glossiness workflow, because it has no
// properties of the metallic-roughness workflow.
func (m *claimedMaterial) isSpecularGlossiness() bool {
	return m.PBR.BaseColorFactor == nil && m.PBR.BaseColorTexture == nil && m.PBR.Metallic == nil && m.PBR.Roughness == nil
}

// specularColor returns the fraction of light that the material reflects at perpendicular incidence if it is not
// metallic.
func (m *claimedMaterial) specularColor() (specular [3]float32) {
	part := scenes.PlasticSpecular
	if n := m.Extensions.Index.Refraction; n != nil && *n >= 0 {
		r := (*n - 1) / (*n + 1)
		part = float64(r * r) // if *n is 0, the fraction is 1, as the extension requires
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

// finishTextures returns the textures of the finish, in the order of scenes.Finish.Textures. An entry is nil if the
// texture is missing.
func (m *claimedMaterial) finishTextures() (infos [12]*textureInfo) {
	e := &m.Extensions
	ofScaled := func(t *scaledTexture) *textureInfo {
		if t == nil {
			return nil
		}
		return &t.textureInfo
	}
	if !m.isSpecularGlossiness() || e.Specular == nil {
		infos[0], infos[4], infos[5] = m.PBR.Surface, e.Reflection.Tint, e.Reflection.Part
	}
	infos[1], infos[2] = ofScaled(m.Normal), ofScaled(m.Occlusion)
	if e.Transmission.Factor > 0 {
		infos[3] = e.Transmission.Texture
		if e.Volume.Thickness > 0 {
			infos[11] = e.Volume.Thick
		}
	}
	if e.Coat.Factor > 0 {
		infos[6], infos[7], infos[8] = e.Coat.Part, e.Coat.Rough, ofScaled(e.Coat.Normal)
	}
	if m.sheen() != ([3]float32{}) {
		infos[9], infos[10] = e.Sheen.Tint, e.Sheen.Rough
	}
	return infos
}

// finishNames holds a name for each result of finishTextures, for warnings. Occlusion has no name and causes no
// warning, because pictures compute their own occlusion.
var finishNames = [12]string{
	"roughness", "the relief", "", "transmission", "the specular colour", "the specular factor", "the clear coat", "the clear coat's roughness",
	"the clear coat's relief", "sheen", "the sheen's roughness", "thickness",
}

// clampedOr returns *v clamped to the range 0 to 1. It returns `missing` if v is nil.
func clampedOr(v *float64, missing float32) float32 {
	if v == nil {
		return missing
	}
	return clamped(*v)
}

func clamped(v float64) float32 { return float32(min(max(v, 0), 1)) }

// finite returns v as a float32, at most the greatest finite one. Neither JSON nor the files that are written from the
// mesh can hold infinity.
func finite(v float64) float32 { return float32(min(max(v, -math.MaxFloat32), math.MaxFloat32)) }
