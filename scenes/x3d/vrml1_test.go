package x3d

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/meshtest"
)

// old returns a file of VRML 1 with one Separator.
func old(text string) string { return "#VRML V1.0 ascii\nSeparator {\n" + text + "\n}\n" }

const (
	oldPoints = "Coordinate3 { point [0 0 0, 4 0 0, 4 4 0, 0 4 0] } "
	oldSquare = oldPoints + "IndexedFaceSet { coordIndex [0, 1, 2, 3, -1] } "
	oldFaces  = "IndexedFaceSet { coordIndex [0 1 2 -1 0 2 3 -1] "
	oldLines  = "IndexedLineSet { coordIndex [0 1 2 -1 2 3 -1] "
	fourColor = "Material { diffuseColor [1 0 0, 0 1 0, 0 0 1, 1 1 1] } "
)

var oldCases = []meshtest.Case{
	{Name: "1: faces", File: old(oldSquare), Triangles: 2},
	{Name: "1: without a Separator, as Gmsh writes", File: "#VRML V1.0 ascii\n#created by Gmsh\nCoordinate3 {\n  point [\n0 0 0,\n4 0 0,\n4 4 0,\n  ]\n}\nDEF Surface1 IndexedFaceSet {\n  coordIndex [\n0,1,2,-1,\n  ]\n}\n", Triangles: 1},
	{Name: "1: lines", File: old(oldPoints + oldLines + "}"), Triangles: 3 * rod},
	{Name: "1: points", File: old(oldPoints + "PointSet { }"), Triangles: 4 * rod},
	{Name: "1: some points", File: old(oldPoints + "PointSet { startIndex 1 numPoints 2 }"), Triangles: 2 * rod},
	{Name: "1: more points than are left", File: old(oldPoints + "PointSet { startIndex 2 numPoints 3 }"), Triangles: 2 * rod},
	{Name: "1: no such colour of a face", File: old(fourColor + "MaterialBinding { value PER_FACE_INDEXED }" + oldPoints + oldFaces + "materialIndex 0 }"), Triangles: 2, Warning: "3 corners refer to"},
	{Name: "1: points to the end", File: old(oldPoints + "PointSet { startIndex 3 numPoints 9 }"), Triangles: rod},
	{Name: "1: points behind the end", File: old(oldPoints + "PointSet { startIndex 5 }"), Warning: "there are none"},
	{Name: "1: a box", File: old("Cube { width 1 height 2 depth 3 }"), Triangles: 12},
	{Name: "1: a ball", File: old("Sphere { radius 2 }"), Triangles: 2 * circleSegments * (poleSteps - 1)},
	{Name: "1: a cylinder", File: old("Cylinder { parts ALL }"), Triangles: sides + 2*(circleSegments-2)},
	{Name: "1: all parts in parentheses", File: old("Cylinder { parts (ALL) }"), Triangles: sides + 2*(circleSegments-2)},
	{Name: "1: a part beside all", File: old("Cylinder { parts (SIDES | ALL) }"), Triangles: sides + 2*(circleSegments-2)},
	{Name: "1: comments in values", File: old("Cylinder { parts ( # TOP\n SIDES ) } Coordinate3 { point [ # 9\n0 0 0, # 1 2 3\r 4 0 0,4 4 0#\n] } IndexedFaceSet { coordIndex [#\n0 1#\n2 # -1\n] }"), Triangles: sides + 1},
	{Name: "1: parts of a cylinder", File: old("Cylinder { parts (SIDES | TOP) radius 2 }"), Triangles: sides + circleSegments - 2},
	{Name: "1: a part of a cone", File: old("Cone { parts SIDES }"), Triangles: circleSegments},
	{Name: "1: used again", File: old("DEF A Separator { " + oldSquare + "} Translation { translation 9 0 0 } USE A USE A"), Triangles: 6},
	{Name: "1: no choice", File: old(oldSquare + "Switch { Cube { } Cube { } }"), Triangles: 2},
	{Name: "1: a choice", File: old("Switch { whichChild 1 Cube { } Separator { " + oldSquare + "} }"), Triangles: 2},
	{Name: "1: a choice behind the end", File: old(oldSquare + "Switch { whichChild 2 Cube { } Cube { } }"), Triangles: 2},
	{Name: "1: every choice", File: old("Switch { whichChild -3 Cube { } Separator { " + oldSquare + "} }"), Triangles: 14},
	{Name: "1: levels", File: old("LOD { range [1, 2] Separator { " + oldSquare + "} Cube { } }"), Triangles: 2},
	{Name: "1: nodes that draw nothing", File: old(`Info { string "a { b" } PerspectiveCamera { position 0 0 9 heightAngle .5 } DirectionalLight { on TRUE } FontStyle { style (BOLD | ITALIC) family SERIF }` + oldSquare), Triangles: 2},
	{Name: "1: a group of an unknown kind", File: old(`Odd { fields [ SFString a, MFFloat b ] isA [ "Separator" ] isA [ Separator ] a word b [1 2] Translation { translation 1 0 0 } ` + oldSquare + "}"), Triangles: 2},
	{Name: "1: a link", File: old(`WWWAnchor { name "a.wrl" map POINT ` + oldSquare + "}"), Triangles: 2},
	{Name: "1: another file", File: old(`WWWInline { name "a.wrl" }` + oldSquare), Triangles: 2, Warning: `Inline "a.wrl" left out: other files are not opened`},
	{Name: "1: text alone", File: old(`AsciiText { string "a" justification LEFT }`), Warning: "there are none: 1 text is not drawn"},
	{Name: "1: a picture in the file", File: old("Texture2 { image 1 1 3 0xff0000 } Cube { } " + oldSquare), Triangles: 14, Warning: "PixelTexture is not drawn"},
	{Name: "1: no picture", File: old("Texture2 { image 0 0 0 } Cube { }"), Triangles: 12},
	{Name: "1: a field without a value", File: old("Cube { width } Sphere { radius }"), Triangles: 12 + 2*circleSegments*(poleSteps-1)},
	{Name: "1: no such name", File: old(oldSquare + "USE B"), Triangles: 2, Warning: `USE "B" left out`},
	{Name: "1: a circle", File: old("DEF A Group { " + oldSquare + " USE A }"), Triangles: 2, Warning: `node "A" left out: it is below itself`},
	{Name: "1: no places", File: old("IndexedFaceSet { coordIndex [0 1 2 -1] }"), Damage: "1 polygons left out"},
	{Name: "1: no such colour", File: old("Material { diffuseColor [1 0 0, 0 1 0] } MaterialBinding { value PER_VERTEX_INDEXED }" + oldSquare), Triangles: 2, Warning: "2 corners refer to"},
	{Name: "1: no such colour of a segment", File: old(fourColor + "MaterialBinding { value PER_PART_INDEXED }" + oldPoints + oldLines + "materialIndex [1] }"), Triangles: 3 * rod},
	{Name: "1: cut off", File: strings.TrimSuffix(old(oldSquare), "}\n"), Triangles: 2, Warning: "the file ends within a node"},
	{Name: "1: cut off at a field", File: old(oldSquare)[:len(old(oldSquare))-2] + "a", Triangles: 2, Warning: "the file ends within a node"},
	{Name: "1: no end of a value", File: old(oldSquare + "Cylinder { parts (SIDES | TOP }"), Triangles: 2 + sides + 2*(circleSegments-2), Warning: "a value without a closing parenthesis"},
	{Name: "1: no end of types", File: old(oldSquare + "Odd { fields [ SFString a "), Triangles: 2, Warning: "the file ends within a list"},
	{Name: "1: too deep", File: old(oldSquare + strings.Repeat("Separator { ", maxLevels+2)), Triangles: 2, Warning: "more than 256 deep"},
	{Name: "1: nothing", File: "#VRML V1.0 ascii\n", Warning: "there are none"},
}

