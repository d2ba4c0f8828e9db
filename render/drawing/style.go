package drawing

import (
	"math"
	"strconv"

	"lockstep/render"
)

// A Style says how a drawing looks in a file.
type Style struct {
	Ink        render.RGB  // of lines
	Paper      *render.RGB // of the surface; nil: none, all that lies behind it shows through
	Background *render.RGB // of the page; nil: none
	// LineWidth is that of visible lines, in units of the page; 0: a six-hundredth of its height, at least 1. Hidden
	// lines and wires are half as wide.
	LineWidth float64
	// DPI is how many units of the page an inch has; 0: 96, as in browsers.
	DPI   int
	Title string
}

// defaultDPI is what a pixel of CSS stands for.
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

// Dashes of hidden lines, in line widths of visible ones: ISO 128 has 12 and 3 of lines half as wide.
const dash, gap = 6, 2

// A layer is lines of one kind.
type layer struct {
	name   string
	lines  []Line
	width  float64 // of the visible ones' width
	dashed bool
}

// layers returns the lines of a drawing, those below first.
func (d *Drawing) layers() []layer {
	return []layer{
		{name: "hidden", lines: d.Hidden, width: 0.5, dashed: true},
		{name: "wires", lines: d.Wires, width: 0.5},
		{name: "visible", lines: d.Visible, width: 1},
	}
}

// number appends a coordinate with at most two digits behind the point: a hundredth of a pixel.
func number(to []byte, v float64) []byte {
	v = math.Round(v*100) / 100
	return strconv.AppendFloat(to, v+0, 'f', -1, 64) // +0: no negative zero
}
