package surface

import (
	"lockstep/render/internal/float3"
	"lockstep/render/internal/kernel/light"
)

var (
	keyTint  = float3.New(light.KeyTintRed, light.KeyTintGreen, light.KeyTintBlue)
	fillTint = float3.New(light.FillTintRed, light.FillTintGreen, light.FillTintBlue)
	skyTint  = float3.New(light.SkyTintRed, light.SkyTintGreen, light.SkyTintBlue)
)

// mirroredLight returns the light that a surface mirrors from direction d. For the parameters `rough` and `part`, see
// lobe.
func (e *environment) mirroredLight(l *Lights, d float3.Vector, rough int, part float32) float3.Vector {
	c := keyTint.Scale(e.lobe(0, d.Dot(l.key), rough, part))
	c = c.Add(fillTint.Scale(e.lobe(1, d.Dot(l.fill), rough, part)))
	c = c.Add(fillTint.Scale(e.lobe(2, d.Dot(l.rim), rough, part)))
	return c.Add(skyTint.Scale(e.lobe(skyLobe, d.Dot(l.up), rough, part)))
}

// A reflection is the light of the environment that a surface mirrors towards the eye.
type reflection struct {
	share float3.Vector // share of the surrounding light that is mirrored, for red, green and blue
	light float3.Vector // the mirrored light
}

// reflect returns the reflection of a surface. n is its normal, v the unit vector to the eye, and specular its
// specular colour. edge is the share of light that the surface mirrors at grazing angles. rough is the roughness from
// 0 to 1.
func (e *environment) reflect(l *Lights, n, v, specular float3.Vector, edge, rough float32) reflection {
	steep := float3.NonNegative(n.Dot(v))
	row, part := tableStep(rough, roughSteps)
	factor, rest := e.mirroredShares(steep, row, part)
	rest = float32(rest * edge)
	// Facets mirror light to each other. Without that light a rough metal would be too dark. Source: Fdez-Aguera, A
	// Multiple-Scattering Microfacet Model for Real-Time Image-based Lighting, JCGT 2019.
	lost := 1/max(factor+rest, 0.25) - 1
	withInterreflection := func(c float32) float32 {
		return min(1, float32((float32(c*factor)+rest)*(1+float32(c*lost))))
	}
	share := float3.New(withInterreflection(specular.X), withInterreflection(specular.Y), withInterreflection(specular.Z))
	d := n.Scale(float32(2 * steep)).Sub(v)
	// The lobe of a rough surface bends towards the normal. Source: Lagarde and de Rousiers, Moving Frostbite to
	// Physically Based Rendering, 2014, section 4.9.3.
	d = d.Add(n.Sub(d).Scale(float32(rough * rough))).Unit()
	return reflection{share, e.mirroredLight(l, d, row, part).Times(share)}
}

// finishLight is the light at a point that has a finish.
type finishLight struct {
	light       float3.Vector // light from the point to the eye
	transmitted float32       // share of the light from behind the surface that the eye sees through it
}

// glassBacklight is the light that is assumed to come from behind coloured glass. It is used only for light that the
// glass colours. Light that passes uncoloured shows the surfaces behind the glass.
const glassBacklight = 0.85

// lightFinished lights a point of a triangle that has a finish. c is the base colour, and open the open share of the
// sky.
func (s *Scene) lightFinished(f *facet, p *point, at *spot, c float3.Vector, open float32) finishLight {
	e, l, fin := environmentOf(), &s.Lights, f.paint.finish
	g := f.finishAt(p, at)
	v := p.toEye.Unit()
	specular := g.specular.Scale(1 - g.metallic).Add(c.Scale(g.metallic))
	edge := g.grazing + float32((1-g.grazing)*g.metallic)
	mirror := e.reflect(l, g.normal, v, specular, edge, g.roughness)
	mirrored := max(mirror.share.X, mirror.share.Y, mirror.share.Z)
	inside := float32((1 - mirrored) * (1 - g.metallic)) // share of the light that enters the surface
	diffuse := l.diffuse(g.normal, p.toEye, float32(open*g.open))
	lit := c.Scale(float32(float32(diffuse*inside) * (1 - g.transmitted)))
	lit = lit.Add(mirror.light.Scale(skyFactor(float32(open*g.open), g.roughness)))
	out := finishLight{light: lit}
	if g.transmitted > 0 {
		s.lightPassing(f, p, &g, c, float32(inside*g.transmitted)).addTo(&out)
	}
	if fin.sheen != (float3.Vector{}) {
		out.addSheen(e, l, &g, v, float32(open*g.open))
	}
	if fin.Coat > 0 {
		coat := e.reflect(l, g.coatNormal, v, float3.New(0.04, 0.04, 0.04), 1, g.coatRoughness)
		under := 1 - float32(g.coat*coat.share.X)
		out.light = out.light.Scale(under).Add(coat.light.Scale(float32(g.coat * open)))
		out.transmitted = float32(out.transmitted * under)
	}
	return out
}

