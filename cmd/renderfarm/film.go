package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"lockstep/cluster"
	"lockstep/cluster/film"
	"lockstep/cluster/page"
	"lockstep/internal/budget"
	"lockstep/internal/cli"
	"lockstep/internal/framename"
	"lockstep/internal/phrase"
	"lockstep/internal/pictureflags"
	"lockstep/lb"
	"lockstep/lb/ownership"
	"lockstep/render/recipe"
)

// A filmCommand draws an animation with many nodes, on this machine and others.
type filmCommand struct {
	pictureflags.Motion
	Crop recipe.Rect `group:"data" placeholder:"X,Y,WxH" help:"Draw and write only this part of pictures of --size."`
	pictureflags.Draw
	Format pictureflags.MeshFormat `placeholder:"KIND" help:"Read MESH as stl, ply, obj, ... (by its contents)."`

	Nodes    int                `default:"-1" placeholder:"N" help:"Local processes that draw (one a core)."`
	Listen   string             `placeholder:"ADDR" help:"Let other machines join: host:port, or :port. Prints the line that they run."`
	Server   string             `placeholder:"URL" help:"Use a server that runs: nats://host:port, with #sha256:HASH."`
	Key      pictureflags.Path  `placeholder:"FILE" help:"The secret for --server (environment: LOCKSTEP_KEY_FILE)."`
	Tries    int                `default:"3" placeholder:"N" help:"Tries of a frame before it counts as failed (${default})."`
	Lease    time.Duration      `default:"5s" placeholder:"TIME" help:"Time without a heartbeat of its node before another node gets a frame (${default})."`
	Timeout  time.Duration      `placeholder:"TIME" help:"Time limit of one frame (none)."`
	Priority int                `placeholder:"N" help:"Films with larger numbers are drawn first (0)."`
	Page     string             `name:"status-page" placeholder:"ADDR" help:"Show the film in a browser: host:port, or :port; other machines need the token that is printed."`
	Store    pictureflags.Bytes `placeholder:"BYTES" help:"Bytes of meshes, pictures and records that the server may keep (7G)."`
	Replicas int                `default:"1" placeholder:"N" help:"Copies that a cluster of servers keeps of everything (${default})."`
	Split    string             `default:"auto" enum:"auto,always,never" placeholder:"auto|always|never" help:"Draw each frame by all processes together (${default}: films of fewer frames than processes)."`
	When     string             `default:"payback" placeholder:"RULE" help:"When blocks change nodes, with --split: payback, or a criterion of lockstep-bench criteria (${default})."`
	How      string             `default:"auto" placeholder:"METHOD" help:"How blocks change nodes: auto, few, ranges, circuit, rcb, rib, hsfc, norcb or flow (${default})."`

	fitting int // number of local nodes for which memory suffices; 0 means all
}

// SeparateAxesFromNames separates the up axes from the names of meshes. The parser calls it after reading all flags,
// possibly several times.
func (c *filmCommand) SeparateAxesFromNames() error { return c.SplitMeshes(nil, nil) }

