package recipe

import (
	"testing"

	"lockstep/render/annotate"
	"lockstep/render/recipe/internal/sheet"
	"lockstep/scenes"
)

// TestSheetLengths checks that the lengths of the box fit beside the views of a sheet, and that the letters stay
// readable.
func TestSheetLengths(t *testing.T) {
	in := &Input{Axis: new(scenes.PlusZ), Box: scenes.Box{Min: [3]float64{-2.5, -1.25, 0}, Max: [3]float64{2.5, 1.25, 1.375}}, Unit: 0.001}
	for _, size := range []Size{{1600, 1200}, {1920, 1080}, {1200, 900}, {640, 480}} {
		for _, n := range []int{4, 7} {
			p := Picture{Sheet: n, Size: size}
			p.Lines.Bounds = true
			views := sheet.Views(n, false)
			for i := range views {
				if err := p.addViewSize(in, &views[i]); err != nil {
					t.Fatal(err)
				}
			}
			usual := annotate.LetterSize(size.Width, size.Height)
			letters, beside, err := p.sheetLetters(in, usual, float64(size.Width)/float64(sheet.Columns(views)))
			if err != nil {
				t.Fatal(err)
			}
			if letters < 0.599*usual || letters > usual {
				t.Errorf("%v, %d views: letters of %g pixels", size, n, letters)
			}
			const spare = 1.0 // heights of letters that the gaps of 1.4 may lack
			cells, scale := sheet.Cells(views, size.Width, size.Height, max(boundsPad*letters, beside), boundsPad*letters)
			for i, v := range views[:len(views)-1] { // all but the isometric view
				if margin := (float64(cells[i].Dx()) - v.Across*scale) / 2; margin < beside-spare*letters {
					t.Errorf("%v, %s of %d views: a margin of %.0f pixels, %.0f wanted", size, v.Name, n, margin, beside)
				}
			}
		}
	}
}
