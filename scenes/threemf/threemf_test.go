package threemf

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/meshtest"
	"lockstep/scenes/procedural"
)

const relations = `<Relationships><Relationship Target="/3D/3dmodel.model" Id="r0" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>`

// archive returns an archive. parts holds names and contents in turn.
func archive(parts ...string) string {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(parts); i += 2 {
		w, err := z.Create(parts[i])
		if err != nil {
			panic(err)
		}
		if _, err := w.Write([]byte(parts[i+1])); err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.String()
}

// pack returns an archive with a model.
func pack(model string, more ...string) string {
	return archive(append([]string{"[Content_Types].xml", "<Types/>", "_rels/.rels", relations, "3D/3dmodel.model", model}, more...)...)
}

const (
	vertices  = `<vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/><vertex x="1" y="1" z="0"/><vertex x="0" y="1" z="0"/></vertices>`
	triangles = `<triangles><triangle v1="0" v2="1" v3="2"/><triangle v1="0" v2="2" v3="3"/></triangles>`
	square    = `<mesh>` + vertices + triangles + `</mesh>`
	build     = `<build><item objectid="1"/></build></model>`
	head      = `<?xml version="1.0" encoding="UTF-8"?><model unit="inch" xmlns="` + namespace + `2015/02" xmlns:m="http://schemas.microsoft.com/3dmanufacturing/material/2015/02">`
	anObject  = `<object id="1" name="a &amp; b">` + square + `</object>`
	whole     = head + `<resources>` + anObject + `</resources>` + build
)

func cases() []meshtest.Case {
	change := func(old, with string) string {
		if !strings.Contains(whole, old) {
			panic("no " + old)
		}
		return pack(strings.Replace(whole, old, with, 1))
	}
	loop := func(components string) string {
		return pack(head + `<resources>` + anObject + `<object id="2"><components>` + components + `</components></object></resources><build><item objectid="2"/><item objectid="1"/></build></model>`)
	}
	return []meshtest.Case{
		{Name: "whole", File: pack(whole), Triangles: 2},
		{Name: "model alone", File: whole, Triangles: 2},
		{Name: "prefixes", File: pack(strings.NewReplacer("<object", "<c:object", "</object", "</c:object", "<mesh", "<c:mesh", "</mesh", "</c:mesh").Replace(whole)), Triangles: 2},
		{Name: "comments and white space", File: change(`<vertices>`, "\n<!-- <vertex> a > b -->\r\n<?program x > y?><![CDATA[<vertex>]]> text &amp; <vertices >"), Triangles: 2},
		{Name: "single quotes", File: pack(strings.ReplaceAll(whole, `"`, `'`)), Triangles: 2},
		{Name: "greater in a value", File: change(`name="a &amp; b"`, `name="a > b"`), Triangles: 2},
		{Name: "order of attributes", File: change(`x="1" y="0" z="0"`, "z = \"0\"\n y=' 0 ' x=\"1\" other=\"9\""), Triangles: 2},
		{Name: "other name", File: archive("[Content_Types].xml", "", "3D/other.MODEL", whole), Triangles: 2},
		{Name: "two items", File: change(`<build>`, `<build><item objectid="1" transform="1 0 0 0 1 0 0 0 1 5 0 0"/>`), Triangles: 4},
		{Name: "no items", File: change(`<item objectid="1"/>`, ``), Triangles: 2},
		{Name: "components", File: loop(`<component objectid="1"/><component objectid="1" transform="2 0 0 0 2 0 0 0 2 0 0 0"/>`), Triangles: 6},
		{Name: "component of itself", File: loop(`<component objectid="2"/>`), Triangles: 2, Warning: "object 2: left out: it is made of itself"},
		{Name: "component that is not there", File: loop(`<component objectid="7"/>`), Triangles: 2, Warning: "object 7: left out: it is not there"},
		{Name: "component of no object", File: loop(`<component objectid="x"/>`), Triangles: 2, Warning: `component left out: its object is "x"`},
		{Name: "part that is not there", File: loop(`<component objectid="1" p:path="/3D/none.model"/>`), Triangles: 2, Warning: `object 1: left out: the package has no "/3D/none.model"`},
		{Name: "short transform", File: loop(`<component objectid="1" transform="1 0 0"/>`), Triangles: 2, Warning: "a transform of 3 numbers"},
		{Name: "damaged transform", File: loop(`<component objectid="1" transform="1 0 0 0 1 0 0 0 1 0 0 x"/>`), Triangles: 2, Warning: `"x" in its transform`},
		{Name: "index too large", File: change(`v3="3"`, `v3="4"`), Triangles: 1, Warning: "3dmodel.model, byte "},
		{Name: "index negative", File: change(`v3="3"`, `v3="-1"`), Triangles: 1, Warning: `triangle left out: v3 is "-1"`},
		{Name: "two corners", File: change(`v3="3"`, ``), Triangles: 1, Warning: "fewer than three corners"},
		{Name: "damaged vertex", File: change(`</vertices>`, `<vertex x="zero" y="1" z="0"/></vertices>`), Triangles: 2, Warning: `vertex 4 left out: "zero"`},
		{Name: "two coordinates", File: change(`<triangles>`, `<triangles/><vertex x="0" y="1"/><triangles>`), Triangles: 2, Warning: "vertex 4 left out: fewer than three coordinates"},
		{Name: "unknown unit", File: change(`"inch"`, `"furlong"`), Triangles: 2, Warning: `unknown unit "furlong"`},
		{Name: "required extension", File: change(`unit="inch"`, `requiredextensions="m b" xmlns:b="http://beams/"`), Triangles: 2, Warning: `the model needs the extension "http://beams/"`},
		{Name: "two objects of an id", File: change(`</resources>`, anObject+`</resources>`), Triangles: 2, Warning: "object left out: there is another of id 1"},
		{Name: "cut in the triangles", File: pack(whole[:strings.Index(whole, `<triangle v1="0" v2="2"`)]), Triangles: 1, Warning: "the model ends too early"},
		{Name: "cut in a tag", File: pack(whole[:strings.Index(whole, `<triangle v1="0" v2="2"`)+10]), Triangles: 1, Warning: "the model ends too early"},
		{Name: "cut in the vertices", File: pack(whole[:strings.Index(whole, `<triangles>`)]), Damage: "the model ends too early"},
		{Name: "document type", File: change(`<model`, `<!DOCTYPE a [<!ENTITY b "c">]><model`), Damage: "a document type, which the format forbids"},
		{Name: "value without quotes", File: change(`id="1"`, `id=1`), Damage: `attribute "id" without a value in quotes`},
		{Name: "tag without a name", File: change(`<vertices>`, `<><vertices>`), Damage: "a tag without a name"},
		{Name: "deep", File: change(`<vertices>`, strings.Repeat("<a>", 300)), Damage: "elements within each other, 257 deep"},
		{Name: "long tag", File: change(`<vertices>`, `<a b="`+strings.Repeat("<", 3<<20)+`">`), Damage: "a tag of more than 1048576 bytes"},
		{Name: "no properties", File: change(`v3="3"`, `v3="3" pid="5" p1="0"`), Triangles: 2, Warning: "properties 5 are not there"},
		{Name: "property too large", File: pack(strings.NewReplacer(`<resources>`, `<resources><m:colorgroup id="5"><m:color color="#FF0000"/></m:colorgroup>`, `v3="3"`, `v3="3" pid="5" p1="1"`).Replace(whole)), Triangles: 2, Warning: "property 1 of 1 left out"},
		{Name: "no colour", File: change(`<resources>`, `<resources><basematerials id="5"><base name="x" displaycolor="red"/></basematerials>`), Triangles: 2, Warning: "base material without a colour"},
		{Name: "texture missing", File: change(`<resources>`, `<resources><m:texture2d id="5" path="/3D/a.png"/>`), Triangles: 2, Warning: `texture "/3D/a.png": the package has no "/3D/a.png"`},
		{Name: "paint", File: pack(strings.Replace(whole, `v3="3"`, `v3="3" paint_color="4844813"`, 1), "Metadata/project_settings.config", settings), Triangles: 6},
		{Name: "lattice", File: change(`</mesh>`, `<beamlattice radius="0.1"><beam v1="0" v2="1"/><ball vindex="2" r="0.2"/></beamlattice></mesh>`), Triangles: 2 + 44 + 3*128},
		{Name: "no objects", File: pack(head + `<resources/><build/></model>`), Warning: "its triangles: there are none: the model has no objects"},
		{Name: "no triangles", File: change(whole[strings.Index(whole, `<triangles>`):strings.Index(whole, `</mesh>`)], ``), Warning: "its triangles: there are none: what it builds has none, and slices are not drawn"},
		{Name: "archive cut", File: pack(whole)[:300], Damage: "archive: the ZIP directory is damaged"},
	}
}

func TestMalformed(t *testing.T) { meshtest.Check(t, Format, cases()) }

func FuzzRead(f *testing.F) {
	for _, c := range cases() {
		if len(c.File) < 1<<16 {
			f.Add([]byte(c.File), 1+len(c.File)/3)
		}
	}
	f.Add([]byte(everything(f)), 7)
	f.Fuzz(func(t *testing.T, file []byte, piece int) { meshtest.FuzzInstances(t, Format, file, piece) })
}

// FuzzModel reads arbitrary data as a model outside an archive.
func FuzzModel(f *testing.F) {
	for _, c := range cases() {
		if strings.HasPrefix(c.File, "<") {
			f.Add(c.File, 10)
		}
	}
	f.Add(colors, 7)
	f.Add(strings.Replace(whole, `<vertices>`, "\n<!-- <vertex> a > b -->\r\n<?program x > y?><![CDATA[<vertex>]]> text &amp; <vertices >", 1), 7)
	f.Fuzz(func(t *testing.T, model string, piece int) { meshtest.FuzzInstances(t, Format, []byte(model), piece) })
}

func read(tb testing.TB, file string) *scenes.Mesh {
	tb.Helper()
	m, _, err := format.Read(context.Background(), strings.NewReader(file), scenes.ReadOptions{Strict: true}, Format)
	if err != nil {
		tb.Fatal(err)
	}
	meshtest.Attributes(tb, m)
	return m
}

// colors is a model with properties of all kinds.
const colors = head + `<resources>
	<basematerials id="2"><base name="red" displaycolor="#FF000000"/><base name="glass" displaycolor="#0000FF80"/></basematerials>
	<m:colorgroup id="3"><m:color color="#102030FF"/><m:color color="#405060"/></m:colorgroup>
	<m:texture2d id="4" path="/3D/a.png" contenttype="image/png" tilestyleu="mirror" tilestylev="clamp" filter="nearest"/>
	<m:texture2dgroup id="5" texid="4"><m:tex2coord u="0.25" v="0.125"/><m:tex2coord u="1" v="1"/></m:texture2dgroup>
	<m:multiproperties id="6" pids="2 3 99"><m:multi pindices="0 1 0"/></m:multiproperties>
	<object id="1" pid="2" pindex="0"><mesh>` + vertices + `<triangles>
		<triangle v1="0" v2="1" v3="2"/>
		<triangle v1="0" v2="1" v3="2" p1="1"/>
		<triangle v1="0" v2="1" v3="2" pid="3" p1="0" p2="1" p3="0"/>
		<triangle v1="0" v2="1" v3="2" pid="5" p1="0" p2="0" p3="1"/>
		<triangle v1="0" v2="1" v3="2" pid="6" p1="0"/>
	</triangles></mesh></object></resources>` + build

// TestNoColor reads a base material whose colour has only zeros, and a black base material.
func TestNoColor(t *testing.T) {
	for value, black := range map[string]bool{"#00000000": false, "#000000": true, "#000000FF": true} {
		m := read(t, pack(strings.Replace(colors, "#FF000000", value, 1), "3D/a.png", string(meshtest.PNG(t, 1, 1, 0))))
		if got := m.Attributes.Materials[0].BaseColor; (got[0] == 0) != black || got[3] != 1 {
			t.Errorf("%s: %v", value, got)
		}
	}
}

// TestComposites mixes the colours of base materials in linear light.
func TestComposites(t *testing.T) {
	m := read(t, pack(head+`<resources>
	<basematerials id="2"><base name="none" displaycolor="#00FF00"/><base name="red" displaycolor="#FF0000"/><base name="blue" displaycolor="#0000FF"/></basematerials>
	<m:compositematerials id="3" matid="2" matindices="1 2"><m:composite values="1 3"/><m:composite values="0.5 0"/></m:compositematerials>
	<object id="1" pid="3" pindex="0"><mesh>`+vertices+`<triangles><triangle v1="0" v2="1" v3="2"/><triangle v1="0" v2="1" v3="2" p1="1"/></triangles></mesh></object></resources>`+build))
	a := m.Attributes
	mixed, pure := a.Materials[a.MaterialOf[0]], a.Materials[a.MaterialOf[1]]
	if mixed.BaseColor != [4]float32{0.25, 0, 0.75, 1} || pure.BaseColor != [4]float32{1, 0, 0, 1} {
		t.Errorf("%+v, %+v", mixed, pure)
	}
}

// TestUTF16 reads models in UTF-16 in both byte orders.
func TestUTF16(t *testing.T) {
	picture := string(meshtest.PNG(t, 2, 1, 0xff0000, 0x0000ff))
	want := read(t, everything(t))
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		var file []byte
		for _, c := range utf16.Encode([]rune("\ufeff" + colors + "<!-- \U0001F600 -->")) {
			file = order.AppendUint16(file, c)
		}
		meshtest.Same(t, read(t, pack(string(file), "3D/a.png", picture)), want)
	}
}

