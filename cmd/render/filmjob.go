package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"lockstep/cluster"
	"lockstep/cluster/page"
	"lockstep/internal/cli"
	"lockstep/internal/framename"
	"lockstep/render/recipe"
)

// A filmCommand draws an animation by many processes, on this machine and others.
type filmCommand struct {
	animateCommand

	Nodes    int           `default:"-1" placeholder:"N" help:"Local processes that draw (one a core)."`
	Listen   string        `placeholder:"ADDR" help:"Let other machines join: host:port, or :port. Prints the line that they run."`
	Server   string        `placeholder:"URL" help:"Use a server that runs: nats://host:port, with #sha256:HASH."`
	Key      pathFlag      `placeholder:"FILE" help:"The secret for --server (environment: LOCKSTEP_KEY_FILE)."`
	Tries    int           `default:"3" placeholder:"N" help:"Tries of a frame before it counts as failed (${default})."`
	Lease    time.Duration `default:"5s" placeholder:"TIME" help:"Without a sign of life before another node gets a frame (${default})."`
	Timeout  time.Duration `placeholder:"TIME" help:"Of one frame (none)."`
	Priority int           `placeholder:"N" help:"Films of larger numbers are drawn first (0)."`
	Page     string        `name:"status-page" placeholder:"ADDR" help:"Show the film in a browser: host:port, or :port; other machines need the token that is printed."`
	Store    bytesFlag     `placeholder:"BYTES" help:"That the server may keep of meshes, pictures and records (7G)."`
	Replicas int           `default:"1" placeholder:"N" help:"Copies of everything that servers keep which form a cluster (${default})."`
	Split    string        `default:"auto" enum:"auto,always,never" placeholder:"auto|always|never" help:"Draw each frame by all processes together (${default}: films of fewer frames than processes)."`
	Via      string        `default:"queue" enum:"queue,overlay" placeholder:"queue|overlay" help:"How nodes get frames: one by one from the server's queue, or handed on along a tree with bridges, for thousands of nodes (${default})."`
	When     string        `default:"payback" placeholder:"RULE" help:"When blocks change nodes, with --split: payback, or a criterion of lockstep-bench criteria (${default})."`
	How      string        `default:"auto" placeholder:"METHOD" help:"How: auto, few, ranges, circuit, rcb, rib, hsfc, norcb or flow (${default})."`

	contents string // of the mesh's files, where a node draws that need not read all of them; else empty
}

// A filmSpec is what a node needs to draw a film: the command line of the film, where its
// names are from, and what the pictures must say of themselves.
type filmSpec struct {
	Args   []string `json:"args"`
	Folder string   `json:"folder"` // in which the command ran
	Output string   `json:"output"`
	Text   string   `json:"text"`  // of the first and the last picture: the same film has the same
	State  string   `json:"state"` // of the files, see sourceState

	Files    []filmFile `json:"files,omitempty"`    // of the job, for nodes on other machines
	Contents string     `json:"contents,omitempty"` // of the mesh's files, which pictures say
	Pictures string     `json:"pictures"`           // folder of the pictures
	Token    string     `json:"token"`              // that is in it, see apart
}

// checkFilm refuses flags that make no film.
func (c *filmCommand) checkFilm() error {
	switch {
	case c.Output == "":
		return cli.Usagef("film: expected -o DIR for the pictures")
	case framename.IsAnimation(string(c.Output)) || c.FPS != fpsFlag{}:
		return cli.Usagef("film: draws pictures into a folder: expected -o DIR")
	case len(c.More) > 0:
		return cli.Usagef("film: draws one mesh; render animate draws several, one after the other")
	case c.RecordLoads != "" || c.Trace != "":
		return cli.Usagef("--record-loads and --trace are for render animate")
	case c.Mesh == "-":
		return cli.Usagef("film: every node reads the mesh: expected a file, not standard input")
	case c.Stats != "":
		return cli.Usagef("--stats is for render animate")
	case c.Split == "always" && c.Crop != (recipe.Rect{}):
		return cli.Usagef("--split always: processes draw whole pictures together, and --crop leaves parts out")
	case c.Nodes < -1 || c.Nodes > maxNodes:
		return cli.Usagef("--nodes %d: expected 0 to %d", c.Nodes, maxNodes)
	case c.Server != "" && c.Listen != "":
		return cli.Usagef("--server and --listen: expected one of them")
	case c.Replicas < 1 || c.Replicas > maxReplicas:
		return cli.Usagef("--replicas %d: expected 1 to %d", c.Replicas, maxReplicas)
	case c.Tries < 1 || c.Lease < minLease || c.Timeout < 0:
		return cli.Usagef("--tries %d --lease %v --timeout %v: expected at least 1, %v and 0", c.Tries, c.Lease, c.Timeout, minLease)
	}
	return nil
}

