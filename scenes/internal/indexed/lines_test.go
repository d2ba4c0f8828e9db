package indexed_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/meshtest"
	"lockstep/scenes/obj"
	"lockstep/scenes/ply"
	"lockstep/scenes/quality"
	"lockstep/scenes/vtk"
)

// beside is a square with lines, some of which are its edges, and with points.
const beside = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 3 0 0\nv 0 3 0\nvn 0 0 1\ng s\nf 1//1 2//1 3//1 4//1\n" +
	"l 1 2 3 4 1\nl 5 1 5\np 1 5 6\np 6 -1 7\n"

// TestMutantsOfLines reads mutated texts with lines and points.
func TestMutantsOfLines(t *testing.T) {
	meshtest.MutantsOf(t, obj.Format, beside, strings.Replace(beside, "f 1", "# 1", 1))
	meshtest.MutantsOf(t, ply.Format, edges("element face 1\nproperty list uchar int vertex_indices\n", "3 0 1 2\n"), edges("", ""))
}

// TestBeside checks that a line that is not an edge of a surface, or a point that is not a corner, is drawn once. A
// line has the material of the neighbouring faces in the file. Lines and points are parts after the triangles.
func TestBeside(t *testing.T) {
	m, rep, err := format.Read(context.Background(), strings.NewReader(beside), scenes.ReadOptions{}, obj.Format)
	if err != nil || m.Len() != 2+8+2*8 || len(rep.Warnings) > 0 {
		t.Fatalf("%v: %d triangles, %+v", err, m.Len(), rep)
	}
	var parts []string
	for _, p := range m.Parts {
		parts = append(parts, fmt.Sprintf("%s %d %d", p.Name, p.First, p.Count))
	}
	if got := strings.Join(parts, ", "); got != "s 0 2, lines 2 8, points 10 16" {
		t.Errorf("parts %s", got)
	}
	n := m.Attributes.Normals
	if n.Values[n.Index[0][0]] != [3]float32{0, 0, 1} || n.Values[n.Index[0][2]] != [3]float32{} {
		t.Error("the square lost its normals, or a rod has some")
	}
	apart := math.Sqrt(18) // distance of the two points
	box := scenes.EmptyBox()
	for i := 10; i < 18; i++ {
		for _, c := range m.Triangle(i) {
			p := [3]float64{float64(c[0]), float64(c[1]), float64(c[2])}
			box = box.Union(scenes.Box{Min: p, Max: p})
		}
	}
	if size := box.Size(); math.Abs(size[0]-2*0.01*apart) > 1e-6 || math.Abs(box.Center()[0]-3) > 1e-6 {
		t.Errorf("a point in %v", box)
	}
}

// TestBesideVTK draws lines and vertices in addition to polygons, with the field values of their points.
func TestBesideVTK(t *testing.T) {
	file := "# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATA\nPOINTS 6 double\n0 0 0 10 0 0 0 10 0 0 0 10 3 4 5 7 7 7\n" +
		"VERTICES 2 5\n1 0\n2 4 5\nLINES 2 7\n2 0 1\n3 1 2 3\nPOLYGONS 1 4\n3 0 1 2\nPOINT_DATA 6\nSCALARS heat float 1\nLOOKUP_TABLE default\n0 1 2 3 4 5\n"
	m, rep, err := format.Read(context.Background(), strings.NewReader(file), scenes.ReadOptions{}, vtk.Format)
	if err != nil || m.Len() != 1+8+2*8 || len(rep.Warnings) > 0 {
		t.Fatalf("%v: %d triangles, %+v", err, m.Len(), rep)
	}
	heat := m.Field("heat")
	for triangle, want := range map[int]float32{9: 4, 17: 5} {
		if got := heat.Values[m.Attributes.Index[0][triangle]]; got != want {
			t.Errorf("triangle %d has %g, expected %g", triangle, got, want)
		}
	}
}

// edges returns a PLY file with four edges. The parameters element and rows add another element before the edges.
func edges(element, rows string) string {
	return "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n" + element +
		"element edge 4\nproperty int vertex1\nproperty int vertex2\nproperty uchar red\nproperty uchar green\nproperty uchar blue\nend_header\n" +
		"0 0 0\n1 0 0\n0 1 0\n0 0 1\n" + rows + "0 1 1 2 3\n2 3 4 5 6\n3 2 9 9 9\n1 9 7 8 9\n"
}

// TestEdgesOfPLY draws edges in addition to faces, in their own colours, and edges alone if there are no faces.
func TestEdgesOfPLY(t *testing.T) {
	for _, c := range []struct {
		name, file string
		triangles  int
	}{
		{"beside", edges("element face 1\nproperty list uchar int vertex_indices\n", "3 0 1 2\n"), 1 + 8},
		{"alone", edges("", ""), 2 * 8},
	} {
		m, rep, err := format.Read(context.Background(), strings.NewReader(c.file), scenes.ReadOptions{}, ply.Format)
		if err != nil || m.Len() != c.triangles || len(rep.Warnings) != 1 || !strings.Contains(rep.Warnings[0], "edge left out: vertex 9 of 4") {
			t.Fatalf("%s: %v: %d triangles, %+v", c.name, err, m.Len(), rep)
		}
		if got := m.Colors[c.triangles-1]; got != 0x040506 {
			t.Errorf("%s: colour %06x", c.name, got)
		}
	}
}

// TestLines checks that lines in all directions are closed rods whose fronts face outwards, with the field values of
// their points.
func TestLines(t *testing.T) {
	file := "# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATA\nPOINTS 8 double\n0 0 0 10 0 0 0 10 0 0 0 10 3 4 5 nan 0 0 -7 1 2 0 0 0\n" +
		"LINES 8 27\n2 0 1\n2 0 2\n2 0 3\n3 4 0 6\n2 1 5\n2 2 2\n2 0 7\n4 1 2 3 1\nPOINT_DATA 8\nSCALARS heat float 1\nLOOKUP_TABLE default\n0 1 2 3 4 5 6 7\n"
	m, rep, err := format.Read(context.Background(), strings.NewReader(file), scenes.ReadOptions{}, vtk.Format)
	if err != nil {
		t.Fatal(err)
	}
	if m.Len() != 8*(3+2+3) || len(rep.Warnings) > 0 {
		t.Fatalf("%v: %d triangles, %+v", err, m.Len(), rep)
	}
	report, ok := quality.Of(m)
	lengths := 30 + math.Sqrt(50) + math.Sqrt(54) + 3*math.Sqrt(200)
	radius := math.Hypot(math.Hypot(17, 10), 10) / 500
	if want := lengths * 3 * math.Sqrt(3) / 4 * radius * radius; !ok || !report.Closed || math.Abs(report.Volume-want) > 1e-3*want {
		t.Errorf("%+v, want a volume of %g", report, want)
	}
	heat := m.Field("heat")
	if heat == nil || heat.Values[m.Attributes.Index[0][0]] != 0 || heat.Values[m.Attributes.Index[0][1]] != 1 {
		t.Errorf("%+v", heat)
	}
}
