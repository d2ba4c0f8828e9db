package main

import (
	"context"
	"errors"
	"strings"

	"lockstep/render"
	"lockstep/render/recipe"
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
	stats, err := w.draw(ctx, src, cam, pic)
	if err != nil || stats.Covered > 0 || c.placed() {
		return cam, stats, err
	}
	core, far, err := scenes.Core(ctx, w.in.src, w.in.box, w.renderer.Options().Workers)
	if err != nil || far == 0 || core.Empty() {
		return cam, stats, err
	}
	if c.Crop != (recipe.Rect{}) { // the whole picture decides, of which this one is a part
		var whole render.Picture
		if all, err := w.renderer.Frame(ctx, src, cam, &whole); err == nil && all.Covered > 0 || ctx.Err() != nil {
			return cam, stats, ctx.Err()
		}
	}
	others := *w.in
	others.box, others.parted = core, true
	near, err := c.fit(ctx, &others)
	if err != nil {
		return cam, stats, err
	}
	blank := w.sum
	w.sum = newTally(0).sum // the statistics are of the picture that is written
	again, err := w.draw(ctx, src, near, pic)
	if err != nil || again.Covered == 0 {
		w.sum = blank
		return cam, stats, err
	}
	w.in.warnFar(w.app, "the picture is", far)
	return near, again, nil
}

// warnFar says that what is fitted to most of the triangles.
func (in *input) warnFar(a *app, what string, far int) {
	a.warn("%s: %s of %d far away from the others: %s fitted to those", in.name, plural(int64(far), "triangle"), in.src.Len(), what)
}

// together returns the input that cameras are fitted to where a blank picture is not drawn again: in itself or,
// where triangles far away from the others would leave these less than a pixel, a copy with the box of the others.
func (f *drawFlags) together(ctx context.Context, a *app, in *input) (*input, error) {
	if f.placed() || in.box.Empty() {
		return in, nil
	}
	core, far, err := scenes.Core(ctx, in.src, in.box, int(f.Workers))
	if err != nil || far == 0 || core.Empty() {
		return in, err
	}
	pixels := float64(max(f.Size.Width, f.Size.Height)) * float64(f.Zoom)
	if extent(core)*pixels >= extent(in.box) {
		return in, nil
	}
	in.warnFar(a, "the pictures are", far)
	others := *in
	others.box, others.parted = core, true
	return &others, nil
}

// extent returns the longest side of a box.
func extent(b scenes.Box) float64 {
	size := b.Size()
	return max(size[0], size[1], size[2])
}

// blank returns the error of a mesh with nothing to see: a whole file shows nothing, but one
// that its reader warned of is damaged beyond use.
func (in *input) blank(what string) error {
	err := blankf("%s: %s", in.name, what)
	if in.damage != "" {
		why := strings.TrimPrefix(in.damage, oneLine(in.name)+": ")
		for _, again := range []string{"its triangles: there are none", "its faces: there are none"} { // what says so already
			if reason, ok := strings.CutPrefix(why, again); ok {
				return inputf("%w%s", err, reason)
			}
		}
		return inputf("%w: %s", err, why)
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
