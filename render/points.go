package render

import (
	"lockstep/render/internal/frame"
	"lockstep/render/internal/kernel/cloud"
	"lockstep/render/internal/surface"
	"lockstep/render/internal/vector"
	"lockstep/scenes"
)

// cloudOf returns the points in the form that a scene needs. Each point is lit as a triangle that faces the camera and
// is at least a quarter as wide as the cloud.
func cloudOf(p *scenes.Points, cam *Camera) *surface.Cloud {
	c := &surface.Cloud{Points: p}
	size := 0.25 / cam.internal().Scale()
	right, up := vector.Scaled(cam.Right, size), vector.Scaled(cam.Up, size)
	for axis := range 3 {
		c.Right[axis], c.Up[axis] = float32(right[axis]), float32(up[axis])
	}
	return c
}

// beginEyeDome prepares the stage that darkens a cloud's pixels where they lie behind neighbouring pixels.
func (e *engine) beginEyeDome() {
	j := &e.job
	e.activeStages = append(e.activeStages, &e.dome)
	e.dome.Begin(frame.EyeDomeFrame{Workers: len(e.rasters), Pixels: e.pixels(), Lit: j.lit, View: j.dome, Merge: &e.merge, Stop: e.cancelledFn})
}

// beginPoints prepares the stage that draws the points of a cloud.
func (e *engine) beginPoints(cam *Camera, p *framePart) {
	j := &e.job
	points := j.subject.points
	f := frame.PointsFrame{
		Workers: len(e.rasters), Points: points, Numbers: p.Blocks, UnitSize: j.unitSize,
		Frame:   cloud.Frame{View: &j.view, Radius: cloud.RadiusOf(&j.view, points.Size), RowKeys: int32(j.layout.Stride)},
		Loop:    e.kernels.Points,
		Targets: e.targets, Rasters: e.rasters, IdleWorkers: &e.large.IdleWorkers, Stop: e.cancelledFn,
	}
	f.Payloads = e.pointPayloads(cam)
	f.Units, f.Watchers = e.beginUnits()
	e.activeStages, e.first = append(e.activeStages, &e.points), &e.points
	e.points.Begin(f)
}

// pointPayloads returns the object that sets the payloads of the keys of points: to colours or, if the schedule says
// so, to the numbers of the points.
func (e *engine) pointPayloads(cam *Camera) frame.PointPayloads {
	j, colors := &e.job, &e.pointColors
	if j.carry == carryNumbers {
		return frame.PointNumbers{}
	}
	pixel := func(rgb uint32) uint32 {
		return e.shader.FlatColored(surface.HeadlightIntensity(cam.Forward), rgb)
	}
	if j.carry == carryStudio {
		light := j.lights.PointLight()
		pixel = func(rgb uint32) uint32 { return e.colors.Pixel(e.colors.Linear(rgb), light) }
	}
	colors.Colors, colors.Uniform = j.subject.points.Colors, pixel(uint32(e.shaderBase))
	if j.oneColor {
		colors.Colors = nil
	}
	for v := range uint32(256) {
		payload := pixel(v * 0x010101) // each channel of a payload depends only on the same channel of the colour
		colors.Table[0][v], colors.Table[1][v], colors.Table[2][v] = payload&0xff0000ff, payload&0xff00, payload&0xff0000
	}
	return colors
}
