package main

import (
	"context"
	"fmt"
	"io"
	"lockstep/render/recipe"

	"github.com/alecthomas/kong"

	"lockstep/bench"
	"lockstep/bench/report"
	"lockstep/render"
	"lockstep/scenes"
)

// A benchCommand holds the experiments.
type benchCommand struct {
	List listFlag `help:"Name the experiments and exit."`

	bench.Experiments
}

// A listFlag names the experiments before anything else is looked at.
type listFlag bool

// BeforeReset is kong's hook for flags that act at once.
func (listFlag) BeforeReset(k *kong.Kong) error {
	for _, experiment := range k.Model.Children {
		fmt.Fprintf(k.Stdout, "%-12s %s\n", experiment.Name, experiment.Help)
	}
	k.Exit(0)
	return nil
}

// benchOutput connects the experiments with the command's outputs, which are removed
// when it is interrupted, its progress bar, and its reader, which warns of damage.
func (a *app) benchOutput(stdout io.Writer) report.Output {
	return report.Output{
		Stdout:   stdout,
		Progress: a.progress,
		Files:    &a.files,
		Open: func(ctx context.Context, name string) (report.Mesh, error) {
			if err := a.checkPrinted(name); err != nil {
				return report.Mesh{}, err
			}
			a.measure()
			d := a.drawer(scenes.ReadOptions{}, &a.room)
			in, err := a.read(ctx, d, recipe.Picture{Meshes: []recipe.Mesh{{File: name}}}, false, render.Options{})
			if err != nil {
				return report.Mesh{}, err
			}
			d.SayDamage(in)
			return report.Mesh{Source: in.Source, Box: in.Box, Close: in.Close}, nil
		},
	}
}
