package gltf

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/meshtest"
)

// packed returns numbers in the binary form of a buffer.
func packed(numbers ...any) []byte {
	var b bytes.Buffer
	for _, n := range numbers {
		if err := binary.Write(&b, binary.LittleEndian, n); err != nil {
			panic(err)
		}
	}
	return b.Bytes()
}

// glb returns a binary container.
func glb(doc string, bin []byte) string {
	for len(doc)%4 != 0 {
		doc += " "
	}
	for len(bin)%4 != 0 {
		bin = append(bin, 0)
	}
	body := packed(uint32(len(doc)), uint32(chunkJSON), []byte(doc))
	if bin != nil {
		body = append(body, packed(uint32(len(bin)), uint32(chunkBinary), bin)...)
	}
	return string(packed(magic, uint32(2), uint32(12+len(body)), body))
}

// square holds the corners of a square and, from byte 48 on, the indices of two triangles.
var square = packed([]float32{0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0}, []uint16{0, 1, 2, 0, 2, 3})

// The usual document of a square, with a buffer of 60 bytes.
const (
	views     = `"bufferViews":[{"buffer":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":12}]`
	accessors = `"accessors":[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"},{"bufferView":1,"componentType":5123,"count":6,"type":"SCALAR"}]`
	meshes    = `"meshes":[{"name":"square","primitives":[{"attributes":{"POSITION":0},"indices":1}]}]`
	usual     = `{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],` + meshes + `,` + accessors + `,` + views + `,"buffers":[{"byteLength":60}]}`
)

// changed returns the square with replacements in its document.
func changed(oldNew ...string) string {
	doc := usual
	for i := 0; i < len(oldNew); i += 2 {
		if !strings.Contains(doc, oldNew[i]) {
			panic("no " + oldNew[i])
		}
		doc = strings.Replace(doc, oldNew[i], oldNew[i+1], 1)
	}
	return glb(doc, square)
}

