package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/alecthomas/kong"
)

// version is the release that --version and the pictures' text name.
const version = "0.1.0"

// description opens the help.
const description = `Lockstep draws meshes on the processor: render [image] [flags] MESH.

MESH is a file, - (standard input) or a procedural scene, scene:NAME?triangles=N&seed=S&...
The flags of a picture: render image --help.

Exit codes: 0 done, 1 internal error, 2 wrong usage, 3 the input is damaged or unknown, 4 nothing would be visible, 5 the output could not be written, 6 part of a batch failed, 130 interrupted.`

// A grammar is the whole command line.
type grammar struct {
	Image   imageCommand   `cmd:"" default:"withargs" help:"Draw one picture (the default command)."`
	Animate animateCommand `cmd:"" help:"Draw a sequence of pictures."`
	Info    infoCommand    `cmd:"" help:"Say what is in a mesh file."`
	Bench   benchCommand   `cmd:"" help:"Run an experiment."`

	Quiet    bool        `short:"q" help:"Print errors only."`
	Progress string      `enum:"auto,never,always" default:"auto" placeholder:"WHEN" help:"Progress bar on standard error: auto (on a terminal, for work that lasts), never or always."`
	Version  versionFlag `help:"Print the version and exit."`
}

// execute parses args and runs the command that they select.
func (a *app) execute(ctx context.Context, args []string) error {
	var g grammar
	out := &stdoutWriter{w: a.stdout}
	exited := false
	parser, err := kong.New(&g,
		kong.Name("render"),
		kong.Description(description),
		kong.Writers(out, a.stderr),
		kong.Exit(func(int) { exited = true; panic(errExit) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
	)
	if err != nil {
		return fmt.Errorf("internal error: command line: %w", err)
	}
	selected, err := parse(parser, args)
	if out.err != nil {
		return standardOutputError(out.err)
	}
	if exited || err != nil {
		return err
	}
	out.closed = isClosed(a.stdout) // now results come; help that is lost is no loss
	a.quiet = g.Quiet
	a.progress.enable(g.Progress, g.Quiet)
	defer a.progress.clear()
	selected.BindTo(ctx, (*context.Context)(nil))
	selected.Bind(a, a.benchOutput(out))
	err = selected.Run()
	if out.err != nil {
		return standardOutputError(out.err)
	}
	return err
}

// errExit leaves the parser where --help, --version and --list have said all
// there is to say.
var errExit = errors.New("exit")

// parse is parser.Parse for flags that end the program.
func parse(parser *kong.Kong, args []string) (selected *kong.Context, err error) {
	defer func() {
		if p := recover(); p != nil && p != any(errExit) {
			panic(p)
		}
	}()
	selected, err = parser.Parse(args)
	if err != nil {
		return nil, usagef("%w (see render %s)", err, helpFor(err))
	}
	return selected, nil
}

// helpFor returns the arguments that would have helped with a wrong command
// line.
func helpFor(err error) string {
	var at *kong.ParseError
	if !errors.As(err, &at) || at.Context == nil || at.Context.Selected() == nil {
		return "--help"
	}
	command := at.Context.Selected()
	if command.Name == "bench" {
		return "bench --list"
	}
	words := "--help"
	for ; command.Type == kong.CommandNode; command = command.Parent {
		words = command.Name + " " + words
	}
	return words
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

// IgnoreDefault makes kong apply the flag before it selects a default command.
func (versionFlag) IgnoreDefault() {}

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
