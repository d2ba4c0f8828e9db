package collada

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/meshtest"
)

var cases = []meshtest.Case{
	{Name: "triangle", File: withDefaults().String(), Triangles: 1},
	{Name: "polylist", File: drawn(`<polylist count="2">` + vertexInput + `<vcount>4 3</vcount><p>0 1 2 3 4 5 6</p></polylist>`), Triangles: 3},
	{Name: "polygons with a hole", File: drawn(`<polygons count="2">` + vertexInput + `<p>0 1 2</p><ph><p>0 1 2 3</p><h>4 5 6 7</h></ph></polygons>`), Triangles: 9},
	{Name: "strips", File: drawn(`<tristrips count="2">` + vertexInput + `<p>0 1 3 2</p><p>4 5 5 7 6</p></tristrips>`), Triangles: 3},
	{Name: "fans", File: drawn(`<trifans count="1">` + vertexInput + `<p>0 1 2 3</p></trifans>`), Triangles: 2},
	{Name: "all inputs", File: drawn(`<triangles count="1">` + allInputs + `<p>0 0 0 1 0 0 2 1 0</p></triangles>`), Triangles: 1},
	{Name: "lines beside", File: drawn(`<lines count="1">` + vertexInput + `<p>0 1</p></lines>` + oneTriangle), Triangles: 1},
	{Name: "points and lines in a polylist", File: drawn(`<polylist count="3">` + vertexInput + `<vcount>1 2 3</vcount><p>0 0 1 4 5 6</p></polylist>`), Triangles: 1},
	{Name: "instances of nodes", File: strings.Replace(placed(`<node id="a"><instance_geometry url="#g"/></node><node><scale>2 2 2</scale><instance_node url="#a"/><node><instance_geometry url="#g"/></node></node>`), "<scene>", "<scene> ", 1), Triangles: 3},
	{Name: "no scene", File: strings.Replace(withDefaults().String(), "<scene>", "<nothing>", 1), Triangles: 1, Warning: "the end of"},
	{Name: "no visual scene", File: strings.ReplaceAll(strings.Replace(document{geometries: geometryOf("g", oneTriangle)}.String(), "<library_geometries>", "<library_geometries><geometry/>", 1), "visual_scene", "visual_thing"), Triangles: 1, Warning: "has no mesh"},
	{Name: "an empty scene", File: document{geometries: geometryOf("g", oneTriangle)}.String(), Warning: "there are none"},
	{Name: "skin", File: skinOf(twoJoints), Triangles: 1},
	{Name: "skin without weights", File: skinOf(""), Triangles: 1, Warning: "the joints or weights of a skin do not exist: its mesh is read without the skin"},
	{Name: "morph", File: strings.Replace(placed(`<node><instance_controller url="#k"/></node>`), "</library_controllers>", `<controller id="k"><morph source="#g"/></controller></library_controllers>`, 1), Triangles: 1},
	{Name: "controllers in a circle", File: strings.Replace(placed(`<node><instance_controller url="#k"/></node>`), "</library_controllers>", `<controller id="k"><morph source="#k"/></controller></library_controllers>`, 1), Damage: "controllers that bend one another"},
	{Name: "nodes in a circle", File: placed(`<node id="a"><instance_geometry url="#g"/><instance_node url="#a"/></node>`), Triangles: 1, Warning: "instance_node left out: it is below itself"},
	{Name: "no such geometry", File: placed(`<node><instance_geometry url="#g"/><instance_geometry url="#x"/></node>`), Triangles: 1, Warning: `geometry "#x" left out: it is not there`},
	{Name: "another document", File: placed(`<node><instance_geometry url="#g"/><instance_geometry url="other.dae#g"/></node>`), Triangles: 1, Warning: "it is in another document, which is not opened"},
	{Name: "no such material", File: strings.Replace(withDefaults().String(), "#Red", "#Blue", 1), Triangles: 1, Warning: `material "#Blue" left out`},
	{Name: "no such effect", File: strings.Replace(withDefaults().String(), "#red", "#blue", 1), Triangles: 1, Warning: `effect "#blue" left out`},
	{Name: "no such place", File: drawn(`<triangles count="2">` + vertexInput + `<p>0 1 2 0 1 8</p></triangles>`), Triangles: 1, Warning: "1 polygons left out"},
	{Name: "no such normal", File: drawn(`<triangles count="1">` + allInputs + `<p>0 0 0 1 7 0 2 1 0</p></triangles>`), Triangles: 1, Warning: "1 corners refer to normals"},
	{Name: "ends within a polygon", File: drawn(`<triangles count="2">` + vertexInput + `<p>0 1 2 0 1</p></triangles>`), Triangles: 1, Warning: "the corners end within a polygon"},
	{Name: "more corners than counts", File: drawn(`<polylist count="1">` + vertexInput + `<vcount>3</vcount><p>0 1 2 0 1</p></polylist>`), Triangles: 1, Warning: "corners without a number of them in vcount"},
	{Name: "fewer triangles than promised", File: drawn(`<triangles count="3">` + vertexInput + `<p>0 1 2 0 2 3</p></triangles>`), Triangles: 2, Warning: "there are 2 of 3 triangles"},
	{Name: "strips that count triangles", File: drawn(`<tristrips count="2">` + vertexInput + `<p>0 1 3 2</p></tristrips>`), Triangles: 2},
	{Name: "polygons without corners", File: drawn(`<polylist count="3">` + vertexInput + `<vcount>3 0 0</vcount><p>0 1 2</p></polylist>`), Triangles: 1},
	{Name: "fewer polygons than counts", File: drawn(`<polylist count="3">` + vertexInput + `<vcount>3 0 3</vcount><p>0 1 2</p></polylist>`), Triangles: 1, Warning: "there are 2 of 3 polylist"},
	{Name: "fewer polygons than promised", File: drawn(`<polygons count="2">` + vertexInput + `<p>0 1 2</p></polygons>`), Triangles: 1, Warning: "there are 1 of 2 polygons"},
	{Name: "fewer numbers than promised", File: regexp.MustCompile(`(<float_array[^>]*count=")`).ReplaceAllString(withDefaults().String(), "${1}99"), Triangles: 1, Warning: "numbers"},
	{Name: "claims many corners", File: drawn(`<polylist count="1">` + vertexInput + `<vcount>3 999999999999</vcount><p>0 1 2 0 1</p></polylist>`), Triangles: 1, Warning: "the corners end within a polygon"},
	{Name: "words for corners", File: drawn(`<triangles count="2">` + vertexInput + `<p>0 1 2 0 1 x</p></triangles>`), Triangles: 1, Warning: "1 polygons left out"},
	{Name: "no places", File: drawn(`<triangles count="1"><input semantic="NORMAL" source="#n" offset="0"/><p>0 1 0</p></triangles>` + oneTriangle), Triangles: 1, Warning: "triangles left out: its corners have no places"},
	{Name: "a word in a list", File: strings.Replace(withDefaults().String(), "4 0 0 4 4 0", "4 0 0 four 4 0", 1), Triangles: 1, Warning: "1 words are no numbers"},
	{Name: "NaN", File: strings.Replace(withDefaults().String(), "4 0 0 4 4 0", "nan 0 0 4 4 0", 1), Triangles: 1, Bad: 1, Warning: "triangle 0: the triangle has a NaN"},
	{Name: "a matrix of too few numbers", File: placed(`<node><matrix>1 2 3</matrix><instance_geometry url="#g"/></node>`), Triangles: 1, Warning: `"matrix" left out`},
	{Name: "cut off", File: strings.Replace(withDefaults().String(), "</COLLADA>", "", 1), Triangles: 1, Warning: "the document ends within an element"},
	{Name: "a spline", File: strings.Replace(withDefaults().String(), "<mesh>", "<spline/><mesh>", 1), Warning: "there are none: 1 spline is not drawn"},
	{Name: "lines alone", File: drawn(`<lines count="1">` + vertexInput + `<p>0 1</p></lines>`), Warning: "there are none: 1 primitive of lines is not drawn"},
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
			if got := float64(p[a]) + m.Origin[a]; math.Abs(got-want[k][a]) > 1e-5 {
				t.Errorf("%s: triangle %d has corners %v from %v, want %v", name, triangle, m.Triangle(triangle), m.Origin, want)
				return
			}
		}
	}
}

