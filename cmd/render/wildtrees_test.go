package main

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/cli"
)

// A jsonObject is an object of a JSON document.
type jsonObject map[string]any

// triangleBytes are the vertices of a triangle in the plane y = 0.
var triangleBytes = floatBytes(0, 0, 0, 1, 0, 0, 0, 0, 1)

func floatBytes(values ...float32) []byte {
	var b []byte
	for _, v := range values {
		b, _ = binary.Append(b, binary.LittleEndian, v)
	}
	return b
}

// dataURI returns bytes as a data URI.
func dataURI(b []byte) string {
	return "data:application/octet-stream;base64," + base64.StdEncoding.EncodeToString(b)
}

// gltfOf returns a glTF scene of one triangle whose top-level keys are changed.
func gltfOf(changes jsonObject) string {
	doc := jsonObject{
		"asset": jsonObject{"version": "2.0"}, "scenes": []jsonObject{{"nodes": []int{0}}}, "nodes": []jsonObject{{"mesh": 0}},
		"meshes":      []jsonObject{{"primitives": []jsonObject{{"attributes": jsonObject{"POSITION": 0}}}}},
		"accessors":   []jsonObject{{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}},
		"bufferViews": []jsonObject{{"buffer": 0, "byteLength": 36}},
		"buffers":     []jsonObject{{"byteLength": 36, "uri": dataURI(triangleBytes)}},
	}
	for key, value := range changes {
		if doc[key] = value; value == nil {
			delete(doc, key)
		}
	}
	text, err := json.Marshal(doc)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// list returns n objects that the function `of` makes.
func list(n int, of func(i int) jsonObject) []jsonObject {
	all := make([]jsonObject, n)
	for i := range all {
		all[i] = of(i)
	}
	return all
}

// upTo returns the numbers below n.
func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// threemfOf returns a 3MF package of a model and other files.
func threemfOf(model string, others ...string) string {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i, files := 0, append([]string{"3D/3dmodel.model", model}, others...); i < len(files); i += 2 {
		w, err := z.Create(files[i])
		if err == nil {
			_, err = w.Write([]byte(files[i+1]))
		}
		if err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.String()
}

// Namespaces of 3MF.
const (
	core    = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
	lattice = "http://schemas.microsoft.com/3dmanufacturing/beamlattice/2017/02"
)

// modelOf returns a 3MF model of objects and of the items to build.
func modelOf(objects, items string) string {
	return `<model unit="millimeter" xmlns="` + core + `"><resources>` + objects + `</resources><build>` + items + `</build></model>`
}

// gltfMesh returns a 3MF object of one triangle, whose tag of the triangle has attributes.
func gltfMesh(attributes string) string {
	return `<object id="1"><mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/><vertex x="0" y="0" z="1"/></vertices>` +
		`<triangles><triangle v1="0" v2="1" v3="2"` + attributes + `/></triangles></mesh></object>`
}

// doublingObjects returns 3MF objects in some levels. Each contains the object of the level below twice.
func doublingObjects(levels int) string {
	var b strings.Builder
	b.WriteString(gltfMesh(""))
	for i := range levels {
		fmt.Fprintf(&b, `<object id="%d"><components><component objectid="%d"/><component objectid="%[2]d"/></components></object>`, i+2, i+1)
	}
	return b.String()
}

// wildTrees returns cases of glTF and 3MF.
func wildTrees() []wildCase {
	return slices.Concat(wildGraphs(), wildCounts(), wildExtensions(), wildPackages())
}

// gltfCase returns a case of one glTF file.
func gltfCase(name string, changes jsonObject, c wildCase) wildCase {
	c.name, c.mesh = "glTF: "+name, "a.gltf"
	if c.files == nil {
		c.files = map[string]string{}
	}
	c.files[c.mesh] = gltfOf(changes)
	return c
}

// wildGraphs returns cases whose nodes are not a tree.
func wildGraphs() []wildCase {
	right := []float64{10, 0, 0}
	faulty := func(bounds string, warns ...string) wildCase {
		return wildCase{strict: cli.Input, warns: warns, bounds: bounds}
	}
	return []wildCase{
		gltfCase("60 levels of children that are named twice", jsonObject{"nodes": append(list(60, func(i int) jsonObject { return jsonObject{"children": []int{i + 1, i + 1}} }), jsonObject{"mesh": 0})},
			faulty("0 0 0 to 1 0 1", "it names node 60 twice, which is drawn once, and 59 more")),
		gltfCase("a moved child that is named twice", jsonObject{"nodes": []jsonObject{{"translation": right, "children": []int{1, 1}}, {"mesh": 0, "translation": []int{1, 0, 0}}}},
			faulty("11 0 0 to 12 0 1", "node 0: it names node 1 twice, which is drawn once")),
		gltfCase("two parents", jsonObject{"scenes": []jsonObject{{"nodes": []int{0, 1}}}, "nodes": []jsonObject{{"children": []int{2}, "translation": right}, {"children": []int{2}}, {"mesh": 0}}},
			faulty("10 0 0 to 11 0 1", "node 1: it names node 2, which is drawn below node 0")),
		gltfCase("its own child", jsonObject{"nodes": []jsonObject{{"mesh": 0, "children": []int{0}}}}, faulty("0 0 0 to 1 0 1", "node 0: it is below itself")),
		gltfCase("a circle in the scene", jsonObject{"nodes": []jsonObject{{"mesh": 0, "children": []int{1}}, {"children": []int{2}}, {"children": []int{0}}}}, faulty("0 0 0 to 1 0 1", "node 2: node 0, which it names, is above it")),
		gltfCase("a scene that names a node twice", jsonObject{"scenes": []jsonObject{{"nodes": []int{0, 0}}}}, faulty("0 0 0 to 1 0 1", "scene: it names node 0 twice, which is drawn once")),
		gltfCase("a scene that names a child", jsonObject{"scenes": []jsonObject{{"nodes": []int{1, 0}}}, "nodes": []jsonObject{{"children": []int{1}, "translation": right}, {"mesh": 0}}},
			faulty("10 0 0 to 11 0 1", "scene: it names node 1, which is drawn below node 0")),
		gltfCase("a scene that names a parent and its child", jsonObject{"scenes": []jsonObject{{"nodes": []int{0, 1}}}, "nodes": []jsonObject{{"children": []int{1}, "translation": right}, {"mesh": 0}}},
			faulty("10 0 0 to 11 0 1", "scene: it names node 1, which is drawn below node 0")),
		gltfCase("two scenes that share a node", jsonObject{"scenes": []jsonObject{{"nodes": []int{0}}, {"nodes": []int{0}}}}, wildCase{silent: true, bounds: "0 0 0 to 1 0 1"}),
		gltfCase("two parents, of which the first is in no scene", jsonObject{"scenes": []jsonObject{{"nodes": []int{1}}}, "nodes": []jsonObject{{"children": []int{2}, "translation": right}, {"children": []int{2}}, {"mesh": 0}}},
			faulty("0 0 0 to 1 0 1", "node 0: it names node 2, which is drawn below node 1")),
		gltfCase("a second parent that is alone in the scene after the first", jsonObject{"scenes": []jsonObject{{"nodes": []int{3, 1}}}, "nodes": []jsonObject{{"children": []int{2}, "translation": right}, {"children": []int{2}}, {"mesh": 0}, {"children": []int{0}}}},
			faulty("10 0 0 to 11 0 1", "node 1: it names node 2, which is drawn below node 0")),
		gltfCase("its own child, and no scene", jsonObject{"scenes": nil, "nodes": []jsonObject{{"mesh": 0, "children": []int{0}}}}, faulty("0 0 0 to 1 0 1", "node 0: it is below itself")),
		gltfCase("a circle, and no scene", jsonObject{"scenes": nil, "nodes": []jsonObject{{"children": []int{1}, "translation": right}, {"mesh": 0, "children": []int{0}}}},
			faulty("10 0 0 to 11 0 1", "node 1: node 0, which it names, is above it")),
		gltfCase("a scene of a child whose own child is placed before it", jsonObject{"scenes": []jsonObject{{"nodes": []int{1}}}, "nodes": []jsonObject{{"children": []int{2, 1}, "translation": right}, {"children": []int{2}}, {"mesh": 0}}},
			faulty("10 0 0 to 11 0 1", "node 1: it names node 2, which is drawn below node 0", "scene: it names node 1, which is drawn below node 0")),
		gltfCase("a child that is not there", jsonObject{"nodes": []jsonObject{{"mesh": 0, "children": []int{7}}}}, faulty("0 0 0 to 1 0 1", "node 0: left out: child 7 of 1")),
		gltfCase("a chain of 20,000 nodes", jsonObject{"nodes": append(list(20000, func(i int) jsonObject { return jsonObject{"children": []int{i + 1}} }), jsonObject{"mesh": 0, "translation": right})},
			wildCase{silent: true, bounds: "10 0 0 to 11 0 1"}),
		gltfCase("20,000 children that are the same", jsonObject{"nodes": []jsonObject{{"children": slices.Repeat([]int{1}, 20000)}, {"mesh": 0}}}, faulty("0 0 0 to 1 0 1", "and 19998 more of this kind")),
		gltfCase("joints in a circle", jsonObject{
			"nodes": []jsonObject{{"mesh": 0, "skin": 0}, {"children": []int{2}}, {"children": []int{1}}}, "skins": []jsonObject{{"joints": []int{1, 2}}},
		}, faulty("0 0 0 to 1 0 1", "node 2: node 1, which it names, is above it")),
	}
}

// wildCounts returns cases of small files that use the same data again and again.
func wildCounts() []wildCase {
	n := 5000
	refused := func(word string) wildCase { return wildCase{code: cli.Input, strict: cli.Input, warns: []string{word}} }
	// A triangle and 40 KB of zeros in one file, to which 300 buffers refer.
	file := append(slices.Clone(triangleBytes), make([]byte, 40000)...)
	shared := gltfCase("300 buffers that name one file", jsonObject{
		"buffers": list(300, func(i int) jsonObject {
			return jsonObject{"byteLength": len(file), "uri": strings.Repeat("./", i%3) + "a.bin"}
		}),
		"bufferViews": list(300, func(i int) jsonObject { return jsonObject{"buffer": i, "byteLength": 36} }),
		"accessors": list(300, func(i int) jsonObject {
			return jsonObject{"bufferView": i, "componentType": 5126, "count": 3, "type": "VEC3"}
		}),
		"meshes": []jsonObject{{"primitives": list(300, func(i int) jsonObject { return jsonObject{"attributes": jsonObject{"POSITION": i}} })}},
	}, wildCase{silent: true, files: map[string]string{"a.bin": string(file)}, bounds: "0 0 0 to 1 0 1"})
	textured := func(images int) jsonObject {
		return jsonObject{
			"materials": list(n, func(i int) jsonObject {
				return jsonObject{"pbrMetallicRoughness": jsonObject{"baseColorTexture": jsonObject{"index": i}}}
			}),
			"textures": list(n, func(i int) jsonObject { return jsonObject{"source": i % images} }),
			"images":   list(images, func(i int) jsonObject { return jsonObject{"uri": fmt.Sprintf("none%d.png", i)} }),
		}
	}
	missing := wildCase{strict: cli.Input, warns: []string{`material 0: left out: image 0: "none0.png": no such file`, "4997 more like this one"}}
	accessor := jsonObject{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}
	big := jsonObject{"componentType": 5126, "count": 30000, "type": "VEC3"}
	primitives := func(n, position int) []jsonObject {
		return slices.Repeat([]jsonObject{{"attributes": jsonObject{"POSITION": position}}}, n)
	}
	sparse := jsonObject{"componentType": 5126, "count": 10001, "type": "VEC3", "sparse": jsonObject{"count": 10000, "indices": jsonObject{"bufferView": 0, "componentType": 5125}, "values": jsonObject{"bufferView": 1}}}
	var order []byte
	for i := range uint32(10000) {
		order = binary.LittleEndian.AppendUint32(order, i)
	}
	return []wildCase{
		shared,
		gltfCase("5,000 missing textures", textured(n), missing),
		gltfCase("5,000 materials of one missing texture", textured(1), missing),
		gltfCase("600 nodes of 1,000 instances", jsonObject{
			"nodes":     slices.Repeat([]jsonObject{{"mesh": 0, "extensions": jsonObject{"EXT_mesh_gpu_instancing": jsonObject{"attributes": jsonObject{"TRANSLATION": 1}}}}}, 600),
			"scenes":    []jsonObject{{"nodes": upTo(600)}},
			"accessors": []jsonObject{accessor, {"componentType": 5126, "count": 1000, "type": "VEC3"}},
		}, refused("instances, the limit is")),
		gltfCase("primitives of all vertices", jsonObject{"meshes": []jsonObject{{"primitives": primitives(3000, 1)}}, "accessors": []jsonObject{accessor, big}}, refused("triangles, the limit is")),
		gltfCase("meshes of all vertices", jsonObject{
			"meshes": slices.Repeat([]jsonObject{{"primitives": []jsonObject{{"attributes": jsonObject{"POSITION": 1}, "indices": 2}}}}, 8000), "nodes": list(8000, func(i int) jsonObject { return jsonObject{"mesh": i} }), "scenes": []jsonObject{{"nodes": upTo(8000)}},
			"accessors": []jsonObject{accessor, big, {"componentType": 5125, "count": 3, "type": "SCALAR"}},
		}, refused("triangles, the limit is")),
		gltfCase("nodes of many primitives", jsonObject{
			"meshes": []jsonObject{{"primitives": primitives(2000, 0)}}, "nodes": slices.Repeat([]jsonObject{{"mesh": 0}}, 2000), "scenes": []jsonObject{{"nodes": upTo(2000)}},
		}, refused("triangles, the limit is")),
		gltfCase("targets of the same numbers", jsonObject{
			"meshes": []jsonObject{{"weights": slices.Repeat([]int{1}, 256), "primitives": []jsonObject{{
				"attributes": jsonObject{"POSITION": 1}, "indices": 2, "targets": slices.Repeat([]jsonObject{{"POSITION": 1}}, 256),
			}}}},
			"nodes": slices.Repeat([]jsonObject{{"mesh": 0}}, 20), "scenes": []jsonObject{{"nodes": upTo(20)}}, "extras": strings.Repeat("x", 30000),
			"accessors": []jsonObject{accessor, big, {"componentType": 5125, "count": 3, "type": "SCALAR"}},
		}, refused("triangles, the limit is")),
		gltfCase("sparse accessors of the same elements", jsonObject{
			"meshes":      []jsonObject{{"primitives": list(1000, func(i int) jsonObject { return jsonObject{"attributes": jsonObject{"POSITION": i}} })}},
			"accessors":   slices.Repeat([]jsonObject{sparse}, 1000),
			"bufferViews": []jsonObject{{"buffer": 0, "byteLength": len(order)}, {"buffer": 0, "byteLength": 0}},
			"buffers":     []jsonObject{{"byteLength": len(order), "uri": dataURI(order)}},
		}, wildCase{code: cli.Input, strict: cli.Input, warns: []string{"sparse values"}}),
		gltfCase("a skin of one joint that is not there, for all nodes", jsonObject{
			"nodes": slices.Repeat([]jsonObject{{"mesh": 0, "skin": 0}}, n), "scenes": []jsonObject{{"nodes": upTo(n)}}, "skins": []jsonObject{{"joints": append(upTo(n), 1<<20)}},
		}, wildCase{strict: cli.Input, warns: []string{"node 0: left out: joint 1048576 of 5000", "4997 more like this one"}, bounds: "0 0 0 to 1 0 1"}),
	}
}

// wildExtensions returns cases with extensions of glTF that decide which objects are drawn.
func wildExtensions() []wildCase {
	material := func(m jsonObject, name string, c wildCase) wildCase {
		return gltfCase(name, jsonObject{"materials": []jsonObject{m}, "meshes": []jsonObject{{"primitives": []jsonObject{{"attributes": jsonObject{"POSITION": 0}, "material": 0}}}}}, c)
	}
	warned := func(word string) wildCase { return wildCase{strict: cli.Input, warns: []string{word}} }
	refused := func(word string) wildCase { return wildCase{code: cli.Input, strict: cli.Input, warns: []string{word}} }
	draco := jsonObject{
		"meshes":    []jsonObject{{"primitives": []jsonObject{{"attributes": jsonObject{"POSITION": 0}, "extensions": jsonObject{"KHR_draco_mesh_compression": jsonObject{"bufferView": 0, "attributes": jsonObject{"POSITION": 0}}}}}}},
		"accessors": []jsonObject{{"componentType": 5126, "count": 3, "type": "VEC3"}},
	}
	// This is a meshopt block of three vertices. It has a header, a zero byte for each of the 12 bytes of a vertex, and a
	// tail of 32 bytes that ends with the first vertex.
	packed := slices.Concat([]byte{0xa0}, make([]byte, 12), make([]byte, 20), make([]byte, 12))
	meshopt := func(name string) jsonObject {
		return jsonObject{
			"extensionsRequired": []string{name},
			"bufferViews":        []jsonObject{{"buffer": 1, "byteLength": 36, "extensions": jsonObject{name: jsonObject{"buffer": 0, "byteLength": len(packed), "byteStride": 12, "count": 3, "mode": "ATTRIBUTES"}}}},
			"buffers":            []jsonObject{{"byteLength": len(packed), "uri": dataURI(packed)}, {"byteLength": 36}},
		}
	}
	points := jsonObject{"meshes": []jsonObject{{"primitives": []jsonObject{{"attributes": jsonObject{"POSITION": 0}, "mode": 0}, {"attributes": jsonObject{"POSITION": 0}, "mode": 3}}}}}
	return []wildCase{
		material(jsonObject{"emissiveFactor": []float64{0, 0.5, 0}}, "emissive", wildCase{silent: true}),
		material(jsonObject{"emissiveFactor": []float64{0, 0, 0}}, "not emissive", wildCase{silent: true}),
		material(jsonObject{"emissiveFactor": []float64{1, 1, 1}, "extensions": jsonObject{"KHR_materials_unlit": jsonObject{}}}, "emissive but unlit", wildCase{silent: true}),
		material(jsonObject{"extensions": jsonObject{"KHR_materials_transmission": jsonObject{"transmissionFactor": 0.9}}}, "transmission", wildCase{silent: true}),
		material(jsonObject{"extensions": jsonObject{"KHR_materials_transmission": jsonObject{}}}, "transmission of zero", wildCase{silent: true}),
		gltfCase("emissive material that nothing has", jsonObject{"materials": []jsonObject{{"emissiveFactor": []float64{1, 1, 1}}}}, wildCase{silent: true}),
		gltfCase("Draco that is not required", draco, refused("KHR_draco_mesh_compression: buffer view 0: byte 0: the mark DRACO is not there")),
		gltfCase("Draco beside plain numbers", jsonObject{"meshes": []jsonObject{{"primitives": []jsonObject{{"attributes": jsonObject{"POSITION": 0}, "extensions": jsonObject{"KHR_draco_mesh_compression": jsonObject{}}}}}}}, wildCase{silent: true}),
		gltfCase("no numbers and no extension", jsonObject{"accessors": draco["accessors"]}, wildCase{code: cli.Blank, strict: cli.Blank, warns: []string{"nothing of it would be visible"}}),
		gltfCase("the old name of meshopt", meshopt("EXT_meshopt_compression"), wildCase{code: cli.Blank, strict: cli.Blank}),
		gltfCase("the new name of meshopt", meshopt("KHR_meshopt_compression"), wildCase{code: cli.Blank, strict: cli.Blank}),
		gltfCase("another compression of views", jsonObject{
			"bufferViews": []jsonObject{{"buffer": 1, "byteLength": 36, "extensions": jsonObject{"FOO_compression": jsonObject{}}}}, "buffers": []jsonObject{{"byteLength": 36}, {"byteLength": 36}},
		}, refused("buffer view 0 is compressed by FOO_compression, which is not read")),
		gltfCase("a texture in another format", jsonObject{
			"materials": []jsonObject{{"pbrMetallicRoughness": jsonObject{"baseColorTexture": jsonObject{"index": 0}}}}, "textures": []jsonObject{{"extensions": jsonObject{"MSFT_texture_dds": jsonObject{"source": 0}}}},
		}, warned("texture 0 is compressed by MSFT_texture_dds, which is not read")),
		gltfCase("lines and points alone", points, wildCase{silent: true}),
		gltfCase("no meshes, and a texture that is missing", jsonObject{
			"meshes": nil, "nodes": nil, "scenes": nil, "materials": []jsonObject{{"pbrMetallicRoughness": jsonObject{"baseColorTexture": jsonObject{"index": 1}}}},
		}, refused("there are no triangles in it: the file has no meshes")),
		gltfCase("a scene without nodes", jsonObject{"scenes": []jsonObject{{"nodes": []int{}}}}, refused("no node of the scene has a mesh")),
		gltfCase("version 1.0 by its number", jsonObject{"asset": jsonObject{"version": 1.0}}, refused("version 1.0 of glTF, expected 2.0")),
		gltfCase("version 1.0 by its names", jsonObject{"asset": jsonObject{"generator": "old"}, "scene": "defaultScene", "meshes": jsonObject{"box": jsonObject{}}, "nodes": jsonObject{"root": jsonObject{}}}, refused("version 1.0 of glTF, expected 2.0")),
		gltfCase("no version", jsonObject{"asset": jsonObject{}}, refused(`version "" of glTF, expected 2.0`)),
		gltfCase("version 1.1", jsonObject{"asset": jsonObject{"version": "1.1"}, "scene": "defaultScene"}, refused("version 1.1 of glTF, expected 2.0")),
	}
}

// wildPackages returns cases of 3MF.
func wildPackages() []wildCase {
	row := func(name, file string, c wildCase) wildCase {
		c.name, c.mesh, c.files = "3MF: "+name, "a.3mf", map[string]string{"a.3mf": file}
		return c
	}
	warned := func(words ...string) wildCase {
		return wildCase{strict: cli.Input, warns: words, bounds: "0 0 0 to 1 0 1"}
	}
	refused := func(words ...string) wildCase { return wildCase{code: cli.Input, strict: cli.Input, warns: words} }
	item := `<item objectid="1"/>`
	plain := modelOf(gltfMesh(""), item)
	settings := `{"filament_colour": ["#00AE42", "#FF0000"]}`
	latticed := func(model, more string) string {
		return threemfOf(strings.Replace(model, "<model", `<model xmlns:b="`+lattice+`"`+more, 1))
	}
	beams := `<object id="1"><mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/></vertices><b:beamlattice radius="0.1"><b:beams><b:beam v1="0" v2="1"/></b:beams></b:beamlattice></mesh></object>`
	thin := strings.Replace(beams, ` radius="0.1"`, "", 1)
	long := "http://schemas.example.org/" + strings.Repeat("very/long/", 20) + "beginning/that/ends/differently/2026/11"
	inItself := `<object id="2"><components><component objectid="1"/><component objectid="3"/></components></object><object id="3"><components><component objectid="2"/></components></object>`
	textures := strings.Repeat(`<m:texture2d xmlns:m="m" id="9" path="/3D/t.png"/>`, 20000)
	return []wildCase{
		row("an object twice", threemfOf(modelOf(gltfMesh(""), item+item)), wildCase{silent: true, bounds: "0 0 0 to 1 0 1"}),
		row("2^60 components", threemfOf(modelOf(doublingObjects(60), `<item objectid="61"/>`)), refused("the mesh needs at least 262145 components, the limit is 262144")),
		row("2^10 components", threemfOf(modelOf(doublingObjects(10), `<item objectid="11"/>`)), wildCase{silent: true, bounds: "0 0 0 to 1 0 1"}),
		row("components in a circle", threemfOf(modelOf(gltfMesh("")+inItself, `<item objectid="2"/>`)), warned("object 2: left out: it is made of itself")),
		row("parts in a circle", threemfOf(modelOf(gltfMesh("")+`<object id="2"><components><component objectid="1"/><component objectid="5" path="/3D/b.model"/></components></object>`, `<item objectid="2"/>`),
			"3D/b.model", modelOf(`<object id="5"><components><component objectid="2" path="/3D/3dmodel.model"/></components></object>`, "")), warned("object 2: left out: it is made of itself")),
		row("a part that is named 20,000 times", threemfOf(modelOf(`<object id="2"><components>`+strings.Repeat(`<component objectid="1" path="/3D/b.model"/>`, 20000)+`</components></object>`, `<item objectid="2"/>`),
			"3D/b.model", plain), wildCase{silent: true, bounds: "0 0 0 to 1 0 1"}),
		row("a part that is missing 20,000 times", threemfOf(modelOf(gltfMesh("")+`<object id="2"><components><component objectid="1"/>`+strings.Repeat(`<component objectid="1" path="/3D/b.model"/>`, 20000)+`</components></object>`, `<item objectid="2"/>`)),
			warned(`the package has no "/3D/b.model"`, "like this one")),
		row("a texture that is missing 20,000 times", threemfOf(modelOf(textures+gltfMesh(""), item)), warned(`texture "/3D/t.png": the package has no`, "19997 more like this one")),
		row("paint of a slicer", threemfOf(modelOf(gltfMesh(` paint_color="8"`), item)), warned("painted colours are not drawn: 1 triangle is painted with filaments")),
		row("paint of another slicer, and colours of filaments", threemfOf(modelOf(gltfMesh(` slic3rpe:mmu_segmentation="4"`), item), "Metadata/project_settings.config", settings), wildCase{silent: true}),
		row("colours of filaments alone", threemfOf(plain, "Metadata/project_settings.config", settings), wildCase{silent: true}),
		row("colours of filaments beside those of the model", threemfOf(modelOf(`<basematerials id="4"><base name="red" displaycolor="#FF0000"/></basematerials>`+gltfMesh(` pid="4" p1="0"`), item), "Metadata/project_settings.config", settings), wildCase{silent: true}),
		row("settings without colours", threemfOf(plain, "Metadata/project_settings.config", `{"filament_colour": [], "layer_height": "0.2"}`), wildCase{silent: true}),
		row("a lattice that is required", latticed(modelOf(beams, item), ` requiredextensions="b"`), wildCase{silent: true}),
		row("a lattice that is not required", latticed(modelOf(beams, item), ""), wildCase{silent: true}),
		row("beams without a radius", latticed(modelOf(thin, item), ""), refused("beam left out: it has no radius")),
		row("a lattice beside triangles", latticed(plain, ` requiredextensions="b"`), wildCase{silent: true}),
		row("an extension of a long name", threemfOf(strings.Replace(plain, "<model", `<model xmlns:x="`+long+`" requiredextensions="x"`, 1)), warned("beginning/that/ends/differently/2026/11")),
		row("an extension that is not declared", threemfOf(strings.Replace(plain, "<model", `<model requiredextensions="zz"`, 1)), warned("the model needs the extension zz")),
	}
}
