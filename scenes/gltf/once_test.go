package gltf

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/meshtest"
)

// A counted is a folder that counts how often each file is opened.
type counted struct {
	fstest.MapFS
	opens map[string]int
}

func (f counted) Open(name string) (fs.File, error) {
	f.opens[name]++
	return f.MapFS.Open(name)
}

func (f counted) Stat(name string) (fs.FileInfo, error) { return f.MapFS.Stat(name) }

// repeated returns n copies of an entry of a list. %d in the entry becomes the number of the copy.
func repeated(n int, entry string) string {
	var all []string
	for i := range n {
		all = append(all, strings.ReplaceAll(entry, "%d", fmt.Sprint(i)))
	}
	return strings.Join(all, ",")
}

// TestFilesOnce reads a file that names one buffer and one picture many times, in different spellings.
func TestFilesOnce(t *testing.T) {
	const n = 20
	folder := counted{fstest.MapFS{"a.bin": {Data: square}, "a.png": {Data: meshtest.PNG(t, 2, 1, 1, 2)}, "bad.png": {Data: []byte("bad")}}, map[string]int{}}
	file := `{"asset":{"version":"2.0"},"nodes":[{"mesh":0}],
		"meshes":[{"primitives":[` + repeated(n, `{"attributes":{"POSITION":%d,"TEXCOORD_0":20},"material":%d}`) + `]}],
		"accessors":[` + repeated(n, `{"bufferView":%d,"componentType":5126,"count":3,"type":"VEC3"}`) + `,{"bufferView":0,"componentType":5126,"count":3,"type":"VEC2"}],
		"bufferViews":[` + repeated(n, `{"buffer":%d,"byteLength":48}`) + `],"buffers":[{"byteLength":48,"uri":"A.BIN"},` + repeated(n-1, `{"byteLength":60,"uri":"./a.bin"}`) + `],
		"materials":[` + repeated(n, `{"pbrMetallicRoughness":{"baseColorTexture":{"index":%d}}}`) + `,` + repeated(n, `{"pbrMetallicRoughness":{"baseColorTexture":{"index":2%d}}}`) + `],
		"textures":[` + repeated(n, `{"source":%d}`) + `,` + repeated(n, `{"source":20}`) + `],
		"images":[{"uri":"a.png"},` + repeated(n-1, `{"uri":"b/../a.png"}`) + `,{"uri":"bad.png"}]}`
	m, rep, err := format.Read(context.Background(), strings.NewReader(file), scenes.ReadOptions{Beside: folder}, Format)
	if err != nil || m.Len() != n {
		t.Fatal(err)
	}
	for _, name := range []string{"a.bin", "a.png", "bad.png"} {
		if folder.opens[name] != 1 {
			t.Errorf("%s was opened %d times", name, folder.opens[name])
		}
	}
	pictures := make(map[any]bool)
	for _, mat := range m.Attributes.Materials {
		if mat.Texture != nil {
			pictures[mat.Texture.Picture] = true
		}
	}
	if len(pictures) != 1 || len(rep.Warnings) != 8 { // two kinds of warnings with four lines each
		t.Errorf("%d pictures, warnings %q", len(pictures), rep.Warnings)
	}
}

// newReader returns a reader of a document.
func newReader(t *testing.T, file string) *reader {
	t.Helper()
	in := meshtest.Input(context.Background(), scenes.ReadOptions{})
	doc, err := parseDocument(in, []byte(file), 0)
	if err != nil {
		t.Fatal(err)
	}
	r := openReader(in, 0)
	r.doc, r.buffers = doc, make([]loadResult, len(doc.Buffers))
	return r
}

// TestFaultsOnce checks that a damaged part is read only once, and that each request for it returns the same error.
func TestFaultsOnce(t *testing.T) {
	r := newReader(t, `{"asset":{"version":"2.0"},"skins":[{"joints":[7]}],"accessors":[{"bufferView":3,"componentType":5126,"count":4,"type":"VEC3"}],
		"images":[{"uri":"none.png"}],"bufferViews":[{"buffer":0,"extensions":{"KHR_meshopt_compression":{"buffer":0}}}],"buffers":[{"byteLength":7}]}`)
	for name, ask := range map[string]func() error{
		"skin":        func() error { _, err := r.pose(0, nil); return err },
		"accessor":    func() error { _, err := r.accessor(0, 3); return err },
		"image":       func() error { _, err := r.picture(0, &r.doc.Images[0]); return err },
		"buffer view": func() error { _, _, err := r.view(0); return err },
	} {
		if first := ask(); first == nil || ask() != first {
			t.Errorf("%s: %v", name, first)
		}
	}
}

