package recipe

import (
	"maps"
	"slices"

	"lockstep/scenes"
)

// plaster is the material of matt surfaces. They have highlights only from the key light.
const plaster = "plaster"

// finishes maps the names of materials to finishes. Their roughness is like that of familiar objects: a brushed tool, a
// toy brick, a window and a flower pot.
var finishes = map[string]scenes.Finish{
	"metal":   {Metallic: 1, Roughness: 0.32, Specular: plastic},
	"plastic": {Roughness: 0.38, Specular: plastic},
	"glass":   {Roughness: 0.04, Specular: plastic, Transmission: 0.94},
	"clay":    {Roughness: 1},
}

var plastic = [3]float32{scenes.PlasticSpecular, scenes.PlasticSpecular, scenes.PlasticSpecular}

// Materials returns the names of the materials.
func Materials() []string {
	return append([]string{plaster}, slices.Sorted(maps.Keys(finishes))...)
}

// finish returns the finish of surfaces for which the file gives none; nil means plaster.
func (l *Look) finish() *scenes.Finish {
	name := l.Material
	if name == plaster || name == "" {
		if l.Metallic == nil && l.Roughness == nil {
			return nil
		}
		name = "plastic"
	}
	f := finishes[name]
	if l.Metallic != nil {
		f.Metallic = float32(*l.Metallic)
	}
	if l.Roughness != nil {
		f.Roughness = float32(*l.Roughness)
	}
	return &f
}

// showsFinish reports whether surfaces show their finish. l must have all defaults written out.
func (l *Look) showsFinish() bool { return l.Light == "studio" && l.Field == "" && l.Color != "facing" }

// normalFinish brings the fields of the finish into their normal form. full has all defaults written out.
func (p *Picture) normalFinish(full *Look) {
	l := &p.Look
	if !full.showsFinish() {
		l.Material, l.Metallic, l.Roughness = "", nil, nil
		return
	}
	if l.Material == plaster {
		l.Material = ""
	}
	base, named := finishes[l.Material]
	if !named { // without a name, a single number is enough to choose a finish
		base = finishes["plastic"]
	}
	same := func(v *float64, own float32) bool { return v != nil && float32(*v) == own }
	metallic, roughness := same(l.Metallic, base.Metallic), same(l.Roughness, base.Roughness)
	if !named && (metallic || roughness) && (metallic || l.Metallic == nil) && (roughness || l.Roughness == nil) {
		l.Material, l.Metallic, l.Roughness = "plastic", nil, nil
		return
	}
	if metallic {
		l.Metallic = nil
	}
	if roughness {
		l.Roughness = nil
	}
	if l.Material == "plastic" && (l.Metallic != nil || l.Roughness != nil) {
		l.Material = "" // the numbers determine the finish
	}
}