// Limits of flags. A lease below minLease would end while a core is busy elsewhere.
const (
	maxNodes    = 256
	maxReplicas = 5 // that JetStream allows
	minLease    = 200 * time.Millisecond
)

// run draws the film. args are those of the command line.
func (c *filmCommand) run(ctx context.Context, a *app, out io.Writer, args []string) error {
	if listScenes(c.Mesh, out) {
		return nil
	}
	if err := errors.Join(c.checkFilm(), c.animateCommand.check(a)); err != nil {
		return err
	}
	a.warnUnheeded(allFlags{drawFlags: &c.drawFlags, animate: &c.animateCommand, film: c})
	names, err := c.pictures(a)
	if err != nil {
		return err
	}
	office, job, frames, err := c.begin(ctx, a, names, args)
	if err != nil {
		return err
	}
	defer frames.Close()
	defer office.close()
	if c.Listen != "" {
		fmt.Fprintf(out, "%s%s --key %s\n", joinPrefix, office.address, office.path(workKey))
	}
	reel := &reel{app: a, names: names, cluster: office.cluster, own: frames, job: job, mark: office.mark}
	if c.Page != "" {
		gallery := &filmGallery{reel: reel, id: job.ID, cluster: office.cluster}
		shown, err := a.showPage(c.Page, filepath.Join(names.Folder(), officeName), page.Options{Cluster: office.cluster, Job: job.ID, Gallery: gallery}, out)
		if err != nil {
			return err
		}
		defer shown.Close()
	}
	if err := reel.draw(ctx, c, office); err != nil {
		var refused *filmRefused
		if errors.As(err, &refused) {
			office.abandon(ctx, job.ID)
		}
		return err
	}
	if err := reel.result(); err != nil {
		return err
	}
	office.finish(ctx, job.ID)
	a.Say("%s: %s, %d ms", cli.OneLine(string(c.Output)), cli.Plural(int64(job.Frames), "picture"), time.Since(a.Began).Milliseconds())
	return nil
}

// begin reads the mesh while the server and the nodes start.
func (c *filmCommand) begin(ctx context.Context, a *app, names *framename.Names, args []string) (*office, cluster.Job, *filmFrames, error) {
	type opened struct {
		*office
		err error
	}
	opening := make(chan opened, 1)
	folder := names.Folder()
	_, old := os.Stat(filepath.Join(folder, officeName))
	fresh := old != nil
	spec, err := c.describeCommand(folder, args)
	if err != nil {
		return nil, cluster.Job{}, nil, err
	}
	line := newFilmLine(spec, c.splits())
	// Where the one fails the other may take minutes, or wait for ever for a server elsewhere. One of our
	// own is waited for: what it has made is removed then.
	starting, giveUp := context.WithCancelCause(ctx)
	go func() {
		o, err := openOffice(starting, a, officeOptions{folder: folder, listen: c.Listen, elsewhere: c.Server, key: c.Key, limits: c.limits(),
			nodes: c.nodesHere(), workers: int(c.Workers), film: line})
		if err != nil {
			giveUp(err)
		}
		opening <- opened{o, err}
	}()
	job, frames, err := c.job(starting, a, spec)
	if err != nil && c.Server != "" {
		giveUp(err)
	}
	line.set(job, c.splits())
	o := <-opening
	if err == nil && o.err == nil {
		o.fresh = fresh
		return o.office, job, frames, nil
	}
	if frames != nil {
		frames.Close()
	}
	if o.office != nil {
		o.finished = fresh && err != nil // of a film that cannot be drawn nothing is left
		o.close()
	}
	if errors.Is(err, context.Canceled) {
		err = context.Cause(starting)
	}
	return nil, job, nil, cmp.Or(err, o.err)
}

// draw draws what is missing of the film.
func (r *reel) draw(ctx context.Context, c *filmCommand, o *office) (err error) {
	send, cancel := context.WithCancel(ctx)
	var sending sync.WaitGroup
	defer sending.Wait()
	defer cancel()
	if o.dir != "" && !o.fresh {
		if err := r.replaceOthers(ctx); err != nil {
			return err
		}
	}
	start := func() { sending.Go(func() { r.sendFiles(send, r.job) }) }
	if c.splits() {
		return r.share(ctx, c, o, start)
	}
	if r.job, err = o.submit(ctx, r.job); err != nil {
		return err
	}
	start()
	if r.job.Via != nil {
		sending.Go(func() {
			if err := r.cluster.HandOut(send, r.job); err != nil && send.Err() == nil {
				r.app.Warn("frames are not handed out: %v", err)
			}
		})
	}
	return r.follow(ctx)
}

// nodesHere returns how many processes draw here.
func (c *filmCommand) nodesHere() int {
	if c.splits() {
		return c.processes()
	}
	return c.localNodes()
}

// limits returns how much the server may keep, and how often.
func (c *filmCommand) limits() cluster.Limits {
	return cluster.Limits{Bytes: int64(c.Store), Replicas: c.Replicas}
}

