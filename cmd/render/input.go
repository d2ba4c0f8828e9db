package main

import (
	"context"
	"fmt"
	"runtime/debug"

	"golang.org/x/term"

	"lockstep/internal/budget"
	"lockstep/internal/cli"
	"lockstep/internal/pictureflags"
	"lockstep/lb"
	"lockstep/render"
	"lockstep/render/recipe"
)

// An input is a mesh, ready to be drawn.
type input = recipe.Input

// maxSmallMesh is the size in bytes of a small mesh.
const maxSmallMesh = 8 << 20

// drawer returns how meshes are read by this command, within a room.
func (a *app) drawer(f *pictureflags.ReadFlags, r *budget.Account) *recipe.Drawer {
	d := &recipe.Drawer{
		Read: f.Options(), Stdin: a.Stdin, Memory: r,
		Warn:         func(line string) { a.Warn("%s", recipe.FlagWords(line)) },
		Loading:      func() { debug.SetGCPercent(budget.GCWithMesh) },
		NoteContents: a.noteContents, KeepCompared: a.keepCompared,
	}
	if f.With != "" {
		d.Convert = withGmsh
	}
	return d
}

// drawing returns how recipes are drawn by a command of these flags.
func (a *app) drawing(f *pictureflags.Draw) *recipe.Drawer {
	d := a.drawer(&f.ReadFlags, &a.memory)
	d.Workers, d.Pin, d.Balance, d.ISA = int(f.Workers), true, f.Balance, f.Isa
	d.Leaves, d.Resident = lb.Policy(f.Leaves), f.Resident
	return d
}

// checkDrawing refuses flags that make no picture, or none that there is memory for. It warns of those that are ignored.
func (a *app) checkDrawing(f *pictureflags.Draw) error {
	if err := f.Check(); err != nil {
		return err
	}
	for _, warning := range f.Look.Ignored() {
		a.Warn("%s", warning)
	}
	// Before there is a temporary file that a lack of memory would leave behind.
	if a.measure(); f.Drawn {
		return nil
	}
	return checkMemory(&a.memory, f.Options())
}

// together returns the input that the cameras of several pictures are fitted to, see recipe.Drawer.Together.
func (a *app) together(ctx context.Context, f *pictureflags.Draw, in *input) (*input, error) {
	return a.drawing(f).Together(ctx, f.Picture(), in)
}

// read reads the mesh that the user named, with a bar, see recipe.Drawer.Open.
func (a *app) read(ctx context.Context, d *recipe.Drawer, p recipe.Picture, once bool, o render.Options) (*input, error) {
	defer a.Progress.End()
	watch := budget.WatchHeap()
	defer watch.Stop()
	bar := *d
	bar.Read.Progress, bar.Comparing = a.stageProgress("reading"), a.compareProgress()
	return a.open(ctx, &bar, p, once, o)
}

// open is read without a bar.
func (a *app) open(ctx context.Context, d *recipe.Drawer, p recipe.Picture, once bool, o render.Options) (*input, error) {
	if p.Meshes[0].File == "-" && term.IsTerminal(int(a.Stdin.Fd())) {
		return nil, cli.Usagef("standard input is a terminal: redirect a mesh into it or name a file")
	}
	in, err := d.Open(ctx, p, o, once)
	if err != nil && d.Convert == nil && modelKind(p.Meshes[0].File) != "" {
		err = fmt.Errorf("%w, which --with gmsh does", err)
	}
	return in, cli.DrawingError(err)
}

// compareProgress returns a function that shows how far a comparison is, nil without a bar.
func (a *app) compareProgress() func(done, total int64) { return a.stageProgress("comparing") }

// stageProgress returns a function that shows the progress of a stage of work, nil without a bar.
func (a *app) stageProgress(label string) func(done, total int64) {
	if !a.Progress.Visible() {
		return nil
	}
	begun, last := false, int64(0)
	return func(done, total int64) {
		if !begun {
			a.Progress.Begin(label, total)
			begun = true
		}
		a.Progress.Add(done - last)
		last = done
	}
}
