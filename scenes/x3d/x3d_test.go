package x3d

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/meshtest"
)

const (
	head   = "#VRML V2.0 utf8\n"
	points = "coord Coordinate { point [0 0 0, 4 0 0, 4 4 0, 0 4 0] }"
	square = "geometry IndexedFaceSet { " + points + " coordIndex [0 1 2 3 -1] }"
)

// shape returns a file with one shape.
func shape(text string) string { return head + "Shape { " + text + " }\n" }

// xml returns a file with the given scene in XML.
func xml(text string) string {
	return "<?xml version=\"1.0\"?>\n<!DOCTYPE X3D PUBLIC \"x\" \"http://x\">\n<X3D version='3.3'><head/><Scene>" + text + "</Scene></X3D>\n"
}

const xmlSquare = "<Shape><IndexedFaceSet coordIndex='0 1 2 3 -1'><Coordinate point='0 0 0, 4 0 0, 4 4 0, 0 4 0'/></IndexedFaceSet></Shape>"

// ofPoints returns a geometry with the four points of the square.
func ofPoints(kind, fields string) string {
	return shape(fmt.Sprintf("geometry %s { %s %s }", kind, points, fields))
}

const sides = (circleSegments * 2) // triangles of the sides of a cylinder

// rod is the number of triangles of a straight piece of a line. A point has as many.
const rod = 8