// check returns an error for flags that cannot make a film.
func (c *filmCommand) check() error {
	switch {
	case c.Output == "":
		return cli.Usagef("film: expected -o DIR for the pictures")
	case framename.IsAnimation(string(c.Output)):
		return cli.Usagef("film: draws pictures into a folder: expected -o DIR")
	case c.Trace != "":
		return cli.Usagef("--trace is for render animate")
	case c.Mesh == "-":
		return cli.Usagef("film: every node reads the mesh: expected a file, not standard input")
	case c.RecipeHasMore():
		return cli.Usagef("film: draws one mesh, and the recipe has more; render animate draws several, one after the other")
	case c.playsClip() && (c.Fit == "tight" || c.Fit == "vertices"):
		return cli.Usagef("film: --fit %s is for a mesh that does not move: what a clip moves is fitted by its box", c.Fit)
	case c.playsClip() && c.Split == "always":
		return cli.Usagef("--split always: processes that draw pictures together read the mesh once, and --clip moves it")
	case c.With != "":
		return cli.Usagef("film: --with is for render, which converts meshes for a farm: render convert --with %s", c.With)
	case c.Views > 0:
		return cli.Usagef("--views is for render animate, which writes data beside the pictures")
	case c.Stats != "":
		return cli.Usagef("--stats is for render animate")
	case c.Split == "always" && c.Crop != (recipe.Rect{}):
		return cli.Usagef("--split always: processes draw whole pictures together, and --crop leaves parts out")
	case c.Nodes < -1 || c.Nodes > maxNodes:
		return cli.Usagef("--nodes %d: expected 0 to %d", c.Nodes, maxNodes)
	case c.Server != "" && c.Listen != "":
		return cli.Usagef("--server and --listen: expected one of them")
	case c.Replicas > 1 && c.Server == "":
		return cli.Usagef("--replicas %d: this command runs a single server: copies are for --server, where servers form a cluster", c.Replicas)
	case c.Replicas < 1 || c.Replicas > maxReplicas:
		return cli.Usagef("--replicas %d: expected 1 to %d", c.Replicas, maxReplicas)
	case c.Tries < 1 || c.Lease < minLease || c.Timeout < 0:
		return cli.Usagef("--tries %d --lease %v --timeout %v: expected at least 1, %v and 0", c.Tries, c.Lease, c.Timeout, minLease)
	}
	return nil
}

// Limits of flags. A lease shorter than minLease would expire while a core is busy with other work.
const (
	maxNodes    = 256
	maxReplicas = 5 // the limit of JetStream
	minLease    = 200 * time.Millisecond
)

// film returns the film that the flags describe.
func (c *filmCommand) film() (film.Film, error) {
	c.MeshFormat, c.Part.Crop = string(c.Format), c.Crop
	if err := c.SetDefaults(c.playsClip()); err != nil {
		return film.Film{}, err
	}
	if err := errors.Join(c.check(), c.Draw.Check(), c.Motion.Check(&c.Draw)); err != nil {
		return film.Film{}, err
	}
	if _, err := ownership.New(1, ownership.Options{When: c.When, How: c.How, Bytes: []float64{1}}); err != nil {
		return film.Film{}, cli.Usagef("--when %s --how %s: %w", c.When, c.How, err)
	}
	animation, err := c.Animation(&c.Draw, nil)
	if err == nil && c.Keyframes != "" {
		err = c.keyframesError(animation.Validate())
	}
	f := film.Film{
		Animation: animation, Output: recipe.Output{File: string(c.Output), DPI: int(c.DPI), Small: c.Small},
		Tries: c.Tries, Lease: c.Lease, Timeout: c.Timeout, Priority: c.Priority, Shared: c.sharesFrames(), Open: c.isOpenToOthers(),
	}
	return f, err
}

// keyframesError returns the error about keyframes in err, with the name of their file. If err contains no such error,
// the result is nil.
func (c *filmCommand) keyframesError(err error) error {
	var faults recipe.Faults
	errors.As(err, &faults)
	for _, f := range faults {
		if strings.HasPrefix(f.Field, "keyframes") {
			return cli.Inputf("%s: %w", c.Keyframes, f)
		}
	}
	return nil
}

