package view

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render/internal/kernel/cloud"
	"lockstep/render/internal/kernel/dome"
	"lockstep/render/internal/vector"
)

// Dome returns the parameters of the eye-dome light of a cloud (see package dome). size is the size of the cloud's
// points, and height the height of the picture. The field Reach of the result is about the distance, in pixels, between
// neighbouring points in the middle of the cloud. It is the same for all parts of a picture.
func (c *Camera) Dome(height int, size float32) dome.View {
	// perPixel is the width of a pixel at distance 1, or at any distance in orthographic views.
	perPixel := float64(float32(1 / (c.Magnification * float64(height))))
	apart := float64(float64(pointsApart*cloud.Share)*float64(size)) / perPixel
	if !c.Orthographic {
		apart /= math.Max(vector.Dot(mgl64.Vec3(c.Box.Center()).Sub(c.Eye), c.Forward), c.Near)
	}
	v := dome.View{Reach: int(math.Min(math.Max(math.Round(apart), 1), dome.MaxReach))}
	perSlope := float64(perPixel * float64(v.Reach))
	switch slope := c.slope(c.Scale()); {
	case c.Orthographic:
		v.Linear, v.Per = true, dome.Slope*2*(c.Far-c.Near)/perSlope
	case slope != 1: // the distance is nearly an affine function of the nearness, which lies between 1/2 and 1
		v.Linear, v.Per = true, dome.Slope/float64(perSlope*(slope-0.25))
	default:
		v.Per = dome.Slope / perSlope
	}
	return v
}

// pointsApart is the distance between neighbouring points of a cloud, in radii of their discs. It is right for clouds
// whose reader has chosen the size of the points.
const pointsApart = 1.5