var cases = []meshtest.Case{
	{Name: "faces", File: shape(square), Triangles: 2},
	{Name: "faces in XML", File: xml(xmlSquare), Triangles: 2},
	{Name: "without a mark at the end", File: ofPoints("IndexedFaceSet", "coordIndex [0 1 2 -1 -1 0 2 3]"), Triangles: 2},
	{Name: "triangles", File: ofPoints("IndexedTriangleSet", "index [0 1 2 0 2 3]"), Triangles: 2},
	{Name: "quads", File: ofPoints("IndexedQuadSet", "index [0 1 2 3]"), Triangles: 2},
	{Name: "strips", File: ofPoints("IndexedTriangleStripSet", "index [0 1 3 2 -1 0 0 1 2]"), Triangles: 3},
	{Name: "fans", File: ofPoints("IndexedTriangleFanSet", "index [0 1 2 3 -1 1 2 3]"), Triangles: 3},
	{Name: "triangles in order", File: ofPoints("TriangleSet", "") + shape("geometry TriangleSet { coord Coordinate { point [0 0 0 1 0 0 0 1 0] } }")[len(head):], Triangles: 2, Warning: "the corners end within a polygon"},
	{Name: "quads in order", File: ofPoints("QuadSet", ""), Triangles: 2},
	{Name: "strips in order", File: ofPoints("TriangleStripSet", "stripCount 4"), Triangles: 2},
	{Name: "fans in order", File: ofPoints("TriangleFanSet", "fanCount [4]"), Triangles: 2},
	{Name: "box", File: shape("geometry Box { }"), Triangles: 12},
	{Name: "ball", File: shape("geometry Sphere { radius 2 }"), Triangles: 2 * circleSegments * (poleSteps - 1)},
	{Name: "cylinder", File: shape("geometry Cylinder { }"), Triangles: sides + 2*(circleSegments-2)},
	{Name: "cone", File: shape("geometry Cone { bottom FALSE }"), Triangles: circleSegments},
	{Name: "heights", File: shape("geometry ElevationGrid { xDimension 3 zDimension 2 height [0 1 2 3 4 5] }"), Triangles: 4},
	{Name: "extrusion", File: shape("geometry Extrusion { }"), Triangles: 12},
	{Name: "used again", File: head + "DEF A Shape { " + square + " } Transform { translation 5 0 0 children [ USE A, USE A ] }", Triangles: 6},
	{Name: "used again in XML", File: xml("<Group DEF='A'>" + xmlSquare + "</Group><Transform><Group USE='A'/></Transform>"), Triangles: 4},
	{Name: "a choice", File: head + "Switch { whichChoice 1 choice [ Shape { geometry Box { } } Shape { " + square + " } ] } Switch { choice Shape { geometry Box { } } }", Triangles: 2},
	{Name: "levels", File: head + "LOD { range [ 1, 2 ] level [ Shape { " + square + " } Shape { geometry Box { } } ] }", Triangles: 2},
	{Name: "a proxy", File: head + "Collision { proxy Shape { geometry Box { } } children [ Shape { " + square + " } ] }", Triangles: 2},
	{Name: "statements", File: "#X3D V3.0 utf8\nPROFILE Immersive\nMETA \"a\" \"b { \\\" [\"\nROUTE A.b TO C.d\nPROTO P [ field SFVec3f a 0 0 0 ] { Group { } }\nEXTERNPROTO Q [ ] [ \"http://x\" ]\nShape { # a comment }\n" + square + " }\n", Triangles: 2},
	{Name: "fields of all kinds", File: head + "WorldInfo { title \"a\" info [ \"b\" \"c\" ] } DEF V Viewpoint { position 1 2 3 jump TRUE } Group { children NULL } Shape { appearance NULL " + square + " }", Triangles: 2},
	{Name: "arcs alone", File: shape("geometry Arc2D { }"), Warning: "there are none: 1 set of lines is not drawn"},
	{Name: "lines", File: ofPoints("IndexedLineSet", "coordIndex [0 1 2 -1 -1 3 0]"), Triangles: 3 * rod},
	{Name: "lines in XML", File: xml("<Shape><IndexedLineSet coordIndex='0 1 -1'><Coordinate point='0 0 0 1 0 0'/></IndexedLineSet></Shape>"), Triangles: rod},
	{Name: "lines in order, beside faces", File: ofPoints("LineSet", "vertexCount [2 0 2]") + "Shape { " + square + " }", Triangles: 2*rod + 2},
	{Name: "points", File: ofPoints("PointSet", ""), Triangles: 4 * rod},
	{Name: "lines of no such place", File: ofPoints("IndexedLineSet", "coordIndex [0 1 9 2 3 -1]"), Triangles: 2 * rod, Warning: "1 corners of lines left out"},
	{Name: "lines without numbers", File: ofPoints("IndexedLineSet", ""), Warning: "there are none"},
	{Name: "another file", File: head + "Inline { url \"a.wrl\" } Shape { " + square + " }", Triangles: 2, Warning: `Inline "a.wrl" left out: other files are not opened`},
	{Name: "another file in XML", File: xml("<Inline url='\"a.x3d\"'/>" + xmlSquare), Triangles: 2, Warning: `Inline "a.x3d" left out`},
	{Name: "a prototype in XML", File: xml("<ProtoDeclare name='P'><ProtoBody>" + xmlSquare + "</ProtoBody></ProtoDeclare><ProtoInstance name='P'/>" + xmlSquare), Triangles: 2, Warning: `an instance of prototype "P" left out`},
	{Name: "prototypes alone", File: head + "PROTO P [ field SFColor c 1 0 0 ] { Shape { " + square + " } }\nP { c 0 1 0 }", Damage: `an instance of prototype "P" left out: PROTO is not read`},
	{Name: "a prototype in a group", File: head + "EXTERNPROTO P [ ] \"a.wrl\" Group { children [ P { } ] } Shape { " + square + " }", Triangles: 2, Warning: `an instance of prototype "P" left out`},
	{Name: "a prototype as a geometry", File: head + "PROTO P [ ] { Box { } } Shape { geometry P { } } Shape { " + square + " }", Triangles: 2, Warning: `an instance of prototype "P" left out`},
	{Name: "a prototype that nothing uses", File: head + "PROTO P [ ] { Box { } } Shape { " + square + " }", Triangles: 2},
	{Name: "no such name", File: head + "USE B Shape { " + square + " }", Triangles: 2, Warning: `USE "B" left out`},
	{Name: "a circle", File: head + "DEF A Group { children [ Shape { " + square + " } USE A ] }", Triangles: 2, Warning: `node "A" left out: it is below itself`},
	{Name: "no such place", File: ofPoints("IndexedFaceSet", "coordIndex [0 1 2 -1 0 1 9 -1]"), Triangles: 1, Warning: "1 polygons left out"},
	{Name: "no such colour", File: ofPoints("IndexedFaceSet", "coordIndex [0 1 2 -1] color Color { color 1 0 0 }"), Triangles: 1, Warning: "2 corners refer to"},
	{Name: "a word for a number", File: ofPoints("IndexedTriangleSet", "index [0 1 2 x 1 2]"), Triangles: 1, Warning: "1 polygons left out"},
	{Name: "too many corners", File: ofPoints("TriangleStripSet", "stripCount [3 9]"), Triangles: 1, Warning: "stripCount claims more corners"},
	{Name: "too few heights", File: shape("geometry ElevationGrid { xDimension 3 zDimension 3 height [0 1 2 3 4 5] }"), Damage: "a grid of 3 times 3 heights left out"},
	{Name: "NaN", File: shape(strings.Replace(square, "4 4 0", "4 nan 0", 1)), Triangles: 2, Bad: 2, Warning: "triangle 0: this and 1 more triangles have a NaN"},
	{Name: "cut off", File: strings.TrimSuffix(shape(square), "}\n"), Triangles: 2, Warning: "the file ends within a node"},
	{Name: "cut off in XML", File: strings.TrimSuffix(xml(xmlSquare), "</X3D>\n"), Triangles: 2, Warning: "the document ends within an element"},
	{Name: "no node", File: shape(square) + "{ }", Triangles: 2, Warning: `"{" where a node should be`},
	{Name: "no brace", File: shape(square) + "Group [ ]", Triangles: 2, Warning: `node "Group" without a brace`},
	{Name: "a list without an end", File: shape(square) + "Shape { geometry Box { size [ 1 2 3 } }", Triangles: 14, Warning: "a list without an end"},
	{Name: "too deep", File: shape(square) + strings.Repeat("Group { children ", maxLevels+2), Triangles: 2, Warning: "more than 256 deep"},
	{Name: "nothing", File: head, Warning: "there are none"},
}

