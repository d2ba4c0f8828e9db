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

// An artist draws and writes frames of a sequence, in parallel with other artists. Each artist has one worker, so that
// workers need not wait for each other within a frame, and reading, drawing, encoding and writing overlap. A frame is
// the same picture whichever artist draws it. All artists together hold as many private frames as one renderer with the
// same number of workers, and in addition one picture each.
type artist struct {
	*sequence
	*pipeline             // the artist's own pipeline
	data      *viewArtist // nil: only pictures are wanted
	pic       render.Picture
	blank     []int // frames that show nothing
}

// artists returns the artists that draw the sequence. If frames are independent of each other and memory suffices,
// there is one artist for each worker of the pipeline. Otherwise there is a single artist, which uses the pipeline
// itself.
func (s *sequence) artists() ([]*artist, error) {
	n := min(s.pipeline.Renderer.Machine().Workers(), len(s.cams))
	o := s.pipeline.Renderer.Options()
	if room := s.app.memory.Memory; room > 0 {
		n = min(n, 1+int(room/4/max(budget.PictureBytes(o)+s.data.bytes(), 1)))
	}
	if n < 2 || s.record != nil || s.flags.Trace != "" || s.flags.Explain {
		return []*artist{{sequence: s, pipeline: s.pipeline}}, nil
	}
	o.Workers, o.Pin = 1, false
	warned := new(sync.Once)
	all := make([]*artist, 0, n)
	for range n {
		r, err := render.New(o)
		if err != nil {
			closeArtists(all)
			return nil, err
		}
		w := s.pipeline
		all = append(all, &artist{sequence: s, pipeline: &pipeline{
			Drawing: w.Fork(r), app: w.app, warned: warned, policy: w.policy, channels: w.channels,
			dpi: w.dpi, small: w.small, kind: w.kind, tally: newTally(w.dropped),
		}})
	}
	return all, nil
}

func closeArtists(all []*artist) {
	for _, a := range all {
		a.data.close()
		if a.pipeline != a.sequence.pipeline {
			a.Renderer.Close()
		}
	}
}

// drawAll draws every frame, and returns the frames that show nothing. The first failure ends the drawing.
func (s *sequence) drawAll(ctx context.Context) (blank []int, err error) {
	all, err := s.artists()
	if err != nil {
		return nil, err
	}
	defer closeArtists(all)
	for _, a := range all {
		if a.data, err = s.data.artist(a.Renderer); err != nil {
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
			s.pipeline.gather(&a.pipeline.tally, len(all))
		}
	}
	slices.Sort(blank)
	return blank, context.Cause(ctx)
}

// draw draws frames until none is left. next is the number of the next frame that no artist has taken yet.
func (a *artist) draw(ctx context.Context, next *atomic.Int64) error {
	for {
		k := int(next.Add(1) - 1)
		if k >= len(a.cams) {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := a.drawFrame(ctx, k); err != nil {
			return err
		}
		close(a.written[k+1])
		a.app.Progress.Add(1)
	}
}

// waitTurn waits until all frames before k are written.
func (a *artist) waitTurn(ctx context.Context, k int) error {
	select {
	case <-a.written[k]:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// gather adds the statistics of one of several artists. Because artists work at the same time, it divides the artist's
// seconds by the number of artists.
func (t *tally) gather(of *tally, artists int) {
	if of.frames == 0 {
		return
	}
	s := &of.sum.Seconds
	for _, d := range []*time.Duration{&s.Read, &s.Frame, &s.Geometry, &s.Scan, &s.ZBuffer, &s.Merge, &s.Resolve} {
		*d /= time.Duration(artists)
	}
	t.sum.Add(&of.sum)
	t.frames += of.frames
	t.dropped = of.dropped
	t.encoded += of.encoded / time.Duration(artists)
}

// drawFrame draws and writes frame k, unless an earlier run has already written it.
func (a *artist) drawFrame(ctx context.Context, k int) error {
	w, c := a.pipeline, a.flags
	cam, done, err := a.series.show(ctx, w, a.cams[k], k, len(a.cams))
	if err != nil {
		return err
	}
	defer done()
	text := w.Picture.Text(w.Input, cam, a.views[k])
	name := ""
	if a.names != nil {
		name = a.names.Name(k)
		if c.Resume && isFinished(name, w.head(text)) {
			return nil
		}
	}
	stats, err := w.draw(ctx, w.Input.Source, cam, &a.pic)
	if err != nil {
		return err
	}
	if err := a.record.frame(w.Renderer.BlockSeconds(), &cam); err != nil {
		return err
	}
	if stats.Covered == 0 {
		a.blank = append(a.blank, k)
	}
	switch {
	case a.clip != nil:
		return a.clip.frame(w, &a.pic, func() error { return a.waitTurn(ctx, k) })
	case a.names == nil || stats.Covered == 0 && a.data == nil:
		return nil
	}
	out, err := w.app.create(name)
	if err != nil {
		return err
	}
	defer out.Abort()
	if err := w.encode(ctx, out, &a.pic, text); err != nil {
		return err
	}
	if err := a.data.view(ctx, a, k); err != nil {
		return err
	}
	return out.Commit()
}

// A sequence is an animation that is being drawn.
type sequence struct {
	*pipeline
	flags  *animateCommand
	names  *framename.Names // nil: no numbered pictures
	clip   *clip            // nil: no clip
	record *recorder        // nil: no loads
	cams   []render.Camera
	views  []recipe.View
	series *series  // nil: only one mesh
	data   *viewSet // nil: no data set, only pictures

	written []chan struct{} // written[k] is closed when all frames before k are written
}

// run draws every frame. Frames that show nothing get no file and are named in an error at the end. Any other failure
// ends the run at once, because the next frame would fail in the same way.
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
