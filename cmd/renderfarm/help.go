package main

import (
	"fmt"
	"io"

	"github.com/alecthomas/kong"

	"lockstep/internal/pictureflags"
)

// overview is the first part of the program's help.
const overview = `Usage: renderfarm film [flags] MESH -o DIR    many pictures by many processes
       renderfarm node --join LINE             draw frames of films for a server
       renderfarm serve --dir DIR              run a server of films
       renderfarm status|retry|cancel -o DIR   ask about films
A film is the animation that render animate draws of the same flags and recipes: render help look, view,
lines, data and limits tell of more of them. See docs/film.md.

`

// printHelp prints the flags of a command, one per line. It skips flags of pictures, which the help of render
// describes.
func printHelp(_ kong.HelpOptions, ctx *kong.Context) error {
	w := ctx.Stdout
	switch name := ctx.Model.Name; name {
	case program:
		io.WriteString(w, overview)
	case program + " film":
		fmt.Fprintf(w, "Usage: %s [flags] MESH -o DIR\n\n", name)
	default:
		fmt.Fprintf(w, "Usage: %s [flags]\n\n", name)
	}
	return pictureflags.PrintFlags(w, ctx.Model.Flags)
}
