// Package sheet lays out the views of a contact sheet: which views there are, and where each of them is.
package sheet

import (
	"image"
	"math"
)

// A View is a view of a sheet: its name, and the columns and the row of the sheet that it occupies.
type View struct {
	Name         string
	left, right  int // first and last column
	row          int
	Across, High float64 // width and height of the box of the mesh in this view
}

// Views returns the views of a sheet, 4 or 7. The isometric view is the last. In third-angle projection, a view from
// one side of the mesh lies on that side of the front view, as if the mesh were in a glass box that is unfolded. In
// first-angle projection, each view lies on the opposite side, as if the mesh were tipped over onto the paper.
func Views(views int, firstAngle bool) []View {
	at := func(name string, column, row int) View {
		return View{Name: name, left: column, right: column, row: row}
	}
	switch {
	case views == 4 && firstAngle:
		return []View{at("front", 1, 0), at("right", 0, 0), at("top", 1, 1), at("iso", 0, 1)}
	case views == 4:
		return []View{at("top", 0, 0), at("front", 0, 1), at("right", 1, 1), at("iso", 1, 0)}
	case firstAngle:
		return []View{
			at("front", 1, 1), at("right", 0, 1), at("left", 2, 1), at("back", 3, 1), at("bottom", 1, 0), at("top", 1, 2),
			{Name: "iso", left: 2, right: 3, row: 0},
		}
	}
	return []View{
		at("front", 1, 1), at("left", 0, 1), at("right", 2, 1), at("back", 3, 1), at("top", 1, 0), at("bottom", 1, 2),
		{Name: "iso", left: 2, right: 3, row: 0},
	}
}

// MostPad is the largest margin beside a view, as a fraction of the width of a column.
const MostPad = 0.25

// Columns returns the number of columns of a sheet with these views.
func Columns(views []View) (columns int) {
	for _, v := range views {
		columns = max(columns, v.right+1)
	}
	return columns
}

// Cells returns the rectangle (cell) of each view on a sheet, and the scale, in pixels per unit of the mesh. The
// scale is the same in all views. It is the largest scale that leaves margins of padX pixels at both sides of every
// view, and of padY pixels above and below the view. Views in one column have the same centre line, and so do views
// in one row. Remaining space is divided among columns and rows.
func Cells(views []View, width, height int, padX, padY float64) (cells []image.Rectangle, scale float64) {
	var columns, rows [4]float64 // sizes of columns and rows, in units of the mesh
	for _, v := range views {
		if v.left == v.right {
			columns[v.left] = max(columns[v.left], v.Across)
		}
		rows[v.row] = max(rows[v.row], v.High)
	}
	last := views[len(views)-1]
	if n := float64(last.right - last.left + 1); n > 1 { // the last view may need more space if the box is turned
		missing := (last.Across - columns[last.left] - columns[last.right]) / n
		columns[last.left] += max(missing, 0)
		columns[last.right] += max(missing, 0)
	}
	nColumns, nRows := Columns(views), 0
	for _, v := range views {
		nRows = max(nRows, v.row+1)
	}
	padX = min(padX, MostPad*float64(width)/float64(nColumns))
	padY = min(padY, 0.2*float64(height)/float64(nRows))
	scale = min(
		(float64(width)-2*padX*float64(nColumns))/total(columns[:]),
		(float64(height)-2*padY*float64(nRows))/total(rows[:]))
	x, y := borders(columns[:nColumns], scale, width), borders(rows[:nRows], scale, height)
	for _, v := range views {
		cells = append(cells, image.Rect(x[v.left], y[v.row], x[v.right+1], y[v.row+1]))
	}
	return cells, scale
}

func total(lengths []float64) (sum float64) {
	for _, l := range lengths {
		sum += l
	}
	return sum
}

// borders returns the borders of columns or rows. Each column or row has a size of at least one pixel. Its size is
// its length times the scale, plus an equal part of the remaining space.
func borders(lengths []float64, scale float64, pixels int) []int {
	if math.IsInf(scale, 0) || math.IsNaN(scale) { // the mesh is a single point
		scale = 0
	}
	n := len(lengths)
	spare := float64(pixels) - float64(scale*total(lengths))
	at := make([]int, n+1)
	end := 0.0
	for i, l := range lengths {
		end += float64(l*scale) + spare/float64(n)
		at[i+1] = min(max(int(math.Round(end)), at[i]+1), pixels-(n-1-i))
	}
	at[n] = pixels
	return at
}
