// Command bench runs the experiments that reproduce the papers' tables and figures and our own measurements. Each
// experiment has its own package. It is a struct whose exported fields are its command-line flags (tagged for
// github.com/alecthomas/kong). Its Run method does the work, see [report.Experiment].
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"lockstep/bench/report"
	"lockstep/internal/budget"
	"lockstep/internal/cli"
	"lockstep/render"
	"lockstep/render/recipe"
	"lockstep/scenes"
)

// program is the name of the command when it is built.
const program = "lockstep-bench"

func main() { cli.Main(program, runCommandLine) }

// runCommandLine runs the command line args and returns its exit code.
func runCommandLine(args []string, files cli.Streams, stop <-chan os.Signal) cli.Code {
	a := cli.New(program, files)
	return a.Run(stop, func(ctx context.Context) error { return execute(ctx, a, args) })
}

// A commandLine holds the flags. Each experiment is a command.
type commandLine struct {
	cli.GlobalFlags
	List listFlag `help:"Name the experiments and exit."`

	experiments
}

// A listFlag is the flag --list. It prints the names of the experiments and ignores the rest of the command line.
type listFlag bool

// BeforeReset prints the names and exits. Kong calls it before it checks the other arguments.
func (listFlag) BeforeReset(k *kong.Kong) error {
	for _, experiment := range k.Model.Children {
		fmt.Fprintf(k.Stdout, "%-12s %s\n", experiment.Name, experiment.Help)
	}
	k.Exit(0)
	return nil
}

// execute parses args and runs the experiment that they select. Its errors have exit codes.
func execute(ctx context.Context, a *cli.App, args []string) error {
	out := &cli.Stdout{W: a.Stdout}
	err := parseAndRun(ctx, a, out, args)
	if out.Err != nil {
		return cli.StdoutError(out.Err)
	}
	return withExitCode(err)
}

// parseAndRun parses args and runs the experiment that they select. It writes results to out.
func parseAndRun(ctx context.Context, a *cli.App, out *cli.Stdout, args []string) error {
	var line commandLine
	parser, err := kong.New(&line, kong.Name(program), kong.Description("The experiments of Lockstep."), kong.Writers(out, io.Discard), cli.ExitOption(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}))
	if err != nil {
		return fmt.Errorf("internal error: command line: %w", err)
	}
	selected, err := cli.Parse(parser, args)
	switch {
	case err != nil:
		return newUsageError(parser, err)
	case selected == nil:
		return nil
	}
	line.Apply(a)
	defer a.Progress.Clear()
	selected.BindTo(ctx, (*context.Context)(nil))
	return selected.Run(newOutput(a, out))
}

// newUsageError returns an error that says what is wrong with the command line, and which command prints the help.
func newUsageError(parser *kong.Kong, err error) error {
	help := program + " --list"
	var at *kong.ParseError
	if errors.As(err, &at) && at.Context != nil && at.Context.Selected() != nil {
		help = program + " " + at.Context.Selected().Name + " --help"
	}
	if flag := cli.UnknownFlag(err); flag != "" {
		if near := cli.Nearest(strings.TrimLeft(flag, "-"), cli.OwnFlags(parser, err)); near != "" {
			return cli.Usagef("unknown flag %s, did you mean --%s? (see %s)", flag, near, help)
		}
		return cli.Usagef("unknown flag %s (see %s)", flag, help)
	}
	return cli.Usagef("%w (see %s)", err, help)
}

// withExitCode returns err with the exit code for its type.
func withExitCode(err error) error {
	var (
		usage *report.UsageError
		input *report.InputError
		blank *report.BlankError
	)
	switch {
	case errors.As(err, &usage):
		return &cli.Error{Code: cli.Usage, Err: err}
	case errors.As(err, &input):
		return &cli.Error{Code: cli.Input, Err: err}
	case errors.As(err, &blank):
		return &cli.Error{Code: cli.Blank, Err: err}
	}
	return err
}

// newOutput returns the inputs and outputs of the experiments: the program's streams and progress bar, output files
// that are removed if the program is interrupted, and a reader of meshes that warns of damage.
func newOutput(a *cli.App, stdout io.Writer) report.Output {
	return report.Output{
		Stdin:    a.Stdin,
		Stdout:   stdout,
		Progress: a.Progress,
		Files:    &a.Files,
		Open: func(ctx context.Context, name string) (report.Mesh, error) {
			if err := a.CheckPrinted(name); err != nil {
				return report.Mesh{}, err
			}
			memory := budget.New()
			memory.LimitHeap()
			watch := budget.WatchHeap()
			defer watch.Stop()
			d := recipe.Drawer{Stdin: a.Stdin, Memory: &memory, Warn: func(line string) { a.Warn("%s", line) }}
			in, err := d.Open(ctx, recipe.Picture{Meshes: []recipe.Mesh{{File: name}}}, render.Options{}, false)
			if err != nil {
				return report.Mesh{}, cli.DrawingError(err)
			}
			d.SayDamage(in)
			if cloud, ok := in.Source.(*scenes.Points); ok { // experiments need triangles, not points
				if in.Source, err = scenes.Load(ctx, cloud, scenes.ReadOptions{}); err != nil {
					return report.Mesh{}, err
				}
			}
			return report.Mesh{Source: in.Source, Box: in.Box, Close: in.Close}, nil
		},
	}
}