func everything(tb testing.TB) string {
	return pack(colors, "3D/a.png", string(meshtest.PNG(tb, 2, 1, 0xff0000, 0x0000ff)))
}

func TestAttributes(t *testing.T) {
	m := read(t, everything(t))
	a := m.Attributes
	if got := fmt.Sprint(a.MaterialOf); got != "[0 1 -1 2 -1]" || m.Unit != 0.0254 || m.Up != scenes.PlusZ {
		t.Errorf("materials %s, unit %v, up %v", got, m.Unit, m.Up)
	}
	red, glass, picture := a.Materials[0], a.Materials[1], a.Materials[2]
	if red.Name != "red" || red.BaseColor != [4]float32{1, 0, 0, 1} || red.Alpha != scenes.AlphaOpaque || glass.Alpha != scenes.AlphaBlend {
		t.Errorf("%+v, %+v", red, glass)
	}
	if x := picture.Texture; x == nil || x.WrapU != scenes.Mirror || x.WrapV != scenes.Clamp || !x.Nearest || x.Picture.Rect.Dx() != 2 {
		t.Errorf("%+v", picture)
	}
	if a.Colors.At(1, 2) != scenes.Opaque(0x405060) || a.Colors.At(0, 0) != scenes.Opaque(0xffffff) || a.Colors.At(2, 4) != scenes.Opaque(0x405060) {
		t.Errorf("colours %v", a.Colors)
	}
	if a.TexCoords.At(0, 3) != [2]float32{0.25, 0.875} || a.TexCoords.At(2, 3) != [2]float32{1, 0} {
		t.Errorf("texture coordinates %v", a.TexCoords)
	}
	if m.Colors[0] != 0xff0000 || m.Colors[4] != 0x405060 || m.Colors[1] != 0x0000ff {
		t.Errorf("colours %06x", m.Colors)
	}
}

