package gltf

import (
	"encoding/base64"
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	"lockstep/scenes/internal/meshtest"
)

var (
	long        = flag.Bool("long", false, "run tests that take minutes")
	mutantsFrom = flag.Uint64("mutants-from", 1, "the seed of damaged files")
)

// rich returns a document with all parts for which the reader limits the work: a tree of nodes, a skin, a morph target,
// instances, sparse accessors, and two textures of one image.
func rich(tb testing.TB) string {
	uri := "data:;base64," + base64.StdEncoding.EncodeToString(square)
	picture := "data:;base64," + base64.StdEncoding.EncodeToString(meshtest.PNG(tb, 2, 1, 0xff0000, 0x0000ff))
	return `{"asset":{"version":"2.0"},"scenes":[{"nodes":[0,3]},{"nodes":[0]}],
		"nodes":[{"children":[1,2]},{"mesh":0,"translation":[1,0,0]},{"mesh":1,"skin":0,"children":[4]},
			{"mesh":0,"extensions":{"EXT_mesh_gpu_instancing":{"attributes":{"TRANSLATION":0}}}},{"mesh":1,"weights":[0.5]}],
		"skins":[{"joints":[0,1]}],
		"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1,"material":0},{"attributes":{"POSITION":2},"mode":5}]},
			{"weights":[1],"primitives":[{"attributes":{"POSITION":0,"JOINTS_0":3,"WEIGHTS_0":4,"TEXCOORD_0":5},"indices":1,"material":1,"targets":[{"POSITION":2}]}]}],
		"accessors":[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"},{"bufferView":1,"componentType":5123,"count":6,"type":"SCALAR"},
			{"componentType":5126,"count":4,"type":"VEC3","sparse":{"count":1,"indices":{"bufferView":1,"byteOffset":2,"componentType":5123},"values":{"bufferView":0,"byteOffset":12}}},
			{"bufferView":0,"componentType":5121,"count":4,"type":"VEC4"},{"bufferView":0,"componentType":5121,"normalized":true,"count":4,"type":"VEC4"},{"bufferView":0,"componentType":5126,"count":4,"type":"VEC2"}],
		"bufferViews":[{"buffer":0,"byteLength":48},{"buffer":1,"byteOffset":48,"byteLength":12}],
		"buffers":[{"byteLength":60,"uri":"` + uri + `"},{"byteLength":60,"uri":"` + uri + `"}],
		"materials":[{"emissiveFactor":[1,1,1]},{"pbrMetallicRoughness":{"baseColorTexture":{"index":1}},"extensions":{"KHR_materials_transmission":{"transmissionFactor":1}}}],
		"textures":[{"source":0},{"source":0}],"images":[{"uri":"` + picture + `"}]}`
}

// TestStructures reads documents with mutated structures.
func TestStructures(t *testing.T) {
	n := 150
	if *long {
		n = 100_000
	}
	doc := rich(t)
	meshtest.Mutants(t, Format, n, *mutantsFrom, func(r *rand.Rand) string { return meshtest.MutateGLTF(r, doc, 2000) })
}

// TestMutants reads damaged documents and containers. Their text or their bytes were changed at random.
func TestMutants(t *testing.T) {
	doc := rich(t)
	meshtest.MutantsOf(t, Format, doc, usual, glb(strings.Replace(doc, `"uri":"data:;base64,`+base64.StdEncoding.EncodeToString(square)+`"`, `"name":"a"`, 1), square))
}

// FuzzStructures mutates the structure of a document with any seed.
func FuzzStructures(f *testing.F) {
	f.Add(rich(f), uint64(1), 7)
	f.Add(usual, uint64(2), 7)
	f.Fuzz(func(t *testing.T, doc string, seed uint64, piece int) {
		meshtest.FuzzInstances(t, Format, []byte(meshtest.MutateGLTF(rand.New(rand.NewPCG(seed, 0)), doc, 50)), piece)
	})
}
