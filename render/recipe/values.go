package recipe

import (
	"fmt"
	"image"
	"math"
	"strconv"
	"strings"

	"golang.org/x/image/colornames"

	"lockstep/render"
	"lockstep/render/part"
	"lockstep/render/recipe/internal/material"
	"lockstep/render/recipe/internal/numbers"
	"lockstep/render/recipe/internal/units"
)

// A Size is a width and a height in pixels.
type Size struct{ Width, Height int }

// MarshalText returns WxH.
func (s Size) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%dx%d", s.Width, s.Height), nil }

// UnmarshalText reads WxH, W,H or, for a square, N.
func (s *Size) UnmarshalText(text []byte) error {
	w, h, two := strings.Cut(string(text), "x")
	if !two {
		w, h, two = strings.Cut(string(text), ",")
	}
	if !two {
		h = w
	}
	width, errW := strconv.Atoi(w)
	height, errH := strconv.Atoi(h)
	if errW != nil || errH != nil || width < 1 || height < 1 {
		return fmt.Errorf("%q: expected WxH in pixels, such as 1920x1080", text)
	}
	*s = Size{width, height}
	return nil
}

// A View is the direction from the target to the eye, in degrees. Azimuth 0 is the front, and azimuth 90 is the right
// side. Elevation 90 is the top.
type View struct{ Azimuth, Elevation float64 }

// DefaultView is the default view of pictures. FlatView is the default view of flat meshes, because DefaultView would
// show little of them.
var (
	DefaultView = View{Azimuth: 30, Elevation: 20}
	FlatView    = View{Azimuth: 30, Elevation: 40}
)

// Views returns the named directions. The elevation of the isometric view is atan(1/sqrt(2)). At this elevation the
// three axes appear equally long.
func Views() map[string]View {
	return map[string]View{
		"front":  {0, 0},
		"back":   {180, 0},
		"right":  {90, 0},
		"left":   {-90, 0},
		"top":    {0, 90},
		"bottom": {0, -90},
		"iso":    {45, 35.264389682754654},
	}
}

// MarshalText returns the name of the direction, or AZ,EL if it has no name.
func (v View) MarshalText() ([]byte, error) {
	for name, view := range Views() {
		if v == view {
			return []byte(name), nil
		}
	}
	return []byte(numbers.Exact(v.Azimuth) + "," + numbers.Exact(v.Elevation)), nil
}

// UnmarshalText reads AZ,EL in degrees, or the name of a direction.
func (v *View) UnmarshalText(text []byte) error {
	if view, ok := Views()[string(text)]; ok {
		*v = view
		return nil
	}
	angles, ok := numbers.Parse(string(text), 2)
	if !ok {
		return fmt.Errorf("%q: expected AZ,EL in degrees, front, back, left, right, top, bottom or iso", text)
	}
	*v = View{angles[0], angles[1]}
	return v.check(string(text))
}

func (v View) check(text string) error {
	if !numbers.IsFinite(v.Azimuth) || !(math.Abs(v.Elevation) <= 90) {
		return fmt.Errorf("%q: elevation must lie between -90 and 90 degrees", text)
	}
	return nil
}

// A Color is an sRGB colour as text, in any notation that ParseColor reads, or a word that its field allows, such as
// none. The normal form of a colour is RRGGBB in lower case.
type Color string

// RGB returns the colour. The bool is false if c is a word, empty, or not a colour.
func (c Color) RGB() (render.RGB, bool) { return ParseColor(string(c)) }

// ColorOf returns a colour as text.
func ColorOf(rgb render.RGB) Color { return Color(fmt.Sprintf("%06x", uint32(rgb))) }

// normalForm returns the normal form of a colour, or c itself if it is a word.
func (c Color) normalForm() Color {
	if rgb, ok := c.RGB(); ok {
		return ColorOf(rgb)
	}
	return c
}

// ParseColor reads RRGGBB, #RRGGBB, #RGB, or a colour name of CSS (Color Module Level 3, section 4.3).
func ParseColor(s string) (render.RGB, bool) {
	if c, ok := colornames.Map[strings.ToLower(s)]; ok {
		return render.RGB(c.R)<<16 | render.RGB(c.G)<<8 | render.RGB(c.B), true
	}
	hex, marked := strings.CutPrefix(s, "#")
	if marked && len(hex) == 3 {
		hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
	}
	v, err := strconv.ParseUint(hex, 16, 32)
	return render.RGB(v), err == nil && len(hex) == 6
}