// TestPlaces places a square by items, by components and by another part of the archive.
func TestPlaces(t *testing.T) {
	other := head + `<resources><object id="9">` + square + `</object></resources><build/></model>`
	m := read(t, pack(head+`<resources>`+anObject+`<object id="2" name="both"><components>
		<component objectid="1" transform="0 1 0 -1 0 0 0 0 1 0 0 3"/><component objectid="9" p:path="/3D/Objects/a.model"/>
		</components></object></resources><build><item objectid="2" transform="2 0 0 0 2 0 0 0 2 10 0 0"/></build></model>`, "3D/Objects/a.model", other))
	// A quarter turn maps x to y, and the square is moved up by 3. It is then scaled by 2 and moved to the right by 10.
	if m.Len() != 4 || m.Triangle(0) != [3][3]float32{{10, 0, 6}, {10, 2, 6}, {8, 2, 6}} || m.Triangle(2) != [3][3]float32{{10, 0, 0}, {12, 0, 0}, {12, 2, 0}} {
		t.Errorf("%v, %v", m.Triangle(0), m.Triangle(2))
	}
	if len(m.Parts) != 2 || m.Parts[0].Name != "a & b" || m.Parts[0].Transform == nil {
		t.Errorf("%+v", m.Parts)
	}
}

// TestPlacesOfParts reads components of another part, with and without triangles of its own. Their ids must refer to
// objects of that part.
func TestPlacesOfParts(t *testing.T) {
	for name, own := range map[string]string{"": "", "triangles": square} {
		other := head + `<resources><object id="1">` + strings.Replace(square, `x="0"`, `x="-5"`, 1) + `</object><object id="9">` + own + `<components><component objectid="1"/></components></object></resources><build/></model>`
		m := read(t, pack(head+`<resources>`+anObject+`<object id="2"><components><component objectid="9" p:path="/3D/b.model"/></components></object></resources><build><item objectid="2"/></build></model>`, "3D/b.model", other))
		if m.Bounds().Min[0] != -5 {
			t.Errorf("%q: bounds %v", name, m.Bounds())
		}
	}
}

