package indexed_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/ply"
	"lockstep/scenes/quality"
)

// cloud returns a PLY file of points with colours and a field.
func cloud(points ...[3]float64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "ply\nformat ascii 1.0\nelement vertex %d\nproperty double x\nproperty double y\nproperty double z\n"+
		"property uchar red\nproperty uchar green\nproperty uchar blue\nproperty float heat\nproperty float nx\nproperty float ny\nproperty float nz\nend_header\n", len(points))
	for i, p := range points {
		fmt.Fprintf(&b, "%g %g %g %d 10 20 %d 0 0 1\n", p[0], p[1], p[2], i, 100+i)
	}
	return b.String()
}

// TestCloud checks that points are drawn as octahedra that face outwards and have the colours and field values of the
// points.
func TestCloud(t *testing.T) {
	nan := math.NaN()
	m, rep, err := format.Read(context.Background(), strings.NewReader(cloud([3]float64{1, 2, 3}, [3]float64{nan, 0, 0}, [3]float64{4, 2, 3}, [3]float64{1, 7, 3})), scenes.ReadOptions{}, ply.Format)
	if err != nil || m.Len() != 24 || len(rep.Warnings) != 0 {
		t.Fatalf("%v, %+v", err, rep)
	}
	size := 0.01 * math.Hypot(3, 5) // greatest size
	for d, want := range [2][3]float64{{1 - size, 2 - size, 3 - size}, {4 + size, 7 + size, 3 + size}} {
		got := [2][3]float64{rep.Bounds.Min, rep.Bounds.Max}[d]
		for axis := range 3 {
			if math.Abs(got[axis]+m.Origin[axis]-want[axis]) > 1e-6 {
				t.Errorf("bounds %v, want %v", got, want)
			}
		}
	}
	if m.Colors[0] != 0x000a14 || m.Colors[8] != 0x020a14 || m.Colors[23] != 0x030a14 {
		t.Errorf("colours %06x", m.Colors)
	}
	heat := m.Field("heat")
	if heat == nil || heat.Values[m.Attributes.Index[0][0]] != 100 || heat.Values[m.Attributes.Index[2][23]] != 103 {
		t.Errorf("fields %+v", heat)
	}
	report, ok := quality.Of(m)
	if !ok || !report.Closed || math.Abs(report.Volume-3*4./3*size*size*size) > 1e-3*report.Volume {
		t.Errorf("%+v", report)
	}
}

// TestCloudSize checks that dense points form a closed surface, and that single points are visible.
func TestCloudSize(t *testing.T) {
	var grid [][3]float64
	for i := range 100 {
		for j := range 100 {
			grid = append(grid, [3]float64{float64(i), float64(j), 0})
		}
	}
	for name, c := range map[string]struct {
		points [][3]float64
		size   float64
	}{
		"a grid":             {grid, 0.9},
		"one point":          {[][3]float64{{5, 5, 5}}, 1},
		"twice the same":     {[][3]float64{{5, 5, 5}, {5, 5, 5}}, 1},
		"two far apart":      {[][3]float64{{0, 0, 0}, {1000, 0, 0}}, 10},
		"two near, one away": {[][3]float64{{0, 0, 0}, {1e-9, 0, 0}, {1000, 0, 0}}, 0.1},
	} {
		m, rep, err := format.Read(context.Background(), strings.NewReader(cloud(c.points...)), scenes.ReadOptions{}, ply.Format)
		if err != nil || m.Len() != 8*len(c.points) {
			t.Fatalf("%s: %v", name, err)
		}
		if got := (rep.Bounds.Max[2] - rep.Bounds.Min[2]) / 2; math.Abs(got-c.size) > 1e-3*c.size {
			t.Errorf("%s: size %g, want %g", name, got, c.size)
		}
	}
}

// TestCloudLimit checks that clouds that exceed the limit for memory are refused before they are made.
func TestCloudLimit(t *testing.T) {
	file := cloud(make([][3]float64, 2000)...)
	if _, _, err := format.Read(context.Background(), strings.NewReader(file), scenes.ReadOptions{MaxMemory: 500_000}, ply.Format); err == nil || !strings.Contains(err.Error(), "memory") {
		t.Error(err)
	}
	if _, _, err := format.Read(context.Background(), strings.NewReader(file), scenes.ReadOptions{MaxTriangles: 15999}, ply.Format); err == nil || !strings.Contains(err.Error(), "triangles") {
		t.Error(err)
	}
}
