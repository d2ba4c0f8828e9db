package drawing

import (
	"math"
	"strconv"

	"lockstep/render"
)

// A Style determines how a drawing looks in a file.
type Style struct {
	Ink        render.RGB  // colour of lines
	Paper      *render.RGB // colour of the surface; nil leaves the surface transparent
	Background *render.RGB // colour of the page; nil means none
	// LineWidth is the width of visible lines, in units of the page. 0 means 1/600 of the page's height, but at least
	// 1. Hidden lines and wires are half as wide.
	LineWidth float64
	// DPI is the number of units of the page per inch. 0 means 96, as in browsers.
	DPI   int
	Title string
}

// defaultDPI is the number of CSS pixels per inch.
const defaultDPI = 96

func (s *Style) dpi() float64 {
	if s.DPI > 0 {
		return float64(s.DPI)
	}
	return defaultDPI
}

func (s *Style) lineWidth(height int) float64 {
	if s.LineWidth > 0 {
		return s.LineWidth
	}
	return max(1, float64(height)/600)
}

// dash and gap are the lengths of dashes and gaps of hidden lines, in widths of visible lines. ISO 128 requires
// dashes of 12 and gaps of 3 line widths. A hidden line is half as wide as a visible line. So these are 6 and 1.5
// widths of a visible line, and the gap is rounded up to 2.
const dash, gap = 6, 2

// A layer holds the lines of one kind.
type layer struct {
	name   string
	lines  []Line
	width  float64 // width of lines relative to visible lines
	dashed bool
}

// layers returns the layers of a drawing in the order in which they are drawn.
func (d *Drawing) layers() []layer {
	return []layer{
		{name: "hidden", lines: d.Hidden, width: 0.5, dashed: true},
		{name: "wires", lines: d.Wires, width: 0.5},
		{name: "visible", lines: d.Visible, width: 1},
	}
}

// appendNumber appends a coordinate to the slice `to`. It rounds the coordinate to a hundredth of a unit.
func appendNumber(to []byte, v float64) []byte {
	v = math.Round(v*100) / 100
	return strconv.AppendFloat(to, v+0, 'f', -1, 64) // +0 turns minus zero into zero
}