// TestOldTransforms applies the transforms of VRML 1. A transform applies to everything after it in the same Separator.
func TestOldTransforms(t *testing.T) {
	for before, want := range map[string][3][3]float64{
		"":                                     {{0, 0, 0}, {4, 0, 0}, {4, 4, 0}},
		"Translation { translation 1 2 3 }":    {{1, 2, 3}, {5, 2, 3}, {5, 6, 3}},
		"Scale { scaleFactor 2 1 1 }":          {{0, 0, 0}, {8, 0, 0}, {8, 4, 0}},
		"Rotation { rotation 0 0 1 1.570796 }": {{0, 0, 0}, {0, 4, 0}, {-4, 4, 0}},
		"Transform { center 4 0 0 scaleFactor 2 2 2 rotation 0 0 1 1.570796 translation 0 0 1 }":                                             {{4, -8, 1}, {4, 0, 1}, {-4, 0, 1}},
		"MatrixTransform { matrix 0 2 0 0 -1 0 0 0 0 0 1 0 5 6 7 1 }":                                                                        {{5, 6, 7}, {5, 14, 7}, {1, 14, 7}},
		"Translation { translation 1 0 0 } Scale { scaleFactor 2 2 2 }":                                                                      {{1, 0, 0}, {9, 0, 0}, {9, 8, 0}},
		"Separator { Translation { translation 1 0 0 } } TransformSeparator { Translation { translation 1 0 0 } }":                           {{0, 0, 0}, {4, 0, 0}, {4, 4, 0}},
		"Group { Translation { translation 1 0 0 } } Switch { whichChild 1 Info { } Translation { translation 1 0 0 } } Scale { } Scale { }": {{2, 0, 0}, {6, 0, 0}, {6, 4, 0}},
		"WWWAnchor { Translation { translation 1 0 0 } } Odd { Translation { translation 1 0 0 } }":                                          {{0, 0, 0}, {4, 0, 0}, {4, 4, 0}},
		"ShapeHints { vertexOrdering COUNTERCLOCKWISE }":                                                                                     {{0, 0, 0}, {4, 0, 0}, {4, 4, 0}},
		"DEF A Translation { translation 1 0 0 } USE A ":                                                                                     {{2, 0, 0}, {6, 0, 0}, {6, 4, 0}},
	} {
		checkCorners(t, before, read(t, old(before+oldSquare), scenes.ReadOptions{Strict: true}), want)
	}
	back := read(t, old("ShapeHints { vertexOrdering CLOCKWISE }"+oldSquare), scenes.ReadOptions{Strict: true})
	checkCorners(t, "clockwise", back, [3][3]float64{{0, 4, 0}, {4, 4, 0}, {4, 0, 0}})
	box := read(t, old("Cube { width 1 height 2 depth 3 }"), scenes.ReadOptions{Strict: true})
	lo, hi := box.Bounds().Min, box.Bounds().Max
	if got := [3]float64{float64(hi[0] - lo[0]), float64(hi[1] - lo[1]), float64(hi[2] - lo[2])}; got != [3]float64{1, 2, 3} {
		t.Errorf("a box of %v, want 1 2 3", got)
	}
	named := read(t, old("DEF first Separator { "+oldSquare+"}"), scenes.ReadOptions{Strict: true})
	if named.Up != scenes.PlusY || named.Parts[0].Name != "first" {
		t.Errorf("up %v, parts %+v", named.Up, named.Parts)
	}
}

