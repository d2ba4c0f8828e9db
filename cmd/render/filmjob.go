package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"lockstep/cluster"
)

// A filmCommand draws an animation by many processes, on this machine and others.
type filmCommand struct {
	animateCommand

	Nodes   int           `default:"-1" placeholder:"N" help:"Local processes that draw (one a core)."`
	Listen  string        `placeholder:"ADDR" help:"Let other machines join: host:port, or :port. Prints the line that they run."`
	Server  string        `placeholder:"URL" help:"Use a server that runs: nats://host:port, with #sha256:HASH."`
	Key     pathFlag      `placeholder:"FILE" help:"The secret for --server (environment: LOCKSTEP_KEY_FILE)."`
	Tries   int           `default:"3" placeholder:"N" help:"Tries of a frame before it counts as failed (${default})."`
	Lease   time.Duration `default:"5s" placeholder:"TIME" help:"Without a sign of life before another node gets a frame (${default})."`
	Timeout time.Duration `placeholder:"TIME" help:"Of one frame (none)."`
	Split   string        `default:"auto" enum:"auto,always,never" placeholder:"auto|always|never" help:"Draw each frame by all processes together (${default}: films of fewer frames than processes)."`
	When    string        `default:"payback" placeholder:"RULE" help:"When blocks change nodes, with --split: payback, or a criterion of render bench criteria (${default})."`
	How     string        `default:"auto" placeholder:"METHOD" help:"How: auto, few, ranges, circuit, rcb, rib, hsfc, norcb or flow (${default})."`
}

// A filmSpec is what a node needs to draw a film: the command line of the film, where its
// names are from, and what the pictures must say of themselves.
type filmSpec struct {
	Args   []string `json:"args"`
	Folder string   `json:"folder"` // in which the command ran
	Output string   `json:"output"`
	Text   string   `json:"text"` // of the first and the last picture: the same film has the same
}

// checkFilm refuses flags that make no film.
func (c *filmCommand) checkFilm() error {
	switch {
	case c.Output == "":
		return usagef("film: want -o DIR for the pictures")
	case filmName(string(c.Output)) || c.FPS != 0:
		return usagef("film: draws pictures into a folder: want -o DIR")
	case len(c.More) > 0:
		return usagef("film: draws one mesh; render animate draws several, one after the other")
	case c.RecordLoads != "" || c.Trace != "":
		return usagef("--record-loads and --trace are for render animate")
	case c.Mesh == "-":
		return usagef("film: every node reads the mesh: want a file, not standard input")
	case c.Stats != "":
		return usagef("--stats is for render animate")
	case c.Nodes < -1 || c.Nodes > maxNodes:
		return usagef("--nodes %d: want 0 to %d", c.Nodes, maxNodes)
	case c.Server != "" && c.Listen != "":
		return usagef("--server and --listen: want one of them")
	case c.Tries < 1 || c.Lease < minLease || c.Timeout < 0:
		return usagef("--tries %d --lease %v --timeout %v: want at least 1, %v and 0", c.Tries, c.Lease, c.Timeout, minLease)
	}
	return nil
}

// Limits of flags. A lease below minLease would end while a core is busy elsewhere.
const (
	maxNodes = 256
	minLease = 200 * time.Millisecond
)

// run draws the film. args are those of the command line.
func (c *filmCommand) run(ctx context.Context, a *app, out io.Writer, args []string) error {
	if listScenes(c.Mesh, out) {
		return nil
	}
	if err := errors.Join(c.checkFilm(), c.animateCommand.check(a)); err != nil {
		return err
	}
	names, err := c.pictures(a)
	if err != nil {
		return err
	}
	job, frames, err := c.job(ctx, a, args)
	if err != nil {
		return err
	}
	defer frames.Close()
	office, err := openOffice(ctx, a, filmFolder(names), c.Listen, c.Server, c.Key)
	if err != nil {
		return err
	}
	defer office.close()
	if c.Listen != "" {
		a.say("other machines join by: render node --join %s --key %s", office.address, office.path(workKey))
	}
	reel := &reel{app: a, names: names, cluster: office.cluster, own: frames}
	if c.splits() {
		err = reel.share(ctx, c, office, job)
	} else {
		if reel.job, err = office.submit(ctx, job); err != nil {
			return err
		}
		if err := office.startNodes(ctx, c.localNodes(), int(c.Workers)); err != nil {
			return err
		}
		err = reel.follow(ctx)
	}
	if err != nil {
		return err
	}
	if err := reel.result(); err != nil {
		return err
	}
	office.finished = true
	a.say("%s: %s, %d ms", oneLine(string(c.Output)), plural(int64(job.Frames), "picture"), time.Since(a.began).Milliseconds())
	return nil
}

// splits reports whether each frame is drawn by all processes together.
func (c *filmCommand) splits() bool {
	return c.Split == "always" || c.Split == "auto" && int(c.Frames) < c.processes()
}

// processes returns how many processes draw here.
func (c *filmCommand) processes() int {
	if c.Nodes >= 0 {
		return c.Nodes
	}
	return runtime.GOMAXPROCS(0)
}

// localNodes returns how many processes draw whole frames here.
func (c *filmCommand) localNodes() int { return min(c.processes(), int(c.Frames)) }

