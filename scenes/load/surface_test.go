package load_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"lockstep/scenes"
	"lockstep/scenes/internal/meshtest"
	"lockstep/scenes/load"
	"lockstep/scenes/procedural"
	"lockstep/scenes/save"
)

// packings returns a surface in every format that can be written and as 3MF, unpacked and in every packing. 3MF files
// are archives themselves.
func packings(t *testing.T, src scenes.Source) map[string]string {
	t.Helper()
	ctx, files := context.Background(), make(map[string]string)
	for _, f := range save.Formats() {
		var b strings.Builder
		if err := f.Write(ctx, &b, src, scenes.ReadOptions{}); err != nil {
			t.Fatal(err)
		}
		files[f.Name], files[f.Name+".gz"] = b.String(), packed(t, b.String(), func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
		files[f.Name+".zst"] = packed(t, b.String(), func(w io.Writer) io.WriteCloser {
			z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
			if err != nil {
				t.Fatal(err)
			}
			return z
		})
		files[f.Name+".zip"] = inArchive(t, "dir/mesh", b.String())
	}
	files["3mf model"] = model(t, src)
	files["3mf of the model"] = inArchive(t, "3D/3dmodel.model", files["3mf model"])
	return files
}

func packed(t *testing.T, file string, begin func(io.Writer) io.WriteCloser) string {
	t.Helper()
	var b strings.Builder
	w := begin(&b)
	if _, err := io.WriteString(w, file); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func inArchive(t *testing.T, name, file string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, file); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// model returns a 3MF file in which no triangles share vertices.
func model(t *testing.T, src scenes.Source) string {
	t.Helper()
	m, err := scenes.Load(context.Background(), src, scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var vertices, triangles strings.Builder
	for i := range m.Len() {
		for _, p := range m.Triangle(i) {
			fmt.Fprintf(&vertices, `<vertex x="%v" y="%v" z="%v"/>`, p[0], p[1], p[2])
		}
		fmt.Fprintf(&triangles, `<triangle v1="%d" v2="%d" v3="%d"/>`, 3*i, 3*i+1, 3*i+2)
	}
	return `<model xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"><resources><object id="1"><mesh><vertices>` + vertices.String() +
		`</vertices><triangles>` + triangles.String() + `</triangles></mesh></object></resources><build><item objectid="1"/></build></model>`
}

// TestSameSurface reads one surface in every format and packing. All coordinates must have the same bits, so that
// pictures are the same.
func TestSameSurface(t *testing.T) {
	src, err := procedural.Parse("scene:particles?triangles=3000")
	if err != nil {
		t.Fatal(err)
	}
	want, err := scenes.Load(context.Background(), src, scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for name, file := range packings(t, src) {
		for _, flat := range []bool{false, true} {
			m, rep, err := load.Reader(context.Background(), strings.NewReader(file), scenes.ReadOptions{Strict: true, Flat: flat})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if rep.Format == "glb" && want.Up == scenes.PlusZ {
				turnUp(m)
			}
			if rep.Bounds.Empty() || m.Origin != [3]float64{} {
				t.Errorf("%s: report %+v, origin %v", name, rep, m.Origin)
			}
			meshtest.Same(t, &scenes.Mesh{Block: scenes.Block{X: m.X, Y: m.Y, Z: m.Z}}, &scenes.Mesh{Block: scenes.Block{X: want.X, Y: want.Y, Z: want.Z}})
		}
	}
}

// turnUp turns a mesh whose up axis is y so that its up axis is z.
func turnUp(m *scenes.Mesh) {
	for k := range 3 {
		m.Y[k], m.Z[k] = m.Z[k], m.Y[k]
		for t := range m.Y[k] {
			m.Y[k][t] = 0 - m.Y[k][t]
		}
	}
}