// TestOldState checks that a property applies to everything after it in the same Separator, and to nothing outside.
func TestOldState(t *testing.T) {
	const red, green = "Material { diffuseColor 1 0 0 } ", "Material { diffuseColor 0 1 0 } "
	for text, want := range map[string][2]float32{ // red and green of the second shape
		red + oldSquare + green + oldSquare:                                  {0, 1},
		red + "Separator { " + green + oldSquare + "} " + oldSquare:          {1, 0},
		red + "TransformSeparator { " + green + oldSquare + "} " + oldSquare: {0, 1},
		red + "Group { " + green + oldSquare + "} " + oldSquare:              {0, 1},
		"DEF A Separator { " + oldSquare + "} " + green + "USE A":            {0, 1},
		oldPoints + green + oldFaces + "} DEF M " + red + oldFaces + "} ":    {1, 0},
	} {
		m := read(t, old(text), scenes.ReadOptions{Strict: true})
		c := m.Attributes.Material(m.Len() - 1).BaseColor
		if got := [2]float32{c[0], c[1]}; m.Len() != 4 || got != want {
			t.Errorf("%s: %d triangles in %v, want %v", text, m.Len(), got, want)
		}
	}
}

// TestOldColors checks which colour of a material each corner has, for every value of MaterialBinding.
func TestOldColors(t *testing.T) {
	r, g, b, w := scenes.RGBA{255, 0, 0, 255}, scenes.RGBA{0, 255, 0, 255}, scenes.RGBA{0, 0, 255, 255}, scenes.RGBA{255, 255, 255, 255}
	for binding, want := range map[string][2][3]scenes.RGBA{
		"PER_FACE":           {{r, r, r}, {g, g, g}},
		"PER_PART":           {{r, r, r}, {g, g, g}},
		"PER_FACE_INDEXED":   {{b, b, b}, {w, w, w}},
		"PER_VERTEX_INDEXED": {{b, w, g}, {r, r, g}},
	} {
		file := old(fourColor + "MaterialBinding { value " + binding + " } " + oldPoints + oldFaces + "materialIndex [2 3 1 -1 0 0 1 -1] }")
		checkOldColors(t, binding, file, want)
	}
	checkOldColors(t, "in order, but one for each position", old(fourColor+"MaterialBinding { value PER_VERTEX } "+oldPoints+oldFaces+"}"), [2][3]scenes.RGBA{{r, g, b}, {r, b, w}})
	six := "Material { diffuseColor [1 0 0, 0 1 0, 0 0 1, 1 1 1, 0 1 0, 1 0 0] } "
	checkOldColors(t, "in order", old(six+"MaterialBinding { value PER_VERTEX } "+oldPoints+oldFaces+"}"), [2][3]scenes.RGBA{{r, g, b}, {w, g, r}})
	checkOldColors(t, "of positions", old(fourColor+"MaterialBinding { value PER_VERTEX_INDEXED } "+oldPoints+oldFaces+"materialIndex -1 }"), [2][3]scenes.RGBA{{r, g, b}, {r, b, w}})
	light := "Material { diffuseColor [ ] ambientColor [ ] emissiveColor [1 0 0, 0 1 0] } MaterialBinding { value PER_FACE } "
	m := checkOldColors(t, "own light", old(light+oldPoints+oldFaces+"}"), [2][3]scenes.RGBA{{r, r, r}, {g, g, g}})
	if !m.Attributes.Material(0).Unlit {
		t.Errorf("own light: %+v, want unlit", m.Attributes.Material(0))
	}
	if m := read(t, old("Material { diffuseColor [ ] } "+oldSquare), scenes.ReadOptions{Strict: true}); m.Attributes.Material(0).Unlit {
		t.Errorf("no colour at all: %+v, want lit", m.Attributes.Material(0))
	}
	for _, binding := range []string{"DEFAULT", "OVERALL", "ODD"} {
		m := read(t, old(fourColor+"MaterialBinding { value "+binding+" } "+oldPoints+oldFaces+"}"), scenes.ReadOptions{Strict: true})
		if c := m.Attributes.Material(1).BaseColor; c != [4]float32{1, 0, 0, 1} || len(m.Attributes.Colors.Values) > 0 {
			t.Errorf("%s: %v, colours %v", binding, c, m.Attributes.Colors.Values)
		}
	}
	one := read(t, old("Material { diffuseColor 0 0 1 transparency 0.25 } MaterialBinding { value PER_VERTEX } "+oldSquare), scenes.ReadOptions{Strict: true})
	if c := one.Attributes.Material(0).BaseColor; c != [4]float32{0, 0, 1, 0.75} {
		t.Errorf("one colour for each vertex: %v", c)
	}
}

