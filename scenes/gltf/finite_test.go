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

// TestFiniteMaterials reads materials with numbers that no float32 holds. All numbers must become finite, because the
// writer cannot write infinity.
func TestFiniteMaterials(t *testing.T) {
	const material = `"alphaMode":"MASK","alphaCutoff":1e300,"emissiveFactor":[1e300,0,1],"pbrMetallicRoughness":{"metallicFactor":0,
		"baseColorFactor":[1e300,-1e300,0,1],"baseColorTexture":{"index":0},"metallicRoughnessTexture":{"index":0,"texCoord":1,
		"extensions":{"KHR_texture_transform":{"offset":[-1e300,2],"scale":[1e300,-1e300],"rotation":1e300}}}},"extensions":{
		"KHR_materials_emissive_strength":{"emissiveStrength":1e300},"KHR_materials_ior":{"ior":1e300},
		"KHR_materials_specular":{"specularFactor":1e300,"specularColorFactor":[1e300,0,1]},
		"KHR_materials_transmission":{"transmissionFactor":1},
		"KHR_materials_volume":{"thicknessFactor":3e38,"attenuationDistance":1e-300,"attenuationColor":[0,0.5,1]}}`
	mesh, _, err := format.Read(context.Background(), strings.NewReader(twoSets(material)), scenes.ReadOptions{}, Format)
	if err != nil {
		t.Fatal(err)
	}
	m := mesh.Attributes.Material(0)
	if m.Finish == nil || m.Finish.Thickness != 3e38 || m.Finish.Surface == nil || m.Finish.Surface.Placement == nil {
		t.Fatalf("%+v", m)
	}
	numbers := append([]float32{m.AlphaCutoff}, append(m.BaseColor[:], m.Emission[:]...)...)
	for _, v := range m.Finish.Numbers() {
		numbers = append(numbers, *v)
	}
	for _, row := range m.Finish.Surface.Placement {
		numbers = append(numbers, row[:]...)
	}
	for i, v := range numbers {
		if v-v != 0 {
			t.Errorf("number %d is %g", i, v)
		}
	}
	var file bytes.Buffer
	if err := Write(&file, mesh); err != nil {
		t.Fatal(err)
	}
	if _, _, err := format.Read(context.Background(), &file, scenes.ReadOptions{}, Format); err != nil {
		t.Error(err)
	}
}

// TestFiniteThickness scales a thickness with a node beyond the numbers of a float32.
func TestFiniteThickness(t *testing.T) {
	doc := changed(`"indices":1}`, `"indices":1,"material":0}`, `"scene":0`, `"materials":[{"extensions":{"KHR_materials_transmission":
		{"transmissionFactor":1},"KHR_materials_volume":{"thicknessFactor":3e38}}}],"scene":0`,
		`"nodes":[{"mesh":0}]`, `"nodes":[{"mesh":0,"scale":[1000,1000,1000]}]`)
	mesh, _, err := format.Read(context.Background(), strings.NewReader(doc), scenes.ReadOptions{}, Format)
	if err != nil {
		t.Fatal(err)
	}
	if got := mesh.Attributes.Material(0).Finish.Thickness; got != math.MaxFloat32 {
		t.Errorf("the body is %g thick", got)
	}
	if err := Write(new(bytes.Buffer), mesh); err != nil {
		t.Error(err)
	}
}
