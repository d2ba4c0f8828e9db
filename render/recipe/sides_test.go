package recipe_test

import (
	"testing"

	"lockstep/render/recipe"
)

// TestSidesObeyed checks in which pictures the backs of one-sided materials are left out.
func TestSidesObeyed(t *testing.T) {
	for name, c := range map[string]struct {
		change func(p *recipe.Picture)
		want   bool
	}{
		"material":            {func(*recipe.Picture) {}, true},
		"none":                {func(p *recipe.Picture) { p.Look.Cull = "none" }, false},
		"the default":         {func(p *recipe.Picture) { p.Look.Cull = "" }, false},
		"back":                {func(p *recipe.Picture) { p.Look.Cull = "back" }, false},
		"flat, occluded":      {func(p *recipe.Picture) { p.Look.Shading, p.Look.Occlusion = "flat", "on" }, true},
		"without occlusion":   {func(p *recipe.Picture) { p.Look.Occlusion = "off" }, true},
		"flat, not occluded":  {func(p *recipe.Picture) { p.Look.Shading, p.Look.Occlusion = "flat", "off" }, false},
		"headlight":           {func(p *recipe.Picture) { p.Look.Light = "headlight" }, false},
		"facing":              {func(p *recipe.Picture) { p.Look.Color = "facing" }, false},
		"cut by a section":    {func(p *recipe.Picture) { p.Cuts.Sections = []recipe.Plane{{Normal: [3]float64{0, 0, 1}, Keep: '<'}} }, false},
		"coloured by a value": {func(p *recipe.Picture) { p.Look.Color = "red" }, true},
	} {
		p := recipe.Picture{Meshes: []recipe.Mesh{{File: "a.glb"}}}
		p.Look.Cull = "material"
		c.change(&p)
		if got := p.RenderOptions().OneSided; got != c.want {
			t.Errorf("%s: %v in the picture, want %v", name, got, c.want)
		}
		if got := p.Annotations().OneSided; got != c.want {
			t.Errorf("%s: %v in its lines, want %v", name, got, c.want)
		}
	}
}
