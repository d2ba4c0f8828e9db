package kernel

import (
	"testing"

	"lockstep/lb"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/render/internal/kernel/scanline"
	"lockstep/vp/isa/isatest"
)

// TestRedistributionStats redistributes a polygon with 160 remaining rows, so that it takes ten iterations. A second
// group without a tall polygon must stay unchanged.
func TestRedistributionStats(t *testing.T) {
	p := array.MakePolygons(2 * array.Lanes)
	for n := range int32(2 * array.Lanes) {
		rows := int32(1)
		if n == 3 {
			rows = 161
		}
		p.Push(array.Vertex{X: 0, Y: 0}, array.Vertex{X: 9 * array.Sub, Y: 0}, array.Vertex{X: 0, Y: rows * array.Sub},
			array.Box{X0: 0, X1: 9, Y0: 0, Y1: rows}, geometry.Ambient, int(n))
	}
	for _, level := range isatest.Levels(t) {
		_, s := allSpans(Select(level).ScanConvert, balance{policy: lb.Always}, p, 4096, 300)
		want := scanline.Counts{Iterations: 1 + 10 + 1, Tasks: 31 + 161, Looks: 1, Redistributions: 1, Polygons: 1, Spread: 10, Saved: 150, IterationsUnbalanced: 162}
		if s.Counts != want {
			t.Errorf("%v: %+v", level, s.Counts)
		}
		_, never := allSpans(Select(level).ScanConvert, balance{policy: lb.Never}, p, 4096, 300)
		if never.Counts != (scanline.Counts{Iterations: 162, Tasks: 31 + 161, IterationsUnbalanced: 162}) {
			t.Errorf("%v, never: %+v", level, never.Counts)
		}
	}
}

// TestSaved checks groups with known answers. Without redistribution, a group takes as many iterations as its tallest
// polygon has rows. With redistribution, all lanes share the rows of each tall polygon.
func TestSaved(t *testing.T) {
	for _, level := range isatest.Levels(t) {
		p := array.MakePolygons(4 * array.Lanes)
		for n := range 4 * array.Lanes {
			height := int32(1)
			switch n {
			case 3:
				height = 1 + 17 // the only tall polygon of its group; 17 rows remain
			case 16:
				height = 1 + 40 // together 60 rows remain
			case 31:
				height = 1 + 20
			}
			if !pushTriangle(p, height) {
				t.Fatal("a polygon is not visible")
			}
		}
		_, s := allSpans(Select(level).ScanConvert, balance{policy: lb.Always}, p, 4096, 300)
		if s.Polygons != 3 || s.Saved != (17-2)+(40-3-2) || s.Redistributions != 2 {
			t.Errorf("%v: %+v", level, s.Counts)
		}
	}
}

// pushTriangle appends a triangle with the given number of rows.
func pushTriangle(p *array.Polygons, height int32) bool {
	v := geometry.View{Width: 300, Height: 300}
	a, b, c := array.Vertex{X: 0, Y: 0, E: 0.5}, array.Vertex{X: 3 * array.Sub, Y: 0, E: 0.5}, array.Vertex{X: array.Sub, Y: height * array.Sub, E: 0.5}
	box, ok := v.Visible(a, b, c)
	if ok {
		p.Push(a, b, c, box, geometry.Ambient, p.N)
	}
	return ok && box.Y1-box.Y0 == height
}