// A Point is a point in space, or a vector: x, y, z.
type Point [3]float64

// A Plane is a cutting plane, and the side of the plane on which the mesh remains.
type Plane struct {
	// Normal is perpendicular to the plane and has any length except 0. Points p of the plane satisfy Normal . p =
	// Offset.
	Normal [3]float64
	// Offset is the position of the plane along Normal. With Percent it is a percentage: 0 is the start of the box of
	// the mesh along the normal, and 100 its end.
	Offset  float64
	Percent bool
	// Keep is the side that remains: '<' below the Offset, '>' above it, or '=' the side that is turned away from the
	// eye.
	Keep byte
}

// MarshalText returns the plane in the form of --section, such as z<5 or 1,1,0=40%.
func (p Plane) MarshalText() ([]byte, error) {
	left := numbers.ExactList(p.Normal[:])
	for axis, name := range []string{"x", "y", "z"} {
		if unit := [3]float64{}; true {
			if unit[axis] = 1; p.Normal == unit {
				left = name
			}
		}
	}
	text := left + string(p.Keep) + numbers.Exact(p.Offset)
	if p.Percent {
		text += "%"
	}
	return []byte(text), nil
}

// UnmarshalText reads a plane in the form of --section.
func (p *Plane) UnmarshalText(text []byte) error {
	plane, ok := parsePlane(string(text))
	if !ok {
		return fmt.Errorf("%q: expected such as z=5, z=40%%, z<5 or 1,1,0=5", text)
	}
	*p = plane
	return nil
}

func parsePlane(s string) (p Plane, ok bool) {
	at := strings.IndexAny(s, "<>=")
	if at < 1 {
		return p, false
	}
	p.Keep = s[at]
	switch left := s[:at]; left {
	case "x", "y", "z":
		p.Normal[left[0]-'x'] = 1
	default:
		n, good := numbers.Parse(left, 3)
		if !good || n[0] == 0 && n[1] == 0 && n[2] == 0 {
			return p, false
		}
		copy(p.Normal[:], n)
	}
	value := s[at+1:]
	value, p.Percent = strings.CutSuffix(value, "%")
	v, err := strconv.ParseFloat(value, 64)
	p.Offset = v
	return p, err == nil && numbers.IsFinite(v)
}

// A Box is a box along the axes, in coordinates of the file. The zero value means no box.
type Box struct{ Low, High [3]float64 }

// MarshalText returns X0,Y0,Z0,X1,Y1,Z1.
func (b Box) MarshalText() ([]byte, error) {
	return []byte(numbers.ExactList(append(b.Low[:], b.High[:]...))), nil
}

// UnmarshalText reads X0,Y0,Z0,X1,Y1,Z1.
func (b *Box) UnmarshalText(text []byte) error {
	v, ok := numbers.Parse(string(text), 6)
	if !ok {
		return errBox(string(text))
	}
	copy(b.Low[:], v[:3])
	copy(b.High[:], v[3:])
	return b.check()
}

func (b Box) check() error {
	for axis := range 3 {
		if !(b.Low[axis] < b.High[axis]) || !numbers.IsFinite(b.Low[axis]) || !numbers.IsFinite(b.High[axis]) {
			text, _ := b.MarshalText()
			return errBox(string(text))
		}
	}
	return nil
}

func errBox(text string) error {
	return fmt.Errorf("%q: expected X0,Y0,Z0,X1,Y1,Z1, the lower corner first", text)
}

// A Dimension is the distance between two points, in coordinates of the file.
type Dimension struct{ From, To [3]float64 }

// MarshalText returns X0,Y0,Z0,X1,Y1,Z1.
func (d Dimension) MarshalText() ([]byte, error) {
	return []byte(numbers.ExactList(append(d.From[:], d.To[:]...))), nil
}

// UnmarshalText reads X0,Y0,Z0,X1,Y1,Z1.
func (d *Dimension) UnmarshalText(text []byte) error {
	v, ok := numbers.Parse(string(text), 6)
	if !ok {
		return fmt.Errorf("%q: expected two points: X0,Y0,Z0,X1,Y1,Z1", text)
	}
	copy(d.From[:], v[:3])
	copy(d.To[:], v[3:])
	return nil
}

