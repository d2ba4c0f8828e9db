package x3d

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/meshtest"
)

// gmshSurfaces returns a file as Gmsh writes it: one list of nodes, and a set of faces for each surface. Each surface
// has `side` by `side` quads, of two triangles each.
func gmshSurfaces(surfaces, side int) string {
	var b strings.Builder
	b.WriteString("#VRML V1.0 ascii\n#created by Gmsh\nCoordinate3 {\n  point [\n")
	for s := range surfaces {
		for i := range (side + 1) * (side + 1) {
			fmt.Fprintf(&b, "%.10g %.10g %.10g,\n", float64(i%(side+1))/7, float64(i/(side+1))/7, float64(s))
		}
	}
	b.WriteString("  ]\n}\n")
	for s := range surfaces {
		fmt.Fprintf(&b, "DEF Surface%d IndexedFaceSet {\n  coordIndex [\n", s+1)
		for i := range side * side {
			at := s*(side+1)*(side+1) + i/side*(side+1) + i%side
			fmt.Fprintf(&b, "%d,%d,%d,-1,\n%d,%d,%d,-1,\n", at, at+1, at+side+2, at, at+side+2, at+side+1)
		}
		b.WriteString("  ]\n}\n")
	}
	return b.String()
}

// TestOldSurfaces reads surfaces that share one list of positions. Their memory must not grow with their number times
// the length of the list.
func TestOldSurfaces(t *testing.T) {
	file := gmshSurfaces(300, 5)
	m := read(t, file, scenes.ReadOptions{Strict: true, MaxMemory: 16 << 20})
	if m.Len() != 300*50 || len(m.Parts) != 300 {
		t.Errorf("%d triangles in %d parts, want 15000 in 300", m.Len(), len(m.Parts))
	}
	if size := m.Bounds(); size.Max[2]-size.Min[2] != 299 {
		t.Errorf("box %v, want 299 high", size)
	}
	_, _, err := format.Read(context.Background(), strings.NewReader(file), scenes.ReadOptions{MaxMemory: 1 << 20}, Format)
	if limit := new(scenes.LimitError); !errors.As(err, &limit) || limit.Unit != scenes.UnitBytes {
		t.Errorf("in 1 MiB: error %v, want a limit", err)
	}
}

// TestReadOnce checks that what a node says is read only once: a second answer must not depend on fields that changed
// after the first.
func TestReadOnce(t *testing.T) {
	r := newReader(meshtest.Input(context.Background(), scenes.ReadOptions{}), 1<<20)
	top, err := r.parse([]byte(old("DEF A Material { diffuseColor [1 0 0, 0 1 0] } DEF B Material { } DEF C IndexedFaceSet { coordIndex [0 1 2] } " +
		"DEF D Texture2Transform { translation 1 2 } DEF E WWWInline { name a } DEF F Coordinate3 { point [1 2 3] } DEF G Cube { }")))
	if err != nil || len(top.below) != 1 {
		t.Fatal(top, err)
	}
	n := r.named
	answers := func() []any {
		look, err1 := r.lookOf(n["A"])
		material, err2 := r.oldNodeOf(n["A"])
		red, err3 := r.shapeNode(n["C"], &properties{material: n["A"], coordinates: n["F"]})
		plain, err4 := r.shapeNode(n["C"], &properties{material: n["B"], coordinates: n["F"]})
		box, err5 := r.shapeNode(n["G"], &properties{material: n["B"]})
		address, err6 := r.address(n["E"])
		move, err7 := r.moveOf(n["D"])
		m := meshReader{reader: r, node: red.below[1]}
		if err := errors.Join(err1, err2, err3, err4, err5, err6, err7, m.readPositions()); err != nil {
			t.Fatal(err)
		}
		if red == plain || red.below[1] != plain.below[1] {
			t.Errorf("a set in two materials: shapes %p %p, geometries %p %p, want one geometry", red, plain, red.below[1], plain.below[1])
		}
		return []any{look, material, material.colors, red, plain, box, box.below[1], address, move([2]float64{}), &m.lists.Positions[0]}
	}
	first := answers()
	for _, one := range n {
		one.fields = nil
	}
	for i, again := range answers() {
		if again != first[i] {
			t.Errorf("answer %d: first %v, then %v", i, first[i], again)
		}
	}
}