// TestInItself checks that an object that consists of triangles and of itself is drawn once.
func TestInItself(t *testing.T) {
	file := pack(head + `<resources><object id="1">` + square + `<components><component objectid="1"/></components></object></resources>` + build)
	m, rep, err := format.Read(context.Background(), strings.NewReader(file), scenes.ReadOptions{}, Format)
	if err != nil || m.Len() != 2 || len(rep.Warnings) != 1 || !strings.Contains(rep.Warnings[0], "made of itself") {
		t.Errorf("%+v, %v", rep, err)
	}
}

// TestOneProperty checks that all corners of a triangle have the property of its first corner.
func TestOneProperty(t *testing.T) {
	one := strings.Replace(square, `v3="2"/>`, `v3="2" pid="5" p1="1"/>`, 1)
	m := read(t, pack(head+`<resources><m:colorgroup id="5"><m:color color="#FF0000"/><m:color color="#0000FF"/></m:colorgroup><object id="1" pid="5" pindex="0">`+one+`</object></resources>`+build))
	colors := m.Attributes.Colors
	for k := range 3 {
		if colors.At(k, 0) != scenes.Opaque(0x0000ff) || colors.At(k, 1) != scenes.Opaque(0xff0000) {
			t.Errorf("corner %d: %v, %v", k, colors.At(k, 0), colors.At(k, 1))
		}
	}
}

