package recipe

import (
	"image"
	"testing"
)

// Cells of sheets do not overlap, and all of a sheet but lines of a pixel belongs to one.
func TestSheetCells(t *testing.T) {
	for n := range sheetViews {
		for _, size := range [][2]int{{32, 32}, {33, 47}, {1920, 1080}} {
			cells := sheetCells(n, size[0], size[1])
			area := 0
			for i, c := range cells {
				area += c.Dx() * c.Dy()
				if c.Empty() || !c.In(image.Rect(0, 0, size[0], size[1])) {
					t.Errorf("%d views, %v: cell %v", n, size, c)
				}
				for _, d := range cells[:i] {
					if c.Overlaps(d) {
						t.Errorf("%d views, %v: %v and %v overlap", n, size, c, d)
					}
				}
			}
			if lines := size[0]*size[1] - area; len(cells) != n || lines > 3*(size[0]+size[1]) {
				t.Errorf("%d views, %v: %d cells, %d pixels beside them", n, size, len(cells), lines)
			}
		}
	}
}
