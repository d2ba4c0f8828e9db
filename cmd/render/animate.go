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
	Turntable bool     `xor:"motion" help:"Turn the eye once around the up axis, counter-clockwise seen from above, from --view on."`
	Flyby     bool     `xor:"motion" help:"Fly straight past the mesh, close to it, at the level of --view."`
	Output    pathFlag `short:"o" placeholder:"DIR" help:"Folder for NAME_0000.png and so on, made if missing; or a name with #### or %04d where the number goes."`
	Resume    bool     `help:"Keep pictures that an earlier run with the same flags has finished."`

	RecordLoads pathFlag `placeholder:"FILE" help:"Also write how long every block of 4096 triangles took in every frame, and where it was in the picture, for --loads of bench criteria, circuit and partition. Without -o no pictures are written."`
}

// framesMost bounds the length of an animation: an hour at 60 pictures a
// second is below it, and a slip of the finger above.
const framesMost = 1_000_000

// check refuses what would not make an animation.
func (c *animateCommand) check(a *app) error {
	switch err := c.drawFlags.check(a); {
	case err != nil:
		return err
	case !c.Turntable && !c.Flyby:
		return usagef("animate: want a motion: --turntable or --flyby")
	case c.Flyby && c.Projection == "orthographic":
		return usagef("--flyby needs --projection perspective")
	case c.Resume && c.RecordLoads != "":
		return usagef("--resume leaves frames out, and --record-loads needs them all")
	case c.Trace != "" && c.RecordLoads != "":
		return usagef("--trace and --record-loads: traced frames take longer, which would be recorded")
	case c.Trace != "" && c.Resume:
		return usagef("--resume leaves frames out, and --trace needs them all")
	case c.Frames < 1 || c.Frames > framesMost:
		return usagef("--frames %d: want 1 to %d", c.Frames, framesMost)
	}
	return nil
}

// Run draws the frames.
func (c *animateCommand) Run(ctx context.Context, a *app) error {
	if err := c.check(a); err != nil {
		return err
	}
	names, err := c.pictures(a)
	if err != nil {
		return err
	}
	record, err := c.recorder(a)
	if err != nil {
		return err
	}
	defer record.abort()
	trace, err := c.traceFile(a)
	if err != nil {
		return err
	}
	defer trace.abort()
	w, err := c.start(ctx, a, false, func(o *render.Options) { o.TimeBlocks = record != nil })
	if err != nil {
		return err
	}
	defer w.close()
	if err := w.empty(); err != nil {
		return errors.Join(err, w.report(&c.drawFlags, &w.frames))
	}
	cams, turns, err := c.cameras(w.in)
	if err != nil {
		return usagef("%w", err)
	}
	if err := record.begin(ctx, w.in); err != nil {
		return err
	}
	if err := trace.begin(w, &c.drawFlags); err != nil {
		return err
	}
	seq := sequence{work: w, flags: c, names: names, record: record, cams: cams, turns: turns}
	err = seq.run(ctx)
	switch codeOf(err) {
	case exitDone, exitPartial:
		return errors.Join(err, record.commit(), trace.commit(), w.report(&c.drawFlags, &w.frames))
	case exitBlank:
		return errors.Join(err, w.report(&c.drawFlags, &w.frames))
	}
	return err
}

// pictures makes the names of the pictures, nil if only loads are wanted, and
// refuses outputs that would replace the mesh or each other.
func (c *animateCommand) pictures(a *app) (*frameNames, error) {
	taken, err := a.checkTargets(string(c.Mesh), string(c.RecordLoads), string(c.Trace))
	if err != nil || c.Output == "" && c.RecordLoads != "" {
		return nil, err
	}
	names, err := newFrameNames(string(c.Output), string(c.Mesh), c.Frames)
	if err != nil {
		return nil, err
	}
	if err := names.checkTaken(c.Frames, taken); err != nil {
		return nil, err
	}
	return names, names.prepare(&a.files)
}

// cameras returns the camera of every frame, and what it adds to the azimuth.
func (c *animateCommand) cameras(in *input) (cams []render.Camera, turns []float64, err error) {
	turns = make([]float64, c.Frames)
	if c.Flyby {
		cams, err = render.Flyby(in.box, c.camera(in.up()), c.Frames)
		return cams, turns, err
	}
	for k := range turns {
		turns[k] = 360 * float64(k) / float64(c.Frames)
	}
	cams, err = render.FitTurn(in.box, c.Size.Width, c.Size.Height, c.camera(in.up()), turns)
	return cams, turns, err
}

// A sequence is an animation that is being drawn.
type sequence struct {
	*work
	flags  *animateCommand
	names  *frameNames // nil: no pictures
	record *recorder   // nil: no loads
	cams   []render.Camera
	turns  []float64 // degrees, added to the azimuth
	blank  []int     // frames on which nothing would be visible
	pic    render.Picture
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
	name := ""
	if s.names != nil {
		name = s.names.name(k)
		if s.flags.Resume && finished(name, s.width, s.height, text) {
			return nil
		}
	}
	stats, err := s.draw(ctx, s.in.src, s.cams[k], &s.pic)
	if err != nil {
		return err
	}
	if err := s.record.frame(s.renderer.BlockSeconds(), &s.cams[k]); err != nil {
		return err
	}
	if stats.Covered == 0 {
		s.blank = append(s.blank, k)
		return nil
	}
	if s.names == nil {
		return nil
	}
	out, err := s.app.create(name)
	if err != nil {
		return err
	}
	defer out.Abort()
	if err := s.encode(ctx, out, &s.pic, text); err != nil {
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
