package main

import (
	"fmt"
	"strconv"

	"lockstep/render"
	"lockstep/render/png"
)

// describe returns the text of a picture: the program, the camera, the options and
// the mesh. The same command gives the same text.
func (f *drawFlags) describe(in *input, cam render.Camera, view viewFlag) []png.Text {
	text := []png.Text{
		{Keyword: "Software", Value: "Lockstep render " + version},
		{Keyword: "Camera", Value: f.cameraText(in, cam, view)},
		{Keyword: "Options", Value: f.text()},
	}
	if in.label != "" {
		text = append(text, png.Text{Keyword: "Source", Value: printable(in.label)})
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
	fov := ""
	if !cam.Orthographic {
		fov = fmt.Sprintf(" fov=%.9g", float64(f.Fov))
	} else {
		fov = fmt.Sprintf(" height=%.9g", 1/cam.Magnification)
	}
	return fmt.Sprintf("eye=%s target=%s up=%s projection=%s%s zoom=%.9g view=%.9g,%.9g",
		point(world(cam.Eye)), point(world(cam.Target)), point(cam.Up),
		f.Projection, fov, float64(f.Zoom), view.Azimuth, view.Elevation)
}
