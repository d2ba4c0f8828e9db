package surface

import (
	"lockstep/render/internal/float3"
	"lockstep/scenes"
)

// A finish is a scenes.Finish that is prepared for lighting. Its numbers are limited to their ranges, and its
// textures have levels.
type finish struct {
	*scenes.Finish
	specular, sheen float3.Vector
	plain           pointFinish // finish of all points, without textures and without normals
	grazing         float32     // share of the light that is mirrored at grazing angles; 0 if Specular is 0

	surface, normals, occlusion, through *texture
	specularTint, specularPart           *texture
	coatPart, coatRough, coatNormals     *texture
	sheenTint, sheenRough, thick         *texture
	textured                             bool // one of the textures is not nil

	// body is set if light passes through the surface and is bent, blurred or coloured by it. Such a surface hides all
	// surfaces behind it, and shows the picture Scene.Behind instead.
	body bool
}

// NewFinish prepares the finish of all surfaces without a finish of their own. Textures of this finish are ignored.
func NewFinish(from *scenes.Finish) *Finish {
	none := func(*scenes.Texture, kind) *texture { return nil }
	return &Finish{newFinish(from, none), translucency{passes: true, factor: 1}}
}

// A Finish describes the mirroring of surfaces without a finish of their own.
type Finish struct {
	finish
	translucency translucency // translucency of the surfaces, used if light passes through them
}

func newFinish(from *scenes.Finish, prepare func(*scenes.Texture, kind) *texture) finish {
	own := clampFinish(from)
	f := finish{Finish: own, specular: float3.Of(own.Specular), sheen: float3.Of(own.Sheen)}
	for i, to := range f.textures() {
		*to = prepare(*own.Textures()[i], finishKinds[i])
		f.textured = f.textured || *to != nil
	}
	f.grazing = f.grazingShare(f.specular, 1)
	f.plain = pointFinish{
		metallic: f.Metallic, roughness: f.Roughness, specular: f.specular, grazing: f.grazing, open: 1,
		transmitted: f.Transmission, coat: f.Coat, coatRoughness: f.CoatRoughness,
		sheen: f.sheen, sheenRoughness: f.SheenRoughness, thickness: f.Thickness,
	}
	return f
}

// textures returns the addresses of the textures, in the order of scenes.Finish.Textures.
func (f *finish) textures() [12]**texture {
	return [12]**texture{
		&f.surface, &f.normals, &f.occlusion, &f.through, &f.specularTint, &f.specularPart, &f.coatPart, &f.coatRough, &f.coatNormals,
		&f.sheenTint, &f.sheenRough, &f.thick,
	}
}

// finishKinds holds the kinds of the textures of a finish, in the order of scenes.Finish.Textures.
var finishKinds = [12]kind{
	{meaning: ofNumbers}, {meaning: ofDirections}, {meaning: ofNumbers}, {meaning: ofNumbers}, {}, {meaning: ofAlphas}, {meaning: ofNumbers},
	{meaning: ofNumbers}, {meaning: ofDirections}, {}, {meaning: ofAlphas}, {meaning: ofNumbers},
}

// grazingShare returns the share of the light that is mirrored at grazing angles. specular is the share at
// perpendicular incidence. part is the share of light that SpecularPart keeps. By Schlick's approximation, all light
// is mirrored at grazing angles. The share is smaller only if specular is below a fiftieth; such surfaces are dirty
// or do not mirror at all.
func (f *finish) grazingShare(specular float3.Vector, part float32) float32 {
	return min(float32((1-f.GrazingLoss)*part), float32(50*max(specular.X, specular.Y, specular.Z)))
}

// maxNormalScale limits NormalScale. With a larger scale, all normals would lie in the surface.
const maxNormalScale = 1000