func cases() []meshtest.Case {
	uri := "data:application/octet-stream;base64," + base64.StdEncoding.EncodeToString(square)
	embedded := strings.Replace(usual, `"byteLength":60`, `"uri":"`+uri+`","byteLength":60`, 1)
	whole := changed()
	two := `"primitives":[{"attributes":{"POSITION":0},"indices":1},`
	first := `"primitives":[`
	return []meshtest.Case{
		{Name: "container", File: whole, Triangles: 2},
		{Name: "buffer that claims less than its views", File: changed(`"byteLength":60`, `"byteLength":59`), Damage: "of a buffer of 59"},
		{Name: "sparse indices that are equal", File: changed(`"count":4,`, `"count":4,"sparse":{"count":2,"indices":{"bufferView":1,"componentType":5121},"values":{"bufferView":0}},`), Damage: "sparse index 1 is 0"},
		{Name: "embedded", File: embedded, Triangles: 2},
		{Name: "embedded, in capitals", File: strings.Replace(embedded, "data:application/octet-stream;base64", "DATA:APPLICATION/OCTET-STREAM;BASE64", 1), Triangles: 2},
		{Name: "zeros and blanks behind", File: embedded + "\x00\x00 \n\x00", Triangles: 2},
		{Name: "embedded after white space", File: "\xef\xbb\xbf \n" + embedded + "\n", Triangles: 2},
		{Name: "no scene", File: changed(`"scene":0,"scenes":[{"nodes":[0]}],`, ""), Triangles: 2},
		{Name: "strip", File: changed(`"indices":1}`, `"mode":5}`), Triangles: 2},
		{Name: "fan", File: changed(`"indices":1}`, `"mode":6}`), Triangles: 2},
		{Name: "strip that turns around", File: changed(`"indices":1}`, `"indices":1,"mode":5}`), Triangles: 3},
		{Name: "points", File: changed(first, two[:len(two)-1]+`,{"attributes":{"POSITION":0},"mode":0},`), Triangles: 4 + 4*8},
		{Name: "numbers with a point", File: changed(`"count":4`, `"count":4.0`), Triangles: 2},
		{Name: "instances", File: changed(`"nodes":[0]`, `"nodes":[0,1]`, `[{"mesh":0}]`, `[{"mesh":0},{"mesh":0,"translation":[2,0,0]}]`), Triangles: 4},
		{Name: "extension that is known", File: changed(`"scene":0`, `"extensionsRequired":["KHR_mesh_quantization","KHR_materials_unlit"],"scene":0`), Triangles: 2},
		{Name: "extension that is not known", File: changed(`"scene":0`, `"extensionsRequired":["MSFT_texture_dds"],"scene":0`), Damage: `extensionsRequired: the file needs the extension MSFT_texture_dds, which is not read`},
		{Name: "old version", File: changed(`"2.0"`, `"1.0"`), Damage: `asset: version 1.0 of glTF, expected 2.0`},
		{Name: "old version, whose fields have other types", File: changed(`"2.0"`, `"1.0"`, `"scene":0`, `"scene":"defaultScene"`), Damage: `asset: version 1.0 of glTF, expected 2.0`},
		{Name: "object for a list", File: changed(`"nodes":[0]`, `"nodes":{}`), Damage: `JSON: scenes.nodes: object where a list should be`},
		{Name: "list for an object", File: changed(`"scene":0`, `"materials":[{"pbrMetallicRoughness":[]}],"scene":0`), Damage: `pbrMetallicRoughness: array where an object should be`},
		{Name: "number for a text", File: changed(`[{"mesh":0}]`, `[{"mesh":0,"name":5}]`), Damage: `JSON: nodes.name: number where a text should be`},
		{Name: "text for a number", File: changed(`[{"mesh":0}]`, `[{"mesh":0,"scale":["1"]}]`), Damage: `JSON: nodes.scale: string where a number should be`},
		{Name: "texture and buffer missing", File: changed(`"buffer":0`, `"buffer":7`, `"indices":1}`, `"indices":1,"material":0}`, `"scene":0`, `"materials":[{"pbrMetallicRoughness":{"baseColorTexture":{"index":3}}}],"scene":0`), Damage: "mesh 0, primitive 0: left out: accessor 0: buffer 7 of 1"},
		{Name: "later version needed", File: changed(`"2.0"`, `"2.1","minVersion":"2.1"`), Damage: `at least version 2.1`},
		{Name: "old container", File: strings.Replace(whole, "glTF\x02", "glTF\x01", 1), Damage: "byte 4: version 1.0 of glTF, expected 2.0"},
		{Name: "container cut in the buffer", File: whole[:len(whole)-4], Triangles: 0, Damage: "byte 8: the container claims"},
		{Name: "container cut in the document", File: whole[:100], Damage: "JSON: "},
		{Name: "mark alone", File: whole[:12], Damage: "12 bytes are too few"},
		{Name: "first chunk", File: strings.Replace(whole, "JSON", "XXXX", 1), Damage: "byte 12: the first chunk is not JSON"},
		{Name: "no JSON", File: changed(`"scene":0`, `scene:0`), Damage: "JSON: "},
		{Name: "wrong type", File: changed(`"count":4`, `"count":"4"`), Damage: "JSON: "},
		{Name: "number with a fraction", File: changed(`"count":4`, `"count":4.5`), Damage: "4.5 is no whole number"},
		{Name: "deep", File: changed(`"scene":0`, `"extras":`+strings.Repeat("[", 20000)+strings.Repeat("]", 20000)+`,"scene":0`), Damage: "JSON: "},
		{Name: "count of 10^17", File: changed(`"count":4`, `"count":1e17`), Damage: "JSON: "},
		{Name: "count of 10^15", File: changed(`"count":4`, `"count":1e15`), Damage: "mesh 0, primitive 0: left out: accessor 0: 1000000000000000 elements of 12 bytes"},
		{Name: "count of -1", File: changed(`"count":4`, `"count":-1`), Damage: "accessor 0: -1 elements"},
		{Name: "count of 10^9 without bytes", File: changed(`"bufferView":0,"componentType":5126,"count":4`, `"componentType":5126,"count":1000000000`), Damage: "1000000000 elements without bytes"},
		{Name: "negative offset", File: changed(`"bufferView":0,`, `"bufferView":0,"byteOffset":-12,`), Damage: "byte -12 of a buffer view of 48"},
		{Name: "offset too large", File: changed(`"bufferView":0,`, `"bufferView":0,"byteOffset":4,`), Damage: "4 elements of 12 bytes, 12 apart, in 44 bytes"},
		{Name: "negative view", File: changed(`"bufferView":0,`, `"bufferView":-1,`), Damage: "buffer view -1 of 2"},
		{Name: "negative byteOffset of a view", File: changed(`"byteOffset":48`, `"byteOffset":-48`), Damage: "12 bytes from byte -48"},
		{Name: "view of 2^63", File: changed(`"byteOffset":48,"byteLength":12`, `"byteOffset":9223372036854775807,"byteLength":9223372036854775807`), Damage: "from byte 9223372036854775807"},
		{Name: "buffer of 4 GB", File: changed(`"byteLength":60`, `"byteLength":4294967332`), Triangles: 2},
		{Name: "buffer of -1", File: changed(`"byteLength":60`, `"byteLength":-1`), Damage: "buffer 0 claims -1 bytes"},
		{Name: "no such buffer", File: changed(`"buffer":0`, `"buffer":7`), Damage: "buffer 7 of 1"},
		{Name: "stride below size", File: changed(`"byteLength":48`, `"byteLength":48,"byteStride":8`), Damage: "elements of 12 bytes are 8 bytes apart"},
		{Name: "stride far too large", File: changed(`"byteLength":48`, `"byteLength":48,"byteStride":9223372036854775807`), Damage: "elements are 9223372036854775807 bytes apart"},
		{Name: "unknown numbers", File: changed(`5126`, `5130`), Damage: "unknown type of numbers 5130"},
		{Name: "unknown type", File: changed(`"VEC3"`, `"VEC7"`), Damage: `unknown type "VEC7"`},
		{Name: "positions of two", File: changed(`"count":4,"type":"VEC3"`, `"count":4,"type":"VEC2"`), Damage: `accessor 0 has the type "VEC2"`},
		{Name: "indices of floats", File: changed(`5123,"count":6`, `5126,"count":3`), Damage: "indices of the type 5126"},
		{Name: "no POSITION", File: changed(`"POSITION"`, `"POSE"`), Damage: "no POSITION"},
		{Name: "no such accessor", File: changed(`"POSITION":0`, `"POSITION":-2`), Damage: "no POSITION"},
		{Name: "accessor too large", File: changed(`"POSITION":0`, `"POSITION":2`), Damage: "accessor 2 of 2"},
		{Name: "index too large", File: changed(`"count":4`, `"count":3`), Triangles: 1, Warning: "mesh 0, primitive 0: 1 triangles left out that refer to vertices which do not exist: there are 3"},
		{Name: "four corners", File: changed(`"count":6`, `"count":4`), Triangles: 1, Warning: "4 corners are not the corners of triangles"},
		{Name: "unknown mode", File: changed(`"indices":1}`, `"indices":1,"mode":7}`), Damage: "unknown mode 7"},
		{Name: "one primitive of two", File: changed(first, first+`{"attributes":{"POSITION":9}},`), Triangles: 2, Warning: "mesh 0, primitive 0: left out: accessor 9 of 2"},
		{Name: "no such mesh", File: changed(`[{"mesh":0}]`, `[{"mesh":3}]`), Damage: "node 0: left out: mesh 3 of 1"},
		{Name: "no such node", File: changed(`"nodes":[0]`, `"nodes":[0,5]`), Triangles: 2, Warning: "scene: left out: node 5 of 1"},
		{Name: "no such scene", File: changed(`"scene":0`, `"scene":4`), Triangles: 2, Warning: "scene 4 of 1"},
		{Name: "own child", File: changed(`[{"mesh":0}]`, `[{"mesh":0,"children":[0]}]`), Triangles: 2, Warning: "node 0: it is below itself"},
		{Name: "two parents", File: changed(`[{"mesh":0}]`, `[{"children":[1]},{"mesh":0},{"children":[1]}]`), Triangles: 2, Warning: "node 2: it names node 1, which is drawn below node 0"},
		{Name: "circle", File: changed(`[{"mesh":0}]`, `[{"mesh":0},{"children":[2]},{"children":[1]}]`), Triangles: 2, Warning: "node 2: node 1, which it names, is above it"},
		{Name: "matrix of three numbers", File: changed(`[{"mesh":0}]`, `[{"mesh":0,"matrix":[1,2,3]}]`), Triangles: 2, Warning: "node 0: left out: a matrix of 3 numbers"},
		{Name: "scale of four numbers", File: changed(`[{"mesh":0}]`, `[{"mesh":0,"scale":[1,2,3,4]}]`), Triangles: 2, Warning: "of a wrong length"},
		{Name: "transform that is not finite", File: changed(`[{"mesh":0}]`, `[{"mesh":0,"scale":[1e300,1e300,1]}]`), Triangles: 2, Bad: 2, Warning: "this and 1 more triangles have a NaN"},
		{Name: "no such material", File: changed(`"indices":1}`, `"indices":1,"material":1}`), Triangles: 2, Warning: "material 1 of 0"},
		{Name: "normals missing", File: changed(`{"POSITION":0}`, `{"POSITION":0,"NORMAL":5}`), Triangles: 2, Warning: "NORMAL: accessor 5 of 2"},
		{Name: "colours of other vertices", File: changed(`{"POSITION":0}`, `{"POSITION":0,"COLOR_0":2}`, `"type":"SCALAR"}`, `"type":"SCALAR"},{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}`), Triangles: 2, Warning: "COLOR_0: 3 elements for 4 vertices"},
		{Name: "sparse", File: changed(`"count":4,`, `"count":4,"sparse":{"count":1,"indices":{"bufferView":1,"byteOffset":10,"componentType":5123},"values":{"bufferView":0,"byteOffset":12}},`), Triangles: 2},
		{Name: "sparse index too large", File: changed(`"count":4,`, `"count":4,"sparse":{"count":1,"indices":{"bufferView":0,"byteOffset":14,"componentType":5123},"values":{"bufferView":0,"byteOffset":12}},`), Damage: "sparse index 0 is 16256, of 4 elements"},
		{Name: "sparse indices not in order", File: changed(`"count":4,`, `"count":4,"sparse":{"count":2,"indices":{"bufferView":1,"byteOffset":4,"componentType":5123},"values":{"bufferView":0,"byteOffset":12}},`), Damage: "sparse index 1 is 0"},
		{Name: "sparse count", File: changed(`"count":4,`, `"count":4,"sparse":{"count":9,"indices":{"bufferView":1,"componentType":5123},"values":{"bufferView":0}},`), Damage: "9 sparse elements of 4"},
		{Name: "sparse view", File: changed(`"count":4,`, `"count":4,"sparse":{"count":1,"indices":{"bufferView":-1,"componentType":5123},"values":{"bufferView":0}},`), Damage: "sparse indices: buffer view -1"},
		{Name: "buffer outside", File: strings.Replace(usual, `"byteLength":60`, `"uri":"../secret.bin","byteLength":60`, 1), Damage: "is not in the folder of the mesh"},
		{Name: "buffer that is not base64", File: strings.Replace(usual, `"byteLength":60`, `"uri":"data:,xyz","byteLength":60`, 1), Damage: "data that is not base64"},
		{Name: "buffer of damaged base64", File: strings.Replace(usual, `"byteLength":60`, `"uri":"data:;base64,*","byteLength":60`, 1), Damage: "illegal base64"},
		{Name: "texture missing", File: changed(`"indices":1}`, `"indices":1,"material":0}`, `"scene":0`, `"materials":[{"pbrMetallicRoughness":{"baseColorTexture":{"index":3}}}],"scene":0`), Triangles: 2, Warning: "material 0: left out: texture 3 of 0"},
		{Name: "lines", File: changed(`"indices":1}`, `"mode":1}`), Triangles: 2 * 8},
		{Name: "a loop", File: changed(`"indices":1}`, `"mode":2}`), Triangles: 4 * 8},
		{Name: "lines to nowhere", File: changed(`"indices":1}`, `"indices":1,"mode":3}`, `"count":4`, `"count":3`), Triangles: 4 * 8, Warning: "mesh 0, primitive 0: 1 points or pieces of lines left out that refer to vertices which do not exist: there are 3"},
		{Name: "points to nowhere", File: changed(`"indices":1}`, `"indices":1,"mode":0}`, `"count":4`, `"count":3`), Triangles: 5 * 8, Warning: "mesh 0, primitive 0: 1 points or pieces of lines left out that refer to vertices which do not exist: there are 3"},
		{Name: "points and lines", File: changed(first, first+`{"attributes":{"POSITION":0},"mode":0},{"attributes":{"POSITION":0},"mode":3},`, `"indices":1}`, `"mode":0}`), Triangles: (4 + 4 + 3) * 8},
		{Name: "points beside triangles", File: changed(first, first+`{"attributes":{"POSITION":0},"mode":0},`), Triangles: 2 + 4*8},
		{Name: "negative mode", File: changed(`"indices":1}`, `"mode":-1}`), Damage: "unknown mode -1"},
		{Name: "no meshes", File: `{"asset":{"version":"2.0"},"meshes":[]}`, Warning: "its triangles: there are none: the file has no meshes"},
	}
}

