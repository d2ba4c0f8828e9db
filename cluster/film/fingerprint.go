package film

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"lockstep/render/png"
	"lockstep/render/recipe"
)

// fingerprintRecipes are small pictures that together use every stage of the renderer. They cover both kinds of shading
// and of light, occlusion and the shadow on the ground, metal and glass, several samples, blended colours, lines, text,
// a cut, and culling. In one of them, the rows of a mesh are balanced among workers.
var fingerprintRecipes = []recipe.Picture{
	{Meshes: []recipe.Mesh{{File: "scene:knot?triangles=3000"}}, Size: recipe.Size{Width: 96, Height: 64}, Lines: recipe.Lines{Edges: true, Axes: true, Label: "Lockstep"}},
	{Meshes: []recipe.Mesh{{File: "scene:gear?triangles=2000"}, {File: "scene:cube", Scale: 0.5, Color: "orange"}}, Size: recipe.Size{Width: 64, Height: 64},
		Look:   recipe.Look{Material: "metal"},
		Camera: recipe.Camera{Projection: "orthographic", View: &recipe.View{Azimuth: 200, Elevation: 35}}, Cuts: recipe.Cuts{Sections: []recipe.Plane{{Normal: [3]float64{0, 0, 1}, Percent: true, Offset: 60, Keep: '<'}}}},
	{Meshes: []recipe.Mesh{{File: "scene:knot?triangles=1000"}}, Size: recipe.Size{Width: 48, Height: 32}, Look: recipe.Look{Material: "glass"}},
	{Meshes: []recipe.Mesh{{File: "scene:slivers?triangles=2000"}}, Size: recipe.Size{Width: 80, Height: 80},
		Look: recipe.Look{Shading: "flat", Light: "headlight", Samples: 1, Occlusion: "off", Background: "none"}, Camera: recipe.Camera{Fit: "box"}},
}

// Fingerprint draws the fingerprint recipes with one worker and the given instruction set. It returns a hash of the
// picture files. Builds with the same fingerprint draw the same frames of films, even if their versions differ.
// Fingerprint takes a fraction of a second.
func Fingerprint(ctx context.Context, isa string) (string, error) {
	all := sha256.New()
	d := recipe.Drawer{Workers: 1, ISA: isa}
	var encoder png.Encoder
	for _, p := range fingerprintRecipes {
		fmt.Fprintln(all, p.Size)
		pic, err := d.Draw(ctx, p)
		if err == nil {
			err = encoder.EncodeRGBA(all, pic.Pix, 4*pic.Width, pic.Width, pic.Height, recipe.PNGOptions(p, recipe.Output{}))
		}
		if err != nil {
			return "", fmt.Errorf("fingerprint of pictures: %w", err)
		}
	}
	return hex.EncodeToString(all.Sum(nil)[:16]), nil
}
