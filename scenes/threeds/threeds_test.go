package threeds

import (
	"context"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/meshtest"
)

var plain = file(square("a"), nil)

var cases = []meshtest.Case{
	{Name: "square", File: plain, Triangles: 2},
	{Name: "two objects", File: file(join(square("a"), square("b")), nil), Triangles: 4},
	{Name: "instances", File: file(square("a"), join(node("a", 0, noParent), node("a", 1, 0, key(idPosition, [3]float64{1, 0, 0})))), Triangles: 4},
	{Name: "a node of a light", File: file(square("a"), node("light", 0, noParent)), Triangles: 2},
	{Name: "a circle", File: file(square("a"), join(node("a", 0, 1), node("a", 1, 0))), Triangles: 2},
	{Name: "zeros behind", File: string(chunkOf(idMain, chunkOf(idEditor, red, square("a")), make([]byte, 20))), Triangles: 2},
	{Name: "no material", File: strings.Replace(plain, "red", "rot", 1), Triangles: 2, Warning: "1 triangles refer to a material that does not exist"},
	{Name: "no such corner", File: strings.Replace(plain, "\x00\x00\x01\x00\x02\x00\x00\x00", "\x00\x00\x01\x00\x09\x00\x00\x00", 1), Triangles: 1, Warning: "1 triangles left out that have corners which do not exist"},
	{Name: "claims many places", File: strings.Replace(plain, string(chunkOf(idVertices, 4))[6:8]+"\x00\x00\x00\x00", "\xff\xff\x00\x00\x00\x00", 1), Triangles: 2, Warning: "a list claims 65535 entries and has 4"},
	{Name: "NaN", File: strings.Replace(plain, "\x00\x00\x80\x40", "\x00\x00\xc0\x7f", 1), Triangles: 2, Bad: 1, Warning: "triangle 0: the triangle has a NaN"},
	{Name: "no triangles", File: file(nil, nil), Warning: "there are none"},
	{Name: "a short chunk", File: string(chunkOf(idMain, chunkOf(idEditor, red, square("a")), []byte{1, 0, 3, 0, 0, 0, 0})), Triangles: 2, Warning: "a chunk of 3 bytes"},
	{Name: "cut off", File: plain[:len(plain)-1], Triangles: 2, Warning: "bytes where"},
}

func TestCases(t *testing.T) { meshtest.Check(t, Format, cases) }

