// Package tint converts the colours of options to numbers.
package tint

import (
	"fmt"
	"image/color"
)

// Opaque returns an opaque colour as 0x00RRGGBB. It returns an error if the colour is not opaque.
func Opaque(c color.Color) (uint32, error) {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	if n.A != 255 {
		return 0, fmt.Errorf("%v: expected an opaque colour", c)
	}
	return uint32(n.R)<<16 | uint32(n.G)<<8 | uint32(n.B), nil
}

// Background returns the value of pixels where nothing is drawn, with R in its lowest byte. The value is 0, which is
// transparent, if background is nil or has alpha 0. Background returns an error if background is partly transparent.
func Background(background color.Color) (uint32, error) {
	if background == nil {
		return 0, nil
	}
	if _, _, _, alpha := background.RGBA(); alpha == 0 {
		return 0, nil
	}
	c, err := Opaque(background)
	return c>>16&255 | c&0xff00 | c&255<<16 | 255<<24, err
}