// splits reports whether each frame is drawn by all processes together.
func (c *filmCommand) splits() bool {
	return c.Split == "always" || c.Split == "auto" && int(c.Frames) < c.processes() && c.Crop == (recipe.Rect{})
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
func (c *filmCommand) job(ctx context.Context, a *app, spec filmSpec) (cluster.Job, *filmFrames, error) {
	a.lateNormals = true // most films never want a picture of this process
	frames, err := c.openFrames(ctx, a, 0, c.splits())
	if err != nil {
		return cluster.Job{}, nil, err
	}
	job, err := c.describeJob(ctx, a, frames, spec)
	if err != nil {
		frames.Close()
		return job, nil, err
	}
	return job, frames, nil
}

// isOpen reports whether nodes of other machines may draw.
func (c *filmCommand) isOpen() bool { return c.Listen != "" || c.Server != "" }

// describeCommand returns what is known of a film before its mesh is read.
func (c *filmCommand) describeCommand(folder string, args []string) (spec filmSpec, err error) {
	spec.Args = slices.Clone(args)
	if spec.Folder, err = os.Getwd(); err != nil {
		return spec, err
	}
	if spec.Output, err = filepath.Abs(string(c.Output)); err != nil {
		return spec, err
	}
	spec.Pictures, err = filepath.Abs(folder)
	return spec, err
}

// describeJob returns the film as a job.
func (c *filmCommand) describeJob(ctx context.Context, a *app, frames *filmFrames, spec filmSpec) (job cluster.Job, err error) {
	spec.Text, spec.Contents = frames.text(), frames.Input.Contents
	if spec.Token, err = a.keptToken(spec.Pictures); err != nil {
		return job, err
	}
	job = cluster.Job{Name: string(c.Mesh), Frames: int(c.Frames), Tries: c.Tries, Lease: c.Lease, Timeout: c.Timeout, Priority: c.Priority}
	spec.State = sourceState(frames.sources)
	contents, err := describeSources(ctx, frames.sources)
	if err != nil {
		return job, err
	}
	job.ID = filmID(&spec, contents, len(frames.cams))
	if c.isOpen() {
		job.Files = contents
		for _, f := range frames.sources {
			spec.Files = append(spec.Files, f.filmFile)
		}
	}
	if c.Via == "overlay" && !c.splits() {
		job.Via = &cluster.Via{}
	}
	job.Spec, err = json.Marshal(spec)
	return job, err
}

// A reel is a film on its way to its folder. It implements cluster.Follower.
type reel struct {
	app     *app
	names   *framename.Names
	cluster *cluster.Cluster
	job     cluster.Job
	own     *filmFrames     // that draws here, for frames on which nodes differ
	checked map[string]int  // pictures of each node of another machine
	forgers map[string]bool // nodes that were shut out
	mark    string          // of the names of this command's nodes

	refereed map[int]string // hashes of the pictures that this process drew, by frame
	blank    map[int]bool   // frames on which nothing is visible, as this process found too
	doubted  bool           // a frame that failed elsewhere was tried here
	done     map[int]*cluster.Done
	failed   map[int]*cluster.Failure
	owners   shownOwners // of the blocks, for the status page
}

// rounds bounds how often frames are asked for again whose files were lost or changed
// after they were recorded.
const rounds = 3

// follow waits until every frame is drawn or given up, and checks all files.
func (r *reel) follow(ctx context.Context) error {
	r.app.Progress.BeginRate("drawing", "frames", int64(r.job.Frames))
	defer r.app.Progress.End()
	for range rounds {
		r.done, r.failed = map[int]*cluster.Done{}, map[int]*cluster.Failure{}
		if err := r.cluster.Follow(ctx, r.job.ID, ctxFollower{ctx, r}); err != nil {
			return err
		}
		bad := r.damaged()
		if len(bad) == 0 {
			return nil
		}
		if len(r.forgers) > 0 {
			// Until a node that was shut out has noticed, it takes frames.
			select {
			case <-time.After(cluster.Turn + time.Second):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		for _, k := range bad {
			again := func(ctx context.Context) error { return r.cluster.Again(ctx, r.job, k) }
			if err := cluster.Persist(ctx, cluster.TryTime, again); err != nil {
				return err
			}
		}
	}
	return cli.Outputf("%s: frames are changed or removed while the film is drawn", r.names.Output)
}

// ctxFollower gives a reel's methods the context that referees draw under.
type ctxFollower struct {
	ctx context.Context
	*reel
}

// Done notes a frame that is drawn.
func (r *reel) Done(k int, d *cluster.Done) error {
	r.done[k] = d
	r.app.Progress.Add(1)
	return nil
}

// Failed notes a frame that was given up.
func (r *reel) Failed(k int, f *cluster.Failure) error {
	r.failed[k] = f
	r.app.Progress.Add(1)
	return nil
}
