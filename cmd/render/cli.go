package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/alecthomas/kong"

	"lockstep/scenes/procedural"
)

// version is the release that --version and the pictures' text name.
const version = "0.1.0"

// globalFlags are the flags of every command.
type globalFlags struct {
	Quiet    bool        `short:"q" help:"Print errors only."`
	Progress string      `enum:"auto,never,always" default:"auto" placeholder:"WHEN" help:"Progress bar: auto (on a terminal), never or always."`
	Version  versionFlag `help:"Print the version and exit."`
}

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
	case "bench":
		return &benchCommand{}
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
// The flags of every command may stand before the name.
func splitCommand(args []string) (name string, rest []string) {
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "-q" || arg == "--quiet" || strings.HasPrefix(arg, "--progress="):
		case arg == "--progress":
			i++
		case arg == "help" || arg == "version" || arg == "completion" || arg == "man" || arg == "thumbnailer" || arg != "" && newCommand(arg) != nil:
			return arg, append(args[:i:i], args[i+1:]...)
		default:
			return "", args
		}
	}
	return "", args
}

// execute parses args and runs the command that they select.
func (a *app) execute(ctx context.Context, args []string) error {
	name, args := splitCommand(args)
	switch name {
	case "help":
		if len(args) == 1 && pages[args[0]] != "" {
			return a.pageHelp(args[0])
		}
		if name, args = splitCommand(args); newCommand(name) == nil || name == "" && len(args) > 0 {
			return usagef("there is help for image, animate, film, node, info, convert, bench, look, view, lines, data, limits and balancing")
		}
		args = append(args, "--help")
	case "version":
		name, args = "", append(args, "--version")
	}
	out := &stdoutWriter{w: a.stdout}
	known, err := shellText(out, name, args)
	if !known {
		err = a.run(ctx, out, name, args)
	}
	if out.err != nil {
		return standardOutputError(out.err)
	}
	return err
}

// run parses the arguments of a command and runs it.
func (a *app) run(ctx context.Context, out *stdoutWriter, name string, args []string) error {
	var global globalFlags
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
	out.closed = isClosed(a.stdout) // now results come; help that is lost is no loss
	a.quiet = global.Quiet
	a.progress.enable(global.Progress, global.Quiet)
	defer a.progress.clear()
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
	selected.BindTo(ctx, (*context.Context)(nil))
	return selected.Run(a.benchOutput(out))
}

// newParser returns a parser for the flags of one command.
func newParser(name string, command any, global *globalFlags, out io.Writer) (*kong.Kong, error) {
	options := []kong.Option{
		kong.Name(strings.TrimSpace("render " + name)),
		kong.Writers(out, io.Discard),
		kong.Exit(func(int) { panic(errExit) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
	}
	options = append(options, textTypes...)
	if name != "bench" {
		options = append(options, kong.Help(printHelp))
	}
	if c, ok := command.(interface{ splitUps() error }); ok {
		options = append(options, kong.WithAfterApply(c.splitUps))
	}
	return kong.New(&struct{ kong.Plugins }{kong.Plugins{command, global}}, options...)
}

// errExit leaves the parser after --help, --version and --list.
var errExit = errors.New("exit")

// parse is parser.Parse for flags that end the program, which leave nothing selected.
func parse(parser *kong.Kong, args []string) (selected *kong.Context, err error) {
	defer func() {
		if p := recover(); p != nil && p != any(errExit) {
			panic(p)
		}
	}()
	if err := checkDashes(parser, args); err != nil {
		return nil, err
	}
	selected, err = parser.Parse(args)
	if err != nil {
		var coded *codedError
		if errors.As(err, &coded) { // of a file that is no recipe
			return nil, coded
		}
		if err := unknown(parser, err); err != nil {
			return nil, err
		}
		return nil, usagef("%s%w (see %s)", fromConfig(parser, args, err), err, helpFor(parser, err))
	}
	return selected, nil
}

// helpFor returns the command line that would have helped with a wrong one.
func helpFor(parser *kong.Kong, err error) string {
	words := parser.Model.Name
	if words != "render bench" {
		return words + " --help"
	}
	var at *kong.ParseError
	if !errors.As(err, &at) || at.Context == nil || at.Context.Selected() == nil {
		return words + " --list"
	}
	return words + " " + at.Context.Selected().Name + " --help"
}

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

// A stdoutWriter remembers that standard output failed, whatever the code that
// writes to it does about errors.
type stdoutWriter struct {
	w      io.Writer
	closed bool
	err    error
}

func (s *stdoutWriter) Write(p []byte) (int, error) {
	if s.closed {
		s.err = errClosed
	}
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.w.Write(p)
	s.err = err
	return n, err
}

// A versionFlag prints the version before anything else is looked at.
type versionFlag bool

// BeforeReset is kong's hook for flags that act at once.
func (versionFlag) BeforeReset(k *kong.Kong) error {
	revision := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = " " + s.Value
			}
		}
	}
	fmt.Fprintf(k.Stdout, "render (Lockstep) %s%s %s %s/%s\n", version, revision, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	k.Exit(0)
	return nil
}