// TestTransforms applies every kind of transform. The last transform of a node is applied first.
func TestTransforms(t *testing.T) {
	for transform, want := range map[string][3][3]float64{
		"": {{0, 0, 0}, {4, 0, 0}, {4, 4, 0}},
		"<translate>1 2 3</translate><scale>2 1 1</scale>":                  {{1, 2, 3}, {9, 2, 3}, {9, 6, 3}},
		"<scale>2 1 1</scale><translate>1 2 3</translate>":                  {{2, 2, 3}, {10, 2, 3}, {10, 6, 3}},
		"<rotate>0 0 2 90</rotate>":                                         {{0, 0, 0}, {0, 4, 0}, {-4, 4, 0}},
		"<rotate>1 0 0 90</rotate><rotate>0 1 0 -90</rotate>":               {{0, 0, 0}, {0, -4, 0}, {0, -4, 4}},
		"<rotate>0 0 1 30</rotate>":                                         {{0, 0, 0}, {2 * math.Sqrt(3), 2, 0}, {2*math.Sqrt(3) - 2, 2 + 2*math.Sqrt(3), 0}},
		"<matrix>0 1 0 5 1 0 0 6 0 0 1 7 0 0 0 1</matrix>":                  {{5, 6, 7}, {9, 10, 7}, {5, 10, 7}},
		"<lookat>1 2 3 1 2 -7 0 1 0</lookat>":                               {{1, 2, 3}, {5, 2, 3}, {5, 6, 3}},
		"<lookat>0 0 0 -1 0 0 0 1 0</lookat>":                               {{0, 0, 0}, {0, 0, -4}, {0, 4, -4}},
		"<translate>0,5 0 0</translate>":                                    {{0.5, 0, 0}, {4.5, 0, 0}, {4.5, 4, 0}},
		"<node/><extra/><translate><!-- a note -->1 0 0</translate><node/>": {{1, 0, 0}, {5, 0, 0}, {5, 4, 0}},
	} {
		m := read(t, placed("<node>"+transform+`<instance_geometry url="#g"/></node>`), scenes.ReadOptions{Strict: true})
		checkCorners(t, transform, m, 0, want) // a mirroring transform swaps corners
	}
}

