package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"lockstep/render"
)

// An animateCommand draws a sequence of pictures with one renderer.
type animateCommand struct {
	drawFlags
	Frames    int      `default:"0" placeholder:"N" help:"Number of pictures."`
	Turntable bool     `help:"Turn the eye once around the up axis, counter-clockwise seen from above, from --view on."`
	Output    pathFlag `short:"o" placeholder:"DIR" help:"Folder for NAME_0000.png and so on, made if missing; or a name with #### or %04d where the number goes."`
	Resume    bool     `help:"Keep pictures that an earlier run with the same flags has finished."`
}

// framesMost bounds the length of an animation: an hour at 60 pictures a
// second is below it, and a slip of the finger above.
const framesMost = 1_000_000

// check refuses what would not make an animation.
func (c *animateCommand) check() error {
	switch err := c.drawFlags.check(); {
	case err != nil:
		return err
	case !c.Turntable:
		return usagef("animate: want --turntable, the motion that is available")
	case c.Frames < 1 || c.Frames > framesMost:
		return usagef("--frames %d: want 1 to %d", c.Frames, framesMost)
	}
	return nil
}

// Run draws the frames.
func (c *animateCommand) Run(ctx context.Context, a *app) error {
	if err := c.check(); err != nil {
		return err
	}
	names, err := newFrameNames(string(c.Output), c.Mesh, c.Frames)
	if err != nil {
		return err
	}
	if err := names.prepare(a.outputs); err != nil {
		return err
	}
	w, err := c.start(ctx, a, false)
	if err != nil {
		return err
	}
	defer w.close()
	turns := make([]float64, c.Frames)
	for k := range turns {
		turns[k] = 360 * float64(k) / float64(c.Frames)
	}
	cams, err := render.FitTurn(w.in.box, c.Size.Width, c.Size.Height, c.camera(w.in.up()), turns)
	if err != nil {
		return usagef("%w", err)
	}
	seq := sequence{work: w, flags: c, names: names, cams: cams, turns: turns}
	err = seq.run(ctx)
	if err == nil || codeOf(err) == exitPartial {
		err = errors.Join(err, w.report(c.Stats, &w.frames))
	}
	return err
}

// A sequence is an animation that is being drawn.
type sequence struct {
	*work
	flags *animateCommand
	names *frameNames
	cams  []render.Camera
	turns []float64 // degrees, added to the azimuth
	blank []int     // frames on which nothing would be visible
	pic   render.Picture
}

// run draws every frame. Blank ones are left out and told about at the end;
// all other failures end the run at once, for they would meet the next frame
// too.
func (s *sequence) run(ctx context.Context) error {
	s.app.progress.Begin("drawing", int64(len(s.cams)))
	defer s.app.progress.End()
	for k := range s.cams {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.frame(ctx, k); err != nil {
			return err
		}
		s.app.progress.Add(1)
	}
	switch len(s.blank) {
	case 0:
		return nil
	case len(s.cams):
		return blankf("%s: nothing of it would be visible on any frame", s.in.name)
	}
	return partialf("%s: nothing of it would be visible on %s of %d: %s",
		s.in.name, plural(int64(len(s.blank)), "frame"), len(s.cams), list(s.blank))
}

// frame draws frame k, unless an earlier run has.
func (s *sequence) frame(ctx context.Context, k int) error {
	text := s.flags.describe(s.in, s.cams[k], s.flags.View.Azimuth+s.turns[k])
	name := s.names.name(k)
	if s.flags.Resume && finished(name, s.width, s.height, text) {
		return nil
	}
	stats, err := s.draw(ctx, s.in.src, s.cams[k], &s.pic)
	if err != nil {
		return err
	}
	if stats.Covered == 0 {
		s.blank = append(s.blank, k)
		return nil
	}
	out, err := s.app.outputs.create(name)
	if err != nil {
		return err
	}
	defer out.Abort()
	if err := s.encode(out, &s.pic, text); err != nil {
		return err
	}
	return out.Commit()
}

// list returns numbers as text, runs of them as a-b.
func list(numbers []int) string {
	var parts []string
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		part := fmt.Sprint(numbers[i])
		if j > i {
			part = fmt.Sprintf("%d-%d", numbers[i], numbers[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, ", ")
}
