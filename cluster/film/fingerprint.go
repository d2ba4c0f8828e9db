package film

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/render/png"
	"lockstep/render/recipe"
	"lockstep/scenes"
)

// fingerprintRecipes are small pictures that, together with drawTexturedGlass, use every stage of the renderer:
//   - both kinds of shading and of light,
//   - occlusion, and the shadow on the ground,
//   - metal and glass,
//   - several samples per pixel, blended colours, lines, text, a cut, and culling,
//   - balancing of a mesh's rows among workers.
var fingerprintRecipes = []recipe.Picture{
	{Meshes: []recipe.Mesh{{File: "scene:knot?triangles=3000"}}, Size: recipe.Size{Width: 96, Height: 64}, Lines: recipe.Lines{Edges: true, Axes: true, Label: "Lockstep"}},
	{Meshes: []recipe.Mesh{{File: "scene:gear?triangles=2000"}, {File: "scene:cube", Scale: 0.5, Color: "orange"}}, Size: recipe.Size{Width: 64, Height: 64},
		Look:   recipe.Look{Material: "metal"},
		Camera: recipe.Camera{Projection: "orthographic", View: &recipe.View{Azimuth: 200, Elevation: 35}}, Cuts: recipe.Cuts{Sections: []recipe.Plane{{Normal: [3]float64{0, 0, 1}, Percent: true, Offset: 60, Keep: '<'}}}},
	{Meshes: []recipe.Mesh{{File: "scene:knot?triangles=1000"}}, Size: recipe.Size{Width: 48, Height: 32}, Look: recipe.Look{Material: "glass"}},
	{Meshes: []recipe.Mesh{{File: "scene:slivers?triangles=2000"}}, Size: recipe.Size{Width: 80, Height: 80},
		Look: recipe.Look{Shading: "flat", Light: "headlight", Samples: 1, Occlusion: "off", Background: "none"}, Camera: recipe.Camera{Fit: "box"}},
}

// Fingerprint returns a hash of the files of fingerprintRecipes, drawn with one worker and the given instruction set.
// Builds with the same fingerprint draw the same frames of films, even if their versions differ. Computing it takes a
// fraction of a second.
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
	pix, err := drawTexturedGlass(ctx, isa)
	if err != nil {
		return "", fmt.Errorf("fingerprint of pictures: %w", err)
	}
	all.Write(pix)
	return hex.EncodeToString(all.Sum(nil)[:16]), nil
}

// drawTexturedGlass returns the pixels of a picture for the fingerprint. The picture shows rough, thick glass with a
// coat, a sheen and textures, in front of a red surface. The textures use two sets of texture coordinates. A recipe can
// only describe such a material by a file.
func drawTexturedGlass(ctx context.Context, isa string) ([]byte, error) {
	r, err := render.New(render.Options{Width: 48, Height: 48, Samples: 4, Light: render.LightStudio, Shading: render.ShadingSmooth, Workers: 1, ISA: isa})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	mesh := texturedGlass()
	cam, err := camera.Fit(mesh.Bounds(), 48, 48, camera.Options{Azimuth: 30, Elevation: 20})
	if err != nil {
		return nil, err
	}
	var pic render.Picture
	_, err = r.Frame(ctx, mesh, cam, &pic)
	return pic.Pix, err
}

// texturedGlass returns the mesh of drawTexturedGlass: a triangle of glass in front of a red triangle.
func texturedGlass() *scenes.Mesh {
	mesh := &scenes.Mesh{Block: scenes.MakeBlock(2)}
	mesh.Set(0, [3][3]float32{{-1, 0.5, -1}, {1, 0.5, -1}, {0, 0.5, 1}})
	mesh.Set(1, [3][3]float32{{-1, -0.5, -1}, {1, -0.5, -1}, {-0.5, -0.5, 1}})
	index := [3][]uint32{{0, 3}, {1, 4}, {2, 5}}
	pattern := image.NewNRGBA(image.Rect(0, 0, 4, 4))
	for i := range pattern.Pix {
		pattern.Pix[i] = uint8(i*37 | 128)
	}
	first := &scenes.Texture{Picture: pattern}
	second := &scenes.Texture{Picture: pattern, Second: true, Placement: &scenes.Placement{{2, 0.5, 0}, {-0.5, 2, 0.25}}}
	coords := [][2]float32{{0, 0}, {1, 0}, {0, 1}, {0, 0}, {1, 0}, {0, 1}}
	turned := [][2]float32{{1, 0}, {1, 2}, {0, 1}, {1, 0}, {1, 2}, {0, 1}}
	finish := &scenes.Finish{
		Roughness: 0.4, Surface: first, Specular: [3]float32{0.04, 0.05, 0.06}, SpecularTint: second, Normals: second, NormalScale: 0.5,
		Coat: 0.7, CoatRoughness: 0.2, CoatPart: second, Sheen: [3]float32{0.3, 0.2, 0.4}, SheenRoughness: 0.5, SheenTint: first,
		Transmission: 0.8, Through: second, Thickness: 0.3, Thick: second, Absorption: [3]float32{0.2, 0.5, 1}, Refraction: 1.4,
	}
	mesh.Attributes = &scenes.Attributes{
		Vertices: 6, Index: index, MaterialOf: []int32{0, 1},
		TexCoords:  scenes.Attribute[[2]float32]{Values: coords, Index: index},
		TexCoords2: scenes.Attribute[[2]float32]{Values: turned, Index: index},
		Materials: []scenes.Material{
			{BaseColor: [4]float32{0.9, 0.1, 0.1, 1}},
			{BaseColor: [4]float32{0.9, 0.8, 0.7, 1}, Texture: first, Finish: finish},
		},
	}
	return mesh
}