// TestSkin bends a triangle. Each of two joints moves a corner, and the third corner follows the mean of both joints.
func TestSkin(t *testing.T) {
	m := read(t, skinOf(twoJoints), scenes.ReadOptions{Strict: true})
	checkCorners(t, "skin", m, 0, [3][3]float64{{0, 0, 0}, {8, 0, 10}, {8, 8, 5}})
}

// TestAttributes reads normals, colours and texture coordinates.
func TestAttributes(t *testing.T) {
	d := withDefaults()
	d.geometries = geometryOf("g", `<triangles count="1" material="m">`+allInputs+`<p>0 0 0 1 0 0 2 1 1</p></triangles>`)
	d.asset = `<unit name="inch" meter="0.0254"/><up_axis> Z_UP </up_axis>`
	file := strings.Replace(d.String(), `offset="2"/><p>`, `offset="3"/><p>`, 1)
	file = strings.Replace(file, "<p>0 0 0 1 0 0 2 1 1</p>", "<p>0 0 0 0 1 0 0 0 2 1 1 0</p>", 1)
	m := read(t, file, scenes.ReadOptions{Strict: true})
	a := m.Attributes
	if m.Up != scenes.PlusZ || m.Unit != 0.0254 || m.Parts[0].Name != "first" {
		t.Errorf("up %v, unit %v, parts %+v", m.Up, m.Unit, m.Parts)
	}
	if a.Normals.At(0, 0) != [3]float32{0, 0, 1} || a.Normals.At(2, 0) != [3]float32{0, 1, 0} {
		t.Errorf("normals %v", a.Normals.Values)
	}
	if a.TexCoords.At(0, 0) != [2]float32{0.25, 0.25} || a.TexCoords.At(2, 0) != [2]float32{1, 1} {
		t.Errorf("texture coordinates %v", a.TexCoords.Values)
	}
	if a.Colors.At(1, 0) != (scenes.RGBA{255, 128, 0, 255}) || a.Material(0).Name != "red" || m.Colors[0] != 0xff0000 {
		t.Errorf("colours %v, material %+v, flat %06x", a.Colors.Values, a.Material(0), m.Colors)
	}
}

