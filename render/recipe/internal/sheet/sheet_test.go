package sheet

import (
	"image"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestSheetCells checks that the cells of a sheet lie on it and do not overlap, that every view fits into its cell, and
// that views beside or above each other are aligned.
func TestSheetCells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, first := rapid.SampledFrom([]int{4, 7}).Draw(t, "views"), rapid.Bool().Draw(t, "first angle")
		size := image.Pt(rapid.IntRange(32, 2000).Draw(t, "width"), rapid.IntRange(32, 2000).Draw(t, "height"))
		length := rapid.SampledFrom([]float64{0, 1e-3, 1, 2, 5, 1e3})
		w, d, h := length.Draw(t, "w"), length.Draw(t, "d"), length.Draw(t, "h")
		views := Views(n, first)
		for i := range views {
			v := &views[i]
			switch v.Name {
			case "front", "back":
				v.Across, v.High = w, h
			case "left", "right":
				v.Across, v.High = d, h
			case "top", "bottom":
				v.Across, v.High = w, d
			default:
				v.Across, v.High = (w+d)*math.Sqrt(0.5), h*math.Sqrt(2.0/3)+(w+d)*math.Sqrt(1.0/6)
			}
		}
		cells, scale := Cells(views, size.X, size.Y, 22, 22)
		if len(cells) != n || math.IsNaN(scale) || scale < 0 {
			t.Fatalf("%d cells, scale %v", len(cells), scale)
		}
		for i, c := range cells {
			if c.Empty() || !c.In(image.Rect(0, 0, size.X, size.Y)) {
				t.Fatalf("cell %v", c)
			}
			if w+d+h > 0 && (views[i].Across*scale > float64(c.Dx())+1 || views[i].High*scale > float64(c.Dy())+1) {
				t.Fatalf("%s of %v x %v pixels in %v", views[i].Name, views[i].Across*scale, views[i].High*scale, c)
			}
			for j, other := range cells[:i] {
				if c.Overlaps(other) {
					t.Fatalf("%v and %v overlap", c, other)
				}
				if views[i].row == views[j].row && (c.Min.Y != other.Min.Y || c.Max.Y != other.Max.Y) ||
					views[i].left == views[j].left && views[i].right == views[j].right && (c.Min.X != other.Min.X || c.Max.X != other.Max.X) {
					t.Fatalf("%s at %v and %s at %v are not in line", views[i].Name, c, views[j].Name, other)
				}
			}
		}
	})
}

// TestSheetAngles checks the positions of views. In third-angle projection, the view from one side of the mesh is on
// that side of the front view. In first-angle projection, it is on the opposite side.
func TestSheetAngles(t *testing.T) {
	for _, n := range []int{4, 7} {
		for first, sign := range map[bool]int{false: 1, true: -1} {
			at := map[string]View{}
			for _, v := range Views(n, first) {
				at[v.Name] = v
			}
			front := at["front"]
			for name, side := range map[string][2]int{"left": {-1, 0}, "right": {1, 0}, "top": {0, -1}, "bottom": {0, 1}} {
				v, ok := at[name]
				if ok != (n == 7 || name == "top" || name == "right") {
					t.Errorf("%d views: %s", n, name)
				}
				if ok && [2]int{v.left - front.left, v.row - front.row} != [2]int{sign * side[0], sign * side[1]} {
					t.Errorf("%d views, first angle %v: %s at %+v", n, first, name, v)
				}
			}
		}
	}
}