func TestMalformed(t *testing.T) { meshtest.Check(t, Format, cases()) }

func FuzzRead(f *testing.F) {
	for _, c := range cases() {
		f.Add([]byte(c.File), 1+len(c.File)/3)
	}
	f.Add([]byte(everything(f)), 7)
	f.Fuzz(func(t *testing.T, file []byte, piece int) { meshtest.FuzzInstances(t, Format, file, piece) })
}

func read(tb testing.TB, file string, folder fstest.MapFS) *scenes.Mesh {
	tb.Helper()
	m, _, err := format.Read(context.Background(), strings.NewReader(file), scenes.ReadOptions{Strict: true, Beside: folder}, Format)
	if err != nil {
		tb.Fatal(err)
	}
	meshtest.Attributes(tb, m)
	return m
}

// everything returns a file with all kinds of attributes. It has two primitives of the square. One of them has normals,
// two sets of texture coordinates, colours and a picture.
func everything(tb testing.TB) string {
	picture := meshtest.PNG(tb, 2, 1, 0xff0000, 0x0000ff)
	bin := append([]byte(nil), square...)
	add := func(numbers ...any) (view string) {
		for len(bin)%4 != 0 {
			bin = append(bin, 0)
		}
		p := packed(numbers...)
		view = fmt.Sprintf(`,{"buffer":0,"byteOffset":%d,"byteLength":%d}`, len(bin), len(p))
		bin = append(bin, p...)
		return view
	}
	more := add([]float32{0, 0, 1, 0, 3, 4, 1, 0, 0, 0, 0, 0})        // view 2: normals
	more += add([]uint8{0, 0, 0, 0, 255, 0, 255, 255})                // view 3: texture coordinates
	more += add([]uint16{65535, 0, 0, 0, 65535, 0, 0, 0, 0, 0, 0, 0}) // view 4: colours
	more += add(picture)                                              // view 5: the picture
	doc := strings.Replace(usual, `"byteLength":12}]`, `"byteLength":12}`+more+`]`, 1)
	doc = strings.Replace(doc, `"type":"SCALAR"}]`, `"type":"SCALAR"},
		{"bufferView":2,"componentType":5126,"count":4,"type":"VEC3"},
		{"bufferView":3,"componentType":5121,"normalized":true,"count":4,"type":"VEC2"},
		{"bufferView":4,"componentType":5123,"normalized":true,"count":4,"type":"VEC3"}]`, 1)
	doc = strings.Replace(doc, `{"POSITION":0},"indices":1}`, `{"POSITION":0,"NORMAL":2,"TEXCOORD_1":3,"COLOR_0":4},"indices":1,"material":1},{"attributes":{"POSITION":0},"indices":1,"material":0}`, 1)
	doc = strings.Replace(doc, `"scene":0`, `"materials":[{"name":"plain","doubleSided":true,"alphaMode":"MASK","alphaCutoff":0.25,"pbrMetallicRoughness":{"baseColorFactor":[0,1,0,0.5]},"extensions":{"KHR_materials_unlit":{}}},
		{"alphaMode":"BLEND","pbrMetallicRoughness":{"baseColorTexture":{"index":0,"texCoord":0,"extensions":{"KHR_texture_transform":{"offset":[0.5,0.25],"scale":[2,3],"rotation":1.5707963267948966,"texCoord":1}}}}}],
		"textures":[{"source":0,"sampler":0}],"samplers":[{"wrapS":33071,"wrapT":33648,"magFilter":9728}],"images":[{"name":"dots","bufferView":5}],"scene":0`, 1)
	return glb(strings.Replace(doc, `"byteLength":60`, fmt.Sprintf(`"byteLength":%d`, len(bin)), 1), bin)
}