// TestDoubling checks that nested objects with two components each, 2^40 in total, are refused.
func TestDoubling(t *testing.T) {
	var b strings.Builder
	b.WriteString(head + `<resources>` + anObject)
	for i := 2; i < 42; i++ {
		fmt.Fprintf(&b, `<object id="%d"><components><component objectid="%d"/><component objectid="%[2]d"/></components></object>`, i, i-1)
	}
	b.WriteString(`</resources><build><item objectid="41"/></build></model>`)
	var limit *scenes.LimitError
	if _, _, err := format.Read(context.Background(), strings.NewReader(pack(b.String())), scenes.ReadOptions{}, Format); !errors.As(err, &limit) || !limit.Fixed {
		t.Error(err)
	}
}

// TestBomb checks that an archive that unpacks to far more than its size is refused.
func TestBomb(t *testing.T) {
	bomb := pack(strings.Replace(whole, `</vertices>`, strings.Repeat(" ", 40<<20)+`</vertices>`, 1))
	var damage *scenes.DamageError
	if _, _, err := format.Read(context.Background(), strings.NewReader(bomb), scenes.ReadOptions{}, Format); !errors.As(err, &damage) || !errors.Is(err, errBomb) {
		t.Error(err)
	}
}

// written writes a mesh whose triangles share no vertices, and returns the file.
func written(m *scenes.Mesh) string {
	var b, faces strings.Builder
	b.WriteString(head + `<resources><object id="1"><mesh><vertices>`)
	for i := range m.Len() {
		for _, c := range m.Triangle(i) {
			fmt.Fprintf(&b, `<vertex x="%g" y="%g" z="%g"/>`, c[0], c[1], c[2])
		}
		fmt.Fprintf(&faces, `<triangle v1="%d" v2="%d" v3="%d"/>`, 3*i, 3*i+1, 3*i+2)
	}
	return pack(b.String() + `</vertices><triangles>` + faces.String() + `</triangles></mesh></object></resources>` + build)
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

// TestSameSurface writes a scene of several chunks and buffers, and checks that it is read back bit for bit.
func TestSameSurface(t *testing.T) {
	want := generate(t, "scene:bumpy?triangles=30000")
	got, rep, err := format.Read(context.Background(), &meshtest.Dribble{Data: []byte(written(want)), Size: 100_003}, scenes.ReadOptions{Strict: true}, Format)
	if err != nil || rep.Bounds != want.Bounds() {
		t.Fatalf("%v, %+v", err, rep)
	}
	meshtest.Same(t, got, want)
}

// BenchmarkRead reports the speed in bytes of XML.
func BenchmarkRead(b *testing.B) {
	m := generate(b, "scene:bumpy?triangles=100k")
	file := written(m)
	z, err := zip.NewReader(strings.NewReader(file), int64(len(file)))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(z.File[2].UncompressedSize64))
	for b.Loop() {
		got, _, err := format.Read(context.Background(), strings.NewReader(file), scenes.ReadOptions{}, Format)
		if err != nil || got.Len() != m.Len() {
			b.Fatal(err)
		}
	}
}

// TestDamageByItself reads a damaged archive before and after other archives. The result must be the same. It would
// differ if a decoder were reused, because the damaged data would then use the tables of other data.
func TestDamageByItself(t *testing.T) {
	text, err := os.ReadFile("testdata/fuzz/FuzzRead/stale-table-of-flate")
	if err != nil {
		t.Fatal(err)
	}
	quoted := strings.SplitN(string(text), "\n", 3)[1]
	damaged, err := strconv.Unquote(strings.TrimSuffix(strings.TrimPrefix(quoted, "[]byte("), ")"))
	if err != nil {
		t.Fatal(err)
	}
	first := ""
	for i := range 20 {
		_, _, err := format.Read(context.Background(), strings.NewReader(damaged), scenes.ReadOptions{}, Format)
		if i == 0 {
			first = fmt.Sprint(err)
		}
		if got := fmt.Sprint(err); err == nil || got != first {
			t.Fatalf("read again: %s, at first %s", got, first)
		}
		if _, _, err := format.Read(context.Background(), strings.NewReader(everything(t)), scenes.ReadOptions{}, Format); err != nil {
			t.Fatal(err)
		}
	}
}
