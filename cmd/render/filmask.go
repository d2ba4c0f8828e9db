package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lockstep/cluster"
)

// A filmAskCommand says how films are, and cancels and repeats them.
type filmAskCommand struct {
	Output pathFlag `short:"o" placeholder:"DIR" help:"Folder of the film's pictures."`
	Server string   `placeholder:"URL" help:"Ask a server that runs: nats://host:port, with #sha256:HASH."`
	Key    pathFlag `placeholder:"FILE" help:"The secret for --server (environment: LOCKSTEP_KEY_FILE)."`

	Status bool `xor:"ask" aliases:"list" help:"Say how far films are."`
	Cancel bool `xor:"ask" help:"Take films out of the queue; pictures that are drawn stay."`
	Retry  bool `xor:"ask" help:"Ask for frames again that failed: the next render film draws them."`
}

// asksFilm reports whether the arguments of render film draw none.
func asksFilm(args []string) bool {
	return slices.ContainsFunc(args, func(s string) bool {
		return s == "--status" || s == "--list" || s == "--cancel" || s == "--retry"
	})
}

// run asks.
func (c *filmAskCommand) run(ctx context.Context, a *app, out io.Writer) error {
	if c.Output == "" && c.Server == "" {
		return usagef("film: want -o DIR, the film's folder, or --server URL")
	}
	folder := string(c.Output)
	if c.Server == "" {
		if _, err := os.Stat(filepath.Join(folder, officeName, queueFolder)); err != nil {
			return inputf("%s: no film is under way here: it is finished, or was never begun", folder)
		}
	}
	o, err := openOffice(ctx, a, officeOptions{folder: folder, elsewhere: c.Server, key: c.Key, visit: true})
	if err != nil {
		return err
	}
	defer o.close()
	jobs, err := o.cluster.Jobs(ctx)
	if err != nil {
		return err
	}
	for _, job := range jobs {
		switch {
		case c.Cancel:
			err = o.cluster.Cancel(ctx, job.ID)
		case c.Retry:
			err = o.cluster.Retry(ctx, job.ID)
		}
		if err != nil {
			return err
		}
		if err := printJob(ctx, o.cluster, job.ID, out); err != nil {
			return err
		}
	}
	return nil
}

// printJob prints how far a film is, and why frames of it failed.
func printJob(ctx context.Context, conn *cluster.Cluster, id string, out io.Writer) error {
	s, err := conn.Status(ctx, id)
	if err != nil {
		return err
	}
	state, seconds := "in the queue", 0.0
	for _, d := range s.Done {
		seconds += d.Seconds
	}
	switch {
	case s.Job.Cancelled:
		state = "cancelled"
	case s.Left() == 0:
		state = "finished"
	}
	fmt.Fprintf(out, "%s  %s: %d of %s drawn, %d failed, %s; %v of drawing, handed in %s\n", id, oneLine(s.Job.Name), len(s.Done),
		plural(int64(s.Job.Frames), "frame"), len(s.Failed), state,
		time.Duration(seconds*float64(time.Second)).Round(time.Millisecond), s.Job.Created.Format(time.RFC3339))
	var frames []int
	for k := range s.Failed {
		frames = append(frames, k)
	}
	slices.Sort(frames)
	for _, k := range frames {
		fmt.Fprintf(out, "  frame %d: %s\n", k, oneLine(strings.TrimSpace(s.Failed[k].Error)))
	}
	return nil
}
