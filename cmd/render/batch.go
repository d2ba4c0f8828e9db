package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/term"

	"lockstep/internal/budget"
	"lockstep/internal/cli"
	"lockstep/internal/framename"
	"lockstep/internal/phrase"
	"lockstep/render"
	"lockstep/render/recipe"
	"lockstep/scenes"
	"lockstep/scenes/procedural"
)

// Many meshes are drawn by lanes: renderers of one worker, each with a mesh of its own,
// that take the meshes from one list, the largest first, so that the last ones to end are
// small. Handing a small mesh to all workers instead would make each wait for the others
// at every stage. A mesh that is large beside all that there is to do goes to all workers
// before the lanes begin: no order of whole meshes would keep the others busy beside it.

const (
	// minShared is the size in bytes from which a mesh may go to all workers: half as
	// large a mesh takes one worker ten milliseconds, a hundred times what handing out
	// its blocks costs.
	minShared = 1 << 20
	// alwaysShared is the size from which a mesh always does: else the memory of several
	// large ones would be held at once.
	alwaysShared = 64 << 20
	// leastParts says which meshes in between do: those larger than one part in leastParts
	// of a lane's share. What lanes idle at the end is less than the last mesh.
	leastParts = 4
	// gcPercentBatch is for many small meshes, one after the other. A thousand of a thousand
	// triangles took 684 MB with the value of single ones, now 130 MB, and 178,000 page faults,
	// now 39,000, in the same processor time.
	gcPercentBatch = 100
)

// An item is a mesh of a batch.
type item struct {
	mesh, picture string
	info          fs.FileInfo // nil: no file, or none that can be looked at
	cost          int64       // estimated: bytes
	number        int         // in the order that the user gave
}

// A batch is many meshes on their way to pictures.
type batch struct {
	app     *app
	flags   *imageCommand
	options render.Options
	items   []item         // the dearest first
	room    budget.Account // of one lane
	next    atomic.Int64
	drawn   atomic.Int64
	kept    atomic.Int64
	failed  atomic.Int64
	sheet   *meshSheet    // of all meshes; nil: a picture of each
	stats   []*statistics // of the meshes in the order that the user gave; nil: not drawn

	mu       sync.Mutex // for failures
	failures []error    // to be printed behind the statistics
}

// runBatch draws every mesh into a picture of its own. A mesh that fails is one line,
// and the others are drawn; what every mesh would meet ends the run.
func (c *imageCommand) runBatch(ctx context.Context, a *app) error {
	if err := c.checkBatch(a); err != nil {
		return err
	}
	a.warnUnheeded(&c.Draw, c.beside())
	debug.SetGCPercent(gcPercentBatch)
	sheet, err := c.newMeshSheet(a)
	if err != nil {
		return err
	}
	a.noteContents = sheet == nil
	b := &batch{app: a, flags: c, options: c.Options(), sheet: sheet}
	if err := b.list(); err != nil {
		return err
	}
	out, err := b.prepare()
	if err != nil {
		return err
	}
	if out != nil {
		defer out.Abort()
	}
	a.costs(ctx, &b.options)
	a.Progress.BeginRate("drawing", "files", int64(len(b.items)))
	defer a.Progress.End()
	err = b.run(ctx)
	a.Progress.End()
	if err == nil && out != nil && b.drawn.Load() > 0 {
		err = b.writeSheet(ctx, out)
	}
	return b.end(err)
}

// prepare makes the folders of the pictures, or opens the file of the sheet.
func (b *batch) prepare() (outFile, error) {
	if b.sheet != nil {
		return b.app.create(string(b.flags.Output))
	}
	folder := filepath.Clean(string(b.flags.Output))
	if err := b.makeFolders(folder); err != nil {
		return nil, err
	}
	// A folder that cannot be written to shows before the work, once.
	probe, err := b.app.create(filepath.Join(folder, "picture.png"))
	if err != nil && !framename.IsFolder(filepath.Join(folder, "picture.png")) {
		return nil, err
	} else if err == nil {
		probe.Abort()
	}
	return nil, nil
}