func TestAttributes(t *testing.T) {
	m := read(t, everything(t), nil)
	a := m.Attributes
	if m.Len() != 4 || a.Vertices != 8 || m.Unit != 1 || m.Up != scenes.PlusY {
		t.Fatalf("%d triangles, %d vertices, %v %v", m.Len(), a.Vertices, m.Unit, m.Up)
	}
	if n := a.Normals; n.At(1, 0) != [3]float32{0, 0.6, 0.8} || n.At(2, 1) != [3]float32{} || n.At(0, 2) != [3]float32{} {
		t.Errorf("normals %v", n.Values)
	}
	if c := a.Colors; c.At(0, 0) != (scenes.RGBA{255, 0, 0, 255}) || c.At(0, 2) != (scenes.RGBA{255, 255, 255, 255}) {
		t.Errorf("colours %v", c.Values)
	}
	// A quarter turn maps (u, v) to (3v + 1/2, 1/4 - 2u).
	for k, want := range [][2]float32{{0.5, 0.25}, {0.5, 0.25}, {0.5, -1.75}} {
		if uv := a.TexCoords.At(k, 0); math.Abs(float64(uv[0]-want[0])) > 1e-6 || math.Abs(float64(uv[1]-want[1])) > 1e-6 {
			t.Errorf("corner %d: texture coordinates %v, want %v", k, uv, want)
		}
	}
	if fmt.Sprint(a.MaterialOf) != "[1 1 0 0]" {
		t.Errorf("materials %v", a.MaterialOf)
	}
	plain, dots := a.Materials[0], a.Materials[1]
	if plain.OneSided || !plain.Unlit || plain.Alpha != scenes.AlphaMask || plain.AlphaCutoff != 0.25 || plain.BaseColor != [4]float32{0, 1, 0, 0.5} || plain.Texture != nil {
		t.Errorf("%+v", plain)
	}
	if x := dots.Texture; x == nil || x.WrapU != scenes.Clamp || x.WrapV != scenes.Mirror || !x.Nearest || x.Name != "dots" || x.Picture.Rect.Dx() != 2 {
		t.Errorf("%+v", dots)
	}
	if m.Colors[2] != 0x00ff00 || fmt.Sprint(m.Parts) != "[{square 0 4 <nil> false}]" {
		t.Errorf("colours %06x, parts %v", m.Colors, m.Parts)
	}
	flat, _, err := format.Read(context.Background(), strings.NewReader(everything(t)), scenes.ReadOptions{Flat: true}, Format)
	if err != nil || flat.Attributes != nil {
		t.Fatal("attributes of a flat read", err)
	}
	meshtest.Same(t, flat, m)
}

