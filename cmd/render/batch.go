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

// A batch of meshes is drawn by several renderers with one worker each. They take meshes from one list, the largest
// first. So the last meshes are small, and all renderers end at nearly the same time. If all workers drew each mesh
// together instead, they would wait for each other at every stage.
//
// A mesh that is large compared with the whole batch is shared: all workers draw it together, before the other meshes.
// If one renderer drew a large mesh alone, the other renderers would run out of work.

const (
	// minShared is the least size in bytes of a mesh that all workers draw together. One worker draws a mesh of this
	// size in about 20 milliseconds. Dividing the mesh among workers takes about 0.1 milliseconds.
	minShared = 1 << 20
	// alwaysShared is a size in bytes. All workers together draw every mesh of at least this size. So memory never
	// holds several large meshes at once.
	alwaysShared = 64 << 20
	// shareDivisor decides about a mesh whose size is between minShared and alwaysShared. Let total be the size of this
	// mesh plus the sizes of all smaller meshes. All workers draw the mesh together if its size exceeds
	// total/(renderers*shareDivisor). Otherwise one renderer draws the mesh. In the worst case the other renderers then
	// wait for 1/shareDivisor of the time that a renderer needs for its equal share of total.
	shareDivisor = 4
	// gcPercentBatch is the garbage collector's target percentage (GOGC) for a batch. At this percentage, a thousand
	// meshes of a thousand triangles take 130 MB of memory and cause 39,000 page faults. At the percentage for a
	// single small mesh, the same batch takes 684 MB and causes 178,000 page faults. The processor time is the same.
	gcPercentBatch = 100
)

// An item is a mesh of a batch.
type item struct {
	mesh, picture string
	info          fs.FileInfo // nil if the mesh is not a file, or if Stat fails
	cost          int64       // size in bytes, as an estimate of the work
	number        int         // position on the command line
}

// A batch is several meshes. Each mesh is drawn into a picture of its own, or into a cell of one sheet.
type batch struct {
	app     *app
	flags   *imageCommand
	options render.Options
	items   []item         // the most expensive item first
	memory  budget.Account // memory account of one renderer
	next    atomic.Int64
	drawn   atomic.Int64
	kept    atomic.Int64
	failed  atomic.Int64
	sheet   *meshSheet    // sheet of all meshes; nil means that each mesh gets its own picture
	stats   []*statistics // statistics of each mesh; nil means that the mesh was not drawn

	mu       sync.Mutex // guards failures
	failures []error    // printed after the statistics
}

// runBatch draws every mesh into a picture of its own or a cell of the sheet. If a mesh fails, its error is printed in
// one line and the other meshes are still drawn. An error that would affect every other mesh, too, ends the run.
func (c *imageCommand) runBatch(ctx context.Context, a *app) error {
	if err := c.checkBatch(a); err != nil {
		return err
	}
	a.warnIgnored(&c.Draw, c.ruleContext())
	debug.SetGCPercent(gcPercentBatch)
	sheet, err := c.newMeshSheet(a)
	if err != nil {
		return err
	}
	a.noteContents = sheet == nil
	b := &batch{app: a, flags: c, options: c.Options(), sheet: sheet}
	if err := b.listItems(); err != nil {
		return err
	}
	out, err := b.createOutputs()
	if err != nil {
		return err
	}
	if out != nil {
		defer out.Abort()
	}
	a.setCosts(ctx, &b.options)
	a.Progress.BeginRate("drawing", "files", int64(len(b.items)))
	defer a.Progress.End()
	err = b.run(ctx)
	a.Progress.End()
	if err == nil && out != nil && b.drawn.Load() > 0 {
		err = b.writeSheet(ctx, out)
	}
	return b.reportResults(err)
}

// createOutputs creates the folders of the pictures. If all meshes are drawn into a sheet, createOutputs instead
// creates and returns the file of the sheet.
func (b *batch) createOutputs() (outFile, error) {
	if b.sheet != nil {
		return b.app.create(string(b.flags.Output))
	}
	folder := filepath.Clean(string(b.flags.Output))
	if err := b.makeFolders(folder); err != nil {
		return nil, err
	}
	// Create a picture as a test before the work. An error about the folder then appears once, not once for each
	// mesh.
	probe, err := b.app.create(filepath.Join(folder, "picture.png"))
	if err != nil && !framename.IsFolder(filepath.Join(folder, "picture.png")) {
		return nil, err
	} else if err == nil {
		probe.Abort()
	}
	return nil, nil
}

