package main

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"lockstep/internal/budget"
	"lockstep/internal/cli"
	"lockstep/internal/framename"
	"lockstep/internal/phrase"
	"lockstep/render"
	"lockstep/render/recipe"
)

// A frameDrawer draws and writes frames of a sequence, in parallel with other frameDrawers. Each frameDrawer has one
// worker. So workers do not wait for each other within a frame, and reading, drawing, encoding and writing overlap. A
// picture does not depend on which frameDrawer draws it. Together, n frameDrawers need about as much memory as one
// renderer with n workers and n pictures.
type frameDrawer struct {
	*sequence
	*pipeline             // a pipeline that only this frameDrawer uses
	data      *viewDrawer // nil without a data set
	pic       render.Picture
	blank     []int // frames that show nothing
}

// newDrawers returns the frameDrawers of the sequence. If frames are independent of each other and memory suffices,
// there is one frameDrawer for each worker of the pipeline. Otherwise there is a single frameDrawer, which uses the
// pipeline itself.
func (s *sequence) newDrawers() ([]*frameDrawer, error) {
	n := min(s.pipeline.Renderer.Machine().Workers(), len(s.cams))
	o := s.pipeline.Renderer.Options()
	if room := s.app.memory.Memory; room > 0 {
		n = min(n, 1+int(room/4/max(budget.PictureBytes(o)+s.data.bytesPerDrawer(), 1)))
	}
	if n < 2 || s.record != nil || s.flags.Trace != "" || s.flags.Explain {
		return []*frameDrawer{{sequence: s, pipeline: s.pipeline}}, nil
	}
	o.Workers, o.Pin = 1, false
	warned := new(sync.Once)
	all := make([]*frameDrawer, 0, n)
	for range n {
		r, err := render.New(o)
		if err != nil {
			closeDrawers(all)
			return nil, err
		}
		w := s.pipeline
		all = append(all, &frameDrawer{sequence: s, pipeline: &pipeline{
			Drawing: w.Fork(r), app: w.app, warned: warned, policy: w.policy, channels: w.channels,
			dpi: w.dpi, small: w.small, kind: w.kind, tally: newTally(w.dropped),
		}})
	}
	return all, nil
}

func closeDrawers(all []*frameDrawer) {
	for _, a := range all {
		a.data.close()
		if a.pipeline != a.sequence.pipeline {
			a.Renderer.Close()
		}
	}
}

// drawAll draws every frame, and returns the frames that show nothing. The first failure ends the drawing.
func (s *sequence) drawAll(ctx context.Context) (blank []int, err error) {
	all, err := s.newDrawers()
	if err != nil {
		return nil, err
	}
	defer closeDrawers(all)
	for _, a := range all {
		if a.data, err = s.data.newDrawer(a.Renderer); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.written = make([]chan struct{}, len(s.cams)+1)
	for k := range s.written {
		s.written[k] = make(chan struct{})
	}
	close(s.written[0])
	var next atomic.Int64
	var done sync.WaitGroup
	for _, a := range all {
		done.Go(func() {
			if err := a.draw(ctx, &next); err != nil {
				cancel(err)
			}
		})
	}
	done.Wait()
	for _, a := range all {
		blank = append(blank, a.blank...)
		if a.pipeline != s.pipeline {
			s.pipeline.addParallel(&a.pipeline.tally, len(all))
		}
	}
	slices.Sort(blank)
	return blank, context.Cause(ctx)
}

// draw draws frames until no frame is left. The counter next is the number of the next frame that no frameDrawer has
// started.
func (d *frameDrawer) draw(ctx context.Context, next *atomic.Int64) error {
	for {
		k := int(next.Add(1) - 1)
		if k >= len(d.cams) {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := d.drawFrame(ctx, k); err != nil {
			return err
		}
		close(d.written[k+1])
		d.app.Progress.Add(1)
	}
}

// waitTurn waits until all frames before k are written.
func (d *frameDrawer) waitTurn(ctx context.Context, k int) error {
	select {
	case <-d.written[k]:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// addParallel adds the statistics of one of several frameDrawers. It divides the seconds by the number of frameDrawers,
// because they work at the same time.
func (t *tally) addParallel(of *tally, drawers int) {
	if of.frames == 0 {
		return
	}
	s := &of.sum.Seconds
	for _, d := range []*time.Duration{&s.Read, &s.Frame, &s.Geometry, &s.Scan, &s.ZBuffer, &s.Merge, &s.Resolve} {
		*d /= time.Duration(drawers)
	}
	t.sum.Add(&of.sum)
	t.frames += of.frames
	t.dropped = of.dropped
	t.encoded += of.encoded / time.Duration(drawers)
}

// drawFrame draws and writes frame k, unless an earlier run has already written it.
func (d *frameDrawer) drawFrame(ctx context.Context, k int) error {
	w, c := d.pipeline, d.flags
	cam, done, err := d.series.selectMesh(ctx, w, d.cams[k], k, len(d.cams))
	if err != nil {
		return err
	}
	defer done()
	text := w.Picture.FrameText(w.Input, cam, d.views[k])
	name := ""
	if d.names != nil {
		name = d.names.Name(k)
		if c.Resume && isFinished(name, w.expectedHead(text)) {
			return nil
		}
	}
	stats, err := w.draw(ctx, w.Input.Source, cam, &d.pic)
	if err != nil {
		return err
	}
	if err := d.record.writeFrame(w.Renderer.BlockSeconds(), &cam); err != nil {
		return err
	}
	if stats.Covered == 0 {
		d.blank = append(d.blank, k)
	}
	switch {
	case d.clip != nil:
		return d.clip.addFrame(w, &d.pic, func() error { return d.waitTurn(ctx, k) })
	case d.names == nil || stats.Covered == 0 && d.data == nil:
		return nil
	}
	out, err := w.app.create(name)
	if err != nil {
		return err
	}
	defer out.Abort()
	if err := w.encode(ctx, out, &d.pic, text); err != nil {
		return err
	}
	if err := d.data.drawView(ctx, d, k); err != nil {
		return err
	}
	return out.Commit()
}

// A sequence is an animation that is being drawn.
type sequence struct {
	*pipeline
	flags  *animateCommand
	names  *framename.Names // nil without numbered pictures
	clip   *clip            // nil without a clip
	record *recorder        // writes drawing times of blocks; nil: not requested
	cams   []render.Camera
	views  []recipe.View
	series *series  // nil if there is only one mesh
	data   *viewSet // nil without a data set

	written []chan struct{} // written[k] is closed when all frames before k are written
}

// run draws every frame. Frames that show nothing get no file, and an error at the end lists them. Any other error ends
// the run at once, because the next frame would fail in the same way.
func (s *sequence) run(ctx context.Context) error {
	s.app.Progress.BeginRate("drawing", "frames", int64(len(s.cams)))
	defer s.app.Progress.End()
	blank, err := s.drawAll(ctx)
	if err != nil {
		return err
	}
	switch len(blank) {
	case 0:
		return nil
	case len(s.cams):
		return s.Input.Blank("nothing of it would be visible on any frame")
	}
	return cli.Partialf("%s: nothing of it would be visible on %s of %d: %s",
		s.Input.Name, phrase.Plural(int64(len(blank)), "frame"), len(s.cams), framename.Ranges(blank))
}