// A Rect is a part of a picture in pixels, counted from the upper left corner of the picture. The zero value means the
// whole picture.
type Rect struct{ X, Y, Width, Height int }

// Rectangle returns the part as an image.Rectangle.
func (r Rect) Rectangle() image.Rectangle { return image.Rect(r.X, r.Y, r.X+r.Width, r.Y+r.Height) }

// String returns X,Y,WxH.
func (r Rect) String() string { return fmt.Sprintf("%d,%d,%dx%d", r.X, r.Y, r.Width, r.Height) }

// MarshalText returns X,Y,WxH.
func (r Rect) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads X,Y,WxH.
func (r *Rect) UnmarshalText(text []byte) error {
	var v Rect
	n, err := fmt.Sscanf(strings.ReplaceAll(string(text), "x", ","), "%d,%d,%d,%d", &v.X, &v.Y, &v.Width, &v.Height)
	if n != 4 || err != nil || v.String() != string(text) {
		return errRect(string(text))
	}
	*r = v
	return r.check()
}

func (r Rect) check() error {
	if r.X < 0 || r.Y < 0 || r.Width < 1 || r.Height < 1 || r.Width > part.MostPixels || r.Height > part.MostPixels {
		return errRect(r.String())
	}
	return nil
}

func errRect(text string) error {
	return fmt.Errorf("%q: expected X,Y,WxH in pixels, such as 100,50,640x480", text)
}

// A PointSize is the diameter of points, in units of the file or in pixels. A diameter in pixels holds for a point in
// the centre of the picture.
type PointSize struct {
	Length float64
	Pixels bool
}

// MarshalText returns the length, followed by px if it is in pixels.
func (s PointSize) MarshalText() ([]byte, error) {
	text := numbers.Exact(s.Length)
	if s.Pixels {
		text += "px"
	}
	return []byte(text), nil
}

// UnmarshalText reads a length such as 0.01 or 3px.
func (s *PointSize) UnmarshalText(text []byte) error {
	number, pixels := strings.CutSuffix(string(text), "px")
	v, ok := numbers.Parse(number, 1)
	if !ok || !(v[0] > 0) {
		return fmt.Errorf("%q: expected a length above 0 in units of the file, such as 0.01, or pixels, such as 3px", text)
	}
	*s = PointSize{v[0], pixels}
	return nil
}

// A Part selects one or more parts of a mesh by number or by name. The number is counted from 0, as in the output of
// the command info. Several parts may have the same name. Text that is a number is never read as a name.
type Part string

// MarshalText returns the name or number.
func (p Part) MarshalText() ([]byte, error) { return []byte(p), nil }

// UnmarshalText reads any text that is not empty.
func (p *Part) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		return fmt.Errorf("expected the number or the name of a part")
	}
	*p = Part(text)
	return nil
}

// A PartColor gives a colour to parts of a mesh.
type PartColor struct {
	Part  Part
	Color Color
}

// MarshalText returns PART=COLOR.
func (c PartColor) MarshalText() ([]byte, error) {
	return []byte(string(c.Part) + "=" + string(c.Color)), nil
}

// UnmarshalText reads PART=COLOR. The name of a part may contain =.
func (c *PartColor) UnmarshalText(text []byte) error {
	at := strings.LastIndex(string(text), "=")
	if at < 1 {
		return fmt.Errorf("%q: expected PART=RRGGBB, with the number or the name of a part", text)
	}
	color := Color(text[at+1:])
	if _, ok := color.RGB(); !ok {
		return fmt.Errorf("%q: expected RRGGBB in hexadecimal, #RGB, or a name such as white, behind =", text)
	}
	*c = PartColor{Part(text[:at]), color}
	return nil
}

// Units maps symbols and names of units to their lengths in metres.
func Units() map[string]float64 { return units.Lengths() }

// UnitName returns the name of the unit with the given length in metres.
func UnitName(metres float64) string { return units.Name(metres) }

// Materials returns the names of the materials.
func Materials() []string { return material.Names() }

// Numbers reads exactly n finite numbers that are separated by commas. ok is false if s is anything else.
func Numbers(s string, n int) (list []float64, ok bool) { return numbers.Parse(s, n) }