// shader returns a document with a material.
func shader(model, params string) string {
	d := withDefaults()
	d.images = `<image id="i"><init_from>file:///C:/tmp/a%20b.png</init_from></image>`
	d.effects = `<effect id="red"><profile_COMMON><newparam sid="u"><surface type="2D"><init_from>i</init_from></surface></newparam>
	<newparam sid="s"><sampler2D><source>u</source><wrap_s>MIRROR</wrap_s><wrap_t>CLAMP</wrap_t></sampler2D></newparam>
	<newparam sid="blue"><float3>0 0 1</float3></newparam>
	<technique><` + model + `>` + params + `</` + model + `></technique></profile_COMMON></effect>`
	return d.String()
}

// TestMaterials reads colours, textures, emission and alpha.
func TestMaterials(t *testing.T) {
	folder := fstest.MapFS{"a b.png": {Data: meshtest.PNG(t, 1, 1, 0x00ff00)}}
	of := func(file string) *scenes.Material {
		return read(t, file, scenes.ReadOptions{Strict: true, Beside: folder}).Attributes.Material(0)
	}
	for _, name := range []string{"s", "u", "i"} { // some programs omit the surface, or the sampler and the surface
		file := shader("phong", `<diffuse><texture texture="`+name+`" texcoord="UV"/></diffuse>`)
		if name == "u" {
			file = strings.Replace(file, "<source>u<", "<source>i<", 1)
			file = strings.Replace(file, `texture="u"`, `texture="s"`, 1)
		}
		m := of(file)
		if m.Texture == nil || m.Texture.Picture.Pix[1] != 255 || m.BaseColor != [4]float32{1, 1, 1, 1} {
			t.Errorf("%s: %+v", name, m)
		} else if name == "s" && (m.Texture.WrapU != scenes.Mirror || m.Texture.WrapV != scenes.Clamp) {
			t.Errorf("%+v", m.Texture)
		}
	}
	if m := of(shader("lambert", `<emission><color>0 1 0 1</color></emission><diffuse><param ref="blue"/></diffuse>`)); m.BaseColor != [4]float32{0, 0, 1, 1} || m.Emission != [3]float32{0, 1, 0} {
		t.Errorf("%+v", m)
	}
	if m := of(shader("constant", `<emission><color>0 1 0 1</color></emission>`)); m.BaseColor != [4]float32{0, 1, 0, 1} || !m.Unlit || m.Emission != [3]float32{} {
		t.Errorf("%+v", m)
	}
	for params, want := range map[string]float32{
		`<transparency><float>0.25</float></transparency>`:                                                                                       0.25,
		`<transparency><float>0</float></transparency>`:                                                                                          1,
		`<transparent opaque="RGB_ZERO"><color>1 1 1 1</color></transparent><transparency><float>0.25</float></transparency>`:                    0.75,
		`<transparent opaque="A_ONE"><color>0 0 0 0.5</color></transparent><transparency><float>0.5</float></transparency>`:                      0.25,
		`<transparent opaque="A_ZERO"><color>0 0 0 0.5</color></transparent>`:                                                                    0.5,
		`<transparent opaque="RGB_ONE"><color>0.5 0.5 0.5 1</color></transparent>`:                                                               0.5,
		`<transparent opaque="RGB_ZERO"><color>0 0 0 1</color></transparent><transparency><float>1</float></transparency>`:                       1,
		`<transparent><color>1 1 1 1</color></transparent><transparency><float>1</float></transparency><index_of_refraction/><shininess/>`:       1,
		`<transparent opaque="RGB_ZERO"><color>1 1 1 1</color></transparent><transparency><float>0,5</float></transparency><!-- in German -->  `: 0.5,
	} {
		m := of(shader("phong", `<diffuse><color>1 1 1 1</color></diffuse>`+params))
		if math.Abs(float64(m.BaseColor[3]-want)) > 1e-4 || (m.Alpha == scenes.AlphaBlend) != (want < 1) {
			t.Errorf("%s: alpha %v, mode %v, want %v", params, m.BaseColor[3], m.Alpha, want)
		}
	}
}