// job reads the mesh once, as a node would, which finds mistakes before anything is
// distributed, and names the film by what its pictures say of themselves.
func (c *filmCommand) job(ctx context.Context, a *app, args []string) (cluster.Job, *filmFrames, error) {
	frames, err := c.openFrames(ctx, a, 0, false)
	if err != nil {
		return cluster.Job{}, nil, err
	}
	folder, err := os.Getwd()
	if err != nil {
		frames.Close()
		return cluster.Job{}, nil, err
	}
	output, err := filepath.Abs(string(c.Output))
	if err != nil {
		frames.Close()
		return cluster.Job{}, nil, err
	}
	spec := filmSpec{Args: slices.Clone(args), Folder: folder, Output: output, Text: frames.text()}
	raw, err := json.Marshal(spec)
	if err != nil {
		frames.Close()
		return cluster.Job{}, nil, err
	}
	name, err := json.Marshal([]string{spec.Text, output, frames.meshState()})
	if err != nil {
		frames.Close()
		return cluster.Job{}, nil, err
	}
	return cluster.Job{
		ID: cluster.JobID(name, int(c.Frames)), Name: string(c.Mesh), Frames: int(c.Frames), Spec: raw,
		Tries: c.Tries, Lease: c.Lease, Timeout: c.Timeout,
	}, frames, nil
}

// A reel is a film on its way to its folder. It implements cluster.Follower.
type reel struct {
	app     *app
	names   *frameNames
	cluster *cluster.Cluster
	job     cluster.Job
	own     *filmFrames // that draws here, for frames on which nodes differ
	done    map[int]*cluster.Done
	failed  map[int]*cluster.Failure
}

// rounds bounds how often frames are asked for again whose files were lost or changed
// after they were recorded.
const rounds = 3

// follow waits until every frame is drawn or given up, and checks all files.
func (r *reel) follow(ctx context.Context) error {
	r.app.progress.BeginRate("drawing", "frames", int64(r.job.Frames))
	defer r.app.progress.End()
	for range rounds {
		r.done, r.failed = map[int]*cluster.Done{}, map[int]*cluster.Failure{}
		if err := r.cluster.Follow(ctx, r.job.ID, ctxFollower{ctx, r}); err != nil {
			return err
		}
		bad := r.damaged()
		if len(bad) == 0 {
			return nil
		}
		for _, k := range bad {
			again := func(ctx context.Context) error { return r.cluster.Again(ctx, r.job, k) }
			if err := persist(ctx, tryTime, again); err != nil {
				return err
			}
		}
	}
	return outputf("%s: frames are changed or removed while the film is drawn", r.names.output)
}

// damaged returns the frames whose files do not hold what was recorded.
func (r *reel) damaged() (bad []int) {
	for k, d := range r.done {
		picture, err := os.ReadFile(r.names.name(k))
		if err != nil || cluster.Hash(picture) != d.Hash {
			bad = append(bad, k)
		}
	}
	return bad
}

// result names the frames that failed.
func (r *reel) result() error {
	status := len(r.done) + len(r.failed)
	switch {
	case status < r.job.Frames:
		return partialf("%s: the film was cancelled after %d of %s", r.names.output, len(r.done), plural(int64(r.job.Frames), "frame"))
	case len(r.failed) == 0:
		return nil
	}
	var frames []int
	for k := range r.failed {
		frames = append(frames, k)
	}
	slices.Sort(frames)
	for _, k := range frames {
		f := r.failed[k]
		r.app.progress.clear()
		fmt.Fprintf(r.app.stderr, "render: frame %d: %s (try %d, on node %s)\n", k, oneLine(f.Error), f.Tries, f.Node)
	}
	return partialf("%s: %d of %s failed: %s; render film --retry draws them again",
		r.names.output, len(frames), plural(int64(r.job.Frames), "frame"), joinRanges(frames))
}

// ctxFollower gives a reel's methods the context that referees draw under.
type ctxFollower struct {
	ctx context.Context
	*reel
}

// Done implements cluster.Follower.
func (r *reel) Done(k int, d *cluster.Done) error {
	r.done[k] = d
	r.app.progress.Add(1)
	return nil
}

// Failed implements cluster.Follower.
func (r *reel) Failed(k int, f *cluster.Failure) error {
	r.failed[k] = f
	r.app.progress.Add(1)
	return nil
}

// Fault implements cluster.Follower: this process draws the frame itself and shuts the
// node out that drew something else.
func (f ctxFollower) Fault(x *cluster.Fault) error {
	began := time.Now()
	picture, err := f.own.Draw(f.ctx, x.Frame)
	if err != nil {
		return err
	}
	right := &cluster.Done{Hash: cluster.Hash(picture), Node: "submitter", Seconds: time.Since(began).Seconds(), Bytes: len(picture)}
	var blocked []string
	if err := persist(f.ctx, tryTime, func(ctx context.Context) error {
		blocked, err = f.cluster.Settle(ctx, f.job, x, right)
		return err
	}); err != nil {
		return err
	}
	for _, node := range blocked {
		f.app.warn("node %s drew frame %d differently from all others and is shut out: its machine computes wrongly", node, x.Frame)
	}
	f.done[x.Frame] = right
	return f.own.Keep(f.ctx, x.Frame, picture)
}
