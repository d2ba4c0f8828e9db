package film

import (
	"slices"
	"testing"

	"lockstep/render/recipe"
	"lockstep/vp/isa"
)

// TestFingerprintRecipes checks that the recipes use every stage of the renderer, and that no recipe is redundant.
func TestFingerprintRecipes(t *testing.T) {
	features := map[string]func(p *recipe.Picture) bool{
		"smooth shading":  func(p *recipe.Picture) bool { return p.Look.Shading == "" },
		"flat shading":    func(p *recipe.Picture) bool { return p.Look.Shading == "flat" },
		"studio light":    func(p *recipe.Picture) bool { return p.Look.Light == "" },
		"headlight":       func(p *recipe.Picture) bool { return p.Look.Light == "headlight" },
		"occlusion":       func(p *recipe.Picture) bool { return p.Look.Occlusion == "" },
		"no occlusion":    func(p *recipe.Picture) bool { return p.Look.Occlusion == "off" },
		"several samples": func(p *recipe.Picture) bool { return p.Look.Samples == 0 },
		"one sample":      func(p *recipe.Picture) bool { return p.Look.Samples == 1 },
		"no background":   func(p *recipe.Picture) bool { return p.Look.Background == "none" },
		"perspective":     func(p *recipe.Picture) bool { return p.Camera.Projection == "" },
		"orthographic":    func(p *recipe.Picture) bool { return p.Camera.Projection == "orthographic" },
		"a chosen view":   func(p *recipe.Picture) bool { return p.Camera.View != nil },
		"fit of the box":  func(p *recipe.Picture) bool { return p.Camera.Fit == "box" },
		"edges":           func(p *recipe.Picture) bool { return p.Lines.Edges },
		"axes":            func(p *recipe.Picture) bool { return p.Lines.Axes },
		"text":            func(p *recipe.Picture) bool { return p.Lines.Label != "" },
		"metal":           func(p *recipe.Picture) bool { return p.Look.Material == "metal" },
		"glass":           func(p *recipe.Picture) bool { return p.Look.Material == "glass" },
		"a cut":           func(p *recipe.Picture) bool { return len(p.Cuts.Sections) > 0 },
		"several meshes":  func(p *recipe.Picture) bool { return len(p.Meshes) > 1 },
		"a colour": func(p *recipe.Picture) bool {
			return slices.ContainsFunc(p.Meshes, func(m recipe.Mesh) bool { return m.Color != "" })
		},
		"a scale": func(p *recipe.Picture) bool {
			return slices.ContainsFunc(p.Meshes, func(m recipe.Mesh) bool { return m.Scale != 0 })
		},
		"uneven rows":       func(p *recipe.Picture) bool { return p.Meshes[0].File == "scene:slivers?triangles=2000" },
		"a closed surface":  func(p *recipe.Picture) bool { return p.Meshes[0].File == "scene:gear?triangles=2000" },
		"a knotted surface": func(p *recipe.Picture) bool { return p.Meshes[0].File == "scene:knot?triangles=3000" },
	}
	for name, has := range features {
		if !slices.ContainsFunc(fingerprintRecipes, func(p recipe.Picture) bool { return has(&p) }) {
			t.Errorf("no recipe has %s", name)
		}
	}
	for i := range fingerprintRecipes {
		others := slices.Delete(slices.Clone(fingerprintRecipes), i, i+1)
		needed := false
		for _, has := range features {
			needed = needed || !slices.ContainsFunc(others, func(p recipe.Picture) bool { return has(&p) })
		}
		if !needed {
			t.Errorf("recipe %d has nothing that the others lack", i)
		}
	}
}

// TestFingerprintDependsOnRecipes checks that the fingerprint depends on every recipe, and not on the instruction set.
func TestFingerprintDependsOnRecipes(t *testing.T) {
	want, err := Fingerprint(t.Context(), "")
	if err != nil || len(want) != 32 {
		t.Fatalf("%q, %v", want, err)
	}
	if got, err := Fingerprint(t.Context(), isa.Generic.String()); got != want || err != nil {
		t.Errorf("without vector instructions: %q, %v, want %q", got, err, want)
	}
	all := fingerprintRecipes
	defer func() { fingerprintRecipes = all }()
	for i := range all {
		fingerprintRecipes = slices.Delete(slices.Clone(all), i, i+1)
		if got, err := Fingerprint(t.Context(), ""); got == want || err != nil {
			t.Errorf("without recipe %d: %q, %v", i, got, err)
		}
	}
}

// TestFingerprintGlass checks that the picture of glass is the same without vector instructions, and that it
// shows textures.
func TestFingerprintGlass(t *testing.T) {
	want, err := drawTexturedGlass(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := drawTexturedGlass(t.Context(), isa.Generic.String()); err != nil || !slices.Equal(got, want) {
		t.Errorf("without vector instructions: another picture, %v", err)
	}
	last, changes := [4]byte{}, 0
	for i := 0; i < len(want); i += 4 {
		if p := [4]byte(want[i:]); p != last {
			last, changes = p, changes+1
		}
	}
	if changes < 300 {
		t.Errorf("%d changes of colour, want a textured picture", changes)
	}
}