// TestBudgets checks the limits for the bytes of compressed views, for sparse elements and for instances. The limits
// apply to all accessors and views together.
func TestBudgets(t *testing.T) {
	whole := strings.Replace(usual, `"count":4,`, `"count":4,"sparse":{"count":1,"indices":{"bufferView":1,"byteOffset":10,"componentType":5123},"values":{"bufferView":0}},`, 1)
	r := newReader(t, strings.Replace(whole, `"byteLength":48}`, `"byteLength":48,"extensions":{"EXT_meshopt_compression":{"buffer":0,"byteLength":60,"byteStride":12,"count":4}}}`, 1))
	r.bin = square
	var limit *scenes.LimitError
	r.unpacking = format.Budget{Unit: "unpacked", Free: 47}
	if _, _, err := r.view(0); !errors.As(err, &limit) || limit.Want != 48 {
		t.Error(err)
	}
	r = newReader(t, whole)
	r.bin, r.sparse = square, format.Budget{Unit: "sparse"}
	if _, err := r.accessor(0, 3); !errors.As(err, &limit) || limit.Want != 1 {
		t.Error(err)
	}
	r = newReader(t, usual)
	r.bin, r.placing = square, format.Budget{Unit: "instances", Free: 7}
	for i := range 2 {
		if _, err := r.instanceTransforms(map[string]integer{"TRANSLATION": 0}); (err == nil) != (i == 0) {
			t.Error(i, err)
		}
	}
}

// TestBentManyTimes checks that a small file is refused at once if many nodes draw the same mesh, each with its own
// weights or skin, and the mesh has many primitives or targets.
func TestBentManyTimes(t *testing.T) {
	const n = 700
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprint(i)
	}
	scene := `"scenes":[{"nodes":[` + strings.Join(all, ",") + `]}],"nodes":[`
	primitive := `{"attributes":{"POSITION":0},"indices":1}`
	for name, c := range map[string]struct{ node, primitives, unit string }{
		"weights": {`{"mesh":0,"weights":[1]}`, repeated(n, primitive), "primitives"},
		"skins":   {`{"mesh":0,"skin":%d}`, repeated(n, primitive), "primitives"},
		"targets": {`{"mesh":0,"weights":[` + repeated(300, "0") + `]}`, repeated(20, `{"attributes":{"POSITION":0},"indices":1,"targets":[`+repeated(300, `{}`)+`]}`), "targets"},
	} {
		file := changed(`"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}]`, scene+repeated(n, c.node)+`],"skins":[`+repeated(n, `{"joints":[0]}`)+`]`, primitive, c.primitives)
		_, _, err := format.Read(context.Background(), strings.NewReader(file), scenes.ReadOptions{}, Format)
		var limit *scenes.LimitError
		if !errors.As(err, &limit) || !limit.Fixed || !strings.HasPrefix(limit.Unit, c.unit) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := newReader(t, usual).meshShapes(0, nil); err != nil {
		t.Error(err)
	}
	held := newReader(t, usual)
	held.bin = square
	if _, err := held.meshShapes(0, nil); err != nil || held.Held < shapeBytes {
		t.Errorf("%d bytes are held, %v", held.Held, err)
	}
}

// TestExtensionBesideData checks that a primitive whose extension cannot be decoded is drawn from its own data, even if
// this data is sparse.
func TestExtensionBesideData(t *testing.T) {
	draco := `"indices":1,"extensions":{"KHR_draco_mesh_compression":{}}}`
	sparse := `"componentType":5126,"count":4,"sparse":{"count":1,"indices":{"bufferView":1,"byteOffset":10,"componentType":5123},"values":{"bufferView":0,"byteOffset":12}},"type":"VEC3"`
	for name, c := range map[string]struct {
		changes []string
		n       int
	}{
		"own numbers":    {[]string{`"indices":1}`, draco}, 2},
		"sparse numbers": {[]string{`"indices":1}`, draco, `"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"`, sparse}, 2},
		"indices alone":  {[]string{`"indices":1}`, draco, `"bufferView":1,"componentType":5123`, `"componentType":5123`}, 0},
		"variants":       {[]string{`"indices":1}`, `"indices":1,"extensions":{"KHR_materials_variants":{}}}`, `"bufferView":1,"componentType":5123`, `"componentType":5123`}, 2},
	} {
		m, _, err := format.Read(context.Background(), strings.NewReader(changed(c.changes...)), scenes.ReadOptions{}, Format)
		if n := 0; err == nil {
			if n = m.Len(); n != c.n {
				t.Errorf("%s: %d triangles", name, n)
			}
		} else if c.n > 0 || !strings.Contains(err.Error(), "KHR_draco_mesh_compression") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
