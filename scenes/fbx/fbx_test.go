package fbx

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/meshtest"
)

var noLimits scenes.ReadOptions

func polygons(index string) string {
	return parts{geometry: square + "\nPolygonVertexIndex: *9 {\na: " + index + "\n}"}.String()
}

func layered(text string) string { return parts{layers: text}.String() }

var cases = []meshtest.Case{
	{Name: "square", File: parts{}.String(), Triangles: 2},
	{Name: "old", File: fmt.Sprintf(old, ""), Triangles: 2},
	{Name: "loose edges and points", File: polygons("0,-2,-3,0,1,-3"), Triangles: 1},
	{Name: "instances", File: parts{objects: "Model: 2000002, \"Model::second\", \"Mesh\" {\n}", connections: connections + "C: \"OO\",2000002,2000001\nC: \"OO\",3000001,2000002\n"}.String(), Triangles: 4},
	{Name: "comments", File: polygons("0,1, ; the first\n-3"), Triangles: 1},
	{Name: "values on the next line", File: strings.Replace(parts{}.String(), "a: 0,1,2,-4", "a:\n0,1,2,-4", 1), Triangles: 2},
	{Name: "no connections", File: parts{connections: "\n"}.String(), Triangles: 2},
	{Name: "a circle", File: parts{objects: "Model: 2000002, \"Model::second\", \"Mesh\" {\n}", connections: connections + "C: \"OO\",2000002,2000001\nC: \"OO\",2000001,2000002\n"}.String(), Damage: "all of them are below themselves"},
	{Name: "below itself", File: parts{objects: "Model: 2000002, \"Model::second\", \"Mesh\" {\n}\nModel: 2000003, \"Model::third\", \"Mesh\" {\n}", connections: connections + "C: \"OO\",2000002,2000001\nC: \"OO\",2000003,2000002\nC: \"OO\",2000002,2000003\n"}.String(), Triangles: 2, Warning: `model "second" left out: it is below itself`},
	{Name: "no such place", File: polygons("0,1,-3,0,1,-9"), Triangles: 1, Warning: "1 polygons left out"},
	{Name: "ends within a polygon", File: polygons("0,1,-3,0,1"), Triangles: 1, Warning: "the corners end within a polygon"},
	{Name: "a word for a number", File: layered(strings.Replace(allLayers, "1,0.5,0,1", "1,x,0,1", 1)), Triangles: 2, Warning: "1 words of Colors are no numbers"},
	{Name: "no such normal", File: layered("LayerElementNormal: 0 {\nMappingInformationType: \"ByPolygonVertex\"\nReferenceInformationType: \"Direct\"\nNormals: *3 {\na: 0,0,1\n}\n}"), Triangles: 2, Warning: "3 corners refer to normals"},
	{Name: "normals of edges", File: layered("LayerElementNormal: 0 {\nMappingInformationType: \"ByEdge\"\nNormals: *3 {\na: 0,0,1\n}\n}"), Triangles: 2, Warning: `Normals left out: they belong to the mesh by "ByEdge"`},
	{Name: "NaN", File: strings.Replace(parts{}.String(), "4,4,0", "4,nan,0", 1), Triangles: 2, Bad: 2, Warning: "triangle 0: this and 1 more triangles have a NaN"},
	{Name: "cut off", File: strings.TrimSuffix(parts{}.String(), "}\n"), Triangles: 2, Warning: "the file ends within a record"},
	{Name: "no record", File: parts{}.String() + "}\n", Triangles: 2, Warning: "the end of a record that has not begun"},
	{Name: "no name", File: parts{}.String() + "{\n", Triangles: 2, Warning: "a record without a name"},
	{Name: "too deep", File: parts{}.String() + strings.Repeat("A: {", maxLevels+2), Triangles: 2, Warning: "more than 64 deep"},
	{Name: "a curve", File: strings.Replace(parts{geometry: "Points: 1"}.String(), `"Geometry::", "Mesh"`, `"Geometry::", "NurbsCurve"`, 1), Warning: "there are none: 1 curve is not drawn"},
	{Name: "nothing", File: parts{geometry: "Points: 1"}.String(), Warning: "there are none"},
}