func checkOldColors(t *testing.T, name, file string, want [2][3]scenes.RGBA) *scenes.Mesh {
	t.Helper()
	m := read(t, file, scenes.ReadOptions{Strict: true})
	for i := range want {
		for k := range want[i] {
			if got := m.Attributes.Colors.At(k, i); got != want[i][k] {
				t.Errorf("%s: triangle %d, corner %d: colour %v, want %v", name, i, k, got, want[i][k])
			}
		}
	}
	return m
}

// TestOldLineColors checks the colours of lines and points for every value of MaterialBinding.
func TestOldLineColors(t *testing.T) {
	const r, g, b, w = 0xff0000, 0x00ff00, 0x0000ff, 0xffffff
	lines := func(binding, index string) string {
		return old(fourColor + "MaterialBinding { value " + binding + " } " + oldPoints + oldLines + index + " }")
	}
	for name, c := range map[string]struct {
		file string
		want []uint32 // colour of the first triangle of each rod or point
	}{
		"one":                  {lines("OVERALL", ""), []uint32{r, r, r}},
		"lines":                {lines("PER_FACE", ""), []uint32{r, r, g}},
		"lines by numbers":     {lines("PER_FACE_INDEXED", "materialIndex [3 2]"), []uint32{w, w, b}},
		"segments":             {lines("PER_PART", ""), []uint32{r, g, b}},
		"segments by numbers":  {lines("PER_PART_INDEXED", "materialIndex [3 2 0]"), []uint32{w, b, r}},
		"corners":              {strings.Replace(lines("PER_VERTEX", ""), "[1 0 0,", "[0 0 1, 1 0 0,", 1), []uint32{b, r, b}},
		"corners by numbers":   {lines("PER_VERTEX_INDEXED", "materialIndex [1 2 3 -1 0 0 -1]"), []uint32{g, b, r}},
		"corners by positions": {lines("PER_VERTEX_INDEXED", ""), []uint32{r, g, b}},
		"points":               {old(fourColor + "MaterialBinding { value PER_VERTEX } " + oldPoints + "PointSet { startIndex 2 }"), []uint32{r, g}},
	} {
		m := read(t, c.file, scenes.ReadOptions{Strict: true})
		for i, want := range c.want {
			if m.Len() != rod*len(c.want) || m.Colors[rod*i] != want {
				t.Errorf("%s: %d triangles, colour %d is %06x, want %06x", name, m.Len(), i, m.Colors[rod*i], want)
			}
			if last := m.Colors[rod*i+rod-1]; strings.HasPrefix(name, "segments") && last != want {
				t.Errorf("%s: the end of segment %d is %06x, want %06x", name, i, last, want)
			}
		}
	}
}

