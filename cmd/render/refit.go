package main

import (
	"context"
	"errors"
	"strings"

	"lockstep/render"
	"lockstep/scenes"
)

// drawFitted draws a picture whose camera is fitted to the mesh, and returns it with the camera.
// Where it would be blank because some triangles lie far away from the others, as damaged
// numbers make them, the camera is fitted to the others, and a warning says so.
func (c *imageCommand) drawFitted(ctx context.Context, w *pipeline, src scenes.Source, pic *render.Picture) (render.Camera, render.Stats, error) {
	cam, err := c.fit(ctx, w.in)
	if err != nil {
		return cam, render.Stats{}, err
	}
	cam = c.window(cam)
	stats, err := w.draw(ctx, src, cam, pic)
	if err != nil || stats.Covered > 0 || c.placed() {
		return cam, stats, err
	}
	core, far, err := scenes.Core(ctx, w.in.src, w.renderer.Options().Workers)
	if err != nil || far == 0 || core.Empty() {
		return cam, stats, err
	}
	near, err := render.Fit(core, c.Size.Width, c.Size.Height, c.camera(w.in.up()))
	if err != nil {
		return cam, stats, fitError(ctx, err)
	}
	near = c.window(near)
	blank := w.sum
	w.sum = newTally(0).sum // the statistics are of the picture that is written
	again, err := w.draw(ctx, src, near, pic)
	if err != nil || again.Covered == 0 {
		w.sum = blank
		return cam, stats, err
	}
	w.app.warn("%s: %s of %d far away from the others: the picture is fitted to those", w.in.name, plural(int64(far), "triangle"), w.in.src.Len())
	return near, again, nil
}

// blank returns the error of a mesh with nothing to see: a whole file shows nothing, but one
// that its reader warned of is damaged beyond use.
func (in *input) blank(what string) error {
	err := blankf("%s: %s", in.name, what)
	if in.damage != "" {
		return inputf("%w: %s", err, strings.TrimPrefix(in.damage, oneLine(in.name)+": "))
	}
	return err
}

// isBlank reports whether err says that there is nothing to see, for whatever reason.
func isBlank(err error) bool {
	var coded *codedError
	for errors.As(err, &coded) {
		if coded.code == exitBlank {
			return true
		}
		err = coded.err
	}
	return false
}