// end says what came of a run that ended with an error, or with none.
func (b *batch) end(err error) error {
	if err == nil {
		err = b.report()
	}
	for _, failure := range b.failures {
		b.app.fail(failure)
	}
	if err != nil {
		return err
	}
	b.announce(filepath.Clean(string(b.flags.Output)))
	if b.failed.Load() > 0 {
		return &cli.Error{Code: cli.Partial, Err: cli.ErrReported}
	}
	return nil
}

// list finds out what is to be drawn, and in which order.
func (b *batch) list() error {
	meshes := b.flags.meshes
	folder := string(b.flags.Output)
	if b.sheet != nil {
		folder = "" // names without one, for cells
	}
	pictures, err := pictureFiles(meshes, folder)
	if err != nil {
		return err
	}
	for i, m := range meshes {
		it := item{mesh: m.mesh, picture: pictures[i], number: i}
		if info, err := os.Stat(m.mesh); err == nil {
			it.info, it.cost = info, info.Size()
		} else if scene, err := procedural.Parse(m.mesh); err == nil {
			it.cost = int64(scene.Len()) * scenes.TriangleBytes
		}
		b.items = append(b.items, it)
	}
	b.stats = make([]*statistics, len(meshes))
	slices.SortStableFunc(b.items, func(x, y item) int { return cmp.Compare(y.cost, x.cost) })
	if b.sheet != nil {
		return nil
	}
	return b.checkReplaced()
}

// shared returns how many of the items go to all workers.
func (b *batch) shared(lanes int) int {
	total := int64(0)
	for i := range b.items {
		total += b.items[i].cost
	}
	n := 0
	for ; lanes > 1 && n < len(b.items); n++ {
		cost := b.items[n].cost
		if cost < minShared || cost < alwaysShared && cost <= total/int64(lanes)/leastParts {
			break
		}
		total -= cost
	}
	return n
}

// run draws the shared meshes and then the others.
func (b *batch) run(ctx context.Context) error {
	b.room = b.app.memory
	lanes := min(b.room.Workers(b.options), len(b.items))
	if n := b.shared(lanes); n > 0 {
		together := b.options
		together.Workers = lanes
		if err := b.lane(ctx, together, n); err != nil {
			return err
		}
	}
	lanes = min(lanes, len(b.items)-int(b.next.Load()))
	b.room = b.room.Among(lanes)
	alone := b.options
	alone.Workers, alone.Pin = 1, false // the first worker of each would get the same core
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make([]error, lanes)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			errs[i] = cli.Guard(func() error { return b.lane(ctx, alone, len(b.items)) })
			if errs[i] != nil {
				cancel()
			}
		})
	}
	wg.Wait()
	// The first cause, not the end that it put to the others.
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return errors.Join(errs...)
}

// lane draws items up to index end (exclusive) with a renderer of its own.
func (b *batch) lane(ctx context.Context, options render.Options, end int) error {
	w, err := b.app.openPipeline(&b.flags.Draw, options)
	if err != nil {
		return err
	}
	defer w.Renderer.Close()
	w.quick = true
	var pic render.Picture
	for {
		i := int(b.next.Add(1) - 1)
		if i >= end {
			b.next.Add(-1)
			return nil
		}
		began := time.Now()
		err := b.draw(ctx, w, &b.items[i], &pic)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		b.count(w, &b.items[i], began)
		switch cli.CodeOf(err) {
		case cli.Done:
		case cli.Input, cli.Blank, cli.Usage:
			b.fail(err)
		default:
			return err
		}
		b.app.Progress.Add(1)
	}
}

