package dxf

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/meshtest"
	"lockstep/scenes/internal/solid"
)

// groups returns the lines of groups. The parameter pairs holds alternating codes and values.
func groups(pairs ...any) string {
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		fmt.Fprintf(&b, "%3d\r\n%v\r\n", pairs[i], pairs[i+1])
	}
	return b.String()
}

// point returns the groups of a point. The parameter code is the group code of the x coordinate.
func point(code int, p [3]float64) string {
	return groups(code, p[0], code+10, p[1], code+20, p[2])
}

// square returns a 3DFACE that is a square.
func square(more ...any) string {
	return groups(0, "3DFACE") + groups(more...) + point(10, [3]float64{}) + point(11, [3]float64{4, 0, 0}) + point(12, [3]float64{4, 4, 0}) + point(13, [3]float64{0, 4, 0})
}

// vertex returns a VERTEX with the given flags at a point.
func vertex(flags int, p [3]float64, more ...any) string {
	return groups(0, "VERTEX", 8, "0", 70, flags) + point(10, p) + groups(more...)
}

// section returns a section, or "" if the section is empty.
func section(name, text string) string {
	if text == "" {
		return ""
	}
	return groups(0, "SECTION", 2, name) + text + groups(0, "ENDSEC")
}

// drawing returns a file with a header, layers, blocks and entities.
func drawing(header, layers, blocks, entities string) string {
	if layers != "" {
		layers = groups(0, "TABLE", 2, "LAYER", 70, 2) + layers + groups(0, "ENDTAB")
	}
	return groups(999, "of a test") + section("HEADER", header) + section("TABLES", layers) + section("BLOCKS", blocks) + section("ENTITIES", entities) + groups(0, "EOF")
}

func entities(text string) string { return drawing("", "", "", text) }

// blockOf returns a block with the given name, base point and entities.
func blockOf(name string, base [3]float64, text string) string {
	return groups(0, "BLOCK", 2, name) + point(10, base) + text + groups(0, "ENDBLK", 8, "0")
}

func insertOf(name string, more ...any) string {
	return groups(0, "INSERT", 2, name) + groups(more...)
}

const sequenceEnd = "  0\r\nSEQEND\r\n"

var polyfaceMesh = groups(0, "POLYLINE", 66, 1, 70, 64, 71, 4, 72, 2) +
	vertex(192, [3]float64{}) + vertex(192, [3]float64{4, 0, 0}) + vertex(192, [3]float64{4, 4, 0}) + vertex(192, [3]float64{0, 4, 0}) +
	vertex(128, [3]float64{}, 71, 1, 72, 2, 73, -3) + vertex(128, [3]float64{}, 71, 1, 72, 2, 73, 3, 74, 4) + vertex(128, [3]float64{}, 71, 1, 72, 2) + sequenceEnd

// gridMesh returns a polygon mesh of 3 by 2 vertices.
func gridMesh(flags int, more ...any) string {
	text := groups(0, "POLYLINE", 66, 1, 70, flags, 71, 3, 72, 2) + groups(more...)
	for i := range 6 {
		text += vertex(64, [3]float64{float64(i / 2), float64(i % 2), float64(i / 4)})
	}
	return text + sequenceEnd
}

var subdivided = groups(0, "MESH", 91, 2, 92, 5) + point(10, [3]float64{}) + point(10, [3]float64{4, 0, 0}) + point(10, [3]float64{5, 2, 0}) + point(10, [3]float64{4, 4, 0}) + point(10, [3]float64{0, 4, 0}) +
	groups(93, 10, 90, 5, 90, 0, 90, 1, 90, 2, 90, 3, 90, 4, 90, 3, 90, 0, 90, 1, 90, 4, 94, 1, 90, 0, 90, 1, 95, 1, 140, 0.5)

// rod is the number of triangles of a straight piece of a line.
var rod = len(solid.Rod)

