package gltf

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/format"
)

// TestFinish reads the finishes of materials, which say how surfaces reflect light. It writes the finishes and reads
// them again.
func TestFinish(t *testing.T) {
	const dots = "UklGRh4AAABXRUJQVlA4TBEAAAAvAQAAAA8Q87//8x8OMqL/AQA=" // a WebP picture of a red and a blue pixel
	plastic := [3]float32{0.04, 0.04, 0.04}
	plain := scenes.Finish{Specular: plastic, NormalScale: 1, OcclusionAmount: 1}
	with := func(change func(f *scenes.Finish)) *scenes.Finish {
		f := plain
		change(&f)
		return &f
	}
	for _, c := range []struct {
		material string
		want     *scenes.Finish
		textures string // textures of surface, normals, occlusion and transmission: + if expected, otherwise -
		warns    string
	}{
		{`"name":"says nothing"`, nil, "", ""},
		{`"pbrMetallicRoughness":{"metallicFactor":0}`, nil, "", ""},
		{`"pbrMetallicRoughness":{"metallicFactor":0.5}`, with(func(f *scenes.Finish) { f.Metallic, f.Roughness = 0.5, 1 }), "----", ""},
		{`"pbrMetallicRoughness":{"roughnessFactor":0.25}`, with(func(f *scenes.Finish) { f.Metallic, f.Roughness = 1, 0.25 }), "----", ""},
		{`"pbrMetallicRoughness":{"metallicFactor":-3,"roughnessFactor":7}`, with(func(f *scenes.Finish) { f.Roughness = 1 }), "----", ""},
		{`"pbrMetallicRoughness":{"roughnessFactor":0},"extensions":{"KHR_materials_unlit":{}}`, nil, "", ""},
		{`"pbrMetallicRoughness":{"metallicFactor":0,"metallicRoughnessTexture":{"index":0}},"normalTexture":{"index":0,"scale":0.5},"occlusionTexture":{"index":0,"strength":0.25}`,
			with(func(f *scenes.Finish) { f.Roughness, f.NormalScale, f.OcclusionAmount = 1, 0.5, 0.25 }), "+++-", ""},
		{`"pbrMetallicRoughness":{"metallicFactor":0,"baseColorTexture":{"index":0}},"normalTexture":{"index":0,"texCoord":1}`,
			with(func(f *scenes.Finish) { f.Roughness = 1 }), "-+--", ""},
		{`"pbrMetallicRoughness":{"metallicFactor":0,"baseColorTexture":{"index":0},"metallicRoughnessTexture":{"index":0,"texCoord":1}},"normalTexture":{"index":0,"texCoord":2}`,
			with(func(f *scenes.Finish) { f.Roughness = 1 }), "+---", "the relief is not drawn"},
		{`"pbrMetallicRoughness":{"metallicFactor":0,"baseColorTexture":{"index":0}},"occlusionTexture":{"index":0,"texCoord":1}`,
			with(func(f *scenes.Finish) { f.Roughness = 1 }), "--+-", ""},
		{`"normalTexture":{"index":7},"pbrMetallicRoughness":{"metallicFactor":0}`, with(func(f *scenes.Finish) { f.Roughness = 1 }), "----", "texture 7"},
		{`"pbrMetallicRoughness":{"metallicFactor":0,"roughnessFactor":0},"extensions":{"KHR_materials_transmission":{"transmissionFactor":0.75,"transmissionTexture":{"index":0}}}`,
			with(func(f *scenes.Finish) { f.Transmission = 0.75 }), "---+", ""},
		{`"pbrMetallicRoughness":{"metallicFactor":0,"roughnessFactor":0},"extensions":{"KHR_materials_clearcoat":{"clearcoatFactor":1,"clearcoatRoughnessFactor":0.5}}`,
			with(func(f *scenes.Finish) { f.Coat, f.CoatRoughness = 1, 0.5 }), "----", ""},
		{`"pbrMetallicRoughness":{"metallicFactor":0,"roughnessFactor":0},"extensions":{"KHR_materials_ior":{"ior":2}}`,
			with(func(f *scenes.Finish) { f.Specular = [3]float32{1. / 9, 1. / 9, 1. / 9} }), "----", ""},
		{`"pbrMetallicRoughness":{"metallicFactor":0,"roughnessFactor":0},"extensions":{"KHR_materials_specular":{"specularFactor":0.5,"specularColorFactor":[1,0.5,0]}}`,
			with(func(f *scenes.Finish) { f.Specular = [3]float32{0.02, 0.01, 0} }), "----", ""},
		{`"extensions":{"KHR_materials_pbrSpecularGlossiness":{"diffuseFactor":[1,0,0,1],"specularFactor":[0.5,0.25,0.125],"glossinessFactor":0.75}}`,
			with(func(f *scenes.Finish) { f.Specular, f.Roughness = [3]float32{0.5, 0.25, 0.125}, 0.25 }), "----", ""},
	} {
		doc := changed(`"indices":1}`, `"indices":1,"material":0}`, `"scene":0`,
			`"materials":[{`+c.material+`}],"textures":[{"extensions":{"EXT_texture_webp":{"source":0}}}],"images":[{"uri":"data:image/webp;base64,`+dots+`"}],"scene":0`)
		mesh, rep, err := format.Read(context.Background(), strings.NewReader(doc), scenes.ReadOptions{}, Format)
		if err != nil || (len(rep.Warnings) > 0) != (c.warns != "") || c.warns != "" && !strings.Contains(rep.Warnings[0], c.warns) {
			t.Errorf("%s: %v, %+v", c.material, err, rep)
			continue
		}
		if problem := differs(mesh.Attributes.Materials[0].Finish, c.want, c.textures); problem != "" {
			t.Errorf("%s: %s", c.material, problem)
		}
		var file bytes.Buffer
		if err := Write(&file, mesh); err != nil {
			t.Fatal(err)
		}
		again, _, err := format.Read(context.Background(), &file, scenes.ReadOptions{}, Format)
		if err != nil {
			t.Fatal(err)
		}
		if problem := differs(again.Attributes.Materials[0].Finish, c.want, c.textures); problem != "" {
			t.Errorf("%s, written: %s", c.material, problem)
		}
	}
}

