package gltf

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/draco"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/meshtest"
)

// dracoFile returns a buffer of testdata, and a document with one primitive that has all attributes of the buffer.
// Several nodes draw the primitive side by side.
func dracoFile(tb testing.TB, name string, changes ...string) (data []byte, doc string) {
	tb.Helper()
	data, err := os.ReadFile("../draco/testdata/" + name)
	if err != nil {
		tb.Fatal(err)
	}
	doc = fmt.Sprintf(`{"asset":{"version":"2.0"},"extensionsRequired":["KHR_draco_mesh_compression"],"nodes":[{"mesh":0},{"mesh":0,"translation":[9,0,0]}],
		"meshes":[{"primitives":[{"attributes":{"POSITION":0,"NORMAL":1,"TEXCOORD_0":2,"COLOR_0":3},"indices":4,"extensions":{"KHR_draco_mesh_compression":{"bufferView":0,
			"attributes":{"POSITION":0,"NORMAL":1,"TEXCOORD_0":2,"COLOR_0":3}}}}]}],
		"accessors":[{"componentType":5126,"count":9,"type":"VEC3"},{"componentType":5126,"count":9,"type":"VEC3"},{"componentType":5126,"count":9,"type":"VEC2"},
			{"componentType":5121,"normalized":true,"count":9,"type":"VEC4"},{"componentType":5123,"count":9,"type":"SCALAR"}],
		"bufferViews":[{"buffer":0,"byteLength":%d}],"buffers":[{"byteLength":%[1]d,"uri":"data:;base64,%s"}]}`,
		len(data), base64.StdEncoding.EncodeToString(data))
	return data, strings.NewReplacer(changes...).Replace(doc)
}

// TestDraco compares drawn triangles and attributes with those that package draco has decoded.
func TestDraco(t *testing.T) {
	data, doc := dracoFile(t, "torus-0-coarse.drc")
	m, rep, err := format.Read(context.Background(), strings.NewReader(doc), scenes.ReadOptions{Strict: true}, Format)
	if err != nil || len(rep.Warnings) > 0 {
		t.Fatal(rep, err)
	}
	meshtest.Attributes(t, m)
	want, err := draco.Decode(data, draco.Limits{})
	if err != nil || m.Len() != 2*len(want.Triangles) || m.Attributes.Vertices != 2*want.Points {
		t.Fatalf("%d triangles of %d, %d vertices of %d, %v", m.Len(), len(want.Triangles), m.Attributes.Vertices, want.Points, err)
	}
	var v [4]float64
	for i, c := range want.Triangles {
		for k, point := range c {
			p := m.Triangle(i)[k]
			want.Attributes[0].Numbers(int(point), v[:3])
			if [3]float32{float32(v[0]), float32(v[1]), float32(v[2])} != p {
				t.Fatalf("corner %d of triangle %d at %v, want %v", k, i, p, v)
			}
			want.Attributes[2].Numbers(int(point), v[:2])
			if got := m.Attributes.TexCoords.At(k, i); got != [2]float32{float32(v[0]), float32(v[1])} {
				t.Fatalf("corner %d of triangle %d has %v, want %v", k, i, got, v[:2])
			}
			want.Attributes[3].Numbers(int(point), v[:])
			if got := m.Attributes.Colors.At(k, i); (got[0] == 0) != (v[0] == 0) || got[3] != uint8(v[3]) {
				t.Fatalf("corner %d of triangle %d is %v, want %v", k, i, got, v)
			}
		}
	}
}

// TestDracoDamage checks that a primitive that cannot be decoded is left out, unless the file also has its uncompressed
// data.
func TestDracoDamage(t *testing.T) {
	const name = "torus-0-coarse.drc"
	own := changed(`"indices":1}`, `"indices":1,"extensions":{"KHR_draco_mesh_compression":{"bufferView":0,"attributes":{"POSITION":0}}}}`)
	for what, c := range map[string]struct {
		doc  string
		n    int
		want string
	}{
		"another attribute":        {second(dracoFile(t, name, `"attributes":{"POSITION":0,"NORMAL":1,"TEXCOORD_0":2,"COLOR_0":3}}`, `"attributes":{"POSITION":77}}`)), 0, "there is no attribute 77"},
		"an attribute of two":      {second(dracoFile(t, name, `"attributes":{"POSITION":0,"NORMAL":1,"TEXCOORD_0":2,"COLOR_0":3}}`, `"attributes":{"POSITION":2}}`)), 0, "attribute 2 has 2 numbers"},
		"no normals":               {second(dracoFile(t, name, `"NORMAL":1,"TEXCOORD_0":2,"COLOR_0":3}}`, `"NORMAL":77}}`, `,"TEXCOORD_0":2,"COLOR_0":3}`, "}")), 384, "NORMAL: KHR_draco_mesh_compression: there is no attribute 77"},
		"a fan":                    {second(dracoFile(t, name, `"indices":4`, `"mode":6`)), 0, "it holds no triangles"},
		"a cloud":                  {second(dracoFile(t, "cloud-7-floats.drc")), 0, "it holds no triangles"},
		"another view":             {second(dracoFile(t, name, `"bufferView":0`, `"bufferView":3`)), 0, "buffer view 3 of 1"},
		"no view":                  {second(dracoFile(t, name, `"bufferView":0,`, "")), 0, "names no buffer view"},
		"cut":                      {second(dracoFile(t, name, `"buffer":0,"byteLength":805`, `"buffer":0,"byteLength":804`)), 0, "buffer view 0: byte 80"},
		"numbers beside no buffer": {own, 2, "the mark DRACO is not there"},
	} {
		m, rep, err := format.Read(context.Background(), strings.NewReader(c.doc), scenes.ReadOptions{}, Format)
		switch {
		case c.n == 0 && (err == nil || !strings.Contains(err.Error(), c.want)),
			c.n > 0 && (err != nil || m.Len() != c.n || len(rep.Warnings) != 1 || !strings.Contains(rep.Warnings[0], c.want)):
			t.Errorf("%s: %v, %+v", what, err, rep)
		}
	}
}

func second(_ []byte, doc string) string { return doc }

// TestDracoOnce checks that a buffer is decoded once for all primitives that use it, but that its triangles count once
// per primitive.
func TestDracoOnce(t *testing.T) {
	_, doc := dracoFile(t, "torus-0-coarse.drc")
	r := newReader(t, doc)
	first, err := r.unpackMesh(0)
	if again, _ := r.unpackMesh(0); err != nil || again != first {
		t.Fatal(err)
	}
	if _, err := r.meshShapes(0, nil); err != nil || r.cornerCount != 3*int64(len(first.Triangles)) || r.Held < 12*int64(len(first.Triangles)) {
		t.Errorf("%d corners, %d bytes are held, %v", r.cornerCount, r.Held, err)
	}
	var limit *scenes.LimitError
	r = newReader(t, doc)
	r.dracoLimits = draco.Limits{Work: func(int64) error { return &scenes.LimitError{Unit: "work"} }, Hold: func(_, _ int64) error { return nil }}
	if _, err := r.unpackMesh(0); !errors.As(err, &limit) || limit.Unit != "work" {
		t.Error(err)
	}
}

// TestDracoMutants reads mutated documents with a buffer.
func TestDracoMutants(t *testing.T) {
	n := 100
	if *long {
		n = 100_000
	}
	_, doc := dracoFile(t, "torus-0-coarse.drc")
	meshtest.Mutants(t, Format, n, *mutantsFrom, func(r *rand.Rand) string { return meshtest.MutateGLTF(r, doc, 200) })
}