var cases = []meshtest.Case{
	{Name: "square", File: entities(square()), Triangles: 2},
	{Name: "triangle", File: entities(groups(0, "3DFACE", 10, 0, 20, 0, 11, 1, 21, 0, 12, 0, 22, 1, 13, 0, 23, 1)), Triangles: 1},
	{Name: "polyface", File: entities(polyfaceMesh), Triangles: 3},
	{Name: "grid", File: entities(gridMesh(16)), Triangles: 4},
	{Name: "closed grid", File: entities(gridMesh(17)), Triangles: 6},
	{Name: "smoothed grid", File: entities(gridMesh(16, 73, 2, 74, 2, 75, 6)), Triangles: 2},
	{Name: "mesh", File: entities(subdivided), Triangles: 4},
	{Name: "block", File: drawing("", "", blockOf("b", [3]float64{}, square()), insertOf("b")+insertOf("b", 10, 5)), Triangles: 4},
	{Name: "rows and columns", File: drawing("", "", blockOf("b", [3]float64{}, square()), insertOf("b", 70, 3, 71, 2, 44, 5, 45, 5)), Triangles: 12},
	{Name: "lines beside", File: entities(groups(0, "LINE", 10, 0, 11, 1) + groups(0, "POLYLINE", 70, 8) + vertex(32, [3]float64{}) + sequenceEnd + square()), Triangles: 2 + rod},
	{Name: "no surfaces and no lines", File: entities(groups(0, "SPLINE", 10, 0, 0, "TEXT", 1, "hello", 0, "SOLID", 10, 0)), Warning: "there are none: 1 line or curve, 1 text or dimension and 1 flat filling are not drawn"},
	{Name: "lines alone", File: entities(groups(0, "LINE", 10, 0, 11, 1, 0, "LWPOLYLINE", 70, 1, 10, 0, 20, 0, 10, 4, 20, 0, 10, 4, 20, 4)), Triangles: 4 * rod},
	{Name: "a polyline alone", File: entities(groups(0, "POLYLINE", 70, 1) + vertex(32, [3]float64{}) + vertex(32, [3]float64{4, 0, 0}) + vertex(32, [3]float64{4, 4, 0}) + sequenceEnd), Triangles: 3 * rod},
	{Name: "lines in a block", File: drawing("", "", blockOf("b", [3]float64{}, groups(0, "LINE", 10, 0, 11, 1)), insertOf("b")+insertOf("b", 10, 5, 43, 0)), Triangles: 2 * rod},
	{Name: "a circle alone", File: entities(groups(0, "CIRCLE", 10, 0, 20, 0, 40, 2)), Triangles: circleSegments * rod},
	{Name: "points that are never plotted", File: entities(groups(0, "POINT", 8, "Defpoints", 10, 5000, 20, 0) + square()), Triangles: 2},
	{Name: "a point without coordinates", File: entities(groups(0, "POINT") + square()), Triangles: 2, Warning: "a POINT without coordinates is not drawn"},
	{Name: "invisible entities", File: drawing("", "", blockOf("b", [3]float64{}, square()), groups(0, "POINT", 60, 1, 10, 9, 20, 0, 0, "LINE", 60, 1, 10, 0, 11, 1, 0, "3DFACE", 60, 1, 10, 0, 11, 1, 22, 1)+insertOf("b", 60, 1)+insertOf("b", 60, 0)), Triangles: 2},
	{Name: "points, in a block too", File: drawing("", "", blockOf("b", [3]float64{}, groups(0, "POINT")+point(10, [3]float64{1, 2, 3})), groups(0, "POINT", 10, 9, 20, 0, 0, "LINE", 10, 0, 11, 1)+insertOf("b")+insertOf("b", 10, 5)), Triangles: 4 * rod},
	{Name: "a quarter of a circle", File: entities(groups(0, "ARC", 10, 0, 20, 0, 40, 2, 50, 300, 51, 30)), Triangles: circleSegments / 4 * rod},
	{Name: "no such block", File: entities(insertOf("c") + square()), Triangles: 2, Warning: `block "c" left out: it is not there`},
	{Name: "a block within itself", File: drawing("", "", blockOf("b", [3]float64{}, square()+insertOf("b")), insertOf("b")), Triangles: 2, Warning: `block "b" left out: it is within itself`},
	{Name: "no such corner", File: strings.Replace(entities(polyfaceMesh), " 74\r\n4", " 74\r\n9", 1), Triangles: 1, Warning: "1 faces left out"},
	{Name: "too few places", File: entities(gridMesh(16, 71, 30) + square()), Triangles: 2, Warning: "a mesh of 30 times 2 places left out: it has 6"},
	{Name: "too many copies", File: drawing("", "", blockOf("b", [3]float64{}, square()), insertOf("b", 70, 999999, 71, 999999)), Triangles: 2, Warning: "one is drawn"},
	{Name: "no such place of a mesh", File: strings.Replace(entities(subdivided), " 90\r\n4\r\n 94", " 90\r\n7\r\n 94", 1), Triangles: 3, Warning: "1 faces left out"},
	{Name: "a word for a number", File: entities(groups(0, "LINE", 10, "x") + square()), Triangles: 2, Warning: `1 numbers of "LINE" are none`},
	{Name: "NaN", File: strings.Replace(entities(square()), " 31\r\n0", " 31\r\nnan", 1), Triangles: 2, Bad: 1, Warning: "triangle 0: the triangle has a NaN"},
	{Name: "no code", File: strings.TrimSuffix(entities(square()), groups(0, "EOF")) + "what\r\nis this\r\n", Triangles: 2, Warning: "a group without a code"},
	{Name: "cut off", File: strings.TrimSuffix(entities(square()), groups(0, "ENDSEC", 0, "EOF")), Triangles: 2, Warning: "the file ends early"},
	{Name: "binary, and nothing else", File: binaryMark + "\r\n\x1a\x00", Damage: "group 0: the file ends early"},
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

// TestInserts places blocks with all parameters of an insert.
func TestInserts(t *testing.T) {
	for name, c := range map[string]struct {
		insert string
		want   [3][3]float64
	}{
		"plain":    {insertOf("b"), [3][3]float64{{-1, 0, 0}, {3, 0, 0}, {3, 4, 0}}},
		"place":    {insertOf("b") + point(10, [3]float64{5, 6, 7}), [3][3]float64{{4, 6, 7}, {8, 6, 7}, {8, 10, 7}}},
		"scale":    {insertOf("b", 41, 2, 42, 3, 43, 1), [3][3]float64{{-2, 0, 0}, {6, 0, 0}, {6, 12, 0}}},
		"no scale": {insertOf("b", 41, 2, 42, 3, 43, 0) + insertOf("b", 30, 7), [3][3]float64{{-2, 0, 0}, {6, 0, 0}, {6, 12, 0}}},
		"turn":     {insertOf("b", 50, 90), [3][3]float64{{0, -1, 0}, {0, 3, 0}, {-4, 3, 0}}},
		"facing x": {insertOf("b", 210, 1, 220, 0, 230, 0, 10, 0, 20, 0, 30, 9), [3][3]float64{{9, -1, 0}, {9, 3, 0}, {9, 3, 4}}},
		"backward": {insertOf("b", 210, 0, 220, 0, 230, -1), [3][3]float64{{1, 0, 0}, {-3, 0, 0}, {-3, 4, 0}}},
	} {
		m := read(t, drawing("", "", blockOf("b", [3]float64{1, 0, 0}, square()), c.insert), scenes.ReadOptions{Strict: true})
		for k, p := range m.Triangle(0) {
			for a := range p {
				if got := float64(p[a]) + m.Origin[a]; !(math.Abs(got-c.want[k][a]) < 1e-6) {
					t.Errorf("%s: corners %v, want %v", name, m.Triangle(0), c.want)
				}
			}
		}
		if m.Parts[0].Name != "b" {
			t.Errorf("%+v", m.Parts)
		}
	}
	m := read(t, drawing("", "", blockOf("b", [3]float64{}, square()), insertOf("b", 70, 2, 71, 2, 44, 5, 45, 6, 50, 90)), scenes.ReadOptions{Strict: true})
	if box := m.Bounds(); float64(box.Min[0])+m.Origin[0] != -10 || float64(box.Max[1])+m.Origin[1] != 9 {
		t.Errorf("rows and columns: %v from %v", box, m.Origin)
	}
}

// TestBulges draws a segment that is bent to half a circle.
func TestBulges(t *testing.T) {
	for text, want := range map[string]float64{
		groups(0, "LWPOLYLINE", 10, 0, 20, 0, 42, 1, 10, 4, 20, 0, 42, 0):                                            -2,
		groups(0, "LWPOLYLINE", 10, 0, 20, 0, 42, -1, 10, 4, 20, 0):                                                  2,
		groups(0, "LWPOLYLINE", 10, 4, 20, 0, 42, 0, 10, 0, 20, 0, 42, 1, 70, 1):                                     -2,
		groups(0, "POLYLINE", 70, 0) + vertex(0, [3]float64{}, 42, 1) + vertex(0, [3]float64{4, 0, 0}) + sequenceEnd: -2,
		groups(0, "LWPOLYLINE", 210, 0, 220, 0, 230, -1, 10, 0, 20, 0, 42, 1, 10, 4, 20, 0):                          -2,
	} {
		m := read(t, entities(text), scenes.ReadOptions{Strict: true})
		box := m.Bounds()
		far := float64(box.Min[1]) + m.Origin[1]
		if want > 0 {
			far = float64(box.Max[1]) + m.Origin[1]
		}
		if math.Abs(far-want) > 0.05 {
			t.Errorf("%q: reaches to %v, want %v", text, far, want)
		}
	}
}

// TestColors checks the colours of entities, layers and inserts.
func TestColors(t *testing.T) {
	layers := groups(0, "LAYER", 2, "walls", 70, 0, 62, 3, 0, "LAYER", 2, "off", 62, -5)
	within := blockOf("b", [3]float64{}, square(62, byBlock)) + blockOf("c", [3]float64{}, square(8, "0")) + blockOf("d", [3]float64{}, square(8, "0", 62, byBlock)+insertOf("c", 8, "0", 62, byBlock))
	for name, c := range map[string]struct {
		text string
		want uint32
	}{
		"its own":              {square(62, 1), 0xff0000},
		"its own of 24 bits":   {square(420, 0x123456, 62, 1), 0x123456},
		"its layer's":          {square(8, "walls"), 0x00ff00},
		"that of a layer off":  {square(8, "off"), 0x0000ff},
		"none":                 {square(8, "nowhere"), scenes.DefaultColor},
		"its insert's":         {insertOf("b", 62, 6), 0xff00ff},
		"its insert's layer's": {insertOf("c", 8, "walls"), 0x00ff00},
		"of an insert within":  {insertOf("d", 8, "walls", 62, 4), 0x00ffff},
	} {
		if m := read(t, drawing("", layers, within, c.text), scenes.ReadOptions{Strict: true}); m.Colors[0] != c.want {
			t.Errorf("%s: %06x, want %06x", name, m.Colors, c.want)
		}
	}
	m := read(t, drawing(groups(9, "$INSUNITS", 70, 4), layers, "", square(8, "walls")), scenes.ReadOptions{Strict: true})
	if m.Unit != 0.001 || m.Attributes.Material(0).Name != "walls" || m.Up != scenes.PlusZ {
		t.Errorf("unit %v, material %+v", m.Unit, m.Attributes.Material(0))
	}
	for i, want := range map[int]uint32{1: 0xff0000, 7: scenes.DefaultColor, 10: 0xff0000, 11: 0xffaaaa, 30: 0xff8000, 50: 0xffff00, 54: 0x818100, 90: 0x00ff00, 170: 0x0000ff, 250: 0x333333, 255: 0xffffff, 256: scenes.DefaultColor, -3: scenes.DefaultColor} {
		if got := colorOf(i); got != want {
			t.Errorf("colour %d is %06x, want %06x", i, got, want)
		}
	}
}

// TestCut truncates a file at each of its bytes. A lenient read must give a mesh or one error, and a strict read an
// error.
func TestCut(t *testing.T) {
	file, whole := drawing("", "", blockOf("b", [3]float64{}, square()), insertOf("b")+polyfaceMesh+square()), 0
	for n := range len(file) - 4 {
		opts := scenes.ReadOptions{Strict: n%4 == 0, MaxMemory: 1 << 24, Workers: 1}
		m, _, err := format.Read(context.Background(), strings.NewReader(file[:n]), opts, Format)
		if err == nil && m.Len() > 0 {
			whole++
		}
		if opts.Strict && err == nil {
			t.Errorf("%d bytes of %d are read strictly", n, len(file))
		}
	}
	if whole == 0 {
		t.Error("never a mesh")
	}
}

// TestBomb checks that blocks that draw one face too often are refused.
func TestBomb(t *testing.T) {
	blocks := blockOf("0", [3]float64{}, square())
	for i := 1; i < 5; i++ {
		blocks += blockOf(fmt.Sprint(i), [3]float64{}, insertOf(fmt.Sprint(i-1), 70, 100, 71, 100))
	}
	_, _, err := format.Read(context.Background(), strings.NewReader(drawing("", "", blocks, insertOf("4"))), scenes.ReadOptions{}, Format)
	if err == nil || !strings.Contains(err.Error(), "inserts") {
		t.Error(err)
	}
}

func TestDetect(t *testing.T) {
	for text, want := range map[string]format.Likelihood{
		entities(square()): format.Marked, "0\nSECTION\n": format.Marked, "\ufeff  0\r\nSECTION\r\n": format.Marked, binaryMark: format.Marked,
		"0\nLINE\n": format.No, "0 0 0\n1 0 0\n": format.No, "1\nSECTION\n": format.No, "": format.No,
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

// TestPoint checks that a point is drawn at its position, in the colour of its layer.
func TestPoint(t *testing.T) {
	file := drawing("", groups(0, "LAYER", 2, "red", 62, 1), "", groups(0, "POINT", 8, "red")+point(10, [3]float64{1, 2, 3})+groups(0, "POINT", 8, "red")+point(10, [3]float64{4, 2, 3}))
	m, _, err := format.Read(context.Background(), strings.NewReader(file), scenes.ReadOptions{Strict: true}, Format)
	if err != nil || m.Len() != 2*rod {
		t.Fatalf("%v, %d triangles", err, m.Len())
	}
	lo, hi := m.Bounds().Min, m.Bounds().Max
	for axis, want := range [3]float64{2.5, 2, 3} {
		if middle := (float64(lo[axis]) + float64(hi[axis])) / 2; math.Abs(middle+m.Origin[axis]-want) > 1e-5 {
			t.Errorf("axis %d: the middle of two points is at %v, want %v", axis, middle, want)
		}
	}
	if m.Colors != nil && m.Colors[0] != 0xff0000 || m.Attributes.Material(0).BaseColor[0] != 1 {
		t.Errorf("colours %06x, material %+v", m.Colors, m.Attributes.Material(0))
	}
}
