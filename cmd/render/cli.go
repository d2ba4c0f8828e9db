package main

import (
	"context"
	"fmt"

	"lockstep/internal/cli"
	"lockstep/internal/pictureflags"
)

// commandLine describes the program's commands.
var commandLine = pictureflags.Program{
	Name: "render",
	Commands: []pictureflags.Command{
		{Name: "image", Summary: "draw one picture of a mesh, or one of each of several", New: func() any { return &imageCommand{} }},
		{Name: "animate", Summary: "draw many pictures, or an animation in one file", New: func() any { return &animateCommand{} }},
		{Name: "info", Summary: "tell what is in a mesh", New: func() any { return &infoCommand{} }},
		{Name: "diff", Summary: "tell how far the surfaces of two meshes lie from each other", New: func() any { return &diffCommand{} }},
		{Name: "view", Summary: "show meshes in a browser: turn, cut and measure them", New: func() any { return &viewCommand{} }},
		{Name: "convert", Summary: "write a mesh in another format", New: func() any { return &convertCommand{} }},
		{Name: "prepare", Summary: "write a mesh so that pictures read only what they may show", New: func() any { return &prepareCommand{} }},
	},
	Words:        []string{"help", "version", "completion", "man", "thumbnailer", "bench", "film", "node", "serve"},
	Help:         printHelp,
	OtherProgram: pictureflags.FarmFlags(),
}

// execute parses args and runs the selected command.
func (a *app) execute(ctx context.Context, args []string) error {
	name, args := commandLine.Split(args)
	switch name {
	case "bench":
		return errBench
	case "film", "node", "serve":
		return cli.Usagef("%s: films are drawn by a program of their own: renderfarm %s, or go run ./cmd/renderfarm %s", name, name, name)
	case "help":
		if len(args) == 1 && pages[args[0]] != "" {
			return printPageHelp(a.Stdout, &commandLine, args[0])
		}
		if len(args) == 1 && args[0] == "bench" {
			return errBench
		}
		if name, args = commandLine.Split(args); commandLine.NewFlags(name) == nil || name == "" && len(args) > 0 {
			return cli.Usagef("there is help for image, animate, info, diff, view, convert, prepare, look, view, lines, data, limits and balancing")
		}
		args = append(args, "--help")
	case "version":
		name, args = "", append(args, "--version")
	}
	out := &cli.Stdout{W: a.Stdout}
	known, err := writeShellText(out, &commandLine, name, args)
	if !known {
		err = a.run(ctx, out, name, args)
	}
	if out.Err != nil {
		return cli.StdoutError(out.Err)
	}
	return err
}

// run parses the arguments of a command and runs it.
func (a *app) run(ctx context.Context, out *cli.Stdout, name string, args []string) error {
	var global cli.GlobalFlags
	flags := commandLine.NewFlags(name)
	parser, err := commandLine.Parser(name, flags, &global, out)
	if err != nil {
		return fmt.Errorf("internal error: command line: %w", err)
	}
	selected, err := commandLine.Parse(parser, flags, args)
	if err != nil || selected == nil {
		return err
	}
	global.Apply(a.App)
	defer a.Progress.Clear()
	switch c := flags.(type) {
	case *imageCommand:
		return c.run(ctx, a, out)
	case *animateCommand:
		return c.run(ctx, a, out)
	case *infoCommand:
		return c.run(ctx, a, out)
	case *diffCommand:
		return c.run(ctx, a, out)
	case *viewCommand:
		return c.run(ctx, a, out)
	case *convertCommand:
		return c.run(ctx, a, out)
	case *prepareCommand:
		return c.run(ctx, a, out)
	}
	return fmt.Errorf("internal error: no command %q", name)
}

// errBench is the error for the command bench. It names the program for experiments.
var errBench = cli.Usagef("bench: experiments are a program of their own: go run ./bench EXPERIMENT, or lockstep-bench EXPERIMENT (--list names them)")
