package gltf

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/format"
)

// twoSets returns the square with two sets of texture coordinates, (x, y) and (1 - x, y / 2), and one material.
func twoSets(material string) string {
	const dots = "UklGRh4AAABXRUJQVlA4TBEAAAAvAQAAAA8Q87//8x8OMqL/AQA=" // red and blue
	bin := append(bytes.Clone(square), packed([]float32{0, 0, 1, 0, 1, 1, 0, 1, 1, 0, 0, 0, 0, 0.5, 1, 0.5})...)
	doc := usual
	for _, change := range [][2]string{
		{`"byteOffset":48,"byteLength":12}`, `"byteOffset":48,"byteLength":12},{"buffer":0,"byteOffset":60,"byteLength":32},{"buffer":0,"byteOffset":92,"byteLength":32}`},
		{`"type":"SCALAR"}`, `"type":"SCALAR"},{"bufferView":2,"componentType":5126,"count":4,"type":"VEC2"},{"bufferView":3,"componentType":5126,"count":4,"type":"VEC2"}`},
		{`{"POSITION":0},"indices":1}`, `{"POSITION":0,"TEXCOORD_0":2,"TEXCOORD_1":3},"indices":1,"material":0}`},
		{`"byteLength":60`, `"byteLength":124`},
		{`"scene":0`, `"materials":[{` + material + `}],"textures":[{"extensions":{"EXT_texture_webp":{"source":0}}}],"images":[{"uri":"data:image/webp;base64,` + dots + `"}],"scene":0`},
	} {
		doc = strings.Replace(doc, change[0], change[1], 1)
	}
	return glb(doc, bin)
}

// TestTextureCoordinates reads textures of one material, each with its own set and transform of texture coordinates,
// writes them and reads them again.
func TestTextureCoordinates(t *testing.T) {
	const moved = `"extensions":{"KHR_texture_transform":{"offset":[0.5,0.25],"scale":[2,3],"rotation":1.5707963267948966}}`
	plain := func(u, v float64) [2]float64 { return [2]float64{u, v} }
	second := func(u, v float64) [2]float64 { return [2]float64{1 - u, v / 2} }
	turned := func(at func(u, v float64) [2]float64) func(u, v float64) [2]float64 {
		return func(u, v float64) [2]float64 { return [2]float64{3*at(u, v)[1] + 0.5, 0.25 - 2*at(u, v)[0]} }
	}
	for _, c := range []struct {
		base, glow, relief string
		places             [3]func(u, v float64) [2]float64
		sets               int
	}{
		{``, ``, ``, [3]func(u, v float64) [2]float64{plain, plain, plain}, 1},
		{``, `"texCoord":1`, ``, [3]func(u, v float64) [2]float64{plain, second, plain}, 2},
		{`"texCoord":1`, ``, `"texCoord":1`, [3]func(u, v float64) [2]float64{second, plain, second}, 2},
		{moved, moved, moved, [3]func(u, v float64) [2]float64{turned(plain), turned(plain), turned(plain)}, 1},
		{``, moved, ``, [3]func(u, v float64) [2]float64{plain, turned(plain), plain}, 1},
		{moved, ``, moved, [3]func(u, v float64) [2]float64{turned(plain), plain, turned(plain)}, 2},
		{``, moved, `"texCoord":1,` + moved, [3]func(u, v float64) [2]float64{plain, turned(plain), turned(second)}, 2},
	} {
		info := func(more string) string { return strings.TrimSuffix(`{"index":0,`+more, ",") + "}" }
		material := fmt.Sprintf(`"pbrMetallicRoughness":{"metallicFactor":0.5,"baseColorTexture":%s},"emissiveFactor":[1,1,1],"emissiveTexture":%s,"normalTexture":%s`,
			info(c.base), info(c.glow), info(c.relief))
		mesh, rep, err := format.Read(context.Background(), strings.NewReader(twoSets(material)), scenes.ReadOptions{}, Format)
		if err != nil || len(rep.Warnings) > 0 {
			t.Fatalf("%s: %v, %+v", material, err, rep)
		}
		if mesh.Attributes.TexCoords2.Has() != (c.sets > 1) {
			t.Errorf("%s: the second set has %d values", material, len(mesh.Attributes.TexCoords2.Values))
		}
		var file bytes.Buffer
		if err := Write(&file, mesh); err != nil {
			t.Fatal(err)
		}
		again, _, err := format.Read(context.Background(), &file, scenes.ReadOptions{}, Format)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []*scenes.Mesh{mesh, again} {
			mat := m.Attributes.Materials[0]
			if mat.Texture.Second || mat.Texture.Placement != nil {
				t.Errorf("%s: the texture of the colour has a place of its own", material)
			}
			for i, x := range []*scenes.Texture{mat.Texture, mat.Glow, mat.Finish.Normals} {
				checkPlaces(t, fmt.Sprint(material, " ", i), m, x, c.places[i])
			}
		}
	}
}

// checkPlaces compares the texture coordinates of a texture at all corners with the function want, whose arguments are
// the x and y coordinates of a corner.
func checkPlaces(t *testing.T, name string, m *scenes.Mesh, x *scenes.Texture, want func(u, v float64) [2]float64) {
	t.Helper()
	set := &m.Attributes.TexCoords
	if x.Second {
		set = &m.Attributes.TexCoords2
	}
	for i := range m.Len() {
		for k := range 3 {
			uv, place := set.At(k, i), want(float64(m.X[k][i]), float64(m.Y[k][i]))
			if x.Placement != nil {
				uv = x.Placement.At(uv)
			}
			for c := range 2 {
				if math.Abs(float64(uv[c])-place[c]) > 1e-6 {
					t.Errorf("%s: corner %d of triangle %d has %v, want %v", name, k, i, uv, place)
				}
			}
		}
	}
}
