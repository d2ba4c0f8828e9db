package main

import (
	"context"
	"fmt"
	"io"

	"github.com/alecthomas/kong"

	"lockstep/bench"
)

// A benchCommand holds one experiment a field; the field's tags are all that an
// experiment needs to be part of the command line.
type benchCommand struct {
	List listFlag `help:"Name the experiments and exit."`

	Calibrate bench.Calibrate `cmd:"" help:"What the renderer takes redistributions to cost on this machine."`
	Circuit   bench.Circuit   `cmd:"" help:"How, with neighbours only: the balancing circuit."`
	Criteria  bench.Criteria  `cmd:"" help:"When to balance: the criteria against the best possible times."`
	Lockstep  bench.Lockstep  `cmd:"" help:"A picture by virtual processors that step together, under each policy."`
	Tables    bench.Tables    `cmd:"" help:"The cost-effective cycle on a counted lockstep machine."`
	Trace     bench.Trace     `cmd:"" help:"What a traced picture redistributed, and why."`
}

// A listFlag names the experiments before anything else is looked at.
type listFlag bool

// IgnoreDefault makes kong apply the flag before it selects a default command.
func (listFlag) IgnoreDefault() {}

// BeforeReset is kong's hook for flags that act at once.
func (listFlag) BeforeReset(k *kong.Kong) error {
	for _, command := range k.Model.Children {
		if command.Name != "bench" {
			continue
		}
		for _, experiment := range command.Children {
			fmt.Fprintf(k.Stdout, "%-12s %s\n", experiment.Name, experiment.Help)
		}
	}
	k.Exit(0)
	return nil
}

// benchOutput gives the experiments what all commands have: outputs that are
// removed when the command is interrupted, and a reader that warns of damage.
func (a *app) benchOutput(stdout io.Writer) bench.Output {
	return bench.Output{
		Stdout:   stdout,
		Progress: a.progress,
		Create: func(name string) (bench.File, error) {
			f, err := a.create(name)
			if err != nil {
				return nil, err
			}
			return f, nil
		},
		Open: func(ctx context.Context, name string) (bench.Mesh, error) {
			in, err := a.read(ctx, name, false, false, 0)
			if err != nil {
				return bench.Mesh{}, err
			}
			return bench.Mesh{Source: in.src, Box: in.box, Close: in.close}, nil
		},
	}
}