// TestOldRepeats reads files that have a node with a long text, and that visit it or use it very often. All but the last
// few would take minutes if the text was read each time. The work of others is limited.
func TestOldRepeats(t *testing.T) {
	const long = 1 << 20
	blank := strings.Repeat(" ", long)
	fields := strings.Repeat("a 1 ", long/8)
	one, two := oldPoints+"IndexedFaceSet { coordIndex [0 1 2] } ", "IndexedFaceSet { coordIndex [0 1 2] } "
	times := strings.Repeat
	for name, c := range map[string]struct {
		file      string
		triangles int // 0: the file must be refused
	}{
		"a material without a colour":      {"DEF M Material { diffuseColor [" + blank + "] } " + times("USE M\n", 100_000) + one, 1},
		"a material with a gap":            {"DEF M Material { diffuseColor [ 1" + blank + "1 1 ] } " + times("USE M\n", 100_000) + one, 1},
		"a material of many fields":        {"DEF M Material { " + fields + "} " + times("USE M\n", 50_000) + one, 1},
		"colours with a comment":           {oldPoints + "Material { diffuseColor [#\n" + times("1 1 1,", long/6) + "] } " + times("IndexedFaceSet{}", 30_000) + two, 1},
		"many bindings of colours":         {oldPoints + "MaterialBinding { value PER_FACE } Material { diffuseColor [#\n" + times("1 1 1,", long/6) + "] } " + times(two, 500), 500},
		"a texture without an address":     {"DEF T Texture2 { filename [" + blank + "] } " + times("USE T\n", 100_000) + one, 1},
		"a texture with an empty picture":  {"DEF T Texture2 { image " + blank + " 0 0 0 } " + times("USE T\n", 100_000) + one, 1},
		"a set without indices":            {"DEF I IndexedFaceSet { coordIndex [" + blank + "] } " + times("Material{}USE I\n", 10_000) + one, 1},
		"a set of many fields":             {oldPoints + "DEF I IndexedFaceSet { " + fields + "coordIndex [0 1 2] } " + times("Material{}USE I\n", 999), 1000},
		"a solid in many materials":        {"DEF I Cube { width [ 1" + blank + "] " + fields + "} " + times("Material{}USE I\n", 999), 12_000},
		"a material with many textures":    {oldPoints + "Material { diffuseColor [ 1" + blank + "1 1 ] } " + times("Texture2{filename a}"+two, 1000), 1000},
		"a material of many lines":         {oldPoints + "Material { emissiveColor [ 1" + blank + "1 1 ] } " + times("IndexedLineSet{coordIndex[0 1]}", 1000), 1000 * rod},
		"a transform of many textures":     {oldPoints + "Texture2Transform { scaleFactor [ 1" + blank + "1 ] } Texture2{filename a}" + times(two, 1000), 1000},
		"another file":                     {"DEF W WWWInline { name [ \"a\"" + blank + "\"b\" ] " + fields + "} " + times("USE W\n", 20_000) + one, 1},
		"a set with many lists":            {"DEF I IndexedFaceSet { coordIndex [0 1 2" + blank + "3 ] } " + times(oldPoints+"USE I\n", 10_000), 0},
		"many transforms of one long list": {"Texture2{filename a}Coordinate3 { point [ " + times("0 0 0 ", long/6) + "] } " + times("Texture2Transform{}"+two, 2000), 0},
		"sets of all points":               {"Coordinate3 { point [ " + times("0 0 0 ", long/6) + "] } " + times("PointSet{}", 2000), 0},
	} {
		m, _, err := format.Read(context.Background(), strings.NewReader(old(c.file)), scenes.ReadOptions{}, Format)
		if limit := new(scenes.LimitError); c.triangles == 0 && !errors.As(err, &limit) {
			t.Errorf("%s: error %v, want a limit", name, err)
		}
		if c.triangles > 0 && (err != nil || m.Len() != c.triangles) {
			t.Errorf("%s: %v, want %d triangles", name, err, c.triangles)
		}
	}
}
