package view

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render/internal/kernel/occlude"
	"lockstep/render/internal/surface"
	"lockstep/render/internal/vector"
)

// Lens returns the lines of sight of the pixels in a picture of the given height.
func (c *Camera) Lens(height int) surface.Lens {
	scale := c.Scale()
	centre := mgl64.Vec3(c.Box.Center())
	single := func(v mgl64.Vec3) [3]float32 { return [3]float32{float32(v[0]), float32(v[1]), float32(v[2])} }
	// Round the pivot in the same way as Geometry does.
	l := surface.Lens{Pivot: single(centre), Scale: float32(scale), Forward: single(c.Forward)}
	pivot := mgl64.Vec3{float64(l.Pivot[0]), float64(l.Pivot[1]), float64(l.Pivot[2])}
	toPivot := vector.Dot(pivot.Sub(c.Eye), c.Forward)
	perPixel := 1 / (c.Magnification * float64(height))
	origin := c.Eye.Add(vector.Scaled(c.Forward, toPivot)).Sub(pivot)
	across := perPixel
	if !c.Orthographic {
		l.ForwardX, l.ForwardY = single(vector.Scaled(c.Right, perPixel)), single(vector.Scaled(c.Up, perPixel))
		across *= toPivot
	}
	if c.ShiftX != 0 || c.ShiftY != 0 {
		aside := vector.Scaled(c.Right, c.ShiftX*float64(height)).Add(vector.Scaled(c.Up, c.ShiftY*float64(height)))
		origin = origin.Sub(vector.Scaled(aside, across))
		if !c.Orthographic {
			l.Forward = single(c.Forward.Sub(vector.Scaled(aside, perPixel)))
		}
	}
	l.Origin = single(vector.Scaled(origin, scale))
	l.OriginX, l.OriginY = single(vector.Scaled(c.Right, across*scale)), single(vector.Scaled(c.Up, across*scale))
	return l
}

// Lights returns the studio lights of the camera.
func (c *Camera) Lights() surface.Lights {
	zenith := c.Zenith
	if zenith == (mgl64.Vec3{}) {
		zenith = c.Up
	}
	return surface.NewLights(c.Right, c.Up, vector.Scaled(c.Forward, -1), zenith)
}

// occlusionRadius is the largest distance at which a surface can hide the sky, as a fraction of the box's diagonal.
const occlusionRadius = 0.06

// Occlusion returns the parameters for the ambient occlusion of a whole picture. middle is the distance from the eye
// that is subtracted from other distances for precision.
func (cam *Camera) Occlusion(width, height int) (v surface.OcclusionView, middle float64) {
	scale := cam.Scale()
	size := mgl64.Vec3(cam.Box.Size())
	v = surface.OcclusionView{
		Radius:       float32(occlusionRadius * size.Len() * scale),
		Orthographic: cam.Orthographic || cam.Near*scale > distantFrom,
		Nearest:      float32(cam.Near * scale),
	}
	x, y := cam.Axis(width, height)
	v.CenterX, v.CenterY = float32(wholeCells(x/2)), float32(wholeCells(y/2))
	perCell := 2 / (cam.Magnification * float64(height))
	if v.Orthographic {
		middle = cam.Near/2 + cam.Far/2
		perCell *= scale
		if !cam.Orthographic {
			perCell *= middle
		}
	}
	v.PerCell = float32(perCell)
	lens := cam.Lens(height) // Lens rounds the pivot
	pivot := mgl64.Vec3{float64(lens.Pivot[0]), float64(lens.Pivot[1]), float64(lens.Pivot[2])}
	v.Pivot = float32((vector.Dot(pivot.Sub(cam.Eye), cam.Forward) - middle) * scale)
	for i, axis := range [3]mgl64.Vec3{cam.Right, cam.Up, vector.Scaled(cam.Forward, -1)} {
		v.Axes[i] = [3]float32{float32(axis[0]), float32(axis[1]), float32(axis[2])}
	}
	return v, middle
}

// wholeCells rounds x to a 256th of a cell (two by two pixels). Float32 then holds positions relative to any row of
// cells exactly. So a part of the picture gets the same positions as the whole picture.
func wholeCells(x float64) float64 { return math.Round(x*256) / 256 }

// MostReach is the largest number of rows of pixels above or below a row that the row's light may depend on, with any
// camera.
const MostReach = 2 * (occlude.FarthestTap + 1 + surface.AverageMargin)