// run draws the film.
func (c *filmCommand) run(ctx context.Context, a *app, out io.Writer) error {
	if pictureflags.ListScenes(c.Mesh, out) {
		return nil
	}
	f, err := c.film()
	if err != nil {
		return err
	}
	if c.DumpRecipe {
		_, err = fmt.Fprintln(out, f.Animation.Normal())
		return err
	}
	for _, warning := range slices.Concat(c.Look.Ignored(), c.Ignored(pictureflags.RuleContext{Keyframes: c.Keyframes != "", Flyby: c.Flyby, Kind: "png", Read: true}, c.rules()...)) {
		a.Warn("%s", warning)
	}
	if n := c.localNodes(); n > 1 {
		if c.fitting = nodesInMemory(n, budget.New().Memory, nodeMemory(&f.Animation, int(c.Workers), n)); c.fitting < n {
			a.Warn("memory suffices for %s, not %d (--nodes %d avoids this warning)", phrase.Plural(int64(c.fitting), "node"), n, c.fitting)
		}
	}
	if err := checkFileLimit(c.localNodes()); err != nil { // checked before any file is written
		return err
	}
	names, err := c.pictureNames(a)
	if err != nil {
		return err
	}
	coordinator, submission, err := c.start(ctx, a, names, f)
	if err != nil {
		return err
	}
	defer submission.Close()
	defer coordinator.close()
	if c.Listen != "" {
		fmt.Fprintf(out, "%s%s --key %s\n", joinPrefix, coordinator.address, coordinator.filePath(workKey))
	}
	if c.Page != "" {
		gallery := &film.Gallery{Submission: submission, Cluster: coordinator.cluster}
		shown, err := showPage(c.Page, filepath.Join(names.Folder(), film.Folder), page.Options{Cluster: coordinator.cluster, Job: submission.Job().ID, Gallery: gallery}, out)
		if err != nil {
			return err
		}
		defer shown.Close()
	}
	defer a.Progress.End()
	if err := submission.Draw(ctx, coordinator.cluster); err != nil {
		var refused *film.Refused
		if errors.As(err, &refused) {
			coordinator.abandon(ctx, submission)
		}
		return a.reportIncomplete(err)
	}
	coordinator.finish(ctx, submission)
	a.Say("%s: %s, %d ms", phrase.OneLine(string(c.Output)), phrase.Plural(int64(f.Animation.Full().Frames), "picture"), time.Since(a.Began).Milliseconds())
	return nil
}

// reportIncomplete prints one line for each failed frame, and returns an error with the exit code of an incomplete
// film. It returns other errors unchanged.
func (a *app) reportIncomplete(err error) error {
	var lacks *film.Incomplete
	if !errors.As(err, &lacks) {
		return err
	}
	if lacks.Cancelled {
		return cli.Partialf("%w", err)
	}
	var frames []int
	for k := range lacks.Failed {
		frames = append(frames, k)
	}
	slices.Sort(frames)
	for _, k := range frames {
		f := lacks.Failed[k]
		a.Progress.Clear()
		fmt.Fprintf(a.Stderr, "%s: frame %d: %s (try %d, on node %s)\n", a.Name, k, phrase.OneLine(f.Error), f.Tries, phrase.OneLine(f.Node))
	}
	return cli.Partialf("%w: %s; renderfarm retry draws them again", err, framename.Ranges(frames))
}

// rules returns rules for flags of this command that are ignored. The rules for flags of pictures are separate.
func (c *filmCommand) rules() []pictureflags.Rule {
	why := func(ignored bool, text string) string {
		if ignored {
			return text
		}
		return ""
	}
	return []pictureflags.Rule{
		{Flags: "explain", Why: why(!c.sharesFrames(), "processes draw frames of their own: it is for --split")},
		{Flags: "when how", Why: why(!c.sharesFrames(), "no frame is drawn by several processes: it is for --split")},
		{Flags: "key", Why: why(c.Server == "", "it is for --server")},
		{Flags: "priority", Why: why(!c.isOpenToOthers(), "no other film is beside this one: it is for --server")},
	}
}

// pictureNames returns the names of the pictures. It returns an error if a picture would replace the mesh.
func (c *filmCommand) pictureNames(a *app) (*framename.Names, error) {
	reserved, err := a.CheckTargets(string(c.Mesh))
	if err != nil {
		return nil, err
	}
	frames := int(c.Frames)
	names, err := framename.New(string(c.Output), string(c.Mesh), frames)
	if err != nil {
		return nil, cli.Usagef("%w", err)
	}
	if err := cli.CheckFrames(names, frames, reserved); err != nil {
		return nil, err
	}
	return names, names.Prepare(&a.Files)
}

// localNodes returns how many nodes this command starts.
func (c *filmCommand) localNodes() int {
	n := c.mostLocalNodes()
	if c.fitting > 0 {
		n = min(n, c.fitting)
	}
	if c.sharesFrames() {
		return n
	}
	return min(n, int(c.Frames)) // more nodes than frames would be idle
}

// limits returns the limits of the server's stores.
func (c *filmCommand) limits() cluster.Limits {
	return cluster.Limits{Bytes: int64(c.Store), Replicas: c.Replicas}
}

