package recipe

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"lockstep/internal/phrase"
	"lockstep/render"
	"lockstep/render/png"
)

// Program is what pictures say they are made by.
const Program = "Lockstep render 0.1.0"

// Keywords of the text of pictures.
const (
	SoftwareKey = "Software"
	TextKey     = "Recipe"
	ContentsKey = "Contents"
	CameraKey   = "Camera"
)

// Text returns the text of a picture of an input: the program, the camera, the recipe and the mesh. The same recipe
// gives the same text. Where a later run may keep the picture it also says which contents of files it shows.
func (p Picture) Text(in *Input, cam render.Camera, view View) []png.Text {
	p = p.Normal()
	text := []png.Text{
		{Keyword: SoftwareKey, Value: Program},
		{Keyword: CameraKey, Value: p.cameraText(in, cam, view)},
		{Keyword: TextKey, Value: p.text(in)},
	}
	if in.Label != "" {
		text = append(text, png.Text{Keyword: "Source", Value: phrase.Printable(in.Label)})
	}
	if in.Contents != "" {
		text = append(text, png.Text{Keyword: ContentsKey, Value: in.Contents})
	}
	return text
}

// OwnView returns the view that the text of the one picture of an input says: the default where the recipe's own is not
// heeded.
func (p Picture) OwnView(in *Input) View { return p.Normal().ViewOf(p.UpOf(in), in.Box) }

// text returns the recipe in its normal form, with names of files alone: folders change no pixel.
func (p Picture) text(in *Input) string {
	p = p.copied()
	for i := range p.Meshes {
		if !p.Meshes[i].IsScene() {
			p.Meshes[i].File = filepath.Base(p.Meshes[i].File)
		}
	}
	p.Meshes[0].File = cmp.Or(in.Label, "-")
	if in.Axis != nil {
		p.Up = in.Axis.String()
	}
	text, err := json.Marshal(p.Normal())
	if err != nil {
		return ""
	}
	return escaped(string(text))
}

// escaped returns JSON in ASCII, which every program that shows texts of pictures can read.
func escaped(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, "\\u%04x", unit)
		}
	}
	return b.String()
}

// cameraText gives positions in the coordinates of the file, with all digits: rounded, eye and target could become one
// point on a mesh far from the origin.
func (p Picture) cameraText(in *Input, cam render.Camera, view View) string {
	c := p.CameraOf(in, &cam)
	point := func(v *Point) string { return exactList(v[:]) }
	size := fmt.Sprintf(" fov=%.9g", c.Fov)
	if cam.Orthographic {
		size = fmt.Sprintf(" height=%.9g", c.Height)
	}
	if c.Shift != [2]float64{} {
		size += " shift=" + exactList(c.Shift[:])
	}
	return fmt.Sprintf("eye=%s target=%s up=%s projection=%s%s zoom=%.9g view=%.9g,%.9g",
		point(c.Eye), point(c.Target), point(c.Upward), c.Projection, size, c.Zoom, view.Azimuth, view.Elevation)
}

// CameraOf returns a camera of pictures of an input as one that stands where the recipe says, in coordinates of the
// file.
func (p Picture) CameraOf(in *Input, cam *render.Camera) Camera {
	world := func(v [3]float64) *Point {
		for axis, o := range in.Source.Info().Origin {
			v[axis] += o
		}
		return (*Point)(&v)
	}
	own := p.full().Camera
	up := Point(cam.Up)
	c := Camera{Eye: world(cam.Eye), Target: world(cam.Target), Upward: &up, Projection: "perspective", Zoom: own.Zoom, Shift: own.Shift}
	if cam.Orthographic {
		c.Projection, c.Height = "orthographic", 1/cam.Magnification
	} else {
		c.Fov, c.Zoom = own.fovOf(cam)
	}
	return c
}

// fovOf returns the field of view in degrees and the zoom of a camera of a perspective: those of the recipe if they are
// it, else, as between keyframes, a field without zoom.
func (c *Camera) fovOf(cam *render.Camera) (fov, zoom float64) {
	const half = math.Pi / 360 // of a degree, in radians
	if math.Abs(c.Zoom/(2*math.Tan(c.Fov*half))/cam.Magnification-1) > 1e-9 {
		return math.Atan(0.5/cam.Magnification) / half, 1
	}
	return c.Fov, c.Zoom
}
