package main

import (
	"fmt"
	"strconv"

	"github.com/alecthomas/kong"
)

// A lineWidthFlag is a width in pixels.
type lineWidthFlag float64

// Decode implements kong.MapperValue.
func (f *lineWidthFlag) Decode(ctx *kong.DecodeContext) error {
	s, err := popValue(ctx, signedNumber)
	if err != nil {
		return err
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v >= 0 && v <= 100) {
		return fmt.Errorf("%q: expected 0 to 100 pixels", s)
	}
	*f = lineWidthFlag(v)
	return nil
}

// A lineColorFlag is a colour, or nil for "auto".
type lineColorFlag struct{ colorFlag }

// Decode implements kong.MapperValue.
func (f *lineColorFlag) Decode(ctx *kong.DecodeContext) error { return f.decode(ctx, "auto") }
