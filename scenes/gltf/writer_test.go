package gltf

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/qmuntal/gltf"
	"github.com/qmuntal/gltf/modeler"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/meshtest"
	"lockstep/scenes/procedural"
)

// written writes a mesh whose triangles share no vertices, with an independent writer, and returns the file.
func written(tb testing.TB, m *scenes.Mesh) []byte {
	tb.Helper()
	doc := gltf.NewDocument()
	points := make([][3]float32, 0, 3*m.Len())
	indices := make([]uint32, 0, 3*m.Len())
	for t := range m.Len() {
		for _, c := range m.Triangle(t) {
			indices = append(indices, uint32(len(points)))
			points = append(points, c)
		}
	}
	doc.Meshes = []*gltf.Mesh{{Name: "mesh", Primitives: []*gltf.Primitive{{
		Indices:    gltf.Index(modeler.WriteIndices(doc, indices)),
		Attributes: gltf.PrimitiveAttributes{gltf.POSITION: modeler.WritePosition(doc, points)},
	}}}}
	doc.Nodes = []*gltf.Node{{Mesh: gltf.Index(0)}}
	doc.Scenes[0].Nodes = []int{0}
	var b bytes.Buffer
	if err := gltf.NewEncoder(&b).Encode(doc); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func generate(tb testing.TB, arg string) *scenes.Mesh {
	tb.Helper()
	s, err := procedural.Parse(arg)
	if err != nil {
		tb.Fatal(err)
	}
	m, err := scenes.Load(context.Background(), s, scenes.ReadOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// TestSameSurface reads files of an independent writer. The coordinates must equal those of the scene bit for bit, for
// any number of workers and any size of reads.
func TestSameSurface(t *testing.T) {
	want := generate(t, "scene:bumpy?triangles=150000")
	file := written(t, want)
	for _, workers := range []int{1, 3} {
		got, rep, err := format.Read(context.Background(), &meshtest.Dribble{Data: file, Size: 100_003}, scenes.ReadOptions{Strict: true, Workers: workers}, Format)
		if err != nil || rep.Bounds != want.Bounds() {
			t.Fatalf("%v, %+v", err, rep)
		}
		meshtest.Same(t, got, want)
		meshtest.Attributes(t, got)
	}
}

// TestLimits checks that files that are too large are refused before memory is allocated, and that the end of the
// context ends the read.
func TestLimits(t *testing.T) {
	m := generate(t, "scene:bumpy?triangles=1000")
	file := written(t, m)
	for _, opts := range []scenes.ReadOptions{{MaxTriangles: int64(m.Len()) - 1}, {MaxMemory: int64(len(file)) * 2}} {
		_, _, err := format.Read(context.Background(), bytes.NewReader(file), opts, Format)
		if _, ok := err.(*scenes.LimitError); !ok {
			t.Errorf("%+v: %v", opts, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := format.Read(ctx, bytes.NewReader(file), scenes.ReadOptions{}, Format); err != context.Canceled {
		t.Error(err)
	}
}

// TestRepeated checks that a small file that draws the same triangles too often is refused.
func TestRepeated(t *testing.T) {
	var nodes, list bytes.Buffer
	for i := range 2000 {
		if i > 0 {
			nodes.WriteString(",")
			list.WriteString(",")
		}
		nodes.WriteString(`{"mesh":0}`)
		fmt.Fprint(&list, i)
	}
	const n = 20_000
	doc := fmt.Sprintf(`{"asset":{"version":"2.0"},"scenes":[{"nodes":[%s]}],"nodes":[%s],"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1,"mode":5}]}],`+
		`"accessors":[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"},{"bufferView":1,"componentType":5121,"count":%d,"type":"SCALAR"}],`+
		`"bufferViews":[{"buffer":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":%[3]d}],"buffers":[{"byteLength":%[4]d}]}`, &list, &nodes, n, 48+n)
	bin := append(append([]byte(nil), square[:48]...), bytes.Repeat([]byte{0, 1, 2}, n/3+1)...)
	_, _, err := format.Read(context.Background(), bytes.NewReader([]byte(glb(doc, bin[:48+n]))), scenes.ReadOptions{}, Format)
	if limit, ok := err.(*scenes.LimitError); !ok || !limit.Fixed {
		t.Error(err)
	}
}

func BenchmarkRead(b *testing.B) {
	m := generate(b, "scene:bumpy?triangles=1M")
	file := written(b, m)
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		got, _, err := format.Read(context.Background(), bytes.NewReader(file), scenes.ReadOptions{}, Format)
		if err != nil || got.Len() != m.Len() {
			b.Fatal(err)
		}
	}
}
