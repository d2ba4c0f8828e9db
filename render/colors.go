package render

import (
	"fmt"
	"image/color"
)

// An RGB is an opaque sRGB colour 0x00RRGGBB. It is a color.Color.
type RGB uint32

// The base colours of meshes that bring none: under a headlight and in the studio,
// and the background of the studio.
const (
	DefaultColor     RGB = 0xcccccc
	StudioColor      RGB = 0x9fb0c3
	StudioBackground RGB = 0xf3f4f6
)

// RGBA implements color.Color.
func (c RGB) RGBA() (r, g, b, a uint32) {
	const wide = 0x101 // from 8 to 16 bits
	return uint32(c) >> 16 & 255 * wide, uint32(c) >> 8 & 255 * wide, uint32(c) & 255 * wide, 0xffff
}

// opaqueColor returns an opaque colour in 8 bits a channel. One of partial
// transparency is an error.
func opaqueColor(c color.Color) (RGB, error) {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	if n.A != 255 {
		return 0, fmt.Errorf("%v: want an opaque colour", c)
	}
	return RGB(n.R)<<16 | RGB(n.G)<<8 | RGB(n.B), nil
}

// baseColor returns the base colour of what is drawn.
func (o *Options) baseColor() (RGB, error) {
	switch {
	case o.Color != nil:
		return opaqueColor(o.Color)
	case o.Light == LightStudio:
		return StudioColor, nil
	}
	return DefaultColor, nil
}

// backgroundPixel returns the pixel that stands where nothing is drawn, R in its lowest
// byte.
func (o *Options) backgroundPixel() (uint32, error) {
	if o.Background == nil {
		return 0, nil
	}
	if _, _, _, alpha := o.Background.RGBA(); alpha == 0 {
		return 0, nil
	}
	c, err := opaqueColor(o.Background)
	return uint32(c>>16&255 | c&0xff00 | c&255<<16 | 255<<24), err
}
