package indexed_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/quality"
	"lockstep/scenes/vtk"
)

// TestLines draws lines in all directions as closed rods, the fronts outside, with the numbers of their points.
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
