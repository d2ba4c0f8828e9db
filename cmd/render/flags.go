package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"lockstep/internal/cli"
	"lockstep/internal/framename"
	"lockstep/internal/pictureflags"
	"lockstep/render/recipe"
)

// SplitUps is called by the parser when all is read. It may be called again.
func (c *imageCommand) SplitUps() error   { return c.SplitMeshes(nil, c.More) }
func (c *animateCommand) SplitUps() error { return c.SplitMeshes(&c.More, c.More) }
func (c *infoCommand) SplitUps() error    { return c.Split(&c.Mesh, c.More) }
func (c *convertCommand) SplitUps() error { return c.Split(&c.Mesh, nil) }

// cropFlags say which part of the picture is written.
type cropFlags struct {
	Crop recipe.Rect `group:"data" placeholder:"X,Y,WxH" help:"Draw and write only this part of a picture of --size, in pixels from its upper left corner."`
	Trim bool        `group:"data" help:"Leave out rows and columns at the borders that show only the background."`
}

// drawnSize returns the size of what is drawn, before it is trimmed.
func (c *imageCommand) drawnSize() recipe.Size {
	if c.Crop != (recipe.Rect{}) {
		return recipe.Size{Width: c.Crop.Width, Height: c.Crop.Height}
	}
	return c.Size
}

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

// warnUnheeded warns of flags of the command line that do not count.
func (a *app) warnUnheeded(f *pictureflags.Draw, b pictureflags.Beside) {
	for _, warning := range f.Ignored(b) {
		a.Warn("%s", warning)
	}
}

// beside returns what the command has beside the flags of pictures.
func (c *imageCommand) beside() pictureflags.Beside {
	b := pictureflags.Beside{Sheet: c.ContactSheet > 0, Kind: "png", Read: c.Format.Mesh != ""}
	if !c.several() {
		b.Kind = pictureKind(string(c.Output), c.Format.Picture)
	}
	return b
}

// beside returns what the command has beside the flags of pictures.
func (c *animateCommand) beside() pictureflags.Beside {
	b := pictureflags.Beside{Keyframes: c.Keyframes != "", Flyby: c.Flyby, Kind: "png", Read: true}
	if name := strings.ToLower(string(c.Output)); framename.IsAnimation(name) && !strings.HasSuffix(name, ".apng") {
		b.Kind = name[strings.LastIndexByte(name, '.')+1:]
	}
	return b
}