// TestFilters reads the filters of samplers, writes them and reads them again.
func TestFilters(t *testing.T) {
	for filter, want := range map[int]scenes.Minify{0: scenes.MinifyMean, 9728: scenes.MinifyNearest, 9729: scenes.MinifyLinear, 9984: scenes.MinifyMean, 9987: scenes.MinifyMean} {
		const sampler = `"wrapS":33071,"wrapT":33648,"magFilter":9728`
		other := fmt.Sprintf(`"magFilter":9729,"minFilter":%d`, filter)
		doc := strings.Replace(everything(t), sampler, fmt.Sprintf("%-*s", len(sampler), other), 1)
		m, _, err := format.Read(context.Background(), strings.NewReader(doc), scenes.ReadOptions{}, Format)
		if err != nil {
			t.Fatal(err)
		}
		if x := m.Attributes.Materials[1].Texture; x.Minify != want || x.Nearest {
			t.Errorf("%d: %d, nearest %v, want %d", filter, x.Minify, x.Nearest, want)
		}
		var written bytes.Buffer
		if err := Write(&written, m); err != nil {
			t.Fatal(err)
		}
		again, _, err := format.Read(context.Background(), &written, scenes.ReadOptions{}, Format)
		if err != nil {
			t.Fatal(err)
		}
		if x := again.Attributes.Materials[1].Texture; x.Minify != want || x.Nearest {
			t.Errorf("%d, written: %d, nearest %v, want %d", filter, x.Minify, x.Nearest, want)
		}
	}
}

