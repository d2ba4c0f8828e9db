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
	"lockstep/render/recipe/internal/numbers"
)

// Program is the name of the program in the text of pictures.
const Program = "Lockstep render 0.1.0"

// The keywords of the text of pictures.
const (
	SoftwareKey = "Software"
	TextKey     = "Recipe"
	ContentsKey = "Contents"
	CameraKey   = "Camera"
)

// Text returns the text of a picture of an input: the program, the camera, the recipe and the mesh. The same recipe
// gives the same text. If the input knows the contents of its files, the text states them, so that a later run can tell
// whether it may keep the picture.
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

// OwnView returns the view that the text of a single picture states. It is the default view if the recipe's view has no
// effect.
func (p Picture) OwnView(in *Input) View { return p.Normal().ViewOf(p.UpOf(in), in.Box) }

// text returns the recipe in its normal form. Names of files lose their folders, because folders change no pixel.
func (p Picture) text(in *Input) string {
	p = p.clone()
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

// escaped returns JSON text in ASCII, which every program that displays the text of pictures can read.
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

// cameraText returns the camera in coordinates of the file, with all digits. If positions were rounded, eye and target
// could become the same point if the mesh is far from the origin.
func (p Picture) cameraText(in *Input, cam render.Camera, view View) string {
	c := p.CameraOf(in, &cam)
	point := func(v *Point) string { return numbers.ExactList(v[:]) }
	size := fmt.Sprintf(" fov=%.9g", c.Fov)
	if cam.Orthographic {
		size = fmt.Sprintf(" height=%.9g", c.Height)
	}
	if c.Shift != [2]float64{} {
		size += " shift=" + numbers.ExactList(c.Shift[:])
	}
	return fmt.Sprintf("eye=%s target=%s up=%s projection=%s%s zoom=%.9g view=%.9g,%.9g",
		point(c.Eye), point(c.Target), point(c.Upward), c.Projection, size, c.Zoom, view.Azimuth, view.Elevation)
}

// CameraOf converts the renderer's camera cam to a camera of a recipe, whose eye is given in coordinates of the file.
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

// fovOf returns a field of view in degrees and a zoom that give a perspective camera the magnification of cam. If the
// values of c give this magnification, it returns them. Otherwise, as between keyframes, it returns a zoom of 1.
func (c *Camera) fovOf(cam *render.Camera) (fov, zoom float64) {
	const half = math.Pi / 360 // half a degree in radians
	if math.Abs(c.Zoom/(2*math.Tan(c.Fov*half))/cam.Magnification-1) > 1e-9 {
		return math.Atan(0.5/cam.Magnification) / half, 1
	}
	return c.Fov, c.Zoom
}
