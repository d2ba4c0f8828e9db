package surface

import (
	"math"
	"testing"

	"lockstep/render/internal/float3"
)

// A ridge consists of two planes that meet at the row of cells ridgeMiddle. The upper rows have the open share
// ridgeAbove, and the lower rows ridgeBelow.
const (
	ridgeMiddle = 30
	ridgeAbove  = 1
	ridgeBelow  = 0.3
)

// ridge returns a grid that shows two planes at a right angle. Their common edge points to the eye or, if valley is
// set, away from it. distance returns the distance of the point at height y.
func ridge(t *testing.T, valley bool) (o *Occlusion, normals [2]float3.Vector, distance func(y float32) float32) {
	t.Helper()
	o = new(Occlusion)
	o.Begin(80, 4*ridgeMiddle, OcclusionView{
		Radius: 0.5, PerCell: 0.02, Orthographic: true, CenterX: 20, CenterY: ridgeMiddle, Axes: unitAxes,
	}, nil)
	normals = [2]float3.Vector{float3.New(0, 0.8, 0.6), float3.New(0, -0.6, 0.8)}
	if valley {
		normals[0], normals[1] = normals[1], normals[0]
	}
	distance = func(y float32) float32 {
		n := normals[0]
		if y < 0 {
			n = normals[1]
		}
		return 5 + n.Y/n.Z*y
	}
	for row := range o.Height {
		o.beginRow(row, 0, o.Width)
		which, sky := 0, float32(ridgeAbove)
		if row >= ridgeMiddle {
			which, sky = 1, ridgeBelow
		}
		for x := range o.Width {
			at := o.at(x, row)
			_, y := o.position(x, row, 1)
			o.Z[at], o.Open[at] = distance(y), sky
			o.setNormal(at, normals[which])
		}
	}
	return o, normals, distance
}

// TestSkyOfRidge averages cells, and computes the sky of each pixel from its own surface. At an edge that points to the
// eye, neither side may change the sky of the other.
func TestSkyOfRidge(t *testing.T) {
	o, normals, distance := ridge(t, false)
	average(o)
	for row := range o.Height {
		want := float32(ridgeAbove)
		if row >= ridgeMiddle {
			want = ridgeBelow
		}
		for x := range o.Width {
			if got := o.Open[o.at(x, row)]; math.Abs(float64(got-want)) > 1e-5 {
				t.Fatalf("cell (%d, %d) has the sky %v, want %v", x, row, got, want)
			}
		}
	}
	for py := range 2 * o.Height {
		y := (o.view.CenterY - 0.5*(float32(py)+0.5)) * o.view.PerCell
		which, want := 0, float32(ridgeAbove)
		if y < 0 {
			which, want = 1, ridgeBelow
		}
		got, known := o.skyAbove(31, py, distance(y), normals[which])
		if !known || math.Abs(float64(got-want)) > 1e-5 {
			t.Errorf("row %d of pixels has the sky %v, %v, want %v", py, got, known, want)
		}
		e := o.Edges(8, 30, py)
		if beside := py >= 2*ridgeMiddle-1 && py <= 2*ridgeMiddle; e.has(31) != beside || e.Any() != beside {
			t.Errorf("row %d of pixels is beside the edge: %v, %v, want %v", py, e.has(31), e.Any(), beside)
		}
	}
	// A strip that no cell shows must have the sky of the nearest cells that show its surface.
	if got, known := o.skyAbove(31, 2*ridgeMiddle+2, distance(0), normals[0]); !known || got < 0.99 {
		t.Errorf("a strip beside the edge has the sky %v, %v", got, known)
	}
	if _, known := o.skyAbove(31, 10, distance(0)-3, normals[0]); known {
		t.Error("a point far from all cells has a sky")
	}
}

// TestSkyOfValley averages across an edge that points away from the eye, where both sides are equally dark.
func TestSkyOfValley(t *testing.T) {
	o, _, _ := ridge(t, true)
	average(o)
	last := float32(2)
	for row := ridgeMiddle - 8; row < ridgeMiddle+8; row++ {
		got := o.Open[o.at(20, row)]
		if got > last+0.06 { // cells less than a cell width above the plane do not count
			t.Errorf("row %d has the sky %v after %v", row, got, last)
		}
		last = got
	}
	if got := o.Open[o.at(20, ridgeMiddle-3)]; got > 0.99 || got < 0.5 {
		t.Errorf("the sky three cells above the corner is %v", got)
	}
}

// The function average averages the cells as a frame does.
func average(o *Occlusion) {
	for _, second := range []bool{false, true} {
		for y := range o.Height {
			o.AverageAcross(y, second)
		}
		for y := range o.Height {
			o.AverageDown(y, second)
		}
	}
}

// TestAtEdge tests pixels before, at, between and after two edges.
func TestAtEdge(t *testing.T) {
	edges := []Edge{{X: 64, N: 64, At: 1 | 1<<32}, {X: 192, N: 5, At: 1<<1 | 1<<3}}
	want := map[int]bool{64: true, 127: true, 193: true, 194: true}
	for pixel := range 300 {
		if got := atEdge(&edges, pixel); got != want[pixel] {
			t.Errorf("pixel %d lies at an edge: %v", pixel, got)
		}
	}
	if len(edges) > 0 {
		t.Errorf("%d edges are left behind the last", len(edges))
	}
}
