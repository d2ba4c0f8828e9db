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

// An input is a mesh that is ready to be drawn.
type input = recipe.Input

// maxSmallMesh is the size in bytes up to which a mesh counts as small, see budget.GCDrawing.
const maxSmallMesh = 8 << 20

// newReadingDrawer returns a drawer that reads meshes with the given flags. The account r limits its memory.
func (a *app) newReadingDrawer(f *pictureflags.ReadFlags, r *budget.Account) *recipe.Drawer {
	d := &recipe.Drawer{
		Read: f.Options(), Stdin: a.Stdin, Memory: r,
		Warn:         func(line string) { a.Warn("%s", recipe.FlagWords(line)) },
		Loading:      func() { debug.SetGCPercent(budget.GCWithMesh) },
		NoteContents: a.noteContents, KeepCompared: a.keepCompared,
	}
	if f.With != "" {
		d.Convert = convertWithGmsh
	}
	return d
}

// newDrawer returns a drawer that reads and draws with the given flags.
func (a *app) newDrawer(f *pictureflags.Draw) *recipe.Drawer {
	d := a.newReadingDrawer(&f.ReadFlags, &a.memory)
	d.Workers, d.Pin, d.Balance, d.ISA = int(f.Workers), true, f.Balance, f.Isa
	d.Leaves, d.Resident = lb.Policy(f.Leaves), f.Resident
	return d
}

// checkDrawing returns an error for flags that cannot make a picture, or if there is too little memory for the picture.
// It warns of flags that are ignored.
func (a *app) checkDrawing(f *pictureflags.Draw) error {
	if err := f.Check(); err != nil {
		return err
	}
	for _, warning := range f.Look.Ignored() {
		a.Warn("%s", warning)
	}
	// Check memory before a temporary file is created. If the system killed this process for lack of memory later, the
	// file would remain.
	if a.measureMemory(); f.ChecksSize {
		return nil
	}
	return checkMemory(&a.memory, f.Options())
}

// inputForFitting returns the input to fit the cameras of several pictures to, see recipe.Drawer.Together.
func (a *app) inputForFitting(ctx context.Context, f *pictureflags.Draw, in *input) (*input, error) {
	return a.newDrawer(f).Together(ctx, f.Picture(), in)
}

// readInput reads the mesh that the user named, see recipe.Drawer.Open. It shows a progress bar.
func (a *app) readInput(ctx context.Context, d *recipe.Drawer, p recipe.Picture, once bool, o render.Options) (*input, error) {
	defer a.Progress.End()
	watch := budget.WatchHeap()
	defer watch.Stop()
	bar := *d
	bar.Read.Progress, bar.Comparing = a.stageProgress("reading"), a.compareProgress()
	return a.openInput(ctx, &bar, p, once, o)
}

// openInput is like readInput, but without a progress bar.
func (a *app) openInput(ctx context.Context, d *recipe.Drawer, p recipe.Picture, once bool, o render.Options) (*input, error) {
	if p.Meshes[0].File == "-" && term.IsTerminal(int(a.Stdin.Fd())) {
		return nil, cli.Usagef("standard input is a terminal: redirect a mesh into it or name a file")
	}
	in, err := d.Open(ctx, p, o, once)
	if err != nil && d.Convert == nil && modelKind(p.Meshes[0].File) != "" {
		err = fmt.Errorf("%w, which --with gmsh does", err)
	}
	return in, cli.DrawingError(err)
}

// compareProgress returns a function that shows the progress of a comparison, or nil if no bar is shown.
func (a *app) compareProgress() func(done, total int64) { return a.stageProgress("comparing") }

// stageProgress returns a function that shows the progress of a stage of work, or nil if no bar is shown.
func (a *app) stageProgress(label string) func(done, total int64) {
	if !a.Progress.IsVisible() {
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
