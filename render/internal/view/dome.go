package view

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render/internal/kernel/cloud"
	"lockstep/render/internal/kernel/dome"
	"lockstep/render/internal/vector"
)

// Dome returns the view by which a cloud of points of the given size gets its eye-dome light, in a picture of the given
// height. A pixel is darkened by those about as far away as the next points in the middle of the cloud. All parts and
// pages of a picture have the same view.
func (c *Camera) Dome(height int, size float32) dome.View {
	perPixel := float64(float32(1 / (c.Magnification * float64(height)))) // at distance 1, or at any
	apart := float64(float64(pointsApart*cloud.Share)*float64(size)) / perPixel
	if !c.Orthographic {
		apart /= math.Max(vector.Dot(mgl64.Vec3(c.Box.Center()).Sub(c.Eye), c.Forward), c.Near)
	}
	v := dome.View{Reach: int(math.Min(math.Max(math.Round(apart), 1), dome.MostReach))}
	perSlope := float64(perPixel * float64(v.Reach))
	switch slope := c.slope(c.Scale()); {
	case c.Orthographic:
		v.Linear, v.Per = true, dome.Slope*2*(c.Far-c.Near)/perSlope
	case slope != 1: // the distance is nearly affine in the nearness, which is from 1/2 to 1
		v.Linear, v.Per = true, dome.Slope/float64(perSlope*(slope-0.25))
	default:
		v.Per = dome.Slope / perSlope
	}
	return v
}

// pointsApart is the distance between neighbouring points of a cloud, in radii of their discs, where readers of clouds
// have chosen their size.
const pointsApart = 1.5