// TestTransforms places the square by nested nodes, by transforms that mirror and rotate, and by instances.
func TestTransforms(t *testing.T) {
	for name, c := range map[string]struct {
		nodes string
		want  [3][3]float32 // expected triangle 0
	}{
		"translation": {`[{"mesh":0,"translation":[1,2,3]}]`, [3][3]float32{{1, 2, 3}, {2, 2, 3}, {2, 3, 3}}},
		"rotation":    {`[{"mesh":0,"rotation":[0,0,1,1]}]`, [3][3]float32{{0, 0, 0}, {0, 1, 0}, {-1, 1, 0}}},
		"mirror":      {`[{"mesh":0,"scale":[-1,1,1]}]`, [3][3]float32{{0, 0, 0}, {-1, 1, 0}, {-1, 0, 0}}},
		"matrix":      {`[{"mesh":0,"matrix":[2,0,0,0,0,0,1,0,0,-1,0,0,5,6,7,1]}]`, [3][3]float32{{5, 6, 7}, {7, 6, 7}, {7, 6, 8}}},
		"chain": {`[{"children":[1],"scale":[2,2,2]},{"children":[2],"translation":[1,0,0]},{"mesh":0,"translation":[0,1,0]}]`,
			[3][3]float32{{2, 2, 0}, {4, 2, 0}, {4, 4, 0}}},
		"GPU instances": {`[{"mesh":0,"scale":[2,2,2],"extensions":{"EXT_mesh_gpu_instancing":{"attributes":{"TRANSLATION":0}}}}]`, [3][3]float32{{0, 0, 0}, {2, 0, 0}, {2, 2, 0}}},
	} {
		m := read(t, changed(`[{"mesh":0}]`, c.nodes), nil)
		if got := m.Triangle(0); !near(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		if name == "GPU instances" && (m.Len() != 8 || !near(m.Triangle(2), [3][3]float32{{2, 0, 0}, {4, 0, 0}, {4, 2, 0}}) || len(m.Parts) != 4) {
			t.Errorf("%s: %d triangles, %v, parts %v", name, m.Len(), m.Triangle(2), m.Parts)
		}
	}
}

func near(a, b [3][3]float32) bool {
	for k := range a {
		for c := range a[k] {
			if math.Abs(float64(a[k][c]-b[k][c])) > 1e-6 {
				return false
			}
		}
	}
	return true
}

// TestQuantized reads positions of 16 and 8 bits, with and without normalisation.
func TestQuantized(t *testing.T) {
	for _, c := range []struct {
		kind       int
		normalized bool
		numbers    any
		stride     int
	}{
		{5122, true, []int16{0, 0, 0, 9, 32767, 0, 0, 9, 32767, 32767, -32768, 9, 0, 32767, 0, 9}, 8},
		{5123, false, []uint16{0, 0, 0, 9, 1, 0, 0, 9, 1, 1, 65535, 9, 0, 1, 0, 9}, 8},
		{5120, true, []int8{0, 0, 0, 9, 127, 0, 0, 9, 127, 127, -128, 9, 0, 127, 0, 9}, 4},
		{5121, true, []uint8{0, 0, 0, 9, 255, 0, 0, 9, 255, 255, 255, 9, 0, 255, 0, 9}, 4},
	} {
		bin := packed(c.numbers)
		doc := fmt.Sprintf(`{"asset":{"version":"2.0"},"extensionsRequired":["KHR_mesh_quantization"],"nodes":[{"mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":0},"mode":6}]}],`+
			`"accessors":[{"bufferView":0,"componentType":%d,"normalized":%t,"count":4,"type":"VEC3"}],"bufferViews":[{"buffer":0,"byteLength":%d,"byteStride":%d}],"buffers":[{"byteLength":%d}]}`,
			c.kind, c.normalized, len(bin), c.stride, len(bin))
		m := read(t, glb(doc, bin), nil)
		z := map[int]float32{5122: -1, 5123: 65535, 5120: -1, 5121: 1}[c.kind]
		if want := [3][3]float32{{0, 0, 0}, {1, 0, 0}, {1, 1, z}}; m.Len() != 2 || m.Triangle(0) != want {
			t.Errorf("%d: %v, want %v", c.kind, m.Triangle(0), want)
		}
	}
}

// TestSparse moves one corner by sparse data, with and without a buffer view for the other positions.
func TestSparse(t *testing.T) {
	sparse := `"sparse":{"count":1,"indices":{"bufferView":1,"byteOffset":10,"componentType":5123},"values":{"bufferView":0,"byteOffset":24}},`
	m := read(t, changed(`"count":4,`, `"count":4,`+sparse), nil)
	if got := m.Triangle(1); got != [3][3]float32{{0, 0, 0}, {1, 1, 0}, {1, 1, 0}} {
		t.Errorf("%v", got)
	}
	m = read(t, changed(`"bufferView":0,"componentType":5126,"count":4,`, `"componentType":5126,"count":4,`+sparse), nil)
	if got := m.Triangle(1); got != [3][3]float32{{0, 0, 0}, {0, 0, 0}, {1, 1, 0}} {
		t.Errorf("%v", got)
	}
}

// TestStrip checks that every second triangle of a strip is reversed, so that all triangles face the same way.
func TestStrip(t *testing.T) {
	bin := packed(square[:48], []uint16{0, 1, 3, 2})
	doc := strings.NewReplacer(`"indices":1`, `"indices":1,"mode":5`, `"count":6`, `"count":4`, `"byteLength":12`, `"byteLength":8`, `"byteLength":60`, `"byteLength":56`).Replace(usual)
	m := read(t, glb(doc, bin), nil)
	if m.Len() != 2 || m.Triangle(0) != [3][3]float32{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}} || m.Triangle(1) != [3][3]float32{{0, 1, 0}, {1, 0, 0}, {1, 1, 0}} {
		t.Errorf("%v, %v", m.Triangle(0), m.Triangle(1))
	}
}

