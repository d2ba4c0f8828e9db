package scenes

import "image"

// A Material describes how light leaves a surface. It holds only properties that affect pictures.
type Material struct {
	Name string
	// BaseColor is red, green, blue and alpha in linear light, 0 to 1. It is multiplied by the colours of the corners
	// and by the texture Texture.
	BaseColor [4]float32
	Texture   *Texture // texture of the base colour; nil if there is none

	// Emission is the light that the surface emits: red, green and blue in linear light, 0 or more. It is multiplied
	// by the texture Glow. The emitted light does not light other surfaces.
	Emission [3]float32
	Glow     *Texture // texture of the emission; nil if there is none

	// Finish describes how the surface reflects and transmits light. If it is nil, the surface is matt like plaster.
	Finish *Finish

	OneSided    bool // pictures show only the front
	Unlit       bool // pictures show the base colour, whatever the light
	Alpha       AlphaMode
	AlphaCutoff float32 // for AlphaMask: a point with less alpha is a hole
}

// AlphaMode is the meaning of alpha.
type AlphaMode uint8

// Meanings of alpha.
const (
	AlphaOpaque AlphaMode = iota // alpha is ignored
	AlphaMask                    // a point is opaque or a hole, see Material.AlphaCutoff
	AlphaBlend                   // alpha is the fraction of the background that the surface hides
)

// A Texture is a picture on a surface. Textures may share their picture.
type Texture struct {
	Name string
	// Picture has sRGB colours with straight (not premultiplied) alpha. It has at least one pixel, and its bounds start
	// at (0, 0).
	Picture *image.NRGBA
	// WrapU and WrapV tell how the picture continues where u or v is outside 0 to 1.
	WrapU, WrapV Wrap
	Nearest      bool // pixels have sharp edges if the texture is magnified
	Minify       Minify
	// Second means that the texture uses the second set of texture coordinates, Attributes.TexCoords2.
	Second bool
	// Placement maps the texture coordinates of the mesh to those of the texture. Nil means the identity. For the
	// texture of the base colour, Placement is nil and Second is false.
	Placement *Placement
}

// A Placement is an affine map of texture coordinates: (u, v) becomes (p[0][0]u + p[0][1]v + p[0][2], p[1][0]u +
// p[1][1]v + p[1][2]).
type Placement [2][3]float32

// At returns the texture coordinates to which p maps uv.
func (p *Placement) At(uv [2]float32) (to [2]float32) {
	for c := range to {
		to[c] = float32(float32(p[c][0]*uv[0])+float32(p[c][1]*uv[1])) + p[c][2]
	}
	return to
}

// Minify is the way in which the colour of a pixel is chosen if the pixel covers several pixels of the texture.
type Minify uint8

// Ways to reduce several pixels of a texture to one colour.
const (
	MinifyMean    Minify = iota // the mean of all pixels that are covered
	MinifyLinear                // a mix of the four pixels around the middle of that area; fine patterns flicker
	MinifyNearest               // the pixel in the middle of the covered area
)

// Wrap is the way in which a picture continues beyond its edges.
type Wrap uint8

// Ways in which a picture continues.
const (
	Repeat Wrap = iota
	Clamp
	Mirror
)
