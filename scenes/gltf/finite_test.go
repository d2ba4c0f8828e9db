package gltf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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

// scaledBodies returns a file in which each scale has a node that draws the same two bodies.
func scaledBodies(scales []float64) string {
	var nodes, numbers strings.Builder
	for i, s := range scales {
		fmt.Fprintf(&nodes, `{"mesh":0,"scale":[%g,%g,%g]},`, s, s, s)
		fmt.Fprintf(&numbers, "%d,", i)
	}
	body := `{"extensions":{"KHR_materials_transmission":{"transmissionFactor":1},"KHR_materials_volume":{"thicknessFactor":2}}}`
	return changed(`"indices":1}`, `"indices":1,"material":0},{"attributes":{"POSITION":0},"indices":1,"material":1},{"attributes":{"POSITION":0},"indices":1}`,
		`"scene":0`, `"materials":[`+body+","+body+`],"scene":0`,
		`"nodes":[{"mesh":0}]`, `"nodes":[`+strings.TrimSuffix(nodes.String(), ",")+`]`, `"nodes":[0]`, `"nodes":[`+strings.TrimSuffix(numbers.String(), ",")+`]`)
}

// TestManyScales checks that bodies of very many scales share materials, and that few of them have another thickness
// than their scale says.
func TestManyScales(t *testing.T) {
	const n = 3000
	for _, c := range []struct {
		name  string
		scale func(i int) float64
		most  int     // most materials
		off   float64 // largest relative error of a thickness
		warns int
	}{
		{"few", func(i int) float64 { return 2 + 0.01*float64(i%60) }, 2 * (60 + 1), 1e-6, 0},
		{"a hundredth to a third", func(i int) float64 { return 0.01 * math.Pow(30, float64(i)/n) }, 2 * (maxScales + 1), 0.01, 0},
		{"all", func(i int) float64 { return math.Pow(1e10, float64(i%1009)/1009-0.5) }, 2 * (maxScales + 1), 1e10, 1},
	} {
		scales := make([]float64, n)
		for i := range scales {
			scales[i] = c.scale(i)
		}
		mesh, rep, err := format.Read(context.Background(), strings.NewReader(scaledBodies(scales)), scenes.ReadOptions{}, Format)
		if err != nil || len(rep.Warnings) != c.warns {
			t.Fatalf("%s: %v, %+v", c.name, err, rep)
		}
		a := mesh.Attributes
		if len(a.Materials) > c.most {
			t.Errorf("%s: %d materials", c.name, len(a.Materials))
		}
		for i, s := range scales {
			for k := range 4 { // two triangles of each body
				got := float64(a.Material(6*i + k).Finish.Thickness)
				if off := math.Abs(got/(2*s) - 1); off > c.off {
					t.Fatalf("%s: a body of scale %g is %g thick", c.name, s, got)
				}
			}
			if a.Material(6*i+4) != nil || a.MaterialOf[6*i]-a.MaterialOf[6*i+2] == 0 {
				t.Fatalf("%s: wrong materials", c.name)
			}
		}
	}
}

// TestNearestScale checks that a scale beyond the limit becomes the nearest one, and that there is one warning.
func TestNearestScale(t *testing.T) {
	r := openReader(&format.Input{}, 0)
	for i := range maxScales {
		r.scales = append(r.scales, float32(1+i))
	}
	for _, c := range [][2]float32{{1e-3, 1}, {7, 7}, {1.25, 1}, {1.75, 2}, {1e6, maxScales}, {math.MaxFloat32, maxScales}, {0, 1}} {
		if got, err := r.bodyScale(c[0]); err != nil || got != c[1] {
			t.Errorf("%g becomes %g, want %g, %v", c[0], got, c[1], err)
		}
	}
	if lines := r.warn.Lines(); len(lines) != 1 || len(r.scales) != maxScales {
		t.Errorf("%q, %d scales", lines, len(r.scales))
	}
}

// TestScaledMemory checks that materials of scaled bodies count as memory.
func TestScaledMemory(t *testing.T) {
	scales := make([]float64, 500)
	same := make([]float64, len(scales))
	for i := range scales {
		scales[i], same[i] = 2+float64(i), 1
	}
	most := int64(0) // smallest limit with which the file without scales is read, rounded up
	for limit := int64(1 << 16); ; limit += 1 << 14 {
		if _, _, err := format.Read(context.Background(), strings.NewReader(scaledBodies(same)), scenes.ReadOptions{MaxMemory: limit}, Format); err == nil {
			most = limit
			break
		}
	}
	var limit *scenes.LimitError
	if _, _, err := format.Read(context.Background(), strings.NewReader(scaledBodies(scales)), scenes.ReadOptions{MaxMemory: most + 100*materialBytes}, Format); !errors.As(err, &limit) {
		t.Errorf("%v", err)
	}
}

// TestUnitOfVolume writes a body of a mesh in millimetres. Thickness and absorption are in metres after reading.
func TestUnitOfVolume(t *testing.T) {
	mesh, _, err := format.Read(context.Background(), strings.NewReader(scaledBodies([]float64{1})), scenes.ReadOptions{}, Format)
	if err != nil {
		t.Fatal(err)
	}
	mesh.Unit = 0.001
	mesh.Attributes.Material(0).Finish.Absorption = [3]float32{0, 0.5, 2}
	var file bytes.Buffer
	if err := Write(&file, mesh); err != nil {
		t.Fatal(err)
	}
	again, _, err := format.Read(context.Background(), &file, scenes.ReadOptions{}, Format)
	if err != nil {
		t.Fatal(err)
	}
	f := again.Attributes.Material(0).Finish
	for i, pair := range [][2]float32{{f.Thickness, 0.002}, {f.Absorption[1], 500}, {f.Absorption[2], 2000}} {
		if math.Abs(float64(pair[0]/pair[1])-1) > 1e-5 {
			t.Errorf("number %d is %g, want %g", i, pair[0], pair[1])
		}
	}
}