// TestOldNormals checks which normal each corner has, for every value of NormalBinding.
func TestOldNormals(t *testing.T) {
	const normals = "Normal { vector [0 0 1, 0 1 0, 1 0 0, 0 0 -1, 0 -1 0, -1 0 0] } "
	x, y, z := [3]float32{1, 0, 0}, [3]float32{0, 1, 0}, [3]float32{0, 0, 1}
	for binding, want := range map[string][3][3]float32{
		"":                   {z, z, y}, // without a NormalBinding, normalIndex is used
		"DEFAULT":            {z, z, y},
		"PER_VERTEX_INDEXED": {z, z, y},
		"PER_VERTEX":         {z, y, x},
		"PER_FACE":           {z, z, z},
		"PER_FACE_INDEXED":   {z, z, z},
	} {
		bound := "NormalBinding { value " + binding + " } "
		if binding == "" {
			bound = ""
		}
		m := read(t, old(normals+bound+oldPoints+oldFaces+"normalIndex [0 0 1 -1 1 1 1 -1] }"), scenes.ReadOptions{Strict: true})
		for k := range want {
			if got := m.Attributes.Normals.At(k, 0); got != want[k] {
				t.Errorf("%q: corner %d: normal %v, want %v", binding, k, got, want[k])
			}
		}
	}
	if m := read(t, old(normals+"NormalBinding { value OVERALL } "+oldSquare), scenes.ReadOptions{Strict: true}); len(m.Attributes.Normals.Values) > 0 {
		t.Errorf("one normal for all: %v", m.Attributes.Normals.Values)
	}
}

// TestOldTextures reads texture coordinates, their transform and the picture.
func TestOldTextures(t *testing.T) {
	folder := fstest.MapFS{"green.png": {Data: meshtest.PNG(t, 1, 1, 0x00ff00)}}
	of := func(before, index string) (*scenes.Mesh, *scenes.Material) {
		t.Helper()
		m := read(t, old(before+oldPoints+"IndexedFaceSet { coordIndex [0 1 2 -1] "+index+"}"), scenes.ReadOptions{Strict: true, Beside: folder})
		return m, m.Attributes.Material(0)
	}
	const picture = "Texture2 { filename green.png wrapS CLAMP wrapT REPEAT } "
	const at = "TextureCoordinate2 { point [0 0, 1 0, 1 0.25, 0.5 1] } "
	mesh, m := of(picture+at, "")
	if m.Texture == nil || m.Texture.WrapU != scenes.Clamp || m.Texture.WrapV == scenes.Clamp || mesh.Attributes.TexCoords.At(2, 0) != [2]float32{1, 0.75} {
		t.Errorf("%+v, %v", m, mesh.Attributes.TexCoords.Values)
	}
	if mesh, _ = of(picture+at, "textureCoordIndex [3 1 0 -1] "); mesh.Attributes.TexCoords.At(0, 0) != [2]float32{0.5, 0} {
		t.Errorf("by numbers: %v", mesh.Attributes.TexCoords.Values)
	}
	move := "Texture2Transform { translation 0.5 0 rotation 1.5707963 scaleFactor 2 1 center 1 0 } "
	if mesh, _ = of(picture+move+at, ""); mesh.Attributes.TexCoords.At(0, 0) != [2]float32{1.5, 3} {
		t.Errorf("moved: %v", mesh.Attributes.TexCoords.Values)
	}
	if mesh, _ = of(picture, ""); mesh.Attributes.TexCoords.At(2, 0) != [2]float32{1, 0} {
		t.Errorf("by the box: %v", mesh.Attributes.TexCoords.Values)
	}
	if mesh, m = of(picture+`Texture2 { filename "" } Material { } `+at, ""); m.Texture != nil || len(mesh.Attributes.TexCoords.Values) > 0 {
		t.Errorf("without a picture: %+v", m)
	}
}

