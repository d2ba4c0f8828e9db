package gltf

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/format"
)

// TestEmission reads the emission of a surface, writes it and reads it again.
func TestEmission(t *testing.T) {
	const dots = "UklGRh4AAABXRUJQVlA4TBEAAAAvAQAAAA8Q87//8x8OMqL/AQA=" // a WebP picture of a red and a blue pixel
	for _, c := range []struct {
		material string
		light    [3]float32
		texture  bool
		warns    string
	}{
		{`"name":"dark"`, [3]float32{}, false, ""},
		{`"emissiveFactor":[0.25,0,1]`, [3]float32{0.25, 0, 1}, false, ""},
		{`"emissiveFactor":[0.25,0,1],"extensions":{"KHR_materials_emissive_strength":{"emissiveStrength":8}}`, [3]float32{2, 0, 8}, false, ""},
		{`"emissiveFactor":[-1,2],"extensions":{"KHR_materials_emissive_strength":{"emissiveStrength":-3}}`, [3]float32{}, false, ""},
		{`"emissiveFactor":[1,1,1],"emissiveTexture":{"index":0}`, [3]float32{1, 1, 1}, true, ""},
		{`"emissiveTexture":{"index":0}`, [3]float32{}, false, ""},
		{`"emissiveFactor":[1,1,1],"emissiveTexture":{"index":0,"texCoord":1},"pbrMetallicRoughness":{"baseColorTexture":{"index":0}}`, [3]float32{1, 1, 1}, true, ""},
		{`"emissiveFactor":[1,1,1],"emissiveTexture":{"index":0,"texCoord":2},"pbrMetallicRoughness":{"metallicFactor":0.5,"baseColorTexture":{"index":0}},"normalTexture":{"index":0,"texCoord":1}`,
			[3]float32{}, false, "third set"},
		{`"emissiveFactor":[1,1,1],"emissiveTexture":{"index":7}`, [3]float32{}, false, "texture 7"},
		{`"emissiveFactor":[1,1,1],"extensions":{"KHR_materials_unlit":{}}`, [3]float32{}, false, ""},
	} {
		doc := changed(`"indices":1}`, `"indices":1,"material":0}`, `"scene":0`,
			`"materials":[{`+c.material+`}],"textures":[{"extensions":{"EXT_texture_webp":{"source":0}}}],"images":[{"uri":"data:image/webp;base64,`+dots+`"}],"scene":0`)
		mesh, rep, err := format.Read(context.Background(), strings.NewReader(doc), scenes.ReadOptions{}, Format)
		if err != nil || (len(rep.Warnings) > 0) != (c.warns != "") || c.warns != "" && !strings.Contains(rep.Warnings[0], c.warns) {
			t.Errorf("%s: %v, %+v", c.material, err, rep)
			continue
		}
		check := func(what string, mesh *scenes.Mesh) {
			m := mesh.Attributes.Materials[0]
			for i, v := range m.Emission { // the product of factor and strength
				if d := v - c.light[i]; d < -1e-6 || d > 1e-6 {
					t.Errorf("%s, %s: light %v, want %v", c.material, what, m.Emission, c.light)
				}
			}
			if (m.Glow != nil) != c.texture {
				t.Errorf("%s, %s: texture %v", c.material, what, m.Glow)
			}
		}
		check("read", mesh)
		var file bytes.Buffer
		if err := Write(&file, mesh); err != nil {
			t.Fatal(err)
		}
		again, _, err := format.Read(context.Background(), &file, scenes.ReadOptions{}, Format)
		if err != nil {
			t.Fatal(err)
		}
		check("written", again)
	}
}