func read(t *testing.T, file string, opts scenes.ReadOptions) *scenes.Mesh {
	t.Helper()
	m, _, err := format.Read(context.Background(), strings.NewReader(file), opts, Format)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// checkCorners compares the corners of a triangle in single precision.
func checkCorners(t *testing.T, name string, m *scenes.Mesh, triangle int, want [3][3]float64) {
	t.Helper()
	for k, p := range m.Triangle(triangle) {
		for a := range p {
			if got := float64(p[a]) + m.Origin[a]; !(math.Abs(got-want[k][a]) < 1e-5) {
				t.Errorf("%s: corners %v from %v, want %v", name, m.Triangle(triangle), m.Origin, want)
				return
			}
		}
	}
}

// TestNodes places meshes by nodes. The frame of a mesh is the transform of its node at rest.
func TestNodes(t *testing.T) {
	frame := chunkOf(idFrame, [3]float64{0, 1, 0}, [3]float64{-1, 0, 0}, [3]float64{0, 0, 1}, [3]float64{4, 0, 0})
	quarter := [4]float64{math.Pi / 2, 0, 0, -1}
	at := key(idPosition, [3]float64{4, 0, 0})
	for name, c := range map[string]struct {
		node []byte
		want [3][3]float64
	}{
		"as it was":     {node("a", 0, noParent, at, key(idRotation, quarter)), [3][3]float64{{0, 0, 0}, {4, 0, 0}, {4, 4, 0}}},
		"elsewhere":     {node("a", 0, noParent, key(idPosition, [3]float64{5, 0, 0}), key(idRotation, quarter)), [3][3]float64{{1, 0, 0}, {5, 0, 0}, {5, 4, 0}}},
		"unturned":      {node("a", 0, noParent, at), [3][3]float64{{4, 4, 0}, {4, 0, 0}, {8, 0, 0}}},
		"about a pivot": {node("a", 0, noParent, at, key(idRotation, quarter), chunkOf(idPivot, [3]float64{0, 0, 1})), [3][3]float64{{0, 0, -1}, {4, 0, -1}, {4, 4, -1}}},
		"larger":        {node("a", 0, noParent, at, key(idRotation, quarter), key(idScaling, [3]float64{1, 2, 1})), [3][3]float64{{-4, 0, 0}, {4, 0, 0}, {4, 4, 0}}},
		"below one":     {join(node("up", 7, noParent, key(idPosition, [3]float64{0, 0, 9})), node("a", 8, 7, at, key(idRotation, quarter))), [3][3]float64{{0, 0, 9}, {4, 0, 9}, {4, 4, 9}}},
	} {
		m := read(t, file(square("a", frame), c.node), scenes.ReadOptions{Strict: true})
		checkCorners(t, name, m, 0, c.want)
	}
	mirrored := chunkOf(idFrame, [3]float64{-1, 0, 0}, [3]float64{0, 1, 0}, [3]float64{0, 0, 1}, [3]float64{})
	m := read(t, file(square("a", mirrored), node("a", 0, noParent, chunkOf(idInstanceName, "copy"))), scenes.ReadOptions{Strict: true})
	checkCorners(t, "mirrored", m, 0, [3][3]float64{{0, 0, 0}, {4, 0, 0}, {4, 4, 0}})
	if m.Parts[0].Name != "copy" {
		t.Errorf("%+v", m.Parts)
	}
}

// TestMaterials reads colours, textures, emission and alpha.
func TestMaterials(t *testing.T) {
	folder := fstest.MapFS{"GREEN.PNG": {Data: meshtest.PNG(t, 1, 1, 0x00ff00)}}
	coordinates := chunkOf(idCoordinates, 4, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0)
	of := func(more ...any) (*scenes.Mesh, *scenes.Material) {
		t.Helper()
		material := chunkOf(idMaterial, append([]any{chunkOf(idMaterialName, "red"), chunkOf(idDiffuse, chunkOf(idLinearByte, []byte{9, 9, 9}), chunkOf(idColorFloat, [3]float64{1, 0, 0}))}, more...)...)
		m := read(t, string(chunkOf(idMain, chunkOf(idEditor, square("a", coordinates), material))), scenes.ReadOptions{Strict: true, Beside: folder})
		if m.Attributes.Material(0) != nil {
			t.Error("the first triangle has a material")
		}
		return m, m.Attributes.Material(1)
	}
	if _, m := of(chunkOf(idTransparency, chunkOf(idPercentInt, 25))); m.Name != "red" || m.BaseColor != [4]float32{1, 0, 0, 0.75} || m.Alpha != scenes.AlphaBlend {
		t.Errorf("%+v", m)
	}
	if _, m := of(chunkOf(idTransparency, chunkOf(idPercentInt, 100)), chunkOf(idOwnLight, chunkOf(idPercentFloat, 0.5))); m.BaseColor[3] != 1 || m.Emission != [3]float32{0.5, 0, 0} {
		t.Errorf("%+v", m)
	}
	mesh, m := of(chunkOf(idTexture, chunkOf(idFile, "green.png"), chunkOf(idTiling, 2), chunkOf(idUScale, 2.0), chunkOf(idVOffset, 0.5)))
	if m.Texture == nil || m.Texture.Picture.Pix[1] != 255 || m.BaseColor != [4]float32{1, 1, 1, 1} || m.Texture.WrapU != scenes.Mirror {
		t.Errorf("%+v", m)
	}
	if uv := &mesh.Attributes.TexCoords; uv.At(1, 0) != [2]float32{1, 1} || uv.At(1, 1) != [2]float32{2, -0.5} {
		t.Errorf("texture coordinates %v", uv.Values)
	}
}

// TestCut truncates a file at each of its bytes. A lenient read must give a mesh or one error, and a strict read an
// error.
func TestCut(t *testing.T) {
	whole := 0
	for n := range len(plain) {
		opts := scenes.ReadOptions{Strict: n%4 == 0, MaxMemory: 1 << 24, Workers: 1}
		m, _, err := format.Read(context.Background(), strings.NewReader(plain[:n]), opts, Format)
		if err == nil && m.Len() > 0 {
			whole++
		}
		if opts.Strict && err == nil {
			t.Errorf("%d bytes of %d are read strictly", n, len(plain))
		}
	}
	if whole == 0 {
		t.Error("never a mesh")
	}
}

func TestDetect(t *testing.T) {
	for text, want := range map[string]format.Likelihood{
		plain: format.Marked, string(chunkOf(idMain, chunkOf(idEditor))): format.Marked, "MM\x00*\x00\x00\x00\x08\x00\x00\x00\x00": format.No,
		"MM": format.No, "": format.No, string(chunkOf(idMain, chunkOf(7))): format.No,
	} {
		if got := Format.Detect([]byte(text), int64(len(text))); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func whole() (files []string) {
	for _, c := range cases {
		files = append(files, c.File)
	}
	return files
}

func TestMutants(t *testing.T) { meshtest.MutantsOf(t, Format, whole()...) }

func FuzzRead(f *testing.F) {
	for i, file := range whole() {
		f.Add([]byte(file), uint64(i), 7)
	}
	f.Fuzz(func(t *testing.T, file []byte, seed uint64, piece int) {
		meshtest.FuzzInstances(t, Format, file, piece)
		meshtest.FuzzMutants(t, Format, file, seed, piece)
	})
}
