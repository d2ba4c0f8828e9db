package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lockstep/cluster"
	"lockstep/internal/cli"
	"lockstep/internal/framename"
)

// A filmAskCommand says how films are, and cancels and repeats them.
type filmAskCommand struct {
	Output pathFlag `short:"o" placeholder:"DIR" help:"The film's: the folder of its pictures, or their names."`
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
		return cli.Usagef("film: expected -o DIR, the film's folder, or --server URL")
	}
	folder, err := c.folder()
	if err != nil {
		return err
	}
	if c.Server == "" {
		if _, err := os.Stat(filepath.Join(folder, officeName, queueFolder)); err != nil {
			return cli.Inputf("%s: no film is under way here: it is finished, or was never begun%s", folder, c.elsewhere(folder))
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
	asked := 0
	for _, job := range jobs {
		if c.Server != "" && !c.asksAbout(job, folder) {
			continue
		}
		asked++
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
	if asked == 0 && c.Output != "" {
		return cli.Inputf("%s: no film of this folder is on the server", folder)
	}
	return nil
}

// folder returns the folder of the pictures, by the same -o as the film's: that may be a folder or
// the names of files with a slot for their numbers. It is "" for all films of a server.
func (c *filmAskCommand) folder() (string, error) {
	if c.Output == "" {
		return "", nil
	}
	if framename.IsAnimation(string(c.Output)) {
		return "", cli.Usagef("%s: a film is drawn into a folder: expected -o as it was given to render film", c.Output)
	}
	names, err := frameNames(string(c.Output), "film", 1) // any mesh: the folder is asked for
	if err != nil {
		return "", err
	}
	return filepath.Abs(names.Folder())
}

// elsewhere says what may be wrong with a folder that has no film.
func (c *filmAskCommand) elsewhere(folder string) string {
	if !framename.IsFolder(folder) {
		return " (there is no such folder)"
	}
	return " (a film on a server that runs elsewhere wants its --server, too)"
}

// asksAbout reports whether a film of a server is the one of the folder, or any is asked about.
func (c *filmAskCommand) asksAbout(job cluster.Job, folder string) bool {
	if c.Output == "" {
		return true
	}
	var spec filmSpec
	return json.Unmarshal(job.Spec, &spec) == nil && spec.Pictures == folder
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
