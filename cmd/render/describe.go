package main

import (
	"cmp"
	"fmt"
	"math"
	"strconv"

	"lockstep/render"
	"lockstep/render/png"
)

// describe returns the text of a picture: the program, the camera, the options and
// the mesh. The same command gives the same text. Where a later run may keep the picture it also says
// which contents of files it shows.
func (f *drawFlags) describe(in *input, cam render.Camera, view viewFlag) []png.Text {
	text := []png.Text{
		{Keyword: "Software", Value: "Lockstep render " + version},
		{Keyword: "Camera", Value: f.cameraText(in, cam, view)},
		{Keyword: "Options", Value: f.text()},
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
func (f *drawFlags) cameraText(in *input, cam render.Camera, view viewFlag) string {
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
	fov, zoom = float64(f.Fov), float64(f.Zoom)
	if f.file != nil {
		fov, zoom = cmp.Or(f.file.FOV, fov), cmp.Or(f.file.Zoom, zoom)
	}
	const half = math.Pi / 360 // of a degree, in radians
	if math.Abs(zoom/(2*math.Tan(fov*half))/cam.Magnification-1) > 1e-9 {
		return math.Atan(0.5/cam.Magnification) / half, 1
	}
	return fov, zoom
}
