// Package material has the named materials of surfaces: plaster, metal, plastic, glass and clay.
package material

import (
	"maps"
	"slices"

	"lockstep/scenes"
)

// Plaster is the material of matt surfaces. They have highlights only from the key light.
const Plaster = "plaster"

// plastic is the material of a recipe that names no material, but sets Metallic or Roughness.
const plastic = "plastic"

// finishes maps the names of materials to finishes. Their roughness is similar to that of familiar objects: a brushed
// tool, a toy brick, a window and a flower pot.
var finishes = map[string]scenes.Finish{
	"metal": {Metallic: 1, Roughness: 0.32, Specular: specular},
	plastic: {Roughness: 0.38, Specular: specular},
	"glass": {Roughness: 0.04, Specular: specular, Transmission: 0.94},
	"clay":  {Roughness: 1},
}

var specular = [3]float32{scenes.PlasticSpecular, scenes.PlasticSpecular, scenes.PlasticSpecular}

// Names returns the names of the materials.
func Names() []string {
	return append([]string{Plaster}, slices.Sorted(maps.Keys(finishes))...)
}

// Finish returns the finish of a material. metallic and roughness replace the material's own numbers unless they are
// nil. A nil finish means plaster.
func Finish(name string, metallic, roughness *float64) *scenes.Finish {
	if name == Plaster || name == "" {
		if metallic == nil && roughness == nil {
			return nil
		}
		name = plastic
	}
	f := finishes[name]
	if metallic != nil {
		f.Metallic = float32(*metallic)
	}
	if roughness != nil {
		f.Roughness = float32(*roughness)
	}
	return &f
}

// Normal converts the name of a material and its numbers to their normal form.
func Normal(name *string, metallic, roughness **float64) {
	if *name == Plaster {
		*name = ""
	}
	base, named := finishes[*name]
	if !named { // Finish uses plastic if a number is set but no material is named
		base = finishes[plastic]
	}
	same := func(v *float64, own float32) bool { return v != nil && float32(*v) == own }
	m, r := same(*metallic, base.Metallic), same(*roughness, base.Roughness)
	if !named && (m || r) && (m || *metallic == nil) && (r || *roughness == nil) {
		*name, *metallic, *roughness = plastic, nil, nil
		return
	}
	if m {
		*metallic = nil
	}
	if r {
		*roughness = nil
	}
	if *name == plastic && (*metallic != nil || *roughness != nil) {
		*name = "" // with a number and without a name, Finish uses plastic
	}
}