// reportResults prints the statistics and the failures of a run, and returns the error of the command. err is the error
// that ended the run early, or nil.
func (b *batch) reportResults(err error) error {
	if err == nil {
		err = b.printStatistics()
	}
	for _, failure := range b.failures {
		b.app.printFailure(failure)
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

// listItems fills the field items in drawing order.
func (b *batch) listItems() error {
	meshes := b.flags.meshes
	folder := string(b.flags.Output)
	if b.sheet != nil {
		folder = "" // a name is only the text in a cell, not the name of a file
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

// countShared returns n if all workers together draw the first n items of the batch. One renderer draws each other
// item.
func (b *batch) countShared(renderers int) int {
	total := int64(0)
	for i := range b.items {
		total += b.items[i].cost
	}
	n := 0
	for ; renderers > 1 && n < len(b.items); n++ {
		cost := b.items[n].cost
		if cost < minShared || cost < alwaysShared && cost <= total/int64(renderers)/shareDivisor {
			break
		}
		total -= cost
	}
	return n
}

// run draws the shared meshes with all workers, and then the other meshes with several renderers at the same time.
func (b *batch) run(ctx context.Context) error {
	b.memory = b.app.memory
	renderers := min(b.memory.Workers(b.options), len(b.items))
	if n := b.countShared(renderers); n > 0 {
		together := b.options
		together.Workers = renderers
		if err := b.drawItems(ctx, together, n); err != nil {
			return err
		}
	}
	renderers = min(renderers, len(b.items)-int(b.next.Load()))
	b.memory = b.memory.Share(renderers)
	alone := b.options
	alone.Workers, alone.Pin = 1, false // with pinning, the only worker of every renderer would run on the same core
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make([]error, renderers)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			errs[i] = cli.Guard(func() error { return b.drawItems(ctx, alone, len(b.items)) })
			if errs[i] != nil {
				cancel()
			}
		})
	}
	wg.Wait()
	// Return the error that stopped the other renderers, and not their errors of cancellation.
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return errors.Join(errs...)
}

// drawItems starts a renderer and draws items with it, until no item before index end is left.
func (b *batch) drawItems(ctx context.Context, options render.Options, end int) error {
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
		b.recordStatistics(w, &b.items[i], began)
		switch cli.CodeOf(err) {
		case cli.Done:
		case cli.Input, cli.Blank, cli.Usage:
			b.reportFailure(err)
		default:
			return err
		}
		b.app.Progress.Add(1)
	}
}

// reportFailure prints the error of one mesh. With --stats, the error is printed after the statistics.
func (b *batch) reportFailure(err error) {
	b.failed.Add(1)
	if b.flags.Stats == "" {
		b.app.printFailure(err)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures = append(b.failures, err)
}

// draw draws and writes one mesh.
func (b *batch) draw(ctx context.Context, w *pipeline, it *item, pic *render.Picture) error {
	c := b.flags
	options := recipe.RestoreLook(w.Renderer.Options(), b.options)
	w.Input = nil
	in, err := b.readMesh(ctx, it.mesh, options)
	if err != nil {
		return err
	}
	defer in.Close()
	w.Input, w.tally = in, newTally(int64(in.Bad))
	if err := w.Renderer.SetOptions(b.newReadingDrawer().Single(w.Picture, in, b.newReadingDrawer().Look(w.Picture, in, options), true)); err != nil {
		return err
	}
	if err := in.CheckNotEmpty(); err != nil {
		w.countDroppedMesh()
		return err
	}
	if kept, err := b.isFinished(ctx, w, it); kept || err != nil {
		w.Input = nil // recordStatistics skips a mesh without an input
		return err
	}
	if b.sheet != nil {
		w.SetLabel(strings.TrimSuffix(it.picture, ".png"), b.sheet.letterSize())
	}
	cam, stats, err := w.drawFitted(ctx, &c.Draw, in.Source, pic)
	if err != nil {
		return err
	}
	if stats.Covered == 0 {
		return in.Blank("nothing of it would be visible")
	}
	if b.sheet != nil {
		b.sheet.setCell(it.number, pic)
		b.drawn.Add(1)
		return nil
	}
	if c.Trim {
		w.Trim(pic)
	}
	out, err := b.app.create(it.picture)
	if err != nil {
		return cli.Inputf("%s: %w", in.Name, err) // an error of the input: other meshes continue
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

// readMesh reads one mesh. A panic of its reader makes only this mesh fail.
func (b *batch) readMesh(ctx context.Context, mesh string, options render.Options) (in *input, err error) {
	c := b.flags
	internal := cli.Guard(func() error {
		in, err = b.app.openInput(ctx, b.newReadingDrawer(), c.PictureOf(mesh), c.Picture().Streams(), options)
		return nil
	})
	if internal != nil {
		return nil, cli.Inputf("%s: %w", mesh, internal)
	}
	return in, err
}

// newReadingDrawer returns a drawer that reads meshes for one renderer. The account b.memory limits its memory.
func (b *batch) newReadingDrawer() *recipe.Drawer {
	d := b.app.newDrawer(&b.flags.Draw)
	d.Memory = &b.memory
	return d
}

// isFinished reports whether --resume is set and an earlier run has finished the picture.
func (b *batch) isFinished(ctx context.Context, w *pipeline, it *item) (bool, error) {
	if !b.flags.Resume {
		return false, nil
	}
	cam, err := b.flags.FitCamera(ctx, w.Input)
	if err != nil || !isFinished(it.picture, w.expectedHead(w.Picture.Text(w.Input, cam, w.Picture.OwnView(w.Input)))) {
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