// TestOldSets draws one set of faces twice. Each use must have its own order of vertices, positions, colours, normals and
// texture coordinates.
func TestOldSets(t *testing.T) {
	folder := fstest.MapFS{"green.png": {Data: meshtest.PNG(t, 1, 1, 0x00ff00)}}
	const first = oldPoints + "Texture2 { filename green.png } DEF I IndexedFaceSet { coordIndex [0 1 2 -1] } "
	type corner struct {
		position [3]float32
		color    scenes.RGBA
		normal   [3]float32
		uv       [2]float32
	}
	const picture = "TextureCoordinate2 { point [0.25 0, 0.5 0, 0.5 0.5] } "
	for name, c := range map[string]struct {
		between string
		differ  string
	}{
		"order":                {"ShapeHints { vertexOrdering CLOCKWISE } ", "position"},
		"positions":            {"Coordinate3 { point [1 0 0, 2 0 0, 2 2 0] } ", "position"},
		"colours":              {"MaterialBinding { value PER_FACE } " + fourColor, "colour"},
		"normals":              {"Normal { vector [1 0 0, 1 0 0, 1 0 0] } ", "normal"},
		"texture coordinates":  {picture, "uv"},
		"moved":                {"Texture2Transform { translation 0.25 0 } ", "uv"},
		"nothing":              {"Material { diffuseColor 1 0 0 } ", ""},
		"colours, but one":     {"MaterialBinding { value PER_FACE } Material { } ", ""},
		"normals, but one":     {"NormalBinding { value OVERALL } Normal { vector [1 0 0] } ", ""},
		"hints that are usual": {"ShapeHints { vertexOrdering COUNTERCLOCKWISE } ", ""},
	} {
		m := read(t, old(first+c.between+"USE I "), scenes.ReadOptions{Strict: true, Beside: folder})
		if m.Len() != 2 {
			t.Errorf("%s: %d triangles, want 2", name, m.Len())
			continue
		}
		var got [2]corner
		for i := range got {
			a := m.Attributes
			got[i] = corner{position: m.Triangle(i)[0], uv: a.TexCoords.At(0, i)}
			if len(a.Colors.Values) > 0 {
				got[i].color = a.Colors.At(0, i)
			}
			if len(a.Normals.Values) > 0 {
				got[i].normal = a.Normals.At(0, i)
			}
		}
		differ := map[string]bool{"position": got[0].position != got[1].position, "colour": got[0].color != got[1].color,
			"normal": got[0].normal != got[1].normal, "uv": got[0].uv != got[1].uv, "": got[0] == got[1]}
		if !differ[c.differ] {
			t.Errorf("%s: %+v, want another %s", name, got, c.differ)
		}
	}
}

// TestOldBomb checks that nodes that draw one shape too often are refused.
func TestOldBomb(t *testing.T) {
	var b strings.Builder
	b.WriteString("#VRML V1.0 ascii\nDEF A0 Separator { " + oldSquare + " }\n")
	for i := 1; i < 9; i++ {
		fmt.Fprintf(&b, "DEF A%d Group { %s }\n", i, strings.Repeat(fmt.Sprintf("USE A%d ", i-1), 10))
	}
	again := old("DEF A Separator { Coordinate3 { point [" + strings.Repeat("0 0 0 1 0 0 0 1 0 ", 5000) + "] } IndexedFaceSet { coordIndex [0 1 2] } } " + strings.Repeat("USE A ", 999))
	if m := read(t, again, scenes.ReadOptions{Strict: true}); m.Len() != 1000 {
		t.Errorf("a shape that is used again: %d triangles", m.Len())
	}
	_, _, err := format.Read(context.Background(), strings.NewReader(b.String()), scenes.ReadOptions{}, Format)
	if limit := new(scenes.LimitError); !errors.As(err, &limit) || limit.Unit != "nodes" {
		t.Errorf("error %v, want a limit", err)
	}
}