// differs describes the difference between two finishes. It returns "" if there is none.
func differs(got, want *scenes.Finish, textures string) string {
	if got == nil || want == nil {
		if got != want {
			return "there is a finish, or none, where it should be otherwise"
		}
		return ""
	}
	has := ""
	for _, x := range []*scenes.Texture{got.Surface, got.Normals, got.Occlusion, got.Through} {
		has += map[bool]string{true: "+", false: "-"}[x != nil]
	}
	if has != textures {
		return "textures " + has + ", want " + textures
	}
	numbers := func(f *scenes.Finish) []float32 {
		all := []float32{f.Metallic, f.Roughness, f.Coat, f.CoatRoughness, f.Transmission, f.Specular[0], f.Specular[1], f.Specular[2]}
		if f.Normals != nil {
			all = append(all, f.NormalScale)
		}
		if f.Occlusion != nil {
			all = append(all, f.OcclusionAmount)
		}
		return all
	}
	g, w := numbers(got), numbers(&scenes.Finish{
		Metallic: want.Metallic, Roughness: want.Roughness, Coat: want.Coat, CoatRoughness: want.CoatRoughness, Transmission: want.Transmission,
		Specular: want.Specular, Normals: got.Normals, NormalScale: want.NormalScale, Occlusion: got.Occlusion, OcclusionAmount: want.OcclusionAmount,
	})
	for i := range g {
		if math.Abs(float64(g[i]-w[i])) > 1e-6 {
			return "a number differs"
		}
	}
	return ""
}