// clampFinish returns a copy of a finish in which all numbers are limited to their ranges. NaN is replaced, because
// it would make the light depend on the instruction set.
func clampFinish(from *scenes.Finish) *scenes.Finish {
	f := *from
	for _, v := range []*float32{
		&f.Metallic, &f.Roughness, &f.Specular[0], &f.Specular[1], &f.Specular[2], &f.OcclusionAmount, &f.Coat, &f.CoatRoughness, &f.Transmission,
		&f.GrazingLoss, &f.Sheen[0], &f.Sheen[1], &f.Sheen[2], &f.SheenRoughness,
	} {
		*v = min(float3.NonNegative(*v), 1)
	}
	for _, v := range []*float32{&f.NormalScale, &f.CoatNormalScale} {
		*v = min(float3.NonNegative(*v), maxNormalScale) - min(float3.NonNegative(-*v), maxNormalScale)
	}
	for _, v := range []*float32{&f.Thickness, &f.Absorption[0], &f.Absorption[1], &f.Absorption[2]} {
		*v = min(float3.NonNegative(*v), maxThickness)
	}
	if f.Refraction = min(f.Refraction, maxRefraction); !(f.Refraction >= 1) {
		f.Refraction = glassRefraction
	}
	return &f
}

const (
	glassRefraction = 1.5  // refractive index of surfaces without an index of their own
	maxRefraction   = 1000 // with a larger index, all light would go straight into the body
	maxThickness    = 1e15 // limit of thickness and of absorption, so that their product is finite
)

// blur returns the part of the picture over which a rough body spreads the light from behind, from 0 to 1. If the
// body has the refractive index of air, light does not change its direction there, so the result is 0. Source: the
// guidance for rasterizers of KHR_materials_volume and KHR_materials_ior.
func (f *finish) blur(roughness float32) float32 {
	return float32(roughness * min(float32(2*f.Refraction)-2, 1))
}

// leastBlur is the least blur that is visible.
const leastBlur = 0.02

// isBody reports whether a transparent surface bends or blurs the light from behind it.
func (f *finish) isBody() bool { return f.Thickness > 0 || f.blur(f.Roughness) >= leastBlur }

// isPlain reports whether a finish has no coat and no sheen. The vector loop lights only such finishes.
func (f *finish) isPlain() bool { return f.Coat <= 0 && f.sheen == float3.Vector{} }

// newNumbers returns tables for textures that hold numbers from 0 to 1 instead of sRGB values.
func newNumbers() *Colors {
	c := new(Colors)
	for v := range c.linear {
		c.linear[v] = float32(v) / 255
	}
	for i := range c.encode {
		c.encode[i] = uint8((i*255 + (steps-1)/2) / (steps - 1))
	}
	return c
}

// A pointFinish is the finish at one point, after its textures have been read.
type pointFinish struct {
	metallic, roughness float32
	specular            float3.Vector
	grazing             float32       // share of the light that is mirrored at grazing angles
	normal              float3.Vector // turned towards the eye
	open                float32       // share of the sky that the occlusion texture leaves open
	transmitted         float32       // transmitted share of the light that is not mirrored
	coat, coatRoughness float32
	coatNormal          float3.Vector // turned towards the eye
	sheen               float3.Vector
	sheenRoughness      float32
	thickness           float32
}

// finishAt returns the finish of a triangle at point p. at holds the position of p in the triangle's textures.
func (f *facet) finishAt(p *point, at *spot) pointFinish {
	fin := f.paint.finish
	g := fin.plain
	g.normal, g.coatNormal = p.normal, p.normal
	if !fin.textured {
		return g
	}
	if fin.surface != nil {
		c := fin.surface.texel(at)
		g.roughness, g.metallic = float32(g.roughness*c.Y), float32(g.metallic*c.Z)
	}
	if fin.occlusion != nil {
		c := fin.occlusion.texel(at)
		g.open = 1 - float32(fin.OcclusionAmount*(1-c.X))
	}
	if fin.through != nil {
		g.transmitted = float32(g.transmitted * fin.through.texel(at).X)
	}
	if fin.thick != nil {
		g.thickness = float32(g.thickness * fin.thick.texel(at).Y)
	}
	if fin.normals != nil {
		g.normal = f.mappedNormal(p, fin.normals, at, fin.NormalScale)
	}
	g.readSpecular(fin, at)
	if fin.Coat > 0 {
		g.readCoat(f, p, at)
	}
	if fin.sheenTint != nil {
		g.sheen = g.sheen.Times(fin.sheenTint.texel(at))
	}
	if fin.sheenRough != nil {
		g.sheenRoughness = float32(g.sheenRoughness * fin.sheenRough.texel(at).X)
	}
	return g
}

