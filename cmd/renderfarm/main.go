// Command renderfarm draws films of meshes with many processes and machines. See docs/film.md for its commands, and
// docs/cli.md for the flags of pictures.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"lockstep/internal/cli"
	"lockstep/internal/pictureflags"
)

func main() { cli.Main(program, start) }

// start runs the program with the arguments args and returns the exit code.
func start(args []string, files cli.Streams, stop <-chan os.Signal) cli.Code {
	a := &app{cli.New(program, files)}
	return a.Run(stop, func(ctx context.Context) error { return a.execute(ctx, args) })
}

// A runner is a command. The fields of its struct are its flags.
type runner interface {
	run(ctx context.Context, a *app, out io.Writer) error
}

// commandLine describes the program's commands.
var commandLine = pictureflags.Program{
	Name: program,
	Commands: []pictureflags.Command{
		{Name: "film", Summary: "draw many pictures by many processes", New: func() any { return runner(&filmCommand{}) }},
		{Name: "node", Summary: "draw frames of films for a server", New: func() any { return runner(&nodeCommand{}) }},
		{Name: "serve", Summary: "run a server of films", New: func() any { return runner(&serveCommand{}) }},
		{Name: "status", Summary: "say how far films are", New: func() any { return runner(&statusCommand{}) }},
		{Name: "retry", Summary: "ask for frames again that failed: the next renderfarm film draws them", New: func() any { return runner(&retryCommand{}) }},
		{Name: "cancel", Summary: "take films out of the queue; pictures that are drawn stay", New: func() any { return runner(&cancelCommand{}) }},
	},
	Words:        []string{"help", "version"},
	Help:         printHelp,
	Outputs:      "Folder for the pictures, or their names with #### or %04d.",
	OtherProgram: pictureflags.RenderFlags(),
}

// execute parses args and runs the selected command.
func (a *app) execute(ctx context.Context, args []string) error {
	name, args := commandLine.Split(args)
	switch name {
	case "help":
		if name, args = commandLine.Split(args); len(args) > 0 {
			return cli.Usagef("there is help for film, node, serve, status, retry and cancel")
		}
		args = append(args, "--help")
	case "version":
		name, args = "film", append(args, "--version")
	case "film":
		flags := args
		if end := slices.Index(args, "--"); end >= 0 {
			flags = args[:end]
		}
		for _, ask := range []string{"status", "retry", "cancel"} { // these were flags in earlier versions
			if slices.Contains(flags, "--"+ask) {
				return cli.Usagef("film --%s is a command of its own: renderfarm %s -o DIR", ask, ask)
			}
		}
	}
	out := &cli.Stdout{W: a.Stdout}
	err := a.runCommand(ctx, out, name, args)
	if out.Err != nil {
		return cli.StdoutError(out.Err)
	}
	return err
}

// explainOneMesh replaces the error about a second mesh of the command film by one that explains the cause. It returns
// other errors unchanged.
func explainOneMesh(command string, err error) error {
	if command != "film" || err == nil || !strings.HasPrefix(err.Error(), "unexpected argument ") {
		return err
	}
	return cli.Usagef("film draws one mesh: --add puts another one into the same pictures, and render animate draws several, one after the other: %w", err)
}

// runCommand parses the arguments of a command and runs it.
func (a *app) runCommand(ctx context.Context, out *cli.Stdout, name string, args []string) error {
	if name == "" && !slices.ContainsFunc(args, func(arg string) bool { return arg == "--help" || arg == "-h" || arg == "--version" }) {
		return cli.Usagef("expected a command: film, node, serve, status, retry or cancel (see %s --help)", program)
	}
	var global cli.GlobalFlags
	flags := commandLine.NewFlags(name)
	parser, err := commandLine.Parser(name, flags, &global, out)
	if err != nil {
		return fmt.Errorf("internal error: command line: %w", err)
	}
	selected, err := commandLine.Parse(parser, flags, args)
	if err != nil || selected == nil {
		return explainOneMesh(name, err)
	}
	global.Apply(a.App)
	defer a.Progress.Clear()
	return flags.(runner).run(ctx, a, out)
}