// sharesFrames reports whether all nodes draw each frame together.
func (c *filmCommand) sharesFrames() bool {
	whole := c.Crop == (recipe.Rect{}) && !c.playsClip()
	return c.Split == "always" || c.Split == "auto" && int(c.Frames) < c.mostLocalNodes() && whole
}

// playsClip reports whether the film plays an animation of the file.
func (c *filmCommand) playsClip() bool { return c.Clip != "" && c.Time == nil }

// mostLocalNodes returns how many nodes this command may start: --nodes, or one for each core.
func (c *filmCommand) mostLocalNodes() int {
	if c.Nodes >= 0 {
		return c.Nodes
	}
	return runtime.GOMAXPROCS(0)
}

// isOpenToOthers reports whether nodes on other machines may draw.
func (c *filmCommand) isOpenToOthers() bool { return c.Listen != "" || c.Server != "" }

// start reads the mesh while the server and the nodes start. It returns the coordinator and the film.
func (c *filmCommand) start(ctx context.Context, a *app, names *framename.Names, f film.Film) (*coordinator, *film.Submission, error) {
	type opened struct {
		*coordinator
		err error
	}
	opening := make(chan opened, 1)
	folder := names.Folder()
	_, old := os.Stat(filepath.Join(folder, film.Folder))
	newFolder := old != nil
	memory := budget.New()
	drawer := c.newDrawer(a, &memory)
	announcement, err := newAnnouncement(f, drawer)
	if err != nil {
		return nil, nil, err
	}
	// The coordinator and the film are opened at the same time. If one of them fails, the other is cancelled, because
	// it could take minutes or wait forever for an existing server. But the start of a server by this command is not
	// cancelled, so that the files of the server can be removed.
	starting, cancelStart := context.WithCancelCause(ctx)
	go func() {
		o, err := openCoordinator(starting, a, coordinatorOptions{folder: folder, listen: c.Listen, serverURL: c.Server, key: c.Key, limits: c.limits(),
			nodes: c.localNodes(), workers: int(c.Workers), film: announcement})
		if err != nil {
			cancelStart(err)
		}
		opening <- opened{o, err}
	}()
	submission, err := film.Open(starting, f, c.options(a, drawer, newFolder, announcement))
	if err != nil && c.Server != "" {
		cancelStart(err)
	}
	announcement.setJob(submission)
	o := <-opening
	if err == nil && o.err == nil {
		o.newFolder = newFolder
		return o.coordinator, submission, nil
	}
	if submission != nil {
		submission.Close()
	}
	if o.coordinator != nil {
		o.finished = newFolder && err != nil // remove all files of a new film that cannot be drawn
		o.close()
	}
	if errors.Is(err, context.Canceled) {
		err = context.Cause(starting)
	}
	return nil, nil, cmp.Or(err, o.err)
}

// newDrawer returns the drawer with which this process checks frames. Nodes use its instruction set, policy and limits,
// too.
func (c *filmCommand) newDrawer(a *app, memory *budget.Account) *recipe.Drawer {
	d := a.newDrawer(memory)
	d.ISA, d.Balance, d.Leaves, d.Read = c.Isa, c.Balance, lb.Policy(c.Leaves), c.ReadFlags.Options()
	return d
}

// options returns the options for submitting the film.
func (c *filmCommand) options(a *app, d *recipe.Drawer, newFolder bool, announcement *announcement) film.Options {
	o := film.Options{
		Drawer: *d, Files: &a.Files, OwnKey: announcement.key, ReplaceEarlier: c.Server == "" && !newFolder, Processes: c.mostLocalNodes(), When: c.When, How: c.How,
		Begin:     func(frames int) { a.Progress.BeginRate("drawing", "frames", int64(frames)) },
		Settled:   func(frames int) { a.Progress.Add(int64(frames)) },
		Warn:      func(line string) { a.Warn("%s", line) },
		Submitted: announcement.noteSubmitted,
	}
	if c.Explain {
		o.BlocksMoved = func(line string) { a.print("owners: " + line) }
	}
	return o
}
