package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"lockstep/render"
	"lockstep/render/png"
	"lockstep/render/recipe"
)

// recipeKey is the keyword of the text of pictures that has their recipe.
const recipeKey = "Recipe"

// recipeText returns the recipe of a picture of an input, in its normal form, with names of files alone: folders
// change no pixel.
func (f *drawFlags) recipeText(in *input) string {
	p := f.picture()
	for i := range p.Meshes {
		if !p.Meshes[i].IsScene() {
			p.Meshes[i].File = filepath.Base(p.Meshes[i].File)
		}
	}
	p.Meshes[0].File = cmp.Or(in.label, "-")
	if in.axis != nil {
		p.Up = in.axis.String()
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

// describe returns the text of a picture: the program, the camera, the options and
// the mesh. The same command gives the same text. Where a later run may keep the picture it also says
// which contents of files it shows.
func (f *drawFlags) describe(in *input, cam render.Camera, view recipe.View) []png.Text {
	text := []png.Text{
		{Keyword: "Software", Value: "Lockstep render " + version},
		{Keyword: "Camera", Value: f.cameraText(in, cam, view)},
		{Keyword: recipeKey, Value: f.recipeText(in)},
	}
	if in.label != "" {
		text = append(text, png.Text{Keyword: "Source", Value: printable(in.label)})
	}
	if in.contents != "" {
		text = append(text, png.Text{Keyword: contentsKey, Value: in.contents})
	}
	return text
}

// cameraText gives positions in the coordinates of the file, with all digits: rounded,
// eye and target could become one point on a mesh far from the origin.
func (f *drawFlags) cameraText(in *input, cam render.Camera, view recipe.View) string {
	exact := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	point := func(v [3]float64) string { return exact(v[0]) + "," + exact(v[1]) + "," + exact(v[2]) }
	world := func(v [3]float64) [3]float64 {
		for axis, o := range in.src.Info().Origin {
			v[axis] += o
		}
		return v
	}
	projection, size, zoom := "perspective", "", float64(f.Zoom)
	if cam.Orthographic {
		projection, size = "orthographic", fmt.Sprintf(" height=%.9g", 1/cam.Magnification)
	} else {
		var fov float64
		fov, zoom = f.fovOf(&cam)
		size = fmt.Sprintf(" fov=%.9g", fov)
	}
	return fmt.Sprintf("eye=%s target=%s up=%s projection=%s%s zoom=%.9g view=%.9g,%.9g",
		point(world(cam.Eye)), point(world(cam.Target)), point(cam.Up), projection, size, zoom, view.Azimuth, view.Elevation)
}

// fovOf returns the field of view in degrees and the zoom of a camera of a perspective: those
// of the flags or of --camera if they are it, else, as between keyframes, a field without zoom.
func (f *drawFlags) fovOf(cam *render.Camera) (fov, zoom float64) {
	c := f.full().Camera
	fov, zoom = c.Fov, c.Zoom
	const half = math.Pi / 360 // of a degree, in radians
	if math.Abs(zoom/(2*math.Tan(fov*half))/cam.Magnification-1) > 1e-9 {
		return math.Atan(0.5/cam.Magnification) / half, 1
	}
	return fov, zoom
}