// TestSkin bends the square by two joints.
func TestSkin(t *testing.T) {
	bin := append([]byte(nil), square...)
	bin = append(bin, packed([]uint8{0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 9, 0, 0}, []float32{1, 0, 0, 0, 1, 0, 0, 0, .5, .5, 0, 0, 1, 1, 0, 0})...)
	doc := strings.NewReplacer(
		`[{"mesh":0}]`, `[{"mesh":0,"skin":0,"translation":[100,0,0]},{"translation":[0,0,1]},{"translation":[0,0,2]}]`,
		`"nodes":[0]`, `"nodes":[0,1,2]`, `"scene":0`, `"skins":[{"joints":[1,2]}],"scene":0`,
		`{"POSITION":0}`, `{"POSITION":0,"JOINTS_0":2,"WEIGHTS_0":3}`,
		`"byteLength":12}]`, `"byteLength":12},{"buffer":0,"byteOffset":60,"byteLength":16},{"buffer":0,"byteOffset":76,"byteLength":64}]`,
		`"type":"SCALAR"}]`, `"type":"SCALAR"},{"bufferView":2,"componentType":5121,"count":4,"type":"VEC4"},{"bufferView":3,"componentType":5126,"count":4,"type":"VEC4"}]`,
		`"byteLength":60`, `"byteLength":140`).Replace(usual)
	m := read(t, glb(doc, bin), nil)
	if got := [2][3][3]float32{m.Triangle(0), m.Triangle(1)}; got[0] != [3][3]float32{{0, 0, 1}, {1, 0, 2}, {1, 1, 1.5}} || got[1][2] != [3]float32{0, 1, 1} {
		t.Errorf("%v", got)
	}
}

// TestMorph adds morph targets with the weights of the mesh and of a node.
func TestMorph(t *testing.T) {
	target := `"indices":1,"targets":[{"POSITION":0}]}`
	m := read(t, changed(`"indices":1}`, target, `"name":"square"`, `"weights":[0.5]`), nil)
	if got := m.Triangle(0); got != [3][3]float32{{0, 0, 0}, {1.5, 0, 0}, {1.5, 1.5, 0}} {
		t.Errorf("weights of the mesh: %v", got)
	}
	m = read(t, changed(`"indices":1}`, target, `[{"mesh":0}]`, `[{"mesh":0,"weights":[1]}]`), nil)
	if got := m.Triangle(0); got != [3][3]float32{{0, 0, 0}, {2, 0, 0}, {2, 2, 0}} {
		t.Errorf("weights of the node: %v", got)
	}
}