// addSheen adds the light that the fibres of cloth scatter. v is the unit vector to the eye, and open the open share
// of the sky. The surface under the fibres gets less light.
func (f *finishLight) addSheen(e *environment, l *Lights, g *pointFinish, v float3.Vector, open float32) {
	share := sheenShare(g.normal.Dot(v), g.sheenRoughness)
	row, part := tableStep(1, roughSteps)
	scattered := e.mirroredLight(l, g.normal, row, part).Times(g.sheen).Scale(float32(share * open))
	under := 1 - float32(share*max(g.sheen.X, g.sheen.Y, g.sheen.Z))
	f.light = f.light.Scale(under).Add(scattered)
	f.transmitted = float32(f.transmitted * under)
}

// sheenShares holds the share of light that white fibres scatter towards the eye, if light comes from everywhere. It
// is a table by roughness from 0 to 1, and by the cosine between the normal and the direction to the eye. Source:
// numerical integrals of the distribution of Estevez and Kulla (Production Friendly Microfacet Sheen BRDF, 2017) with
// the shadowing of Ashikhmin and Premoze; shares above 1 are 1.
var sheenShares = [8][8]float32{
	{1, 0.316, 0.0135, 0.000221, 8.36e-07, 0, 0, 0},
	{1, 0.646, 0.17, 0.037, 0.00578, 0.000514, 1.43e-05, 0},
	{1, 0.667, 0.353, 0.182, 0.0859, 0.0347, 0.0102, 0.000882},
	{0.929, 0.597, 0.392, 0.257, 0.163, 0.0954, 0.0481, 0.016},
	{0.77, 0.542, 0.394, 0.289, 0.209, 0.144, 0.092, 0.049},
	{0.681, 0.504, 0.388, 0.303, 0.236, 0.179, 0.129, 0.0851},
	{0.625, 0.478, 0.381, 0.31, 0.252, 0.202, 0.158, 0.116},
	{0.588, 0.46, 0.376, 0.314, 0.263, 0.219, 0.179, 0.141},
}

// sheenShare interpolates in sheenShares.
func sheenShare(steep, rough float32) float32 {
	i, p := tableStep(steep, len(sheenShares[0]))
	row, part := tableStep(rough, len(sheenShares))
	return interpolate(sheenShares[row][:], sheenShares[row+1][:], i, p, part)
}

// tintedRest returns a share of the light from behind a glass, for one colour channel. The same share, `passes`, passes
// in all channels; the result is the share that passes in addition. c is the glass's colour in the channel, and
// `through` the share of the light that enters the glass.
func tintedRest(c, through, passes float32) float32 {
	return float3.NonNegative(float32(c*through) - passes)
}

// skyFactor returns the share of its mirrored light that a surface keeps if the sky above it is partly hidden. A
// rough surface mirrors only the open part of the sky. A smooth surface also mirrors half of the hidden part.
func skyFactor(open, rough float32) float32 {
	return open + float32(float32(0.5*(1-rough))*(1-open))
}

// coverage returns the share of the light from behind that a point hides. The point's own light is divided by this
// share. The share is large enough that the quotient is not too bright for a picture.
func (f *finishLight) coverage() float32 {
	return min(1, max(1-f.transmitted, f.light.X, f.light.Y, f.light.Z))
}

// perCoverage returns the colour of the samples that a point hides. all is the light of the point under an open sky.
func (f *finishLight) perCoverage(all *finishLight) float3.Vector {
	return f.light.Scale(1 / max(all.coverage(), 1./256)).AtMost(maxLight)
}
