package main

import (
	"fmt"
	"io"

	"github.com/alecthomas/kong"

	"lockstep/internal/cli"
	"lockstep/internal/pictureflags"
)

// pages holds the groups of flags that have their own page in the help. It maps the name of a group to the first line
// of the group's page.
var pages = map[string]string{
	"balancing": "How rows move between vector lanes and workers, and what came of it. No flag\nhere changes a picture.\n",
	"limits":    "What is read, how large a mesh may be, and how damaged.\n",
	"lines":     "What is drawn over pictures.\n",
	"view":      "Where the eye is, when of an animation, and what is cut away.\n",
	"data":      "What pixels show, in files beside the picture.\n",
	"look":      "How surfaces are lit, and what they are made of.\n",
	"colors":    "Colours by numbers and by parts.\n",
}

// overview is the first part of the help of pictures, and of the whole program.
const overview = `Usage: render [image] [flags] MESH      one picture
       render [flags] MESH... -o DIR/   a picture of each mesh
       render animate [flags] MESH      many pictures, or one animated file
       render info MESH, diff A B       what is in it; how far two are apart
       render view [flags] MESH...      look into meshes in a browser
       render convert IN OUT, prepare IN  another format; one read in pieces
       render help [COMMAND|look|colors|view|lines|data|limits|balancing]
MESH is a file, a folder of meshes (with -o DIR/), - for standard input, or
scene:NAME?triangles=N&seed=S&...; render scene: lists the scenes.

`

// printHelp prints the flags of a command, one per line. It leaves out flags that have their own page.
func printHelp(_ kong.HelpOptions, ctx *kong.Context) error {
	w := ctx.Stdout
	switch name := ctx.Model.Name; name {
	case "render", "render image":
		io.WriteString(w, overview)
	case "render diff":
		fmt.Fprintf(w, "Usage: %s [flags] A B\n\n", name)
	case "render prepare":
		fmt.Fprintf(w, "Usage: %s [flags] IN -o OUT.lkm\n\n", name)
	case "render convert":
		fmt.Fprintf(w, "Usage: %s [flags] IN OUT\n\n", name)
	default:
		fmt.Fprintf(w, "Usage: %s [flags] MESH\n\n", name)
	}
	return pictureflags.PrintFlags(w, ctx.Model.Flags)
}

// printPageHelp prints the page of a group of flags, with the flags of all commands that draw.
func printPageHelp(w io.Writer, p *pictureflags.Program, page string) error {
	text := pages[page]
	said := map[string]bool{}
	for _, command := range []string{"animate", "image"} {
		parser, err := p.Parser(command, p.NewFlags(command), &cli.GlobalFlags{}, io.Discard)
		if err != nil {
			return fmt.Errorf("internal error: command line: %w", err)
		}
		for _, flag := range parser.Model.Flags {
			if flag.Group != nil && flag.Group.Key == page && !said[flag.Name] {
				said[flag.Name] = true
				text += "\n  " + pictureflags.FlagName(flag) + "\n" + pictureflags.Wrap(flag.Help, 72, "      ")
			}
		}
	}
	_, err := io.WriteString(w, text)
	return cli.StdoutError(err)
}
