package gltf

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/meshtest"
)

func readTestdata(t *testing.T, name string) *scenes.Mesh {
	t.Helper()
	m, rep, err := format.ReadFile(context.Background(), filepath.Join("testdata", "meshopt", name), scenes.ReadOptions{Strict: true}, Format)
	if err != nil {
		t.Fatal(err)
	}
	if len(rep.Warnings) > 0 {
		t.Fatal(rep.Warnings)
	}
	meshtest.Attributes(t, m)
	return m
}

// triangleSet returns how often each triangle occurs. A triangle starts with its lowest corner, because gltfpack writes
// triangles in another order. Coordinates are rounded to multiples of step.
func triangleSet(m *scenes.Mesh, step float64) map[[3][3]int]int {
	set := make(map[[3][3]int]int)
	for i := range m.Len() {
		var c [3][3]int
		for k, p := range m.Triangle(i) {
			for a, v := range p {
				c[k][a] = int(math.Round(float64(v) / step))
			}
		}
		for less(c[1], c[0]) || less(c[2], c[0]) {
			c = [3][3]int{c[1], c[2], c[0]}
		}
		set[c]++
	}
	return set
}

func less(a, b [3]int) bool {
	for c := range a {
		if a[c] != b[c] {
			return a[c] < b[c]
		}
	}
	return false
}

// TestMeshopt reads files that gltfpack 1.3 has made from files of this package. The triangles and their orientation
// must be unchanged.
func TestMeshopt(t *testing.T) {
	for _, c := range []struct {
		name, of string
		step     float64
	}{{"torus-exact.glb", "torus.glb", 1e-6}, {"torus-exponential.glb", "torus.glb", 0}, {"box-octahedral.glb", "box.glb", 1e-3}} {
		got, want := readTestdata(t, c.name), readTestdata(t, c.of)
		if got.Len() != want.Len() {
			t.Fatalf("%s: %d triangles, want %d", c.name, got.Len(), want.Len())
		}
		if c.step == 0 { // coordinates are too coarse to compare triangles
			if a, b := got.Bounds(), want.Bounds(); math.Abs(float64(a.Max[0]-b.Max[0])) > 1e-3 || math.Abs(float64(a.Min[1]-b.Min[1])) > 1e-3 {
				t.Errorf("%s: %v, want %v", c.name, a, b)
			}
			continue
		}
		all := triangleSet(want, c.step)
		for tri, n := range triangleSet(got, c.step) {
			if all[tri] != n {
				t.Fatalf("%s: triangle %v", c.name, tri)
			}
		}
	}
}

// TestMeshoptNormals compares the normals of the box. Two of its sides have the slope 3 : 4.
func TestMeshoptNormals(t *testing.T) {
	got, want := readTestdata(t, "box-octahedral.glb"), readTestdata(t, "box.glb")
	type corner struct{ place, normal [3]int }
	corners := func(m *scenes.Mesh) map[corner]bool {
		set := make(map[corner]bool)
		for i := range m.Len() {
			for k, p := range m.Triangle(i) {
				var c corner
				n := m.Attributes.Normals.At(k, i)
				for a := range 3 {
					c.place[a], c.normal[a] = int(math.Round(float64(p[a]))), int(math.Round(10*float64(n[a])))
				}
				set[c] = true
			}
		}
		return set
	}
	all := corners(want)
	for c := range corners(got) {
		if !all[c] {
			t.Errorf("corner %v", c)
		}
	}
	if len(all) != 24 {
		t.Errorf("%d corners", len(all))
	}
}

// TestMeshoptDamaged removes bytes of the compressed data. There must be a warning or an error, and no new triangles.
func TestMeshoptDamaged(t *testing.T) {
	file, err := os.ReadFile("testdata/meshopt/box-octahedral.glb")
	if err != nil {
		t.Fatal(err)
	}
	cases := 0
	for at := len(file) - 300; at < len(file); at += 7 {
		damaged := append([]byte(nil), file...)
		damaged[at] ^= 0x55
		meshtest.FuzzInstances(t, Format, damaged, at)
		cases++
	}
	if cases < 10 {
		t.Error("nothing was damaged")
	}
}

// TestMeshoptVersion1 reads vertices in version 1, and colours with the filter for colours. Both come from
// KHR_meshopt_compression.
func TestMeshoptVersion1(t *testing.T) {
	// The data is a known answer of the tests of meshoptimizer: four vertices of six 16-bit numbers each.
	vertices := []byte{
		0xa1, 0xee, 0xaa, 0xee, 0x00, 0x4b, 0x4b, 0x4b, 0x00, 0x00, 0x4b, 0x00, 0x00, 0x7d, 0x7d, 0x7d,
		0x00, 0x00, 0x7d, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x62, 0x00, 0x62,
	}
	doc := fmt.Sprintf(`{"asset":{"version":"2.0"},"extensionsRequired":["KHR_meshopt_compression","KHR_mesh_quantization"],"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],
		"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"accessors":[{"bufferView":0,"byteOffset":12,"componentType":5123,"count":3,"type":"VEC3"}],
		"bufferViews":[{"buffer":1,"byteLength":48,"byteStride":12,"extensions":{"KHR_meshopt_compression":{"buffer":0,"byteLength":%d,"byteStride":12,"count":4,"mode":"ATTRIBUTES"}}}],
		"buffers":[{"byteLength":%[1]d,"uri":"data:;base64,%s"},{"byteLength":48}]}`, len(vertices), base64.StdEncoding.EncodeToString(vertices))
	m := read(t, doc, nil)
	if b := m.Bounds(); m.Len() != 1 || b.Min != [3]float64{0, 0, 0} || b.Max != [3]float64{300, 300, 0} {
		t.Errorf("%d triangles in %v", m.Len(), b)
	}
	// The data holds one vertex of four bytes in version 0. All differences are 0, so the vertex equals the start value
	// at the end of the data, which is an encoded colour.
	colors := append(append([]byte{0xa0, 0, 0, 0, 0}, make([]byte, 28)...), 0x40, 0x7f, 0xc1, 0xff)
	c := meshoptView{Count: 1, ByteStride: 4, Mode: "ATTRIBUTES", Filter: "COLOR"}
	if got, err := c.decode(colors); err != nil || !bytes.Equal(got, []byte{254, 1, 0, 255}) {
		t.Errorf("colour %v, %v", got, err)
	}
}
