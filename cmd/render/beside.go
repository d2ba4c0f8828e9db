package main

import (
	"strings"

	"lockstep/internal/framename"
	"lockstep/internal/pictureflags"
)

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
