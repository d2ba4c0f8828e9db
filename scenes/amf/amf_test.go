package amf

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/meshtest"
)

func vertex(x, y, z float64, more string) string {
	return fmt.Sprintf("<vertex><coordinates><x>%v</x><y>%v</y><z> %v </z></coordinates>%s</vertex>", x, y, z, more)
}

func color(r, g, b float64) string {
	return fmt.Sprintf("<color><r>%v</r><g>%v</g><b>%v</b></color>", r, g, b)
}

func triangle(a, b, c int, more string) string {
	return fmt.Sprintf("<triangle><v1>%d</v1><v2>%d</v2><v3>%d</v3>%s</triangle>", a, b, c, more)
}

// object returns the XML of an object. Its vertices are the corners of a square and the given further vertices.
func object(id int, more, vertices, volumes string) string {
	return fmt.Sprintf(`<object id="%d">%s<mesh><vertices>%s%s</vertices>%s</mesh></object>`, id, more,
		vertex(0, 0, 0, "")+vertex(4, 0, 0, "")+vertex(4, 4, 0, "")+vertex(0, 4, 0, ""), vertices, volumes)
}

func volume(attributes string) string {
	return "<volume" + attributes + ">" + triangle(0, 1, 2, "") + triangle(0, 2, 3, "") + "</volume>"
}

func document(unit string, parts ...string) string {
	return "<?xml version=\"1.0\"?>\n<amf unit=\"" + unit + "\">" + strings.Join(parts, "\n") + "</amf>\n"
}

func instance(of int, more string) string {
	return fmt.Sprintf(`<instance objectid="%d">%s</instance>`, of, more)
}

var plain = document("inch", object(1, `<metadata type="name">first</metadata>`, "", volume("")))

