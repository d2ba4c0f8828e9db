package frame

import (
	"testing"

	"lockstep/render/internal/tile"
)

// TestTranslucentNeeds checks which rows of samples are drawn of translucent polygons: all rows of lit tile rows, and
// elsewhere the first row of each pixel.
func TestTranslucentNeeds(t *testing.T) {
	for _, grid := range []int{1, 2, 4} {
		f := TranslucentFrame{Grid: grid, Lit: tile.Rows{Lo: 1, Hi: 2}}
		for row := range 3 * tile.Height {
			want := row/tile.Height == 1 || row%grid == 0
			if got := f.needs(row); got != want {
				t.Errorf("%d samples along the side of a pixel, row %d: %v", grid, row, got)
			}
		}
	}
}
