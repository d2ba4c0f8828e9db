package procedural

import "lockstep/scenes/procedural/perforator"

func buildPerforator(p *params) shape {
	triangles := p.count("triangles", perforator.DefaultTriangles, perforator.MinTriangles, perforator.MaxTriangles)
	seed, unbalanced := p.seed(), false
	switch v, _ := p.get("version"); v {
	case "balanced":
	case "unbalanced":
		unbalanced = true
	default:
		if p.values.Has("version") {
			p.fail("version", v, "balanced or unbalanced")
		}
	}
	return perforator.New(triangles, seed, unbalanced)
}