func TestCases(t *testing.T) { meshtest.Check(t, Format, cases) }

// forms returns a document in all forms in which it can be written.
func forms(t testing.TB, file string) map[string]string {
	return map[string]string{
		"text": file, "binary": binaryOf(t, file, 7400, false, binary.LittleEndian), "packed": binaryOf(t, file, 7400, true, binary.LittleEndian),
		"wide": binaryOf(t, file, 7700, true, binary.LittleEndian), "high byte first": binaryOf(t, file, 7500, false, binary.BigEndian),
	}
}

func read(t *testing.T, file string, opts scenes.ReadOptions) *scenes.Mesh {
	t.Helper()
	m, _, err := format.Read(context.Background(), strings.NewReader(file), opts, Format)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestForms checks that documents have the same mesh in all forms.
func TestForms(t *testing.T) {
	for _, c := range cases {
		if c.Warning != "" || c.Damage != "" {
			continue
		}
		want := read(t, c.File, scenes.ReadOptions{Strict: true})
		for name, file := range forms(t, c.File) {
			got := read(t, file, scenes.ReadOptions{Strict: true})
			if got.Up != want.Up || len(got.Parts) != len(want.Parts) || got.Parts[0].Name != want.Parts[0].Name {
				t.Errorf("%s: %s: %v %v", c.Name, name, got.Up, got.Parts)
			}
			meshtest.Same(t, got, want)
		}
	}
}

// TestCut truncates files at each of their bytes. A lenient read must give a mesh or one error, and a strict read an
// error.
func TestCut(t *testing.T) {
	all := forms(t, parts{layers: allLayers}.String())
	for _, name := range []string{"text", "wide"} {
		file, whole := all[name], 0
		for n := range len(file) {
			opts := scenes.ReadOptions{Strict: n%8 == 0, MaxMemory: 1 << 24, Workers: 1}
			m, _, err := format.Read(context.Background(), strings.NewReader(file[:n]), opts, Format)
			if err == nil && m.Len() > 0 {
				whole++
			}
			if opts.Strict && err == nil && name == "wide" {
				t.Errorf("%d bytes of %d are read strictly", n, len(file))
			}
		}
		if whole == 0 {
			t.Errorf("%s: never a mesh", name)
		}
	}
}

// checkCorners compares the corners of a triangle in single precision.
func checkCorners(t *testing.T, name string, m *scenes.Mesh, want [3][3]float64) {
	t.Helper()
	for k, p := range m.Triangle(0) {
		for a := range p {
			if got := float64(p[a]) + m.Origin[a]; !(math.Abs(got-want[k][a]) < 1e-5) {
				t.Errorf("%s: corners %v from %v, want %v", name, m.Triangle(0), m.Origin, want)
				return
			}
		}
	}
}

// TestTransforms applies every part of a transform alone, and all parts at once.
func TestTransforms(t *testing.T) {
	of := func(name, v string) string { return fmt.Sprintf("P: %q, %q, \"\", \"A\",%s\n", name, name, v) }
	active := "P: \"RotationActive\", \"bool\", \"\", \"\",1\n"
	for transform, want := range map[string][3][3]float64{
		"":                             {{0, 0, 0}, {4, 0, 0}, {4, 4, 0}},
		of("Lcl Translation", "1,2,3"): {{1, 2, 3}, {5, 2, 3}, {5, 6, 3}},
		of("Lcl Scaling", "2,1,1"):     {{0, 0, 0}, {8, 0, 0}, {8, 4, 0}},
		of("Lcl Rotation", "0,0,90"):   {{0, 0, 0}, {0, 4, 0}, {-4, 4, 0}},
		of("Lcl Rotation", "90,90,0"):  {{0, 0, 0}, {0, 0, -4}, {4, 0, -4}}, // rotates about x first
		of("PreRotation", "90,90,0"):   {{0, 0, 0}, {0, 0, -4}, {4, 0, -4}},
		of("PostRotation", "0,0,90"):   {{0, 0, 0}, {0, -4, 0}, {4, -4, 0}}, // applies the inverse
		of("RotationOrder", "5") + of("Lcl Rotation", "90,90,0"):                                {{0, 0, 0}, {0, 0, -4}, {4, 0, -4}},
		active + of("RotationOrder", "5") + of("Lcl Rotation", "90,90,0"):                       {{0, 0, 0}, {0, 4, 0}, {0, 4, 4}}, // y first
		of("RotationPivot", "4,0,0") + of("Lcl Rotation", "0,0,90"):                             {{4, -4, 0}, {4, 0, 0}, {0, 0, 0}},
		of("RotationOffset", "0,0,7"):                                                           {{0, 0, 7}, {4, 0, 7}, {4, 4, 7}},
		of("ScalingPivot", "4,0,0") + of("Lcl Scaling", "2,2,2"):                                {{-4, 0, 0}, {4, 0, 0}, {4, 8, 0}},
		of("ScalingOffset", "0,0,7") + of("Lcl Scaling", "2,2,2"):                               {{0, 0, 7}, {8, 0, 7}, {8, 8, 7}},
		of("GeometricTranslation", "1,0,0") + of("Lcl Scaling", "2,2,2"):                        {{2, 0, 0}, {10, 0, 0}, {10, 8, 0}},
		of("GeometricRotation", "0,0,90") + of("Lcl Translation", "1,2,3"):                      {{1, 2, 3}, {1, 6, 3}, {-3, 6, 3}},
		of("GeometricScaling", "2,1,1") + of("Lcl Rotation", "0,0,90"):                          {{0, 0, 0}, {0, 8, 0}, {-4, 8, 0}},
		of("PreRotation", "0,0,90") + of("Lcl Rotation", "90,0,0") + of("Lcl Scaling", "1,2,1"): {{0, 0, 0}, {0, 4, 0}, {0, 4, 8}},
	} {
		for name, file := range forms(t, parts{model: transform}.String()) {
			checkCorners(t, name+" "+transform, read(t, file, scenes.ReadOptions{Strict: true}), want)
		}
	}
	// A model inherits all transforms of its parent except the geometric one.
	d := parts{model: of("Lcl Translation", "1,0,0") + of("GeometricTranslation", "0,0,9"), objects: "Model: 2000002, \"Model::second\", \"Mesh\" {\n}"}
	d.connections = strings.Replace(connections, "3000001,2000001", "3000001,2000002", 1) + "C: \"OO\",2000002,2000001\n"
	checkCorners(t, "below", read(t, d.String(), scenes.ReadOptions{Strict: true}), [3][3]float64{{1, 0, 0}, {5, 0, 0}, {5, 4, 0}})
	checkCorners(t, "old", read(t, fmt.Sprintf(old, ""), scenes.ReadOptions{Strict: true}), [3][3]float64{{1, 2, 3}, {5, 2, 3}, {5, 6, 3}})
}

// TestInherit places a rotated model below a stretched model, once for each value of InheritType.
func TestInherit(t *testing.T) {
	d := parts{objects: "Model: 2000002, \"Model::second\", \"Mesh\" {\nProperties70:  {\nP: \"Lcl Rotation\", \"\", \"\", \"A\",0,0,90\n%s}\n}\n"}
	d.model = "P: \"Lcl Scaling\", \"\", \"\", \"A\",2,1,1\n"
	d.connections = strings.Replace(connections, "3000001,2000001", "3000001,2000002", 1) + "C: \"OO\",2000002,2000001\n"
	for of, want := range map[string][3][3]float64{
		"": {{0, 0, 0}, {0, 8, 0}, {-4, 8, 0}},
		"P: \"InheritType\",\"enum\",\"\",\"\",0\n": {{0, 0, 0}, {0, 8, 0}, {-4, 8, 0}},
		"P: \"InheritType\",\"enum\",\"\",\"\",1\n": {{0, 0, 0}, {0, 4, 0}, {-8, 4, 0}},
		"P: \"InheritType\",\"enum\",\"\",\"\",2\n": {{0, 0, 0}, {0, 4, 0}, {-4, 4, 0}},
	} {
		checkCorners(t, of, read(t, strings.Replace(d.String(), "%s", of, 1), scenes.ReadOptions{Strict: true}), want)
	}
}

// skin is a skin with two joints. The second joint is 10 above its bind position. The last position has no joint.
const skin = `Deformer: 7000001, "Deformer::", "Skin" {
}
Deformer: 7000002, "SubDeformer::", "Cluster" {
	Indexes: *3 {
		a: 0,2,99
	}
	Weights: *3 {
		a: 1,1,1
	}
	Transform: *16 {
		a: 1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1
	}
}
Deformer: 7000003, "SubDeformer::", "Cluster" {
	Indexes: *2 {
		a: 1,2
	}
	Weights: *2 {
		a: 0.5,1
	}
	Transform: *16 {
		a: 1,0,0,0,0,1,0,0,0,0,1,0,0,0,1,1
	}
}
Model: 2000002, "Model::hip", "LimbNode" {
}
Model: 2000003, "Model::knee", "LimbNode" {
	Properties70:  {
		P: "Lcl Translation", "", "", "A",0,0,9
	}
}`

// skinnedBy returns a file with a skin that has the given joints.
func skinnedBy(joints string) string {
	return parts{model: "P: \"Lcl Translation\", \"\", \"\", \"A\",100,0,0\n", objects: skin, connections: connections +
		"C: \"OO\",7000001,3000001\nC: \"OO\",7000002,7000001\nC: \"OO\",7000003,7000001\n" + joints}.String()
}

// TestSkin bends a square. Two corners follow one joint each, one corner follows the mean of both joints, and one
// corner follows no joint.
func TestSkin(t *testing.T) {
	file := skinnedBy("C: \"OO\",2000002,7000002\nC: \"OO\",2000003,7000003\n")
	for name, file := range forms(t, file) {
		m := read(t, file, scenes.ReadOptions{Strict: true})
		checkCorners(t, name, m, [3][3]float64{{0, 0, 0}, {4, 0, 10}, {4, 4, 5}})
		if last := m.Triangle(1)[2]; float64(last[0])+m.Origin[0] != 100 || m.Parts[0].Name != "first" {
			t.Errorf("%s: a place without a joint is at %v, parts %+v", name, last, m.Parts)
		}
	}
	_, rep, err := format.Read(context.Background(), strings.NewReader(skinnedBy("C: \"OO\",2000002,7000002\n")), scenes.ReadOptions{}, Format)
	if err != nil || len(rep.Warnings) != 1 || !strings.Contains(rep.Warnings[0], "a joint does not exist") {
		t.Errorf("%v, %+v", err, rep)
	}
}

const allLayers = `LayerElementNormal: 0 {
	MappingInformationType: "ByVertice"
	ReferenceInformationType: "Direct"
	Normals: *12 {
		a: 0,0,1,0,2,0,0,0,1,0,0,1
	}
}
LayerElementUV: 0 {
	MappingInformationType: "ByPolygonVertex"
	ReferenceInformationType: "IndexToDirect"
	UV: *4 {
		a: 0.25,0.75,1,0
	}
	UVIndex: *4 {
		a: 0,1,-1,1
	}
}
LayerElementColor: 0 {
	MappingInformationType: "ByPolygon"
	ReferenceInformationType: "IndexToDirect"
	Colors: *8 {
		a: 0,0,0,1,1,0.5,0,1
	}
	ColorIndex: *1 {
		a: 1
	}
}
LayerElementMaterial: 0 {
	MappingInformationType: "ByPolygon"
	ReferenceInformationType: "IndexToDirect"
	Materials: *1 {
		a: 1
	}
}`

// TestAttributes reads all kinds of layers, the up axis and the unit.
func TestAttributes(t *testing.T) {
	d := parts{layers: allLayers, settings: "P: \"UpAxis\", \"int\", \"Integer\", \"\",2\nP: \"UnitScaleFactor\", \"double\", \"Number\", \"\",2.54\n"}
	d.objects = "Material: 4000002, \"Material::blue\", \"\" {\n}"
	d.connections = connections + "C: \"OO\",4000002,2000001\n"
	for name, file := range forms(t, d.String()) {
		m := read(t, file, scenes.ReadOptions{Strict: true})
		a := m.Attributes
		if m.Up != scenes.PlusZ || math.Abs(m.Unit-0.0254) > 1e-9 || m.Parts[0].Name != "first" {
			t.Errorf("%s: up %v, unit %v, parts %+v", name, m.Up, m.Unit, m.Parts)
		}
		if a.Normals.At(0, 0) != [3]float32{0, 0, 1} || a.Normals.At(1, 0) != [3]float32{0, 1, 0} {
			t.Errorf("%s: normals %v", name, a.Normals.Values)
		}
		if a.TexCoords.At(0, 0) != [2]float32{0.25, 0.25} || a.TexCoords.At(1, 0) != [2]float32{1, 1} || a.TexCoords.At(2, 0) != [2]float32{} {
			t.Errorf("%s: texture coordinates %v", name, a.TexCoords.Values)
		}
		if a.Colors.At(1, 0) != (scenes.RGBA{255, 128, 0, 255}) || a.Material(0).Name != "blue" {
			t.Errorf("%s: colours %v, material %+v", name, a.Colors.Values, a.Material(0))
		}
	}
}

// TestMaterials reads colours, emission, alpha and textures.
func TestMaterials(t *testing.T) {
	green := meshtest.PNG(t, 1, 1, 0x00ff00)
	folder := fstest.MapFS{"tex/green.png": {Data: green}}
	of := func(file string) *scenes.Material {
		t.Helper()
		return read(t, file, scenes.ReadOptions{Strict: true, Beside: folder}).Attributes.Material(0)
	}
	number := func(name, v string) string { return fmt.Sprintf("P: %q, \"Number\", \"\", \"A\",%s\n", name, v) }
	if m := of(parts{material: number("EmissiveColor", "0,1,0")}.String()); m.Name != "red" || m.BaseColor != [4]float32{1, 0, 0, 1} || m.Emission != [3]float32{0, 1, 0} {
		t.Errorf("%+v", m)
	}
	for params, want := range map[string]float32{
		number("Opacity", "0.25"): 0.25, number("Opacity", "0"): 1, number("TransparencyFactor", "0.25") + number("TransparentColor", "1,1,1"): 0.75,
		number("TransparencyFactor", "1"): 1, number("TransparencyFactor", "1") + number("TransparentColor", "0,0,0"): 1,
	} {
		if m := of(parts{material: params}.String()); math.Abs(float64(m.BaseColor[3]-want)) > 1e-6 || (m.Alpha == scenes.AlphaBlend) != (want < 1) {
			t.Errorf("%s: %+v", params, m)
		}
	}
	texture := "Texture: 5000001, \"Texture::t\", \"\" {\nRelativeFilename: \"tex\\green.png\"\nProperties70:  {\nP: \"WrapModeU\", \"enum\", \"\", \"\",1\n}\n}\n"
	video := "Video: 6000001, \"Video::v\", \"Clip\" {\nContent: ,\n\"" + base64.StdEncoding.EncodeToString(green) + "====\"\n}\n"
	linked := connections + "C: \"OP\",5000001,4000001, \"DiffuseColor\"\n"
	for name, file := range map[string]string{
		"beside":   parts{objects: texture, connections: linked}.String(),
		"embedded": parts{objects: strings.Replace(texture, "tex", "none", 1) + video, connections: linked + "C: \"OO\",6000001,5000001\n"}.String(),
	} {
		for form, file := range forms(t, file) {
			if m := of(file); m.Texture == nil || m.Texture.Picture.Pix[1] != 255 || m.BaseColor != [4]float32{1, 1, 1, 1} || m.Texture.WrapU != scenes.Clamp {
				t.Errorf("%s, %s: %+v", name, form, m)
			}
		}
	}
	if m := of(parts{objects: texture, connections: connections + "C: \"OP\",5000001,4000001, \"EmissiveColor\"\n"}.String()); m.Glow == nil || m.Texture != nil || m.Emission != [3]float32{1, 1, 1} {
		t.Errorf("%+v", m)
	}
	_, rep, err := format.Read(context.Background(), strings.NewReader(fmt.Sprintf(old, `Connect: "OO", "Texture::t", "Model::first"`)), scenes.ReadOptions{Beside: fstest.MapFS{}}, Format)
	if err != nil || len(rep.Warnings) != 1 || !strings.Contains(rep.Warnings[0], `texture "tex\\green.png"`) {
		t.Errorf("%v, %+v", err, rep)
	}
	if m := of(fmt.Sprintf(old, `Connect: "OO", "Texture::t", "Model::first"`)); m.Texture == nil {
		t.Errorf("%+v", m)
	}
}

// TestBomb checks that arrays that unpack to far more than the size of the file are refused, and that counts are not
// trusted.
func TestBomb(t *testing.T) {
	d := parts{geometry: "Vertices: *9 {\na: zeros\n}\n" + onePolygon}
	file := binaryOf(t, d.String(), 7400, true, binary.LittleEndian)
	_, _, err := format.Read(context.Background(), strings.NewReader(file), scenes.ReadOptions{}, Format)
	if err == nil || !strings.Contains(err.Error(), "bytes of unpacked arrays") {
		t.Errorf("%d bytes: %v", len(file), err)
	}
	small := binaryOf(t, parts{}.String(), 7400, false, binary.LittleEndian)
	head := string(binary.LittleEndian.AppendUint32([]byte("d"), 12))
	claims := strings.Replace(small, head, "d\xff\xff\xff\x7f", 1)
	m, rep, err := format.Read(context.Background(), strings.NewReader(claims), scenes.ReadOptions{MaxMemory: 1 << 20}, Format)
	if err != nil || m.Len() != 2 || len(rep.Warnings) != 1 || !strings.Contains(rep.Warnings[0], "claims 2147483647 numbers") {
		t.Errorf("%v, %+v", err, rep)
	}
}

func TestVersions(t *testing.T) {
	small := binaryOf(t, parts{}.String(), 7400, false, binary.LittleEndian)
	_, _, err := format.Read(context.Background(), strings.NewReader(strings.Replace(small, "\xe8\x1c\x00\x00", "\xb8\x0b\x00\x00", 1)), scenes.ReadOptions{}, Format)
	if err == nil || !strings.Contains(err.Error(), "version 3000 of FBX") {
		t.Error(err)
	}
}

func TestDetect(t *testing.T) {
	for text, want := range map[string]format.Likelihood{
		parts{}.String(): format.Marked, magic + "\x00": format.Marked, "FBXHeaderExtension:  {": format.Marked,
		"; FBX\n": format.No, "Kaydara": format.No, "": format.No, "see\nFBXHeaderExtension: {": format.No,
	} {
		if got := Format.Detect([]byte(text), -1); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func whole(t testing.TB) (files []string) {
	for _, c := range cases {
		if c.Damage == "" {
			files = append(files, c.File)
		}
	}
	d := parts{layers: allLayers, model: "P: \"Lcl Rotation\", \"\", \"\", \"A\",90,90,0\n"}
	files = append(files, skinnedBy("C: \"OO\",2000002,7000002\nC: \"OO\",2000003,7000003\n"))
	all := forms(t, d.String())
	for _, name := range slices.Sorted(maps.Keys(all)) {
		files = append(files, all[name])
	}
	return files
}

func TestMutants(t *testing.T) { meshtest.MutantsOf(t, Format, whole(t)...) }

func FuzzRead(f *testing.F) {
	for i, file := range whole(f) {
		f.Add([]byte(file), uint64(i), 7)
	}
	f.Fuzz(func(t *testing.T, file []byte, seed uint64, piece int) {
		meshtest.FuzzInstances(t, Format, file, piece)
		meshtest.FuzzMutants(t, Format, file, seed, piece)
	})
}