// TestFilters checks that textures of one file with different filters stay separate.
func TestFilters(t *testing.T) {
	folder := fstest.MapFS{"a b.png": {Data: meshtest.PNG(t, 1, 1, 0x00ff00)}}
	file := shader("phong", `<diffuse><texture texture="s" texcoord="UV"/></diffuse>`)
	effect := file[strings.Index(file, "<effect "):strings.Index(file, "</library_effects>")]
	other := strings.Replace(strings.Replace(effect, `"red"`, `"other"`, 1), "<wrap_s>", "<magfilter>NEAREST</magfilter><wrap_s>", 1)
	file = strings.Replace(file, effect, effect+other, 1)
	file = strings.Replace(file, redMaterial, redMaterial+`<material id="Other"><instance_effect url="#other"/></material>`, 1)
	file = strings.Replace(file, "</triangles>", `</triangles><triangles material="Other"><input semantic="VERTEX" source="#v" offset="0"/><p>0 2 3</p></triangles>`, 1)
	a := read(t, file, scenes.ReadOptions{Strict: true, Beside: folder}).Attributes
	if a.Material(0).Texture.Nearest || !a.Material(1).Texture.Nearest {
		t.Errorf("%+v and %+v", a.Material(0).Texture, a.Material(1).Texture)
	}
}

// TestRepeats reads documents whose elements refer to each other many times. The reader must read each element only
// once, because otherwise this test would take far too long. It must also limit the number of placed geometries.
func TestRepeats(t *testing.T) {
	d := withDefaults()
	many := strings.Replace(square, "<vertices", strings.Repeat(`<source id="x"/>`, 5000)+"<vertices", 1)
	d.geometries = strings.Replace(geometryOf("g", strings.Repeat(strings.Replace(oneTriangle, `"m"`, `"n"`, 1), 8000)), square, many, 1)
	if m := read(t, d.String(), scenes.ReadOptions{Strict: true}); m.Len() != 8000 {
		t.Errorf("%d triangles", m.Len())
	}
	var materials, primitives strings.Builder
	for i := range 1500 {
		fmt.Fprintf(&materials, `<material id="m%d"><instance_effect url="#red"/></material>`, i)
		fmt.Fprintf(&primitives, `<triangles material="m%d">%s<p>0 1 2</p></triangles>`, i, vertexInput)
	}
	d = withDefaults()
	d.materials, d.geometries = materials.String(), geometryOf("g", primitives.String())
	d.effects = strings.Replace(redEffect, "<technique>", strings.Repeat(`<newparam sid="x"/>`, 5000)+"<technique>", 1)
	d.nodes = `<node><instance_geometry url="#g"/></node>`
	if m := read(t, d.String(), scenes.ReadOptions{Strict: true}); len(m.Attributes.Materials) != 1500 {
		t.Errorf("%d materials", len(m.Attributes.Materials))
	}
	d = withDefaults()
	d.geometries += geometryOf("empty", "")
	for _, of := range []string{`geometry url="#empty"`, `controller url="#k"`} {
		d.controllers = `<controller id="k"><skin source="#empty"/></controller>`
		d.nodes = `<node id="a">` + strings.Repeat("<instance_"+of+"/>", 600) + `</node><node>` + strings.Repeat(`<instance_node url="#a"/>`, 600) + `</node>`
		_, _, err := format.Read(context.Background(), strings.NewReader(d.String()), scenes.ReadOptions{}, Format)
		if limit := new(scenes.LimitError); !errors.As(err, &limit) || limit.Unit != "instances" {
			t.Errorf("%s: error %v, want a limit of instances", of, err)
		}
	}
}

// TestCommas checks that decimal commas are accepted unless commas are separators.
func TestCommas(t *testing.T) {
	for text, want := range map[string]string{
		"0,5 -1,25 3": "0.5 -1.25 3", "1,2,3": "1,2,3", "1.5, 2": "1.5, 2", "1, 2": "1, 2", ",5 1": ",5 1", "1 2": "1 2", "": "",
	} {
		if got := string(commasToPoints([]byte(text))); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestDetect(t *testing.T) {
	for text, want := range map[string]format.Likelihood{
		withDefaults().String(): format.Marked, "\ufeff<COLLADA>": format.Marked, "<?xml?><!-- of 2012 --><COLLADA": format.Marked,
		"<?xml version=\"1.0\"?><model/>": format.No, "see <COLLADA": format.No, "": format.No,
	} {
		if got := Format.Detect([]byte(text), -1); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func whole() (files []string) {
	for _, c := range cases {
		if c.Damage == "" {
			files = append(files, c.File)
		}
	}
	return append(files, shader("phong", `<diffuse><color>1 1 1 1</color></diffuse><transparency><float>0.5</float></transparency>`))
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