// TestBeside reads a buffer and a picture in the folder of the mesh.
func TestBeside(t *testing.T) {
	doc := strings.NewReplacer(`"byteLength":60`, `"uri":"sub/my%20buffer.bin","byteLength":60`,
		`"indices":1}`, `"indices":1,"material":0}`,
		`"scene":0`, `"materials":[{"pbrMetallicRoughness":{"baseColorTexture":{"index":0}}}],"textures":[{"source":0}],"images":[{"uri":"a.png"}],"scene":0`).Replace(usual)
	m := read(t, doc, fstest.MapFS{"sub/my buffer.bin": {Data: square}, "a.png": {Data: meshtest.PNG(t, 1, 1, 0x123456)}})
	if m.Len() != 2 || m.Attributes.Materials[0].Texture.Picture.Pix[1] != 0x34 {
		t.Errorf("%+v", m.Attributes.Materials)
	}
}

// TestWebP reads the WebP picture of a texture, by an extension that the file requires, instead of the PNG picture.
func TestWebP(t *testing.T) {
	const picture = "UklGRh4AAABXRUJQVlA4TBEAAAAvAQAAAA8Q87//8x8OMqL/AQA=" // a WebP picture of a red and a blue pixel
	doc := changed(`"indices":1}`, `"indices":1,"material":0}`, `"scene":0`, `"extensionsRequired":["EXT_texture_webp"],
		"materials":[{"pbrMetallicRoughness":{"baseColorTexture":{"index":0}}}],"textures":[{"source":0,"extensions":{"EXT_texture_webp":{"source":1}}}],
		"images":[{"uri":"missing.png"},{"uri":"data:image/webp;base64,`+picture+`"}],"scene":0`)
	m := read(t, doc, nil)
	if got := m.Attributes.Materials[0].Texture.Picture; !slices.Equal(got.Pix, []uint8{255, 0, 0, 255, 0, 0, 255, 255}) {
		t.Errorf("%v", got)
	}
}

// TestBasis reads the KTX 2 picture of a texture, by an extension that the file requires, instead of the other picture.
func TestBasis(t *testing.T) {
	file, err := os.ReadFile("../internal/ktx/testdata/grey-uastc-zstd.ktx2")
	if err != nil {
		t.Fatal(err)
	}
	doc := strings.NewReplacer(`"byteLength":60`, `"uri":"a.bin","byteLength":60`, `"indices":1}`, `"indices":1,"material":0}`, `"scene":0`,
		`"extensionsRequired":["KHR_texture_basisu"],"materials":[{"pbrMetallicRoughness":{"baseColorTexture":{"index":0}}}],
		"textures":[{"source":0,"extensions":{"KHR_texture_basisu":{"source":1}}}],"images":[{"uri":"missing.png"},{"uri":"a.ktx2"}],"scene":0`).Replace(usual)
	m := read(t, doc, fstest.MapFS{"a.bin": {Data: square}, "a.ktx2": {Data: file}})
	p := m.Attributes.Materials[0].Texture.Picture
	at := p.NRGBAAt(20, 12) // in this picture, light is six times the column and alpha is ten times the row
	if p.Rect.Dx() != 40 || p.Rect.Dy() != 24 || math.Abs(float64(at.G)-120) > 6 || at.G != at.R || math.Abs(float64(at.A)-120) > 6 {
		t.Errorf("%v, %v", p.Rect, at)
	}
	_, rep, err := format.Read(context.Background(), strings.NewReader(doc), scenes.ReadOptions{Beside: fstest.MapFS{"a.bin": {Data: square}, "a.ktx2": {Data: file[:200]}}}, Format)
	if err != nil || len(rep.Warnings) != 1 || !strings.Contains(rep.Warnings[0], "a.ktx2") && !strings.Contains(rep.Warnings[0], "image 1") {
		t.Errorf("cut off: %v, %v", err, rep)
	}
}

// TestCompressedTexture checks that the warning names the compression of a texture that cannot be read.
func TestCompressedTexture(t *testing.T) {
	doc := changed(`"indices":1}`, `"indices":1,"material":0}`, `"scene":0`,
		`"materials":[{"pbrMetallicRoughness":{"baseColorTexture":{"index":0}}}],"textures":[{"extensions":{"MSFT_texture_dds":{"source":0}}}],"scene":0`)
	_, rep, err := format.Read(context.Background(), strings.NewReader(doc), scenes.ReadOptions{}, Format)
	if err != nil || len(rep.Warnings) != 1 || !strings.Contains(rep.Warnings[0], "MSFT_texture_dds") {
		t.Errorf("%v, %+v", err, rep)
	}
}

func TestDetect(t *testing.T) {
	for name, c := range map[string]struct {
		file string
		want format.Likelihood
	}{
		"container": {changed(), format.Marked},
		"document":  {usual, format.Likely},
		"other":     {`{"name":"x"}`, format.No},
		"list":      {`["asset"]`, format.No},
		"empty":     {"", format.No},
	} {
		if got := Format.Detect([]byte(c.file), int64(len(c.file))); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
