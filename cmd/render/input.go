package main

import (
	"context"
	"errors"
	"runtime/debug"
	"strings"

	"golang.org/x/term"

	"lockstep/render"
	"lockstep/render/recipe"
	"lockstep/scenes"
)

// An input is a mesh, ready to be drawn.
type input = recipe.Input

// maxSmallMesh is the size in bytes of a small mesh.
const maxSmallMesh = 8 << 20

// drawer returns how meshes are read by this command, within a room.
func (a *app) drawer(read scenes.ReadOptions, r *room) *recipe.Drawer {
	d := &recipe.Drawer{
		Read: read, Stdin: a.stdin, Memory: r,
		Warn:         func(line string) { a.warn("%s", recipe.FlagWords(line)) },
		Loading:      func() { debug.SetGCPercent(gcPercent) },
		NoteContents: a.noteContents, LateNormals: a.lateNormals,
	}
	if a.opened != nil {
		d.Opened = a.opened.note
	}
	return d
}

// drawer returns how recipes are drawn by this command.
func (f *drawFlags) drawer(a *app) *recipe.Drawer {
	d := a.drawer(f.readFlags.options(), &a.room)
	d.Workers, d.Pin, d.Balance, d.ISA = int(f.Workers), true, f.Balance, f.Isa
	return d
}

// read reads the mesh that the user named, with a bar, see recipe.Drawer.Open.
func (a *app) read(ctx context.Context, d *recipe.Drawer, p recipe.Picture, once bool, o render.Options) (*input, error) {
	defer a.progress.End()
	watch := watchHeap()
	defer watch.stop()
	bar := *d
	bar.Read.Progress = a.readProgress()
	return a.open(ctx, &bar, p, once, o)
}

// open is read without a bar.
func (a *app) open(ctx context.Context, d *recipe.Drawer, p recipe.Picture, once bool, o render.Options) (*input, error) {
	if p.Meshes[0].File == "-" && term.IsTerminal(int(a.stdin.Fd())) {
		return nil, usagef("standard input is a terminal: redirect a mesh into it or name a file")
	}
	in, err := d.Open(ctx, p, o, once)
	return in, drawingError(err)
}

// drawingErrors are the exit codes of errors of drawing.
var drawingErrors = map[recipe.Kind]exitCode{recipe.Unfit: exitUsage, recipe.Damaged: exitInput, recipe.Blank: exitBlank}

// A wordedError says an error of drawing in the words of the command line.
type wordedError struct {
	text string
	err  error
}

func (e *wordedError) Error() string { return e.text }
func (e *wordedError) Unwrap() error { return e.err }

// drawingError gives an error of drawing its exit code and the words of the command line. Others stay as they are.
func drawingError(err error) error {
	var drawing *recipe.Error
	var coded *codedError
	if !errors.As(err, &drawing) || errors.As(err, &coded) {
		return err
	}
	text := err.Error()
	var fault recipe.Fault
	if errors.As(err, &fault) {
		text = strings.Replace(text, fault.Error(), fault.FlagText(), 1)
	} else {
		text = recipe.FlagWords(text)
	}
	if errors.Is(err, recipe.ErrFolder) {
		text += " (render FOLDER -o OUT/ draws the meshes of a folder)"
	}
	return &codedError{drawingErrors[drawing.Kind], &wordedError{text, err}}
}

// readProgress returns a function that shows a reader's progress, nil without a bar.
func (a *app) readProgress() func(done, total int64) {
	if !a.progress.visible() {
		return nil
	}
	begun, last := false, int64(0)
	return func(done, total int64) {
		if !begun {
			a.progress.Begin("reading", total)
			begun = true
		}
		a.progress.Add(done - last)
		last = done
	}
}
