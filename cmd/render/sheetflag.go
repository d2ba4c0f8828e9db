package main

import (
	"fmt"

	"github.com/alecthomas/kong"

	"lockstep/internal/cli"
	"lockstep/internal/pictureflags"
	"lockstep/render/recipe"
)

// A sheetFlag is the number of views of a contact sheet; 0 means none.
type sheetFlag int

// Decode implements kong.MapperValue.
func (f *sheetFlag) Decode(ctx *kong.DecodeContext) error {
	s, err := pictureflags.PopValue(ctx, pictureflags.SignedNumber)
	if err != nil {
		return err
	}
	if s != "4" && s != "7" {
		return fmt.Errorf("%q: expected 4 or 7 views", s)
	}
	*f = sheetFlag(s[0] - '0')
	return nil
}

// checkSheet refuses what a sheet does not have.
func (c *imageCommand) checkSheet() error {
	switch {
	case c.ContactSheet == 0:
		return nil
	case c.Placed():
		return cli.Usagef("--contact-sheet has views of its own: --eye and --camera do not go with it")
	case c.Crop != (recipe.Rect{}) || len(c.dataFlags.names()) > 0 || c.Trace != "":
		return cli.Usagef("--contact-sheet is one picture: --crop, --trace and files of data do not go with it")
	case c.several():
		return cli.Usagef("--contact-sheet is of one mesh")
	case c.Size.Width < recipe.LeastSheet || c.Size.Height < recipe.LeastSheet:
		return cli.Usagef("--contact-sheet: expected a --size of at least %dx%d", recipe.LeastSheet, recipe.LeastSheet)
	}
	return nil
}
