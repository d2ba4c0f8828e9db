package annotate

import (
	"fmt"
	"image"
	"math"
	"sort"
	"strconv"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"lockstep/render"
)

// A typeface is the font of all text: Go Regular.
type typeface struct {
	font  *opentype.Font
	faces map[float64]font.Face // faces by size in pixels
}

func newTypeface() (*typeface, error) {
	f, err := opentype.Parse(goregular.TTF)
	if err != nil {
		return nil, fmt.Errorf("font: %w", err)
	}
	return &typeface{f, map[float64]font.Face{}}, nil
}

// face returns the font at a size in pixels.
func (t *typeface) face(size float64) font.Face {
	size = math.Round(size)
	if f := t.faces[size]; f != nil {
		return f
	}
	// NewFace cannot fail, because the font has been parsed. At 72 DPI a point is a pixel.
	f, _ := opentype.NewFace(t.font, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
	t.faces[size] = f
	return f
}

// Alignments of text relative to its position.
const (
	alignLeft = iota
	alignMiddle
	alignRight
)

// textWidth returns the width of a text in pixels.
func (p *page) textWidth(text string) float64 {
	return float64(font.MeasureString(p.a.text.face(p.size), text)) / 64
}

// shorten returns text if it is not wider than width. Otherwise it returns as much of the beginning as fits, with an
// ellipsis.
func (p *page) shorten(text string, width float64) string {
	if p.textWidth(text) <= width {
		return text
	}
	letters := []rune(text)
	n := sort.Search(len(letters), func(n int) bool { return p.textWidth(string(letters[:n+1])+"…") > width })
	return strings.TrimRight(string(letters[:n]), " ") + "…"
}

// drawLabel writes text into the upper left corner.
func (p *page) drawLabel(text string, ink render.RGB) {
	text, x := p.fitLabel(text)
	p.writeWithin(text, x, p.size*1.4, alignLeft, ink, 1)
}

// drawCaption writes text into the lower left corner.
func (p *page) drawCaption(text string, ink render.RGB) {
	text, x := p.fitLabel(text)
	p.writeWithin(text, x, float64(p.h)-0.7*p.size, alignLeft, ink, 1)
}

// fitLabel returns as much of text as fits in a label, and the x at which the label starts. Margins are as wide as a
// letter, or less in narrow pictures. A text that is too wide between these margins may use all but the outermost
// pixels. A text that is even wider is shortened to fit between the margins.
func (p *page) fitLabel(text string) (fitted string, x float64) {
	if room := float64(p.w) - p.textWidth(text); room >= 2 {
		return text, min(p.size, room/2)
	}
	x = min(p.size, float64(p.w)/8)
	return p.shorten(text, float64(p.w)-2*x), x
}

// write writes a line of text whose base line is at y. The text has a halo of haloColor, so that it can be read over
// lines. If necessary, the text is moved so that it lies within the page.
func (p *page) write(text string, x, y float64, align int, ink render.RGB) {
	p.writeWithin(text, x, y, align, ink, p.size/4)
}

// writeWithin is like write, but leaves `edge` pixels free at either side of the page.
func (p *page) writeWithin(text string, x, y float64, align int, ink render.RGB, edge float64) {
	width := p.textWidth(text)
	switch align {
	case alignMiddle:
		x -= width / 2
	case alignRight:
		x -= width
	}
	x = max(min(x, float64(p.w)-width-edge), edge)
	y = max(min(y, float64(p.h)-p.size*0.35), p.size)
	// A letter extends beyond its line and its advance width by less than its size.
	box := image.Rect(int(x-p.size), int(y-2*p.size), int(x+width+p.size)+1, int(y+p.size)+1).Intersect(image.Rect(0, 0, p.w, p.h))
	radius := max(1, int(p.size/9))
	// Text outside pic matters only if its halo reaches into pic.
	box = box.Intersect(image.Rect(p.left-radius, p.top-radius, p.right+radius, p.bottom+radius))
	if box.Empty() {
		return
	}
	mask := image.NewAlpha(box)
	d := font.Drawer{Dst: mask, Src: image.Opaque, Face: p.a.text.face(p.size), Dot: fixed.Point26_6{X: fixed.Int26_6(math.Round(x * 64)), Y: fixed.Int26_6(math.Round(y * 64))}}
	d.DrawString(text)
	p.overlay(halo(mask, radius), p.haloColor, 0.75)
	p.overlay(mask, ink, 1)
}

// haloColorFor returns the colour of halos around ink. It is light for dark ink, and dark for light ink.
func haloColorFor(ink render.RGB) render.RGB {
	if (ink>>16&255)*3+(ink>>8&255)*6+ink&255 > 1280 {
		return 0x101214
	}
	return 0xffffff
}

// overlay blends a colour over the pixels that mask covers.
func (p *page) overlay(mask *image.Alpha, color render.RGB, opacity float64) {
	over := p.gamma.tables.Linear(uint32(color))
	for y := max(mask.Rect.Min.Y, p.top); y < min(mask.Rect.Max.Y, p.bottom); y++ {
		for x := max(mask.Rect.Min.X, p.left); x < min(mask.Rect.Max.X, p.right); x++ {
			if a := mask.Pix[mask.PixOffset(x, y)]; a != 0 {
				p.blend(p.pixelIndex(x, y), over, float32(float64(a)*opacity/255))
			}
		}
	}
}

// halo returns the mask widened by radius pixels.
func halo(mask *image.Alpha, radius int) *image.Alpha {
	wide := image.NewAlpha(mask.Rect)
	for y := mask.Rect.Min.Y; y < mask.Rect.Max.Y; y++ {
		for x := mask.Rect.Min.X; x < mask.Rect.Max.X; x++ {
			a := mask.Pix[mask.PixOffset(x, y)]
			if a == 0 {
				continue
			}
			for j := max(y-radius, mask.Rect.Min.Y); j <= min(y+radius, mask.Rect.Max.Y-1); j++ {
				for i := max(x-radius, mask.Rect.Min.X); i <= min(x+radius, mask.Rect.Max.X-1); i++ {
					if (i-x)*(i-x)+(j-y)*(j-y) <= radius*radius {
						at := wide.PixOffset(i, j)
						wide.Pix[at] = max(wide.Pix[at], a)
					}
				}
			}
		}
	}
	return wide
}

// numberText formats a number with at most five digits.
func numberText(v float64) string { return strconv.FormatFloat(v, 'g', 5, 64) }

// lengthText formats a length with its unit.
func (p *page) lengthText(v float64) string {
	if u := p.a.options.Unit; u != "" {
		return numberText(v) + " " + u
	}
	return numberText(v)
}
