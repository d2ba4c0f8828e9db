package surface

import "lockstep/render/internal/kernel/light"

var (
	keyTint  = vec{light.KeyTintRed, light.KeyTintGreen, light.KeyTintBlue}
	fillTint = vec{light.FillTintRed, light.FillTintGreen, light.FillTintBlue}
	skyTint  = vec{light.SkyTintRed, light.SkyTintGreen, light.SkyTintBlue}
)

// around returns what a surface of some roughness, a step of tables and the part of the next, mirrors along a direction.
func (e *environment) around(l *Lights, d vec, rough int, part float32) vec {
	c := keyTint.scale(e.lobe(0, d.dot(l.key), rough, part))
	c = c.add(fillTint.scale(e.lobe(1, d.dot(l.fill), rough, part)))
	c = c.add(fillTint.scale(e.lobe(2, d.dot(l.rim), rough, part)))
	return c.add(skyTint.scale(e.lobe(sky, d.dot(l.up), rough, part)))
}

// A gloss is the light that a surface mirrors towards the eye.
type gloss struct {
	share vec // of light from around, by colour
	light vec // the part of it that arrives
}

// gloss returns what a surface of a specular colour mirrors; edge is that at grazing angles. v has length 1.
func (e *environment) gloss(l *Lights, n, v, specular vec, edge, rough float32) gloss {
	steep := positive(n.dot(v))
	row, part := tableStep(rough, roughSteps)
	factor, rest := e.mirrored(steep, row, part)
	rest = float32(rest * edge)
	// Light between facets is mirrored again, which a rough metal would lose. Source: Fdez-Aguera, A Multiple-Scattering
	// Microfacet Model for Real-Time Image-based Lighting, JCGT 2019.
	lost := 1/max(factor+rest, 0.25) - 1
	all := func(c float32) float32 {
		return min(1, float32((float32(c*factor)+rest)*(1+float32(c*lost))))
	}
	share := vec{all(specular.x), all(specular.y), all(specular.z)}
	d := n.scale(float32(2 * steep)).sub(v)
	// The lobe of a rough surface bends towards its normal. Source: Lagarde and de Rousiers, Moving Frostbite to Physically
	// Based Rendering, 2014, section 4.9.3.
	d = d.add(n.sub(d).scale(float32(rough * rough))).unit()
	return gloss{share, e.around(l, d, row, part).times(share)}
}

// A finished is the light of a point that has a finish.
type finished struct {
	light  vec     // that is seen, under the sky
	passes float32 // the part of what lies behind that is seen too
}

// behind is the light that is taken for that which lies behind a coloured glass: what passes through it uncoloured is what
// really is there.
const behind = 0.85

// finished lights a point of a triangle with a finish. c is its base colour, open the part of the sky that is seen.
func (s *Scene) finished(f *facet, p *point, at *spot, c vec, open float32) finished {
	e, l, fin := environmentOf(), &s.Lights, f.coat.finish
	g := f.grain(p, at)
	v := p.toEye.unit()
	specular := fin.specular.scale(1 - g.metallic).add(c.scale(g.metallic))
	edge := fin.edge + float32((1-fin.edge)*g.metallic)
	shine := e.gloss(l, g.normal, v, specular, edge, g.roughness)
	mirrored := max(shine.share.x, shine.share.y, shine.share.z)
	inside := float32((1 - mirrored) * (1 - g.metallic)) // of light that enters
	diffuse := l.diffuse(g.normal, p.toEye, float32(open*g.open))
	lit := c.scale(float32(float32(diffuse*inside) * (1 - g.passes)))
	lit = lit.add(shine.light.scale(under(float32(open*g.open), g.roughness)))
	out := finished{light: lit}
	if g.passes > 0 {
		through := float32(inside * g.passes)
		out.passes = float32(through * (float32(0.6*min(c.x, c.y, c.z)) + float32(0.4*max(c.x, c.y, c.z))))
		tinted := vec{rest(c.x, through, out.passes), rest(c.y, through, out.passes), rest(c.z, through, out.passes)}
		out.light = lit.add(tinted.scale(behind))
	}
	if fin.Coat > 0 {
		coat := e.gloss(l, p.normal, v, vec{0.04, 0.04, 0.04}, 1, fin.CoatRoughness)
		under := 1 - float32(fin.Coat*coat.share.x)
		out.light = out.light.scale(under).add(coat.light.scale(float32(fin.Coat * open)))
		out.passes = float32(out.passes * under)
	}
	return out
}

// rest is the part of what lies behind a glass, by its colour, that does not pass through uncoloured.
func rest(c, through, passes float32) float32 { return positive(float32(c*through) - passes) }

// under returns how much of what a surface mirrors arrives under a sky: rough ones mirror what they see, smooth ones half
// of what is hidden.
func under(open, rough float32) float32 {
	return open + float32(float32(0.5*(1-rough))*(1-open))
}

// covered returns how much of a point hides what lies behind: so much that its own light is no brighter than a picture can
// show.
func (f *finished) covered() float32 {
	return min(1, max(1-f.passes, f.light.x, f.light.y, f.light.z))
}
