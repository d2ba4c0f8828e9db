package scenes

import "image"

// A Material says how light leaves a surface, as far as pictures here show it.
type Material struct {
	Name string
	// BaseColor is red, green, blue and alpha in linear light, 0 to 1: a factor of
	// the colours of corners and of the texture.
	BaseColor [4]float32
	Texture   *Texture // base colour; nil: none

	// Emission is the light that the surface gives by itself, red, green and blue in linear light, 0 or more: a factor of
	// the texture. Other surfaces are not lit by it.
	Emission [3]float32
	Glow     *Texture // of the emission; nil: none

	// Finish says how the surface mirrors; nil: as plaster does.
	Finish *Finish

	DoubleSided bool // the back is drawn too
	Unlit       bool // the base colour is the colour, whatever the light
	Alpha       AlphaMode
	AlphaCutoff float32 // of AlphaMask: less alpha is a hole
}

// AlphaMode says what alpha means.
type AlphaMode uint8

// The modes of alpha.
const (
	AlphaOpaque AlphaMode = iota // nothing
	AlphaMask                    // there or not, see Material.AlphaCutoff
	AlphaBlend                   // how much covers what lies behind
)

// A Texture is a picture on a surface. Textures may share their picture.
type Texture struct {
	Name string
	// Picture has sRGB colours with straight alpha, at least one pixel; its bounds
	// begin at (0, 0).
	Picture *image.NRGBA
	// WrapU and WrapV continue the picture beyond 0 to 1.
	WrapU, WrapV Wrap
	Nearest      bool // pixels keep their edges when they are magnified
}

// Wrap says how a picture continues beyond its edges.
type Wrap uint8

// The ways to continue.
const (
	Repeat Wrap = iota
	Clamp
	Mirror
)
