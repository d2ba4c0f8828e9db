package recipe

import (
	"errors"
	"fmt"
	"image"
	"math"
	"strconv"
	"strings"

	"golang.org/x/image/colornames"

	"lockstep/render"
	"lockstep/render/part"
)

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// exact returns a number in decimal, with the fewest digits that determine it exactly.
func exact(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// exactList returns the numbers exactly, separated by commas.
func exactList(numbers []float64) string {
	words := make([]string, len(numbers))
	for i, x := range numbers {
		words[i] = exact(x)
	}
	return strings.Join(words, ",")
}

// Numbers reads exactly n finite numbers that are separated by commas. ok is false if s is anything else.
func Numbers(s string, n int) (numbers []float64, ok bool) {
	words := strings.Split(s, ",")
	if len(words) != n {
		return nil, false
	}
	for _, word := range words {
		x, err := strconv.ParseFloat(word, 64)
		if err != nil || !finite(x) {
			return nil, false
		}
		numbers = append(numbers, x)
	}
	return numbers, true
}

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

// A View is the direction from the target to the eye, in degrees. Azimuth 0 is the front and 90 the right side;
// Elevation 90 is the top.
type View struct{ Azimuth, Elevation float64 }

// DefaultView is the view of pictures if no view is given. FlatView is the view of flat meshes, because DefaultView
// would show little of them.
var (
	DefaultView = View{Azimuth: 30, Elevation: 20}
	FlatView    = View{Azimuth: 30, Elevation: 40}
)

// Views returns the named directions. In the isometric view the three axes have the same length, because its elevation
// is atan(1/sqrt(2)).
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
	return []byte(exact(v.Azimuth) + "," + exact(v.Elevation)), nil
}

// UnmarshalText reads AZ,EL in degrees, or the name of a direction.
func (v *View) UnmarshalText(text []byte) error {
	if view, ok := Views()[string(text)]; ok {
		*v = view
		return nil
	}
	angles, ok := Numbers(string(text), 2)
	if !ok {
		return fmt.Errorf("%q: expected AZ,EL in degrees, front, back, left, right, top, bottom or iso", text)
	}
	*v = View{angles[0], angles[1]}
	return v.check(string(text))
}

func (v View) check(text string) error {
	if !finite(v.Azimuth) || !(math.Abs(v.Elevation) <= 90) {
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

// normal returns the normal form of a colour, or c itself if it is a word.
func (c Color) normal() Color {
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

// A Plane is a plane that cuts the mesh, and the side of the plane on which the mesh stays.
type Plane struct {
	// Normal is perpendicular to the plane and has any length except 0: points p of the plane satisfy Normal . p = Offset.
	Normal [3]float64
	// Offset places the plane along Normal. If Percent is set, it is a percentage: 0 is the start of the box of the
	// mesh along the normal, and 100 its end.
	Offset  float64
	Percent bool
	// Keep is the side that is kept: '<' below the Offset, '>' above it, or '=' the side that is turned away from the
	// eye.
	Keep byte
}

// MarshalText returns the plane in the form of --section, such as z<5 or 1,1,0=40%.
func (p Plane) MarshalText() ([]byte, error) {
	left := exactList(p.Normal[:])
	for axis, name := range []string{"x", "y", "z"} {
		if unit := [3]float64{}; true {
			if unit[axis] = 1; p.Normal == unit {
				left = name
			}
		}
	}
	text := left + string(p.Keep) + exact(p.Offset)
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
		n, good := Numbers(left, 3)
		if !good || n[0] == 0 && n[1] == 0 && n[2] == 0 {
			return p, false
		}
		copy(p.Normal[:], n)
	}
	value := s[at+1:]
	value, p.Percent = strings.CutSuffix(value, "%")
	v, err := strconv.ParseFloat(value, 64)
	p.Offset = v
	return p, err == nil && finite(v)
}

// A Box is a box along the axes, in coordinates of the file. The zero value means no box.
type Box struct{ Low, High [3]float64 }

// MarshalText returns X0,Y0,Z0,X1,Y1,Z1.
func (b Box) MarshalText() ([]byte, error) {
	return []byte(exactList(append(b.Low[:], b.High[:]...))), nil
}

// UnmarshalText reads X0,Y0,Z0,X1,Y1,Z1.
func (b *Box) UnmarshalText(text []byte) error {
	v, ok := Numbers(string(text), 6)
	if !ok {
		return errBox(string(text))
	}
	copy(b.Low[:], v[:3])
	copy(b.High[:], v[3:])
	return b.check()
}

func (b Box) check() error {
	for axis := range 3 {
		if !(b.Low[axis] < b.High[axis]) || !finite(b.Low[axis]) || !finite(b.High[axis]) {
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
	return []byte(exactList(append(d.From[:], d.To[:]...))), nil
}

// UnmarshalText reads X0,Y0,Z0,X1,Y1,Z1.
func (d *Dimension) UnmarshalText(text []byte) error {
	v, ok := Numbers(string(text), 6)
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

// Units maps symbols and names of units to their lengths in metres.
func Units() map[string]float64 {
	return map[string]float64{
		"um": 1e-6, "µm": 1e-6, "micron": 1e-6, "mm": 1e-3, "millimeter": 1e-3, "cm": 1e-2, "centimeter": 1e-2,
		"m": 1, "meter": 1, "in": 0.0254, "inch": 0.0254, "ft": 0.3048, "foot": 0.3048,
	}
}

// unitNames holds the names of units in the normal form.
var unitNames = []string{"um", "mm", "cm", "m", "in", "ft"}

// normalUnit returns the normal name of a unit, or s itself if there is no such unit.
func normalUnit(s string) string {
	units := Units()
	length, ok := units[strings.ToLower(s)]
	for _, name := range unitNames {
		if ok && units[name] == length {
			return name
		}
	}
	return s
}

var errNoNumber = errors.New("expected a number")
