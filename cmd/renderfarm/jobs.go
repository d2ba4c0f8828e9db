package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"lockstep/cluster"
	"lockstep/cluster/film"
	"lockstep/internal/cli"
	"lockstep/internal/framename"
	"lockstep/internal/phrase"
	"lockstep/internal/pictureflags"
)

// jobFlags select the films for the commands status, retry and cancel.
type jobFlags struct {
	Output pictureflags.Path `short:"o" placeholder:"DIR" help:"Folder of the film's pictures, or their names."`
	Server string            `placeholder:"URL" help:"Ask a server that runs: nats://host:port, with #sha256:HASH."`
	Key    pictureflags.Path `placeholder:"FILE" help:"The secret for --server (environment: LOCKSTEP_KEY_FILE)."`
}

// Commands for existing films. The command status prints their progress, retry puts failed frames into the queue again,
// and cancel removes films from the queue.
type (
	statusCommand struct {
		jobFlags
		Dir pictureflags.Path `placeholder:"DIR" help:"Folder of a server that runs on this machine (renderfarm serve --dir): its films, nodes and keys of nodes."`
	}
	retryCommand  struct{ jobFlags }
	cancelCommand struct{ jobFlags }
)

func (c *statusCommand) run(ctx context.Context, a *app, out io.Writer) error {
	if c.Dir != "" {
		return c.printServer(ctx, a, out)
	}
	return c.forEachJob(ctx, a, out, "status", func(context.Context, *cluster.Cluster, string) error { return nil })
}

// printServer prints the films and the connected nodes of a server on this machine, and the names of the nodes that
// have a key.
func (c *statusCommand) printServer(ctx context.Context, a *app, out io.Writer) error {
	if c.Output != "" || c.Server != "" {
		return cli.Usagef("status: expected one of --dir, -o and --server")
	}
	dir := string(c.Dir)
	names, err := nodeNames(dir)
	if err != nil {
		return err
	}
	address, err := localServer(dir)
	if err != nil {
		return cli.Inputf("%s: no server has run here: %w", dir, err)
	}
	ctx, cancel := context.WithTimeout(ctx, cluster.TryTimeout)
	defer cancel()
	conn, err := cluster.Dial(ctx, address)
	if err != nil {
		return explainDialError(err)
	}
	defer conn.Close()
	jobs, err := conn.Jobs(ctx)
	if errors.Is(err, jetstream.ErrStreamNotFound) { // no film was ever submitted
		jobs, err = nil, nil
	}
	if err != nil {
		return err
	}
	for _, job := range jobs {
		if err := printJob(ctx, conn, job.ID, out); err != nil {
			return err
		}
	}
	nodes, err := conn.Nodes(ctx)
	if err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return err
	}
	for _, n := range nodes {
		fmt.Fprintf(out, "node %s: on %s, %s, busy %.0f %%\n", phrase.OneLine(n.Name), phrase.OneLine(n.Host), phrase.Plural(int64(n.Cores), "core"), 100*n.Busy)
	}
	_, err = fmt.Fprintf(out, "keys of nodes: %s\n", strings.Join(names, ", "))
	return err
}

func (c *retryCommand) run(ctx context.Context, a *app, out io.Writer) error {
	return c.forEachJob(ctx, a, out, "retry", func(ctx context.Context, conn *cluster.Cluster, id string) error { return conn.Retry(ctx, id) })
}

func (c *cancelCommand) run(ctx context.Context, a *app, out io.Writer) error {
	return c.forEachJob(ctx, a, out, "cancel", func(ctx context.Context, conn *cluster.Cluster, id string) error { return conn.Cancel(ctx, id) })
}

// forEachJob calls the function do for each selected film and then prints the progress of the film.
func (c *jobFlags) forEachJob(ctx context.Context, a *app, out io.Writer, name string, do func(context.Context, *cluster.Cluster, string) error) error {
	if c.Output == "" && c.Server == "" {
		return cli.Usagef("%s: expected -o DIR, the film's folder, or --server URL", name)
	}
	folder, err := c.folder()
	if err != nil {
		return err
	}
	if c.Server == "" {
		if _, err := os.Stat(filepath.Join(folder, film.Folder, queueFolder)); err != nil {
			return cli.Inputf("%s: no film is under way here: it is finished, or was never begun%s", folder, c.hint(folder))
		}
	}
	o, err := openCoordinator(ctx, a, coordinatorOptions{folder: folder, serverURL: c.Server, key: c.Key, useRunning: true})
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
		if c.Server != "" && !c.matches(job, folder) {
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

// folder returns the folder of the pictures. The flag -o has the same value as when the film was drawn: a folder, or a
// pattern for file names. The result is empty if all films of a server are selected.
func (c *jobFlags) folder() (string, error) {
	if c.Output == "" {
		return "", nil
	}
	if framename.IsAnimation(string(c.Output)) {
		return "", cli.Usagef("%s: a film is drawn into a folder: expected -o as it was given to renderfarm film", c.Output)
	}
	names, err := framename.New(string(c.Output), "film", 1) // any mesh and number give the same folder
	if err != nil {
		return "", cli.Usagef("%w", err)
	}
	return filepath.Abs(names.Folder())
}

// hint returns a possible reason why a folder has no film.
func (c *jobFlags) hint(folder string) string {
	if !framename.IsFolder(folder) {
		return " (there is no such folder)"
	}
	return " (a film on a server that runs elsewhere wants its --server, too)"
}

// matches reports whether a film of a server is selected.
func (c *jobFlags) matches(job cluster.Job, folder string) bool {
	if c.Output == "" {
		return true
	}
	_, pictures, err := film.PicturesOf(job)
	return err == nil && pictures == folder
}

// printJob prints the progress of a film and the errors of its failed frames.
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
	fmt.Fprintf(out, "%s  %s: %d of %s drawn, %d failed, %s; %v of drawing, started %s\n", id, phrase.OneLine(s.Job.Name), len(s.Done),
		phrase.Plural(int64(s.Job.Frames), "frame"), len(s.Failed), state,
		time.Duration(seconds*float64(time.Second)).Round(time.Millisecond), s.Job.Created.Format(time.RFC3339))
	var frames []int
	for k := range s.Failed {
		frames = append(frames, k)
	}
	slices.Sort(frames)
	for _, k := range frames {
		fmt.Fprintf(out, "  frame %d: %s\n", k, phrase.OneLine(strings.TrimSpace(s.Failed[k].Error)))
	}
	return nil
}
