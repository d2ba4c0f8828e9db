package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"

	"lockstep/cluster/film"
	"lockstep/internal/budget"
	"lockstep/internal/framename"
	"lockstep/render/recipe"
)

// begin reads the mesh while the server and the nodes start.
func (c *filmCommand) begin(ctx context.Context, a *app, names *framename.Names, f film.Film) (*coordinator, *film.Submission, error) {
	type opened struct {
		*coordinator
		err error
	}
	opening := make(chan opened, 1)
	folder := names.Folder()
	_, old := os.Stat(filepath.Join(folder, film.Folder))
	fresh := old != nil
	memory := budget.New()
	drawer := c.drawer(a, &memory)
	line, err := newAnnouncement(f, drawer)
	if err != nil {
		return nil, nil, err
	}
	// Where the one fails the other may take minutes, or wait for ever for a server elsewhere. One of our
	// own is waited for: what it has made is removed then.
	starting, giveUp := context.WithCancelCause(ctx)
	go func() {
		o, err := openCoordinator(starting, a, coordinatorOptions{folder: folder, listen: c.Listen, elsewhere: c.Server, key: c.Key, limits: c.limits(),
			nodes: c.nodesHere(), workers: int(c.Workers), film: line})
		if err != nil {
			giveUp(err)
		}
		opening <- opened{o, err}
	}()
	submission, err := film.Open(starting, f, c.options(a, drawer, fresh, line))
	if err != nil && c.Server != "" {
		giveUp(err)
	}
	line.set(submission, f.Shared)
	o := <-opening
	if err == nil && o.err == nil {
		o.fresh = fresh
		line.own(o.mark)
		return o.coordinator, submission, nil
	}
	if submission != nil {
		submission.Close()
	}
	if o.coordinator != nil {
		o.finished = fresh && err != nil // of a film that cannot be drawn nothing is left
		o.close()
	}
	if errors.Is(err, context.Canceled) {
		err = context.Cause(starting)
	}
	return nil, nil, cmp.Or(err, o.err)
}

// drawer returns how this program draws frames on which nodes differ, and nodes all others.
func (c *filmCommand) drawer(a *app, memory *budget.Account) *recipe.Drawer {
	d := a.drawer(memory)
	d.ISA, d.Balance, d.Read = c.Isa, c.Balance, c.Reading.Options()
	return d
}

// options returns how the film is submitted.
func (c *filmCommand) options(a *app, d *recipe.Drawer, fresh bool, line *announcement) film.Options {
	o := film.Options{
		Drawer: *d, Files: &a.Files, Own: line.isOwn, Renews: c.Server == "" && !fresh, Processes: c.processes(), When: c.When, How: c.How,
		Begin:     func(frames int) { a.Progress.BeginRate("drawing", "frames", int64(frames)) },
		Settled:   func(frames int) { a.Progress.Add(int64(frames)) },
		Warn:      func(line string) { a.Warn("%s", line) },
		Submitted: line.submitted,
	}
	if c.Explain {
		o.Moved = func(line string) { a.print("owners: " + line) }
	}
	return o
}