// fail prints why one mesh has no picture, with --stats after the statistics.
func (b *batch) fail(err error) {
	b.failed.Add(1)
	if b.flags.Stats == "" {
		b.app.fail(err)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures = append(b.failures, err)
}

// draw draws one mesh.
func (b *batch) draw(ctx context.Context, w *pipeline, it *item, pic *render.Picture) error {
	c := b.flags
	options := w.Renderer.Options()
	options.Shading, options.Occlusion = b.options.Shading, b.options.Occlusion
	options.Facing, options.Field, options.Finish = b.options.Facing, b.options.Field, b.options.Finish
	w.Input = nil
	in, err := b.read(ctx, it.mesh, options)
	if err != nil {
		return err
	}
	defer in.Close()
	w.Input, w.tally = in, newTally(int64(in.Bad))
	if err := w.Renderer.SetOptions(b.drawer().Single(w.Picture, in, b.drawer().Look(w.Picture, in, options), true)); err != nil {
		return err
	}
	if err := in.CheckNotEmpty(); err != nil {
		w.addDropped()
		return err
	}
	if kept, err := b.keeps(ctx, w, it); kept || err != nil {
		w.Input = nil // nothing was drawn
		return err
	}
	if b.sheet != nil {
		w.SetLabel(strings.TrimSuffix(it.picture, ".png"), b.sheet.letters())
	}
	cam, stats, err := w.drawFitted(ctx, &c.Draw, in.Source, pic)
	if err != nil {
		return err
	}
	if stats.Covered == 0 {
		return in.Blank("nothing of it would be visible")
	}
	if b.sheet != nil {
		b.sheet.take(it.number, pic)
		b.drawn.Add(1)
		return nil
	}
	if c.Trim {
		w.Trim(pic)
	}
	out, err := b.app.create(it.picture)
	if err != nil {
		return cli.Inputf("%s: %w", in.Name, err) // this one's: the folder can be written to
	}
	defer out.Abort()
	if err := w.encode(ctx, out, pic, w.Picture.Text(in, cam, w.Picture.OwnView(in))); err != nil {
		return err
	}
	if err := out.Commit(); err != nil {
		return err
	}
	b.drawn.Add(1)
	return nil
}

// read opens one mesh. What a reader did not foresee in a file fails that file alone.
func (b *batch) read(ctx context.Context, mesh string, options render.Options) (in *input, err error) {
	c := b.flags
	internal := cli.Guard(func() error {
		in, err = b.app.open(ctx, b.drawer(), c.PictureOf(mesh), c.Picture().Streams(), options)
		return nil
	})
	if internal != nil {
		return nil, cli.Inputf("%s: %w", mesh, internal)
	}
	return in, err
}

// drawer returns how meshes are read by a lane.
func (b *batch) drawer() *recipe.Drawer {
	d := b.app.drawing(&b.flags.Draw)
	d.Memory = &b.room
	return d
}

// keeps reports whether the picture is there from a run before.
func (b *batch) keeps(ctx context.Context, w *pipeline, it *item) (bool, error) {
	if !b.flags.Resume {
		return false, nil
	}
	cam, err := b.flags.FitCamera(ctx, w.Input)
	if err != nil || !finished(it.picture, w.head(w.Picture.Text(w.Input, cam, w.Picture.OwnView(w.Input)))) {
		return false, err
	}
	b.kept.Add(1)
	return true, nil
}

// announce prints one line about the batch, for people at a terminal.
func (b *batch) announce(folder string) {
	f, ok := b.app.Stderr.(*os.File)
	if b.app.Quiet || !ok || !term.IsTerminal(int(f.Fd())) {
		return
	}
	line := phrase.Plural(b.drawn.Load(), "picture")
	for _, more := range []struct {
		n    int64
		what string
	}{{b.kept.Load(), "kept"}, {b.failed.Load(), "failed"}} {
		if more.n > 0 {
			line += fmt.Sprintf(", %d %s", more.n, more.what)
		}
	}
	size := b.flags.Size
	if b.sheet != nil {
		size = recipe.Size{Width: b.sheet.pic.Width, Height: b.sheet.pic.Height}
		line = "a picture of " + strings.Replace(line, "picture", "cell", 1)
	}
	fmt.Fprintf(f, "render: %s: %s, %dx%d, %d ms\n", phrase.OneLine(folder), line, size.Width, size.Height, time.Since(b.app.Began).Milliseconds())
}