func TestCases(t *testing.T) { meshtest.Check(t, Format, append(cases, oldCases...)) }

func read(t *testing.T, file string, opts scenes.ReadOptions) *scenes.Mesh {
	t.Helper()
	m, _, err := format.Read(context.Background(), strings.NewReader(file), opts, Format)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// checkCorners compares the corners of the first triangle in single precision.
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

// TestTransforms applies every part of a transform, in the classic form and in XML.
func TestTransforms(t *testing.T) {
	for fields, want := range map[[2]string][3][3]float64{
		{}:                             {{0, 0, 0}, {4, 0, 0}, {4, 4, 0}},
		{"translation", "1 2 3"}:       {{1, 2, 3}, {5, 2, 3}, {5, 6, 3}},
		{"scale", "2 1 1"}:             {{0, 0, 0}, {8, 0, 0}, {8, 4, 0}},
		{"rotation", "0 0 2 1.570796"}: {{0, 0, 0}, {0, 4, 0}, {-4, 4, 0}},
	} {
		classic := head + "Transform { " + fields[0] + " " + fields[1] + " children Shape { " + square + " } }"
		element := ""
		if fields[0] != "" {
			element = fields[0] + "='" + fields[1] + "'"
		}
		for name, file := range map[string]string{"classic": classic, "XML": xml("<Transform DEF='first' " + element + ">" + xmlSquare + "</Transform>")} {
			checkCorners(t, name+" "+fields[0], read(t, file, scenes.ReadOptions{Strict: true}), want)
		}
	}
	about := head + "DEF first Transform { center 4 0 0 rotation 0 0 1 1.570796 scale 2 2 2 children Shape { " + square + " } }"
	m := read(t, about, scenes.ReadOptions{Strict: true})
	checkCorners(t, "about a centre", m, [3][3]float64{{4, -8, 0}, {4, 0, 0}, {-4, 0, 0}})
	if m.Up != scenes.PlusY || m.Parts[0].Name != "first" {
		t.Errorf("up %v, parts %+v", m.Up, m.Parts)
	}
	tilted := head + "Transform { scale 2 1 1 scaleOrientation 0 0 1 1.570796 children Shape { " + square + " } }"
	checkCorners(t, "stretched along y", read(t, tilted, scenes.ReadOptions{Strict: true}), [3][3]float64{{0, 0, 0}, {4, 0, 0}, {4, 8, 0}})
}

// TestSolids compares the volumes of solids with known values. The faces must point outwards.
func TestSolids(t *testing.T) {
	n := float64(circleSegments)
	disc := n / 2 * math.Sin(2*math.Pi/n) // area of the base if the radius is 1
	for text, want := range map[string]float64{
		"Box { size 1 2 3 }":                                                 6,
		"Cylinder { radius 1 height 3 }":                                     3 * disc,
		"Cone { bottomRadius 1 height 3 }":                                   disc,
		"Sphere { radius 1 }":                                                0,
		"Extrusion { spine [0 0 0, 0 3 0] }":                                 12,
		"Extrusion { spine [0 0 0, 0 0 3] }":                                 12,
		"Extrusion { scale 2 1 orientation 0 1 0 0.5 spine [0 3 0, 0 0 0] }": 8 * 3,
	} {
		m := read(t, shape("geometry "+text), scenes.ReadOptions{Strict: true})
		volume := 0.0
		for i := range m.Len() {
			var d [3][3]float64
			for k, p := range m.Triangle(i) {
				for a := range p {
					d[k][a] = float64(p[a]) + m.Origin[a]
				}
			}
			volume += (d[0][0]*(d[1][1]*d[2][2]-d[1][2]*d[2][1]) - d[0][1]*(d[1][0]*d[2][2]-d[1][2]*d[2][0]) + d[0][2]*(d[1][0]*d[2][1]-d[1][1]*d[2][0])) / 6
		}
		if want == 0 {
			want = 4.1
			if !(volume > 4.1 && volume < 4*math.Pi/3) {
				t.Errorf("%s: volume %v", text, volume)
			}
			continue
		}
		if math.Abs(volume-want) > 1e-4 {
			t.Errorf("%s: volume %v, want %v", text, volume, want)
		}
	}
}

// TestColors reads the colours of corners, faces, materials and textures.
func TestColors(t *testing.T) {
	const two = "coordIndex [0 1 2 -1 0 2 3 -1] color Color { color [1 0 0, 0 1 0, 0 0 1, 1 1 1] } "
	for fields, want := range map[string][2]scenes.RGBA{
		two:                          {{255, 0, 0, 255}, {255, 0, 0, 255}},
		two + "colorPerVertex FALSE": {{255, 0, 0, 255}, {0, 255, 0, 255}},
		two + "colorPerVertex FALSE colorIndex [2 3]":                                                   {{0, 0, 255, 255}, {255, 255, 255, 255}},
		two + "colorIndex [3 2 1 -1 2 2 2 -1]":                                                          {{255, 255, 255, 255}, {0, 0, 255, 255}},
		strings.Replace(strings.Replace(two, "Color {", "ColorRGBA {", 1), "[1 0 0,", "[1 0 0 0.5,", 1): {{255, 0, 0, 128}, {255, 0, 0, 128}},
	} {
		m := read(t, ofPoints("IndexedFaceSet", fields), scenes.ReadOptions{})
		if c := &m.Attributes.Colors; c.At(0, 0) != want[0] || c.At(0, 1) != want[1] {
			t.Errorf("%s: %v %v, want %v", fields, c.At(0, 0), c.At(0, 1), want)
		}
	}
	folder := fstest.MapFS{"green.png": {Data: meshtest.PNG(t, 1, 1, 0x00ff00)}}
	of := func(appearance, more string) (*scenes.Mesh, *scenes.Material) {
		t.Helper()
		m := read(t, shape("appearance Appearance { "+appearance+" } geometry IndexedFaceSet { "+points+" coordIndex [0 1 2 3] "+more+"}"), scenes.ReadOptions{Strict: true, Beside: folder})
		return m, m.Attributes.Material(0)
	}
	if _, m := of("material DEF red Material { diffuseColor 1 0 0 emissiveColor 0 1 0 transparency 0.25 }", ""); m.Name != "red" || m.BaseColor != [4]float32{1, 0, 0, 0.75} || m.Emission != [3]float32{0, 1, 0} || m.Alpha != scenes.AlphaBlend {
		t.Errorf("%+v", m)
	}
	if _, m := of("material Material { diffuseColor 1 0 0 } texture ImageTexture { url \"\" }", ""); m.Texture != nil || m.BaseColor[0] != 1 {
		t.Errorf("no address: %+v", m)
	}
	if _, m := of("texture ImageTexture { url [\"\" \"green.png\"] }", ""); m.Texture == nil {
		t.Errorf("a second address: %+v", m)
	}
	if _, m := of("material Material { diffuseColor 1 0 0 transparency 1 }", "color Color { color [1 1 1 1 1 1 1 1 1 1 1 1] } "); m.BaseColor != [4]float32{1, 1, 1, 1} {
		t.Errorf("%+v", m)
	}
	textured := "material Material { } texture ImageTexture { url [ \"none.png\", \"green.png\" ] repeatS FALSE }"
	mesh, m := of(textured, "texCoord TextureCoordinate { point [0 0, 1 0, 1 0.25, 0 1] } ")
	if m.Texture == nil || m.Texture.Picture.Pix[1] != 255 || m.Texture.WrapU != scenes.Clamp || mesh.Attributes.TexCoords.At(2, 0) != [2]float32{1, 0.75} {
		t.Errorf("%+v, %v", m, mesh.Attributes.TexCoords.Values)
	}
	if mesh, _ = of(textured, ""); mesh.Attributes.TexCoords.At(2, 0) != [2]float32{1, 0} {
		t.Errorf("by the box: %v", mesh.Attributes.TexCoords.Values)
	}
	if mesh, _ = of(textured+" textureTransform TextureTransform { scale 2 2 translation 0.5 0 }", ""); mesh.Attributes.TexCoords.At(1, 0) != [2]float32{3, 1} {
		t.Errorf("moved: %v", mesh.Attributes.TexCoords.Values)
	}
	mesh = read(t, ofPoints("IndexedFaceSet", "ccw FALSE coordIndex [0 1 2] normal Normal { vector 0 0 2 } normalPerVertex FALSE"), scenes.ReadOptions{Strict: true})
	checkCorners(t, "clockwise", mesh, [3][3]float64{{4, 4, 0}, {4, 0, 0}, {0, 0, 0}})
	if n := mesh.Attributes.Normals.At(0, 0); n != [3]float32{0, 0, 1} {
		t.Errorf("normal %v", n)
	}
}

// TestCut truncates files at each of their bytes. A read must give a mesh or one error.
func TestCut(t *testing.T) {
	for _, file := range []string{head + "DEF A Shape { " + square + " } USE A", xml(xmlSquare + "<Shape><Box/></Shape>")} {
		whole, refused := 0, 0
		for n := range len(file) {
			opts := scenes.ReadOptions{Strict: n%4 == 0, MaxMemory: 1 << 24, Workers: 1}
			m, _, err := format.Read(context.Background(), strings.NewReader(file[:n]), opts, Format)
			if err == nil && m.Len() > 0 {
				whole++
			}
			if err != nil {
				refused++
			}
		}
		if whole == 0 || refused == 0 {
			t.Errorf("%d meshes, %d errors", whole, refused)
		}
	}
}

// TestBomb checks that nodes that draw one shape too often are refused.
func TestBomb(t *testing.T) {
	var b strings.Builder
	b.WriteString(head + "DEF A0 Shape { " + square + " }\n")
	for i := 1; i < 9; i++ {
		fmt.Fprintf(&b, "DEF A%d Group { children [ %s ] }\n", i, strings.Repeat(fmt.Sprintf("USE A%d ", i-1), 10))
	}
	_, _, err := format.Read(context.Background(), strings.NewReader(b.String()), scenes.ReadOptions{}, Format)
	if err == nil || !strings.Contains(err.Error(), "nodes") {
		t.Error(err)
	}
}

// TestSharedPlaces checks that shapes that share long lists share their memory, and that shapes which take all positions
// of a list are refused if there are too many.
func TestSharedPlaces(t *testing.T) {
	long := "DEF C Coordinate { point [" + strings.Repeat("0 0 0 1 0 0 0 1 0 ", 5000) + "] }"
	file := func(shapes int) string {
		first := "Shape { geometry IndexedFaceSet { coord " + long + " coordIndex [0 1 2] } }\n"
		return head + first + strings.Repeat("Shape { geometry IndexedFaceSet { coord USE C coordIndex [0 1 2] } }\n", shapes)
	}
	if m := read(t, file(999), scenes.ReadOptions{Strict: true, MaxMemory: 8 << 20}); m.Len() != 1000 {
		t.Errorf("%d triangles, want 1000", m.Len())
	}
	textured := old("Texture2 { filename a } " + strings.Replace(long, "Coordinate", "Coordinate3", 1) + strings.Repeat(" IndexedFaceSet { coordIndex [0 1 2] }", 1000))
	if m := read(t, textured, scenes.ReadOptions{MaxMemory: 8 << 20}); m.Len() != 1000 {
		t.Errorf("with a texture: %d triangles, want 1000", m.Len())
	}
	for _, kind := range []string{"LineSet", "TriangleStripSet"} {
		all := head + "Shape { geometry IndexedFaceSet { coord " + long + " } }\n" + strings.Repeat("Shape { geometry "+kind+" { coord USE C } }\n", 1500)
		_, _, err := format.Read(context.Background(), strings.NewReader(all), scenes.ReadOptions{}, Format)
		if limit := new(scenes.LimitError); !errors.As(err, &limit) || !strings.Contains(limit.Unit, "shapes share") {
			t.Errorf("%s: 1500 shapes of 15,000 places each: error %v, want a limit", kind, err)
		}
	}
}

// TestSharedSolid checks that a solid in XML is refused if it has a very long attribute and very many transforms of its
// texture, because the attributes are read again for each.
func TestSharedSolid(t *testing.T) {
	const move = "<Appearance><TextureTransform/></Appearance>"
	file := xml("<Shape><Sphere DEF='S' radius='" + strings.Repeat(" ", 1<<20) + "1'/></Shape>" + strings.Repeat("<Shape>"+move+"<Sphere USE='S'/></Shape>", 200))
	_, _, err := format.Read(context.Background(), strings.NewReader(file), scenes.ReadOptions{}, Format)
	if limit := new(scenes.LimitError); !errors.As(err, &limit) || !strings.Contains(limit.Unit, "shapes share") {
		t.Errorf("error %v, want a limit", err)
	}
}

func TestDetect(t *testing.T) {
	for text, want := range map[string]format.Likelihood{
		head: format.Marked, "\ufeff#X3D V3.0 utf8": format.Marked, "#VRML V1.0 ascii": format.Marked, xml(""): format.Marked, "<X3D>": format.Marked,
		"# VRML V2.0": format.No, "<x3d>": format.No, "see <X3D>": format.No, "<X3DX>": format.No, "": format.No,
	} {
		if got := Format.Detect([]byte(text), -1); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func whole() (files []string) {
	for _, c := range append(cases, oldCases...) {
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

// TestLineColors reads the colours of the corners of lines and of whole lines. Lines without colours have the emissive
// colour of their material.
func TestLineColors(t *testing.T) {
	line := func(more string) string {
		return head + "Shape { appearance Appearance { material Material { diffuseColor 1 1 1 emissiveColor 0 0 1 } } geometry IndexedLineSet { " +
			"coord Coordinate { point [0 0 0 9 0 0 9 9 0] } coordIndex [0 1 -1 1 2 -1] " + more + " } }"
	}
	for name, c := range map[string]struct {
		file string
		want [2]uint32 // colour of the first triangle of each rod, which lies at the first end of the rod
	}{
		"corners":  {line("color Color { color [1 0 0, 0 1 0, 0 0 1] }"), [2]uint32{0xff0000, 0x00ff00}},
		"numbers":  {line("color Color { color [1 0 0, 0 1 0] } colorIndex [1 1 -1 0 0 -1]"), [2]uint32{0x00ff00, 0xff0000}},
		"lines":    {line("color Color { color [1 0 0, 0 1 0] } colorPerVertex FALSE"), [2]uint32{0xff0000, 0x00ff00}},
		"material": {line(""), [2]uint32{0x0000ff, 0x0000ff}},
	} {
		m, rep, err := format.Read(context.Background(), strings.NewReader(c.file), scenes.ReadOptions{}, Format)
		if err != nil || m.Len() != 2*rod || len(rep.Warnings) > 0 {
			t.Errorf("%s: %v, %+v", name, err, rep)
			continue
		}
		if got := [2]uint32{m.Colors[0], m.Colors[rod]}; got != c.want {
			t.Errorf("%s: colours %06x, want %06x", name, got, c.want)
		}
	}
}
