package surface

import (
	"math"

	"lockstep/render/internal/float3"
	"lockstep/render/internal/kernel/light"
)

// Directions of the studio lights in camera space: x to the right, y up, z towards the eye.
var (
	keyDirection  = [3]float64{-0.55, 0.65, 0.75}
	fillDirection = [3]float64{0.8, 0.15, 0.6}
	rimDirection  = [3]float64{0.3, 0.6, -0.75}
)

// Lights holds the directions of the studio lights of one camera, in the axes of the mesh.
type Lights struct {
	key, fill, rim, up float3.Vector
	axis               float3.Vector // unit vector towards the eye, parallel to the middle of the view
}

// NewLights returns the lights of a camera. right, up and toEye are the camera's orthonormal axes, zenith is the up
// axis of the mesh. Directions are computed in float64 and rounded once.
func NewLights(right, up, toEye, zenith [3]float64) Lights {
	return Lights{
		key:  direction(keyDirection, right, up, toEye),
		fill: direction(fillDirection, right, up, toEye),
		rim:  direction(rimDirection, right, up, toEye),
		up:   float3.New(float32(zenith[0]), float32(zenith[1]), float32(zenith[2])),
		axis: direction([3]float64{0, 0, 1}, right, up, toEye),
	}
}

// Light is the light that a point reflects to the eye. Diffuse is multiplied by the colour of the surface. Specular
// has the colour of the light.
type Light struct{ Diffuse, Specular float32 }

// At returns the light at a point. n is the point's unit normal, turned towards the eye. v points to the eye and may
// have any length. open is the open share of the sky: the part of the hemisphere above the point that no surface
// hides. The light of the sky is multiplied by open. The light of the key, of the fill and at the eye is multiplied
// by (1 + open) / 2.
func (l *Lights) At(n, v [3]float32, open float32) Light {
	return l.at(float3.Of(n), float3.Of(v), open)
}

func (l *Lights) at(n, v float3.Vector, open float32) Light {
	return Light{Diffuse: l.diffuse(n, v, open), Specular: l.specular(n, v)}
}

// diffuse returns the light that the surface reflects in its own colour.
func (l *Lights) diffuse(n, v float3.Vector, open float32) float32 {
	direct := float32(light.KeyLight*float3.NonNegative(n.Dot(l.key))) + float32(light.FillLight*float3.NonNegative(n.Dot(l.fill)))
	direct += float32(light.EyeLight * float3.NonNegative(n.Dot(v)/v.Length()))
	sky := light.GroundLight + float32(light.SkyLight*float32(0.5+float32(0.5*n.Dot(l.up))))
	half := float32(0.5 + float32(0.5*open))
	return float32(float32(float32(direct*half)+float32(light.RimLight*float3.NonNegative(n.Dot(l.rim)))) + float32(sky*open))
}

// specular returns Blinn's highlight of the key light. It is a cosine to the power of 24. The cosine is that between
// the normal and the direction halfway between light and eye.
func (l *Lights) specular(n, v float3.Vector) float32 {
	h := l.key.Add(v.Unit())
	d := n.Dot(h)
	// Most points have no highlight. This test finds them without a square root. The square of the least cosine that
	// has a highlight is 0.578. Rounding errors are less than 0.009 of that.
	if !(d > 0) || float32(d*d) < float32(0.565*h.Dot(h)) {
		return 0
	}
	c := float32(d / h.Length())
	if c < light.MinHighlightCos {
		return 0
	}
	return float32(light.SpecularLight * power24(c))
}

func power24(c float32) float32 {
	c2 := float32(c * c)
	c4 := float32(c2 * c2)
	c8 := float32(c4 * c4)
	return float32(float32(c8*c8) * c8)
}

// direction converts a direction from the axes of a camera to the axes of the mesh. The result has length 1.
func direction(d, right, up, toEye [3]float64) float3.Vector {
	length := math.Sqrt(float64(d[0]*d[0]) + float64(d[1]*d[1]) + float64(d[2]*d[2]))
	var v [3]float32
	for axis := range v {
		sum := float64(d[0]*right[axis]) + float64(d[1]*up[axis]) + float64(d[2]*toEye[axis])
		v[axis] = float32(sum / length)
	}
	return float3.Of(v)
}