var cases = []meshtest.Case{
	{Name: "square", File: plain, Triangles: 2},
	{Name: "constellation", File: document("", object(1, "", "", volume("")), object(2, "", "", volume("")), `<constellation id="3">`+instance(1, "")+instance(1, "<deltax>5</deltax>")+`</constellation>`), Triangles: 6},
	{Name: "constellations", File: document("", object(1, "", "", volume("")), `<constellation id="3">`+instance(1, "")+`</constellation><constellation id="4">`+instance(3, "")+instance(3, "")+`</constellation>`), Triangles: 4},
	{Name: "a circle", File: document("", object(1, "", "", volume("")), `<constellation id="3">`+instance(4, "")+instance(1, "")+`</constellation><constellation id="4">`+instance(3, "")+`</constellation><constellation id="5">`+instance(3, "")+`</constellation>`), Triangles: 2, Warning: `instance of "3" left out: it is below itself`},
	{Name: "no such object", File: document("", object(1, "", "", volume("")), `<constellation id="3">`+instance(9, "")+`</constellation>`), Triangles: 2, Warning: `object "9" left out`},
	{Name: "no such corner", File: strings.Replace(plain, "<v3>3</v3>", "<v3>4</v3>", 1), Triangles: 1, Warning: "1 triangles left out"},
	{Name: "no number for a corner", File: strings.Replace(plain, "<v3>3</v3>", "<v3>x</v3>", 1), Triangles: 1, Warning: "1 triangles left out"},
	{Name: "no such material", File: document("", object(1, "", "", volume(` materialid="9"`))), Triangles: 2, Warning: `refers to material "9", which does not exist`},
	{Name: "an unknown unit", File: document("league", object(1, "", "", volume(""))), Triangles: 2, Warning: `unit "league" is not known`},
	{Name: "textures", File: strings.Replace(plain, "</v3>", "</v3><texmap/>", 1), Triangles: 2, Warning: "not drawn, on 1 triangles"},
	{Name: "NaN", File: strings.Replace(plain, "<y>4</y>", "<y>nan</y>", 1), Triangles: 2, Bad: 2, Warning: "triangle 0: this and 1 more triangles have a NaN"},
	{Name: "cut off", File: strings.Replace(plain, "</amf>", "", 1), Triangles: 2, Warning: "the document ends within an element"},
	{Name: "nothing", File: document(""), Warning: "there are none"},
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

// TestUnits reads the unit of a file and the name of its object.
func TestUnits(t *testing.T) {
	if m := read(t, plain, scenes.ReadOptions{Strict: true}); m.Unit != 0.0254 || m.Parts[0].Name != "first" || m.Colors != nil {
		t.Errorf("unit %v, parts %+v, colours %v", m.Unit, m.Parts, m.Colors)
	}
	if m := read(t, strings.Replace(plain, ` unit="inch"`, "", 1), scenes.ReadOptions{Strict: true}); m.Unit != 0.001 {
		t.Errorf("unit %v", m.Unit)
	}
}

// TestTransforms checks that an instance is first rotated about x, y and z and then moved.
func TestTransforms(t *testing.T) {
	for of, want := range map[string][3][3]float64{
		"<deltax>1</deltax><deltaz>2</deltaz>": {{1, 0, 2}, {5, 0, 2}, {5, 4, 2}},
		"<rz>90</rz><deltax>1</deltax>":        {{1, 0, 0}, {1, 4, 0}, {-3, 4, 0}},
		"<rx>90</rx><ry>90</ry>":               {{0, 0, 0}, {0, 0, -4}, {4, 0, -4}},
	} {
		m := read(t, document("", object(1, "", "", volume("")), `<constellation id="3">`+instance(1, of)+`</constellation>`), scenes.ReadOptions{Strict: true})
		for k, p := range m.Triangle(0) {
			for a := range p {
				if got := float64(p[a]) + m.Origin[a]; math.Abs(got-want[k][a]) > 1e-6 {
					t.Errorf("%s: corners %v, want %v", of, m.Triangle(0), want)
				}
			}
		}
	}
}

// TestColors checks which colour of a triangle takes precedence: first its own colour, then that of its vertices, its
// volume, its object and its material.
func TestColors(t *testing.T) {
	red, green, blue, white := color(1, 0, 0), color(0, 1, 0), color(0, 0, 1), color(1, 1, 1)
	material := `<material id="7"><metadata type="name">paint</metadata>` + red + `</material>`
	one := func(more string) string { return triangle(4, 5, 6, more) }
	three := func(more string) string { return vertex(0, 0, 1, more) + vertex(1, 0, 1, more) + vertex(0, 1, 1, more) }
	for name, c := range map[string]struct {
		file string
		want uint32
	}{
		"material": {document("", material, object(1, "", three(""), `<volume materialid="7">`+one("")+`</volume>`)), 0xff0000},
		"object":   {document("", material, object(1, green, three(""), `<volume materialid="7">`+one("")+`</volume>`)), 0x00ff00},
		"volume":   {document("", material, object(1, green, three(""), `<volume materialid="7">`+blue+one("")+`</volume>`)), 0x0000ff},
		"vertex":   {document("", material, object(1, green, three(white), `<volume materialid="7">`+blue+one("")+`</volume>`)), 0xffffff},
		"triangle": {document("", material, object(1, green, three(white), `<volume materialid="7">`+blue+one(red)+`</volume>`)), 0xff0000},
		"none":     {document("", material, object(1, "", three(""), `<volume>`+one("")+`</volume>`)), scenes.DefaultColor},
		"formula":  {document("", material, object(1, "", three(""), `<volume><color><r>sin(x)</r><g>0</g><b>0</b></color>`+one("")+`</volume>`)), scenes.DefaultColor},
	} {
		if m := read(t, c.file, scenes.ReadOptions{Strict: true}); len(m.Colors) != 1 || m.Colors[0] != c.want {
			t.Errorf("%s: %06x, want %06x", name, m.Colors, c.want)
		}
	}
	m := read(t, document("", strings.Replace(material, "</b>", "</b><a>0.5</a>", 1), object(1, "", "", volume(` materialid="7"`))), scenes.ReadOptions{Strict: true})
	if of := m.Attributes.Material(0); of.Name != "paint" || of.Alpha != scenes.AlphaBlend || math.Abs(float64(of.BaseColor[3])-0.5) > 0.01 {
		t.Errorf("%+v", of)
	}
}

// TestCut truncates a file at each of its bytes. A lenient read must give a mesh or one error, and a strict read an
// error.
func TestCut(t *testing.T) {
	whole := 0
	for n := range len(plain) - 1 {
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

// TestBomb checks that constellations that draw one object too often are refused.
func TestBomb(t *testing.T) {
	parts := []string{object(1, "", "", volume("")), `<constellation id="2">` + strings.Repeat(instance(1, ""), 10) + `</constellation>`}
	for i := 3; i < 12; i++ {
		parts = append(parts, fmt.Sprintf(`<constellation id="%d">%s</constellation>`, i, strings.Repeat(instance(i-1, ""), 10)))
	}
	_, _, err := format.Read(context.Background(), strings.NewReader(document("", parts...)), scenes.ReadOptions{}, Format)
	if err == nil || !strings.Contains(err.Error(), "instances") {
		t.Error(err)
	}
}

func TestDetect(t *testing.T) {
	for text, want := range map[string]format.Likelihood{
		plain: format.Marked, "\ufeff<amf>": format.Marked, "<?xml?><!-- of 2012 --><amf unit": format.Marked,
		"<?xml version=\"1.0\"?><model/>": format.No, "see <amf>": format.No, "<amfibia>": format.No, "<amf": format.No, "": format.No,
	} {
		if got := Format.Detect([]byte(text), -1); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func whole() (files []string) {
	for _, c := range cases {
		files = append(files, c.File)
	}
	return append(files, document("", `<material id="7">`+color(1, 0, 0)+`</material>`, object(1, color(0, 1, 0), "", volume(` materialid="7"`))))
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
