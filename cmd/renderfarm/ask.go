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
	"lockstep/cluster/film"
	"lockstep/internal/cli"
	"lockstep/internal/framename"
	"lockstep/internal/pictureflags"
)

// askFlags say which films are asked about.
type askFlags struct {
	Output pictureflags.Path `short:"o" placeholder:"DIR" help:"The film's: the folder of its pictures, or their names."`
	Server string            `placeholder:"URL" help:"Ask a server that runs: nats://host:port, with #sha256:HASH."`
	Key    pictureflags.Path `placeholder:"FILE" help:"The secret for --server (environment: LOCKSTEP_KEY_FILE)."`
}

// The commands that ask: how far films are, to draw frames again that failed, and to take films out of the queue.
type (
	statusCommand struct{ askFlags }
	retryCommand  struct{ askFlags }
	cancelCommand struct{ askFlags }
)

func (c *statusCommand) run(ctx context.Context, a *app, out io.Writer) error {
	return c.ask(ctx, a, out, "status", func(context.Context, *cluster.Cluster, string) error { return nil })
}

func (c *retryCommand) run(ctx context.Context, a *app, out io.Writer) error {
	return c.ask(ctx, a, out, "retry", func(ctx context.Context, conn *cluster.Cluster, id string) error { return conn.Retry(ctx, id) })
}

func (c *cancelCommand) run(ctx context.Context, a *app, out io.Writer) error {
	return c.ask(ctx, a, out, "cancel", func(ctx context.Context, conn *cluster.Cluster, id string) error { return conn.Cancel(ctx, id) })
}

// ask does something with each of the films, and prints how far it is.
func (c *askFlags) ask(ctx context.Context, a *app, out io.Writer, name string, do func(context.Context, *cluster.Cluster, string) error) error {
	if c.Output == "" && c.Server == "" {
		return cli.Usagef("%s: expected -o DIR, the film's folder, or --server URL", name)
	}
	folder, err := c.folder()
	if err != nil {
		return err
	}
	if c.Server == "" {
		if _, err := os.Stat(filepath.Join(folder, film.Folder, queueFolder)); err != nil {
			return cli.Inputf("%s: no film is under way here: it is finished, or was never begun%s", folder, c.elsewhere(folder))
		}
	}
	o, err := openCoordinator(ctx, a, coordinatorOptions{folder: folder, elsewhere: c.Server, key: c.Key, visit: true})
	if err != nil {
		return err
	}
	defer o.close()
	jobs, err := o.cluster.Jobs(ctx)
	if err != nil {
		return err
	}
	asked := 0
	for _, job := range jobs {
		if c.Server != "" && !c.asksAbout(job, folder) {
			continue
		}
		asked++
		err = do(ctx, o.cluster, job.ID)
		if err != nil {
			return err
		}
		if err := printJob(ctx, o.cluster, job.ID, out); err != nil {
			return err
		}
	}
	if asked == 0 && c.Output != "" {
		return cli.Inputf("%s: no film of this folder is on the server", folder)
	}
	return nil
}

// folder returns the folder of the pictures, by the same -o as the film's: that may be a folder or
// the names of files with a slot for their numbers. It is "" for all films of a server.
func (c *askFlags) folder() (string, error) {
	if c.Output == "" {
		return "", nil
	}
	if framename.IsAnimation(string(c.Output)) {
		return "", cli.Usagef("%s: a film is drawn into a folder: expected -o as it was given to renderfarm film", c.Output)
	}
	names, err := framename.New(string(c.Output), "film", 1) // any mesh: the folder is asked for
	if err != nil {
		return "", cli.Usagef("%w", err)
	}
	return filepath.Abs(names.Folder())
}

// elsewhere says what may be wrong with a folder that has no film.
func (c *askFlags) elsewhere(folder string) string {
	if !framename.IsFolder(folder) {
		return " (there is no such folder)"
	}
	return " (a film on a server that runs elsewhere wants its --server, too)"
}

// asksAbout reports whether a film of a server is the one of the folder, or any is asked about.
func (c *askFlags) asksAbout(job cluster.Job, folder string) bool {
	if c.Output == "" {
		return true
	}
	_, pictures, err := film.PicturesOf(job)
	return err == nil && pictures == folder
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
	fmt.Fprintf(out, "%s  %s: %d of %s drawn, %d failed, %s; %v of drawing, started %s\n", id, cli.OneLine(s.Job.Name), len(s.Done),
		cli.Plural(int64(s.Job.Frames), "frame"), len(s.Failed), state,
		time.Duration(seconds*float64(time.Second)).Round(time.Millisecond), s.Job.Created.Format(time.RFC3339))
	var frames []int
	for k := range s.Failed {
		frames = append(frames, k)
	}
	slices.Sort(frames)
	for _, k := range frames {
		fmt.Fprintf(out, "  frame %d: %s\n", k, cli.OneLine(strings.TrimSpace(s.Failed[k].Error)))
	}
	return nil
}
