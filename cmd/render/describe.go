package main

import (
	"fmt"

	"lockstep/render"
	"lockstep/render/png"
)

// describe returns the text that goes into a picture: what made it and how to
// make it again. It holds nothing that changes from run to run.
func (f *drawFlags) describe(in *input, cam render.Camera, azimuth float64) []png.Text {
	text := []png.Text{
		{Keyword: "Software", Value: "Lockstep render " + version},
		{Keyword: "Camera", Value: f.cameraText(in, cam, azimuth)},
		{Keyword: "Options", Value: f.text()},
	}
	if in.label != "" {
		text = append(text, png.Text{Keyword: "Source", Value: printable(in.label)})
	}
	return text
}

// cameraText gives positions in the coordinates of the file. Nine digits are
// more than float32 coordinates hold and fewer than rounding disturbs.
func (f *drawFlags) cameraText(in *input, cam render.Camera, azimuth float64) string {
	point := func(v [3]float64) string { return fmt.Sprintf("%.9g,%.9g,%.9g", v[0], v[1], v[2]) }
	world := func(v [3]float64) [3]float64 {
		for axis, o := range in.src.Info().Origin {
			v[axis] += o
		}
		return v
	}
	fov := ""
	if !cam.Orthographic {
		fov = fmt.Sprintf(" fov=%.9g", float64(f.Fov))
	}
	return fmt.Sprintf("eye=%s target=%s up=%s projection=%s%s zoom=%.9g view=%.9g,%.9g",
		point(world(cam.Eye)), point(world(cam.Target)), point(cam.Up),
		f.Projection, fov, float64(f.Zoom), azimuth, f.View.Elevation)
}