// TestLayers reads all numbers and textures of clear coats, sheen, specular reflection, transmission and volumes, and
// writes them.
func TestLayers(t *testing.T) {
	const material = `"pbrMetallicRoughness":{"metallicFactor":0,"roughnessFactor":0.5},"extensions":{
		"KHR_materials_clearcoat":{"clearcoatFactor":0.25,"clearcoatTexture":{"index":0},"clearcoatRoughnessFactor":0.75,"clearcoatRoughnessTexture":{"index":0},
			"clearcoatNormalTexture":{"index":0,"scale":0.5}},
		"KHR_materials_sheen":{"sheenColorFactor":[0.5,0.25,1],"sheenColorTexture":{"index":0},"sheenRoughnessFactor":0.125,"sheenRoughnessTexture":{"index":0}},
		"KHR_materials_specular":{"specularFactor":0.5,"specularTexture":{"index":0},"specularColorFactor":[1,0.5,2],"specularColorTexture":{"index":0}},
		"KHR_materials_ior":{"ior":1.5},
		"KHR_materials_transmission":{"transmissionFactor":0.75,"transmissionTexture":{"index":0}},
		"KHR_materials_volume":{"thicknessFactor":3,"thicknessTexture":{"index":0},"attenuationDistance":2,"attenuationColor":[1,0.36787944117144233,0]}}`
	want := scenes.Finish{
		Roughness: 0.5, Specular: [3]float32{0.02, 0.01, 0.04}, GrazingLoss: 0.5, NormalScale: 1, OcclusionAmount: 1,
		Coat: 0.25, CoatRoughness: 0.75, CoatNormalScale: 0.5, Sheen: [3]float32{0.5, 0.25, 1}, SheenRoughness: 0.125,
		Transmission: 0.75, Thickness: 3, Absorption: [3]float32{0, 0.5, 6.9077554}, Refraction: 1.5,
	}
	mesh, rep, err := format.Read(context.Background(), strings.NewReader(twoSets(material)), scenes.ReadOptions{}, Format)
	if err != nil || len(rep.Warnings) > 0 {
		t.Fatalf("%v, %+v", err, rep)
	}
	var file bytes.Buffer
	if err := Write(&file, mesh); err != nil {
		t.Fatal(err)
	}
	again, _, err := format.Read(context.Background(), &file, scenes.ReadOptions{}, Format)
	if err != nil {
		t.Fatal(err)
	}
	for name, m := range map[string]*scenes.Mesh{"read": mesh, "written": again} {
		f := m.Attributes.Materials[0].Finish
		numbers := want.Numbers()
		for i, v := range f.Numbers() {
			if math.Abs(float64(*v-*numbers[i])) > 1e-6*max(1, float64(*numbers[i])) {
				t.Errorf("%s: number %d is %g, want %g", name, i, *v, *numbers[i])
			}
		}
		for i, x := range f.Textures() {
			if none := i < 3; (*x == nil) != none {
				t.Errorf("%s: texture %d is %v", name, i, *x)
			}
		}
	}
}

// TestThicknessOfNodes scales the thickness of a body with the node that draws it, and shares the material of nodes
// with the same scale.
func TestThicknessOfNodes(t *testing.T) {
	const material = `"materials":[{"pbrMetallicRoughness":{"metallicFactor":0},"extensions":{"KHR_materials_transmission":{"transmissionFactor":1},
		"KHR_materials_volume":{"thicknessFactor":3,"attenuationDistance":2}}}]`
	doc := changed(`"indices":1}`, `"indices":1,"material":0}`, `"scene":0`, material+`,"scene":0`, `"nodes":[0]`, `"nodes":[0,1,2,3]`,
		`"nodes":[{"mesh":0}]`, `"nodes":[{"mesh":0},{"mesh":0,"scale":[2,2,-2]},{"mesh":0,"scale":[2,2,2]},{"mesh":0,"scale":[8,1,1]}]`)
	mesh, rep, err := format.Read(context.Background(), strings.NewReader(doc), scenes.ReadOptions{}, Format)
	if err != nil || len(rep.Warnings) > 0 {
		t.Fatalf("%v, %+v", err, rep)
	}
	a := mesh.Attributes
	for i, want := range []float32{3, 3, 6, 6, 6, 6, 6, 6} {
		if got := a.Material(i).Finish.Thickness; got != want {
			t.Errorf("triangle %d is %g thick, want %g", i, got, want)
		}
	}
	if len(a.Materials) != 2 {
		t.Errorf("%d materials, want 2", len(a.Materials))
	}
	posed, _, err := format.Read(context.Background(), strings.NewReader(doc), scenes.ReadOptions{Pose: &scenes.Pose{Materials: a.Materials}}, Format)
	if err != nil || len(posed.Attributes.Materials) != 2 || posed.Attributes.Material(2).Finish.Thickness != 6 {
		t.Errorf("by the materials of an earlier read: %v, %+v", err, posed)
	}
}
