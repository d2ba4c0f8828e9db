package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"lockstep/internal/cli"
	"lockstep/scenes/procedural"
)

// newCommand returns the flags of a command, which also run it, or nil where there is
// none of that name. Only those of the command at hand are built: the parser takes a
// third of the time of a small picture for all of them.
func newCommand(name string) any {
	switch name {
	case "", "image":
		return &imageCommand{}
	case "animate":
		return &animateCommand{}
	case "info":
		return &infoCommand{}
	case "convert":
		return &convertCommand{}
	case "film":
		return &filmCommand{}
	case "node":
		return &nodeCommand{}
	case "serve":
		return &serveCommand{}
	}
	return nil
}

// splitCommand parts the command's name, "" where none is given, from its arguments.
func splitCommand(args []string) (name string, rest []string) {
	return cli.Splitter(func(arg string) bool {
		return slices.Contains([]string{"help", "version", "completion", "man", "thumbnailer", "bench"}, arg) || newCommand(arg) != nil
	}).Split(args)
}

// execute parses args and runs the command that they select.
func (a *app) execute(ctx context.Context, args []string) error {
	name, args := splitCommand(args)
	switch name {
	case "bench":
		return errBench
	case "help":
		if len(args) == 1 && pages[args[0]] != "" {
			return a.pageHelp(args[0])
		}
		if name, args = splitCommand(args); newCommand(name) == nil || name == "" && len(args) > 0 {
			return cli.Usagef("there is help for image, animate, film, node, info, convert, look, view, lines, data, limits and balancing")
		}
		args = append(args, "--help")
	case "version":
		name, args = "", append(args, "--version")
	}
	out := &cli.Stdout{W: a.Stdout}
	known, err := shellText(out, name, args)
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
	command := newCommand(name)
	if name == "film" && asksFilm(args) {
		command = &filmAskCommand{}
	}
	parser, err := newParser(name, command, &global, out)
	if err != nil {
		return fmt.Errorf("internal error: command line: %w", err)
	}
	selected, err := parse(parser, args)
	if err != nil || selected == nil {
		return err
	}
	if c, draws := command.(interface{ setGiven(map[string]bool) }); draws {
		c.setGiven(givenFlags(selected))
	}
	out.Closed = cli.IsClosed(a.Stdout) // now results come; help that is lost is no loss
	global.Set(a.App)
	defer a.Progress.Clear()
	switch c := command.(type) {
	case *imageCommand:
		return c.run(ctx, a, out)
	case *animateCommand:
		return c.run(ctx, a, out)
	case *infoCommand:
		return c.run(ctx, a, out)
	case *filmCommand:
		return c.run(ctx, a, out, c.Recipe.expand(args, c.given))
	case *filmAskCommand:
		return c.run(ctx, a, out)
	case *nodeCommand:
		return c.run(ctx, a)
	case *serveCommand:
		return c.run(ctx, a, out)
	case *convertCommand:
		return c.run(ctx, a, out)
	}
	return fmt.Errorf("internal error: no command %q", name)
}

// errBench says where the experiments are.
var errBench = cli.Usagef("bench: experiments are a program of their own: go run ./bench EXPERIMENT, or lockstep-bench EXPERIMENT (--list names them)")

// newParser returns a parser for the flags of one command.
func newParser(name string, command any, global *cli.GlobalFlags, out io.Writer) (*kong.Kong, error) {
	options := []kong.Option{
		kong.Name(strings.TrimSpace("render " + name)),
		kong.Writers(out, io.Discard),
		cli.Exit(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
	}
	options = append(options, textTypes...)
	options = append(options, kong.Help(printHelp))
	if c, ok := command.(interface{ splitUps() error }); ok {
		options = append(options, kong.WithAfterApply(c.splitUps))
	}
	return kong.New(&struct{ kong.Plugins }{kong.Plugins{command, global}}, options...)
}

// parse is parser.Parse for flags that end the program, which leave nothing selected.
func parse(parser *kong.Kong, args []string) (selected *kong.Context, err error) {
	if err := checkDashes(parser, args); err != nil {
		return nil, err
	}
	selected, err = cli.Parse(parser, args)
	if err != nil {
		var coded *cli.Error
		if errors.As(err, &coded) { // of a file that is no recipe
			return nil, coded
		}
		if err := unknown(parser, err); err != nil {
			return nil, err
		}
		return nil, cli.Usagef("%s%w (see %s)", fromConfig(parser, args, err), err, helpFor(parser))
	}
	return selected, nil
}

// helpFor returns the command line that would have helped with a wrong one.
func helpFor(parser *kong.Kong) string { return parser.Model.Name + " --help" }

// listScenes prints the procedural scenes where mesh asks for them, which is a scene
// without a name.
func listScenes(mesh pathFlag, out io.Writer) (listed bool) {
	if mesh != procedural.Prefix {
		return false
	}
	for _, s := range procedural.Names() {
		fmt.Fprintf(out, "%-12s %s\n", s.Name, s.Doc)
	}
	return true
}