// readSpecular reads the textures that change the mirrored light.
func (g *pointFinish) readSpecular(fin *finish, at *spot) {
	part := float32(1)
	if fin.specularTint == nil && fin.specularPart == nil {
		return
	}
	if fin.specularTint != nil {
		g.specular = g.specular.Times(fin.specularTint.texel(at))
	}
	if fin.specularPart != nil {
		part = fin.specularPart.texel(at).X
		g.specular = g.specular.Scale(part)
	}
	g.grazing = fin.grazingShare(g.specular, part)
}

// readCoat reads the textures of the coat.
func (g *pointFinish) readCoat(f *facet, p *point, at *spot) {
	fin := f.paint.finish
	if fin.coatPart != nil {
		g.coat = float32(g.coat * fin.coatPart.texel(at).X)
	}
	if fin.coatRough != nil {
		g.coatRoughness = float32(g.coatRoughness * fin.coatRough.texel(at).Y)
	}
	if fin.coatNormals != nil {
		g.coatNormal = f.mappedNormal(p, fin.coatNormals, at, fin.CoatNormalScale)
	}
}

// mappedNormal returns the normal at point p as given by a normal texture. The texture's value holds three components
// of the normal: along the texture's rows, up its columns, and away from the surface. 0.5 stands for 0. If the
// triangle shows the texture mirrored, the components are mirrored too.
func (f *facet) mappedNormal(p *point, of *texture, at *spot, scale float32) float3.Vector {
	c, uv := of.texel(at), &f.paint.uv
	if of.uvs != nil {
		own := of.uvs.corners(f.paint.number)
		uv = &own
	}
	du1, dv1 := uv[1][0]-uv[0][0], uv[1][1]-uv[0][1]
	du2, dv2 := uv[2][0]-uv[0][0], uv[2][1]-uv[0][1]
	along := f.e1.Scale(dv2).Sub(f.e2.Scale(dv1))
	down := f.e2.Scale(du1).Sub(f.e1.Scale(du2))
	if float32(du1*dv2)-float32(du2*dv1) < 0 {
		along, down = along.Scale(-1), down.Scale(-1)
	}
	n := p.normal
	if p.back {
		n = n.Scale(-1)
	}
	t := along.Sub(n.Scale(n.Dot(along))).Unit()
	up := n.Cross(t)
	if t == (float3.Vector{}) {
		return p.normal // the triangle's texture coordinates span no area
	}
	if up.Dot(down) > 0 {
		up = up.Scale(-1)
	}
	sideways := float32(scale * (float32(2*c.X) - 1))
	upwards := float32(scale * (float32(2*c.Y) - 1))
	out := t.Scale(sideways).Add(up.Scale(upwards)).Add(n.Scale(float32(2*c.Z) - 1)).Unit()
	if out == (float3.Vector{}) {
		return p.normal
	}
	if p.back {
		out = out.Scale(-1)
	}
	return facingEye(out, p.toEye)
}

// facingEye returns n if it does not point away from the eye. Otherwise it turns n until it is perpendicular to toEye,
// so that the surface counts as seen edge-on.
func facingEye(n, toEye float3.Vector) float3.Vector {
	if d := n.Dot(toEye); d < 0 {
		n = n.Sub(toEye.Scale(float32(d / toEye.Dot(toEye)))).Unit()
	}
	if n == (float3.Vector{}) {
		n = toEye.Unit()
	}
	return n
}
